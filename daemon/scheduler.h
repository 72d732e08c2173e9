/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler: which active probes there are, when each has its turn, what came of it. The main thread's;
 * lanes only run turns and hand the outcomes back. Totals, the log of state changes, the slots and the
 * detector's series of every probe are kept here, so a lane that is stuck in the kernel can be reported. */
#ifndef DAEMON_SCHEDULER_H
#define DAEMON_SCHEDULER_H

#include "daemon/config.h"
#include "daemon/inventory.h"
#include "daemon/service_metrics.h"
#include "daemon/slot.h"
#include "probes/probe.h"

struct scheduler;

/* `wake` is called on lanes' threads when scheduler_collect() has something to do. */
int scheduler_new(const struct source_environment *env, struct slots *slots, void (*wake)(void *context),
        void *context, struct scheduler **ret);
/* Makes the probes those of this config on these rails.
 * What stays the same keeps its totals and its place; what goes takes its series with it. */
int scheduler_reconcile(
        struct scheduler *s, const struct config *config, const struct rail *rails, size_t n_rails);
/* Monotonic time at which scheduler_run_due() has something to do next; DEADLINE_NEVER: nothing. */
uint64_t scheduler_next_ns(const struct scheduler *s);
/* Starts the turns that are due, and looks at those that should have ended. */
void scheduler_run_due(struct scheduler *s);
/* Takes in what lanes have handed back. How many turns that were. */
size_t scheduler_collect(struct scheduler *s);
size_t scheduler_probes(const struct scheduler *s);
size_t scheduler_failing(const struct scheduler *s);
size_t scheduler_stuck(const struct scheduler *s); /* in the kernel past their deadline */
/* One per probe, in no order: *ret freed with free(); its strings live until the next reconcile. */
int scheduler_lane_states(const struct scheduler *s, struct lane_state **ret, size_t *ret_n);
/* Cancels turns, ends lanes by the deadline, frees. 0, or -ETIMEDOUT: some lane stayed behind in the kernel
 * and with it what it uses: the caller must exit without freeing the environment. */
int scheduler_free(struct scheduler *s, uint64_t deadline_ns);

#endif
