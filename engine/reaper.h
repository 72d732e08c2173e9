/* SPDX-License-Identifier: Apache-2.0 */
/* Reapers: one thread per device destroys what endpoints leave, because on software RDMA ibv_destroy_qp()
 * can sit in the kernel for a minute. Nobody waits for them; a device whose teardown is stuck gets no new
 * queue pairs. Thread-safe. */
#ifndef ENGINE_REAPER_H
#define ENGINE_REAPER_H

#include "base/scope.h"
#include "engine/engine.h"

struct reapers;

int reapers_new(struct reapers **ret);
/* Threads end when their queues are empty; one stuck in the kernel keeps its memory and is left behind. */
void reapers_free(struct reapers *r);

/* A piece of work; destroy() runs on the device's reaper thread and frees the teardown itself. */
struct teardown {
        void (*destroy)(struct teardown *t);
        struct teardown *next; /* the reaper's */
        uint64_t submitted_ns; /* the reaper's */
};

/* Never fails: without a thread to run it (no memory) it runs here and now. */
void reapers_submit(struct reapers *r, const char *device, struct teardown *t);
/* True: no new queue pairs on this device now. */
bool reapers_stuck(struct reapers *r, const char *device);
size_t reapers_states(struct reapers *r, struct reaper_state *ret, size_t max);

#endif
