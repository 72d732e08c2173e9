/* SPDX-License-Identifier: Apache-2.0 */
/* Leases: one measurement at a time on a port, whoever asks (lanes, responder sessions). Thread-safe. */
#ifndef ENGINE_ADMISSION_H
#define ENGINE_ADMISSION_H

#include "base/scope.h"
#include "engine/engine.h"

struct admission;
struct lease;

int admission_new(struct admission **ret);
void admission_free(struct admission *a); /* no lease may be out */

/* Waits until the port is free or the deadline (a past one: does not wait). 0; -EBUSY with who holds it and
 * since when in the fault; -ENOMEM. `holder` is for that message: "probe of host-b", "session of host-a". */
int admission_take(struct admission *a, const char *device, uint8_t port, const char *holder,
        uint64_t deadline_ns, struct lease **ret, struct fault *fault);
void lease_release(struct lease *l); /* NULL is fine */
DEFINE_SCOPE_FREE(struct lease *, lease_release);

#endif
