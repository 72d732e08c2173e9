/* SPDX-License-Identifier: Apache-2.0 */
/* One end of a measurement: an open device with memory, completion queues and queue pairs. The control
 * side (measure.c, responder.c) makes one, exchanges endpoint_info with the other end, connects, runs, and
 * hands it to the reaper. Used by one thread at a time. */
#ifndef ENGINE_ENDPOINT_H
#define ENGINE_ENDPOINT_H

#include "base/scope.h"
#include "engine/engine.h"
#include "engine/reaper.h"

#define ENDPOINT_QPS_MAX 1024 /* as many as a frame of the control protocol describes */

struct endpoint; /* private to the data path: holds the verbs objects */

struct endpoint_qp {
        uint32_t number; /* 24 bits */
        uint32_t psn;    /* 24 bits, random */
};

/* What the other end must know to talk to this one. */
struct endpoint_info {
        struct rdma_address address; /* index and ifindex are local only */
        uint16_t lid;
        unsigned mtu_bytes;   /* of the path: the smaller of both active MTUs */
        uint64_t remote_addr; /* of the registered buffer */
        uint32_t remote_key;
        uint64_t bytes;
        uint8_t reads; /* and atomics that it takes at once per queue pair; 0: not said, so 1 */
        size_t n_qps;
        struct endpoint_qp qps[ENDPOINT_QPS_MAX];
};

/* Ends a wait early: the control connection became readable or broke, or the caller cancelled. */
struct watch {
        int fd;                     /* control connection; -1: none */
        const atomic_bool *cancel;  /* NULL: none */
        const atomic_bool *cancel2; /* NULL: none (the responder's own stop beside a session's) */
};

/* Picks, for a peer that offers `remote` (n of them), the local device's port and address and the peer's
 * address that the kernel's routing would use between them: same family and RoCE version, GID equal to the
 * source address of a UDP socket connected to the peer's; on InfiniBand the first GID or LID. port 0: first
 * active port. On failure the reason names both sides' addresses. */
int address_choose(const struct device_facts *local, uint8_t port, const struct rdma_address *remote,
        size_t n, enum link_layer remote_layer, struct rdma_address *ret_local, uint8_t *ret_port,
        size_t *ret_remote, struct fault *fault);

/* Opens the device, registers memory (a slot per queue pair and direction, page-aligned), makes the queues.
 * Refuses with -EBUSY when the device's reaper is stuck. The plan must be resolved, mtu_bytes, too. On failure
 * everything is handed to the reaper. */
int endpoint_open(struct reapers *reapers, const char *device, uint8_t port,
        const struct rdma_address *address, const struct plan *plan, struct endpoint **ret,
        struct fault *fault);
void endpoint_describe(const struct endpoint *ep, struct endpoint_info *ret);
/* INIT → RTR → RTS with every attribute set. */
int endpoint_connect(struct endpoint *ep, const struct endpoint_info *remote, struct fault *fault);
/* Gives all to the reaper and returns at once. NULL is fine. */
void endpoint_close(struct endpoint *ep);
DEFINE_SCOPE_FREE(struct endpoint *, endpoint_close);

/* The active side of a bandwidth run: fills bytes … worst_window_bps, cpu_ns of *ret. */
int stream_run(struct endpoint *ep, const struct plan *plan, uint64_t deadline_ns, const struct watch *watch,
        struct result *ret);
/* The passive side: takes what comes, and sends when the plan is bidirectional, until the control connection becomes
 * readable, which is no fault. Fills received, and of what it sent itself the same as stream_run().
 *
 * The active side of a bidirectional run calls it, too, after its own stream, with `sends` false, so that the other
 * end's last messages find a receive. */
int stream_serve(struct endpoint *ep, const struct plan *plan, bool sends, uint64_t deadline_ns,
        const struct watch *watch, struct result *ret);
/* Latency by taking turns: both ends call it, one as `active`. The passive end fills cpu_ns and messages only, and
 * ends without fault when the control connection becomes readable. */
int pingpong_run(struct endpoint *ep, const struct plan *plan, bool active, uint64_t deadline_ns,
        const struct watch *watch, struct result *ret);
/* Where the plan says verify. Before the traffic, on both ends: what is to be sent, and something else where it is
 * to land. */
void endpoint_fill(struct endpoint *ep, bool active);
/* After it: what landed here, all zero when nothing does. The other end made so many requests, which atomics have
 * counted. */
void endpoint_compare(const struct endpoint *ep, bool active, uint64_t requests, struct verification *ret);
/* Whether this end has to do anything while the other one is active. */
bool endpoint_serves(const struct endpoint *ep);

/* hw_counters (and counters/) of a port, for deltas over a run. Unreadable files are left out. */
struct counter_snapshot;
int counter_snapshot_take(const char *device, uint8_t port, struct counter_snapshot **ret);
void counter_snapshot_free(struct counter_snapshot *s);
/* Counters that moved between the two; a counter that went backwards is left out. */
void counter_snapshot_deltas(const struct counter_snapshot *before, const struct counter_snapshot *after,
        struct counter_deltas *ret);

#endif
