/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/scheduler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "daemon/log.h"
#include "daemon/scheduler_private.h"

/* A lane this long past its turn's deadline sits in the kernel: the turn is reported as failed. */
#define STUCK_AFTER_NS (500 * NS_PER_MS)
/* A busy answer says only that somebody else measures: three more tries, apart by 0.2 … 1 s. */
#define BUSY_RETRIES   3
#define BUSY_WAIT_NS   (200 * NS_PER_MS)
#define BUSY_SPREAD_NS (800 * NS_PER_MS)

/* A job with what it keeps alive. */
struct run {
        struct job job;
        struct turn *turn;
        struct instance *instance;
};

int scheduler_new(const struct source_environment *env, struct slots *slots, void (*wake)(void *context),
        void *context, struct scheduler **ret)
{
        cleanup(freep) struct scheduler *s = calloc(1, sizeof(*s));
        int r;

        if (!s)
                return -ENOMEM;
        s->env = env;
        s->slots = slots;
        s->wake = wake;
        s->wake_context = context;
        schedule_init(&s->schedule);
        r = -pthread_mutex_init(&s->lock, NULL);
        if (r < 0)
                return r;
        *ret = take_ptr(s);
        return 0;
}

void scheduler_job_done(void *context, struct job *job)
{
        struct scheduler *s = context;

        (void)pthread_mutex_lock(&s->lock);
        job->next = s->ended;
        s->ended = job;
        (void)pthread_mutex_unlock(&s->lock);
        s->wake(s->wake_context);
}

/* ---- turns ------------------------------------------------------------------------------------- */

static void set_due(struct scheduler *s, struct turn *t, uint64_t due_ns)
{
        /* The only failure is memory for the heap's array: tried again when the turn is looked at next. */
        if (schedule_set(&s->schedule, &t->entry, due_ns) < 0)
                log_error("no memory to schedule %s of %s", t->class->name, t->peer);
}

void scheduler_wait_for_next(struct scheduler *s, struct turn *t)
{
        uint64_t real_ns = clock_realtime_ns(s->env->clock), now_ns = clock_monotonic_ns(s->env->clock);

        t->phase = TURN_WAITING;
        t->retries = 0;
        t->due_ns = now_ns + (schedule_next_ns(real_ns, t->interval_ns, t->offset_ns) - real_ns);
        set_due(s, t, t->due_ns);
}

/* Apart by a hash that both ends compute differently, so that they do not meet again. */
static void wait_for_retry(struct scheduler *s, struct turn *t)
{
        uint64_t now_ns = clock_monotonic_ns(s->env->clock);
        uint64_t hash = text_hash(t->peer, text_hash(t->class->name, TEXT_HASH_SEED ^ now_ns));

        t->phase = TURN_WAITING;
        t->retries++;
        t->due_ns = now_ns + BUSY_WAIT_NS + hash % BUSY_SPREAD_NS;
        set_due(s, t, t->due_ns);
}

static void finish(struct scheduler *s, struct turn *t, struct outcome *o)
{
        device_lane_aggregate(t->lane, s->slots, t->class, o);
        turn_finish(t, o);
}

static void start(struct scheduler *s, struct turn *t)
{
        struct run *run = calloc(1, sizeof(*run));

        if (!run) {
                log_error("no memory for a turn of %s to %s", t->class->name, t->peer);
                scheduler_wait_for_next(s, t);
                return;
        }
        run->turn = t;
        run->instance = t->instance;
        run->instance->users++;
        run->job.class = t->class;
        run->job.state = t->instance->state;
        run->job.timeout_ns = t->timeout_ns;
        run->job.cancel = &t->instance->cancel;
        run->job.owner = run;
        outcome_init(&run->job.outcome);
        t->run = run;
        t->turns++;
        t->phase = TURN_RUNNING;
        set_due(s, t, clock_monotonic_ns(s->env->clock) + t->timeout_ns + STUCK_AFTER_NS);
        lane_submit(t->lane->lane, &run->job);
}

/* Due while with the lane: either it waits behind others, or somebody sits in the kernel. */
static void look_at_overdue(struct scheduler *s, struct turn *t)
{
        uint64_t now_ns = clock_monotonic_ns(s->env->clock);
        uint64_t started_ns = atomic_load(&t->run->job.started_ns);
        uint64_t since_ns = started_ns ? started_ns : t->due_ns + t->interval_ns;
        struct outcome o;

        if (now_ns < since_ns + t->timeout_ns + STUCK_AFTER_NS) {
                set_due(s, t, since_ns + t->timeout_ns + STUCK_AFTER_NS);
                return;
        }
        outcome_init(&o);
        o.started_realtime_ns = clock_realtime_ns(s->env->clock);
        o.duration_ns = now_ns - since_ns;
        o.fault.kind = OUTCOME_LOCAL;
        o.fault.error = -ETIMEDOUT;
        text_message(o.fault.reason, sizeof(o.fault.reason),
                started_ns
                        ? "a call into the kernel for device %s has not returned; see dmesg and the state of "
                          "thread lane-%s"
                        : "waits behind another probe of device %s that has not returned; see thread lane-%s",
                t->device, t->device);
        finish(s, t, &o);
        t->phase = TURN_STUCK;
        set_due(s, t, now_ns + t->interval_ns); /* still stuck then: a failed turn more */
}

void scheduler_run_due(struct scheduler *s)
{
        uint64_t now_ns = clock_monotonic_ns(s->env->clock);
        struct schedule_entry *e;

        while ((e = schedule_take_due(&s->schedule, now_ns))) {
                struct turn *t = (struct turn *)e;
                if (t->phase == TURN_WAITING)
                        start(s, t);
                else
                        look_at_overdue(s, t);
        }
}

uint64_t scheduler_next_ns(const struct scheduler *s)
{
        return schedule_first_due_ns(&s->schedule);
}

static void run_free(struct run *run)
{
        outcome_done(&run->job.outcome);
        instance_release(run->instance);
        free(run);
}

static void take_back(struct scheduler *s, struct run *run)
{
        struct turn *t = run->turn;
        uint64_t started_ns = atomic_load(&run->job.started_ns);
        bool busy = run->job.outcome.fault.kind == OUTCOME_BUSY;

        t->run = NULL;
        if (t->removed) {
                turn_free(t);
                return;
        }
        t->lateness_ns = started_ns > t->due_ns ? started_ns - t->due_ns : 0;
        if (t->phase == TURN_STUCK)
                log_info("probe %s %s → %s: the lane is back", t->class->name, t->device, t->peer);
        else
                finish(s, t, &run->job.outcome);
        if (busy && t->retries < BUSY_RETRIES)
                wait_for_retry(s, t);
        else
                scheduler_wait_for_next(s, t);
}

size_t scheduler_collect(struct scheduler *s)
{
        struct job *job;
        size_t n = 0;

        (void)pthread_mutex_lock(&s->lock);
        job = s->ended;
        s->ended = NULL;
        (void)pthread_mutex_unlock(&s->lock);
        for (; job; n++) {
                struct run *run = job->owner;
                job = job->next;
                take_back(s, run);
                run_free(run);
        }
        return n;
}

/* ---- outside view -------------------------------------------------------------------------------- */

size_t scheduler_probes(const struct scheduler *s)
{
        size_t n = 0;

        for (const struct turn *t = s->turns; t; t = t->next)
                n++;
        return n;
}

size_t scheduler_failing(const struct scheduler *s)
{
        size_t n = 0;

        for (const struct turn *t = s->turns; t; t = t->next)
                n += turn_failing(t);
        return n;
}

size_t scheduler_stuck(const struct scheduler *s)
{
        size_t n = 0;

        for (const struct turn *t = s->turns; t; t = t->next)
                n += t->phase == TURN_STUCK;
        return n;
}

static double stuck_seconds(const struct turn *t, uint64_t now_ns)
{
        uint64_t started_ns = t->run ? atomic_load(&t->run->job.started_ns) : 0;

        if (!started_ns)
                return 0;
        return (double)deadline_left_ns(now_ns, started_ns + t->timeout_ns + STUCK_AFTER_NS) /
               (double)NS_PER_SEC;
}

int scheduler_lane_states(const struct scheduler *s, struct lane_state **ret, size_t *ret_n)
{
        size_t n = scheduler_probes(s), i = 0;
        struct lane_state *states = calloc(n ? n : 1, sizeof(states[0]));
        uint64_t now_ns = clock_monotonic_ns(s->env->clock);

        if (!states)
                return -ENOMEM;
        for (const struct turn *t = s->turns; t; t = t->next)
                states[i++] = (struct lane_state){
                        .source = t->class->name,
                        .device = t->device,
                        .peer = t->peer,
                        .lateness_ns = t->lateness_ns,
                        .turns_total = t->turns,
                        .stuck_seconds = stuck_seconds(t, now_ns),
                };
        *ret = states;
        *ret_n = n;
        return 0;
}

int scheduler_free(struct scheduler *s, uint64_t deadline_ns)
{
        struct turn *t;

        if (!s)
                return 0;
        for (t = s->turns; t; t = t->next)
                atomic_store(&t->instance->cancel, true);
        if (device_lanes_stop(s->lanes, deadline_ns) < 0)
                return -ETIMEDOUT;
        (void)scheduler_collect(s); /* cancelled, all of them */
        while ((t = s->turns)) {
                s->turns = t->next;
                turn_free(t);
        }
        device_lanes_free(s->lanes);
        schedule_done(&s->schedule);
        (void)pthread_mutex_destroy(&s->lock);
        free(s);
        return 0;
}
