/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/scheduler.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "daemon/lane.h"
#include "daemon/log.h"
#include "daemon/turn.h"

/* A lane this long past its turn's deadline sits in the kernel: the turn is reported as failed. */
#define STUCK_AFTER_NS (500 * NS_PER_MS)
/* A busy answer says only that somebody else measures: three more tries, apart by 0.2 … 1 s. */
#define BUSY_RETRIES   3
#define BUSY_WAIT_NS   (200 * NS_PER_MS)
#define BUSY_SPREAD_NS (800 * NS_PER_MS)

struct device_lane {
        struct device_lane *next;
        char device[ENGINE_NAME_MAX];
        struct lane *lane;
        /* By index in source_classes; made when the first turn of the class ends. */
        struct probe_aggregate **aggregates;
        struct slot **slots;
};

/* A job with what it keeps alive. */
struct run {
        struct job job;
        struct turn *turn;
        struct instance *instance;
};

struct scheduler {
        const struct source_environment *env;
        struct slots *slots;
        void (*wake)(void *context);
        void *wake_context;
        struct schedule schedule;
        struct turn *turns;
        struct device_lane *lanes;
        pthread_mutex_t lock; /* guards ended */
        struct job *ended;
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

/* ---- lanes ------------------------------------------------------------------------------------- */

/* On the lane's thread. */
static void job_done(void *context, struct job *job)
{
        struct scheduler *s = context;

        (void)pthread_mutex_lock(&s->lock);
        job->next = s->ended;
        s->ended = job;
        (void)pthread_mutex_unlock(&s->lock);
        s->wake(s->wake_context);
}

static void device_lane_clear(struct device_lane *l)
{
        for (size_t i = 0; i < n_source_classes; i++) {
                slot_remove(l->slots[i]);
                probe_aggregate_free(l->aggregates[i]);
                l->slots[i] = NULL;
                l->aggregates[i] = NULL;
        }
}

static int device_lane_new(struct scheduler *s, const char *device, struct device_lane **ret)
{
        struct device_lane *l = calloc(1, sizeof(*l));
        int r = -ENOMEM;

        if (!l)
                return r;
        l->aggregates = calloc(n_source_classes, sizeof(l->aggregates[0]));
        l->slots = calloc(n_source_classes, sizeof(l->slots[0]));
        if (l->aggregates && l->slots)
                r = text_copy(l->device, sizeof(l->device), device);
        if (r == 0)
                r = lane_new(device, job_done, s, &l->lane);
        if (r < 0) {
                free(l->aggregates);
                free(l->slots);
                free(l);
                return r;
        }
        l->next = s->lanes;
        s->lanes = l;
        *ret = l;
        return 0;
}

static int lane_of(struct scheduler *s, const char *device, struct device_lane **ret)
{
        for (struct device_lane *l = s->lanes; l; l = l->next)
                if (strcmp(l->device, device) == 0) {
                        *ret = l;
                        return 0;
                }
        return device_lane_new(s, device, ret);
}

static size_t class_index(const struct source_class *class)
{
        size_t i = 0;

        while (source_classes[i] != class)
                i++;
        return i;
}

/* What is kept over all peers of a device. Without memory the turn's own samples are there all the same. */
static void aggregate(struct scheduler *s, struct turn *t, const struct outcome *o)
{
        struct device_lane *l = t->lane;
        size_t i = class_index(t->class);
        struct batch *b;

        if (!l->aggregates[i])
                l->aggregates[i] = probe_aggregate_new();
        if (!l->aggregates[i] || (!l->slots[i] && slot_add(s->slots, &l->slots[i]) < 0))
                return;
        probe_aggregate_add(l->aggregates[i], o);
        b = batch_new();
        if (!b)
                return;
        probe_aggregate_render(l->aggregates[i], t->class->name, l->device, b);
        slot_publish(l->slots[i], b);
}

/* ---- turns ------------------------------------------------------------------------------------- */

static void set_due(struct scheduler *s, struct turn *t, uint64_t due_ns)
{
        /* The only failure is memory for the heap's array: tried again when the turn is looked at next. */
        if (schedule_set(&s->schedule, &t->entry, due_ns) < 0)
                log_error("no memory to schedule %s of %s", t->class->name, t->peer);
}

static void wait_for_next(struct scheduler *s, struct turn *t)
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
        aggregate(s, t, o);
        turn_finish(t, o);
}

static void start(struct scheduler *s, struct turn *t)
{
        struct run *run = calloc(1, sizeof(*run));

        if (!run) {
                log_error("no memory for a turn of %s to %s", t->class->name, t->peer);
                wait_for_next(s, t);
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
                wait_for_next(s, t);
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

/* ---- reconciling -------------------------------------------------------------------------------- */

static struct turn *find_turn(
        struct scheduler *s, const struct source_class *class, const char *device, const char *peer)
{
        for (struct turn *t = s->turns; t; t = t->next)
                if (t->class == class && strcmp(t->device, device) == 0 && strcmp(t->peer, peer) == 0)
                        return t;
        return NULL;
}

static void remove_turn(struct scheduler *s, struct turn *t)
{
        schedule_remove(&s->schedule, &t->entry);
        if (!t->run) {
                turn_free(t);
                return;
        }
        atomic_store(&t->instance->cancel, true);
        slot_remove(t->slot);
        detector_series_free(t->series);
        t->slot = NULL;
        t->series = NULL;
        t->removed = true;
}

static void remove_unmarked(struct scheduler *s)
{
        struct turn **at = &s->turns;

        while (*at) {
                struct turn *t = *at;
                if (t->marked) {
                        at = &t->next;
                        continue;
                }
                *at = t->next;
                remove_turn(s, t);
        }
}

static void clear_idle_lanes(struct scheduler *s)
{
        for (struct device_lane *l = s->lanes; l; l = l->next) {
                bool used = false;
                for (struct turn *t = s->turns; t && !used; t = t->next)
                        used = t->lane == l;
                if (!used)
                        device_lane_clear(l);
        }
}

/* What one pair of a rail and a peer needs, as the config now says. */
struct wanted {
        const struct source_class *class;
        const struct config *config;
        const struct config_peer *peer;
        const char *device;
        char rail[ENGINE_NAME_MAX];
        unsigned rail_index, kind, n_kinds;
};

static int equip(struct scheduler *s, struct turn *t, const struct wanted *w)
{
        const struct source_target target = {
                .device = w->device,
                .rail = w->rail_index,
                .peer = w->peer->name,
                .peer_address = w->peer->address,
                .peer_tcp_port = (uint16_t)w->peer->port,
        };
        const void *config = config_of_class(w->config, w->class);
        struct instance *instance;
        uint64_t interval_ns = w->class->interval_ns(config);
        int r;

        r = instance_new(s->env, w->class, w->config, &target, &instance);
        if (r < 0)
                return r;
        instance_release(t->instance);
        t->instance = instance;
        t->timeout_ns = w->class->timeout_ns(config);
        t->offset_ns = schedule_offset_ns(
                w->config->node, w->peer->name, w->device, w->kind, w->n_kinds, interval_ns);
        if (t->interval_ns != interval_ns) {
                t->interval_ns = interval_ns;
                if (t->phase == TURN_WAITING)
                        wait_for_next(s, t);
        }
        return 0;
}

static int add_turn(struct scheduler *s, const struct wanted *w, struct turn **ret)
{
        struct device_lane *lane;
        struct turn *t;
        int r;

        r = lane_of(s, w->device, &lane);
        if (r < 0)
                return r;
        r = turn_new(s->slots, w->class, w->device, w->rail, w->peer->name, &t);
        if (r < 0)
                return r;
        t->lane = lane;
        t->next = s->turns;
        s->turns = t;
        *ret = t;
        return 0;
}

static int want(struct scheduler *s, const struct wanted *w)
{
        struct turn *t = find_turn(s, w->class, w->device, w->peer->name);
        int r = 0;

        if (!t)
                r = add_turn(s, w, &t);
        if (r < 0)
                return r;
        r = text_copy(t->rail, sizeof(t->rail), w->rail);
        if (r == 0)
                r = equip(s, t, w);
        t->marked = r == 0;
        return r;
}

static bool is_probe(const struct source_class *class, const struct config *config)
{
        const struct source_config *c = config_of_class(config, class);

        return class->trigger == TRIGGER_TIMER && c->enabled;
}

static int want_rail(struct scheduler *s, struct wanted *w)
{
        unsigned n_kinds = 0, kind = 0;
        int r = 0;

        for (size_t i = 0; i < n_source_classes; i++)
                n_kinds += is_probe(source_classes[i], w->config);
        for (size_t i = 0; i < n_source_classes && r == 0; i++) {
                if (!is_probe(source_classes[i], w->config))
                        continue;
                w->class = source_classes[i];
                w->kind = kind++;
                w->n_kinds = n_kinds;
                for (size_t k = 0; k < w->config->peers.n && r == 0; k++) {
                        w->peer = config_peer(w->config, k);
                        r = want(s, w);
                }
        }
        return r;
}

static int want_all(struct scheduler *s, const struct config *config, char *const *devices, size_t n_devices)
{
        size_t n = config->rails.n ? config->rails.n : n_devices;
        int r = 0;

        for (size_t i = 0; i < n && r == 0; i++) {
                struct wanted w = { .config = config, .rail_index = (unsigned)i };
                if (config->rails.n) {
                        w.device = config_rail(config, i)->device;
                        r = text_copy(w.rail, sizeof(w.rail), config_rail(config, i)->name);
                } else {
                        w.device = devices[i];
                        r = text_format(w.rail, sizeof(w.rail), "%zu", i);
                }
                if (r == 0)
                        r = want_rail(s, &w);
        }
        return r;
}

int scheduler_reconcile(
        struct scheduler *s, const struct config *config, char *const *devices, size_t n_devices)
{
        int r;

        for (struct turn *t = s->turns; t; t = t->next)
                t->marked = false;
        r = want_all(s, config, devices, n_devices);
        remove_unmarked(s);
        clear_idle_lanes(s);
        return r;
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

static int free_lanes(struct scheduler *s, uint64_t deadline_ns)
{
        int r = 0;

        for (struct device_lane *l = s->lanes; l; l = l->next)
                if (lane_free(l->lane, deadline_ns) < 0) {
                        log_warn("device %s: a probe is stuck in the kernel and is left behind", l->device);
                        r = -ETIMEDOUT;
                }
        return r;
}

int scheduler_free(struct scheduler *s, uint64_t deadline_ns)
{
        struct turn *t;

        if (!s)
                return 0;
        for (t = s->turns; t; t = t->next)
                atomic_store(&t->instance->cancel, true);
        if (free_lanes(s, deadline_ns) < 0)
                return -ETIMEDOUT;
        (void)scheduler_collect(s); /* cancelled, all of them */
        while ((t = s->turns)) {
                s->turns = t->next;
                turn_free(t);
        }
        while (s->lanes) {
                struct device_lane *l = s->lanes;
                s->lanes = l->next;
                device_lane_clear(l);
                free(l->aggregates);
                free(l->slots);
                free(l);
        }
        schedule_done(&s->schedule);
        (void)pthread_mutex_destroy(&s->lock);
        free(s);
        return 0;
}
