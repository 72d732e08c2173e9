/* SPDX-License-Identifier: Apache-2.0 */
/* What the two ends of a measurement share inside the engine. */
#ifndef ENGINE_INTERNAL_H
#define ENGINE_INTERNAL_H

#include "base/clock.h"
#include "base/scope.h"
#include "engine/admission.h"
#include "engine/engine.h"
#include "engine/protocol.h"
#include "engine/reaper.h"
#include "engine/resolve.h"

/* Immutable but for what its parts lock themselves. */
struct engine {
        atomic_uint references; /* of the owner and of each responder session: one that is stuck in the kernel
                                   keeps what it stands on */
        char node[ENGINE_NAME_MAX];
        struct reapers *reapers;
        struct admission *admission;
        struct resolver *resolver;
        struct rails *rails;
};

/* What a peer is offered, in rail order: *ret freed with free(). A device that is not there or cannot be opened
 * has its name and no ports. 0, -errno as device_list(). */
int rails_devices(struct rails *r, struct device_facts **ret, size_t *ret_n);
int rails_new(struct rails **ret);
void rails_free(struct rails *r);

struct engine *engine_ref(struct engine *e);
/* engine_free() drops the owner's. */

/* How long to wait for a lease: two hosts that probe each other hold their own while they ask for the
 * other's. */
#define LEASE_WAIT_NS (100 * NS_PER_MS)
/* A step of the handshake; the peer's processing is in it, a device's opening too. */
#define STEP_NS (5 * NS_PER_SEC)
/* After the deadline: for the peer's report of a run that the deadline cut. */
#define REPORT_GRACE_NS (500 * NS_PER_MS)
/* What a responder adds to the client's remaining time, so that the client is the one to end it. */
#define SESSION_MARGIN_NS (750 * NS_PER_MS)

/* The capability a peer needs for this plan. */
uint32_t plan_capability(const struct plan *p);

/* ---- which ports talk to each other (match.c) ---------------------------------------------------- */

const struct device_facts *devices_find(const struct device_facts *devices, size_t n, const char *name);
const struct port_facts *device_port(const struct device_facts *d, uint8_t number);
/* The first active port, else NULL. */
const struct port_facts *device_active_port(const struct device_facts *d);

/* The two ends of a path. */
struct match {
        const struct device_facts *peer_device;
        const struct port_facts *peer_port;
        struct rdma_address local, peer;
        uint8_t local_port;
        unsigned mtu_bytes; /* the smaller of both ports' */
};

/* Picks the peer's device, port and address for this request. `local` is the requested device. */
int match_choose(const struct device_facts *local, uint8_t port, const struct welcome *w,
        const struct measure_request *request, struct match *ret, struct fault *fault);
/* The path's MTU that a plan gets: its own, else the path's. A larger one is refused with both MTUs named. */
int match_mtu(const struct device_facts *local, const struct match *m, unsigned wanted, const char *peer_node,
        unsigned *ret, struct fault *fault);

#endif
