/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/active.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/text.h"

/* Slewing moves both clocks alike; what is left is preemption between two reads of a clock. */
#define CLOCK_STEP_NS (10 * NS_PER_MS)

struct active {
        const struct source_environment *env;
        struct active_config config;
        char device[ENGINE_NAME_MAX];
        unsigned rail;
        char *peer_address;
        uint16_t peer_tcp_port;
        bool class_known;
        enum device_class class;
};

uint64_t active_interval_ns(const void *config)
{
        return ((const struct active_config *)config)->interval_ns;
}

uint64_t active_timeout_ns(const void *config)
{
        return ((const struct active_config *)config)->timeout_ns;
}

int active_create(const struct source_environment *env, const struct source_target *target,
        const void *config, void **ret_state)
{
        struct active *a = calloc(1, sizeof(*a));

        if (!a)
                return -ENOMEM;
        a->env = env;
        a->config = *(const struct active_config *)config;
        a->rail = target->rail;
        a->peer_tcp_port = target->peer_tcp_port;
        a->peer_address = strdup(target->peer_address);
        if (!a->peer_address || text_copy(a->device, sizeof(a->device), target->device) < 0) {
                int r = a->peer_address ? -ENAMETOOLONG : -ENOMEM;

                active_destroy(a);
                return r;
        }
        *ret_state = a;
        return 0;
}

void active_destroy(void *state)
{
        struct active *a = state;

        if (!a)
                return;
        free(a->peer_address);
        free(a);
}

/* Looked up once: a name's class does not change, and looking opens the device. */
static int find_class(struct active *a)
{
        struct device_facts facts;
        int r;

        if (a->class_known)
                return 0;
        r = device_find(a->device, &facts);
        if (r < 0)
                return r;
        a->class = facts.class;
        a->class_known = true;
        return 0;
}

void active_plan(
        const struct active_config *c, enum measure measure, enum device_class class, struct plan *ret)
{
        plan_defaults(ret, measure, class);
        if (c->message_bytes > 0)
                ret->message_bytes = c->message_bytes;
        if (c->queue_pairs > 0)
                ret->queue_pairs = (unsigned)c->queue_pairs;
        if (c->bytes == 0 && c->messages == 0 && c->duration_ns == 0)
                return;
        ret->budget_bytes = c->bytes;
        ret->budget_messages = c->messages;
        ret->budget_ns = c->duration_ns;
}

static void fail_locally(const struct active *a, int error, struct outcome *ret)
{
        ret->fault.kind = OUTCOME_LOCAL;
        ret->fault.error = error;
        text_message(ret->fault.reason, sizeof(ret->fault.reason), "device %s cannot be used: %s", a->device,
                strerrordesc_np(-error));
}

static void measure_peer(struct active *a, enum measure measure, uint64_t deadline_ns,
        const atomic_bool *cancel, struct result *r, struct outcome *ret)
{
        struct measure_request request = {
                .device = a->device,
                .peer = a->peer_address,
                .peer_tcp_port = a->peer_tcp_port,
                .peer_rail = a->rail,
                .deadline_ns = deadline_ns,
                .cancel = cancel,
        };

        active_plan(&a->config, measure, a->class, &request.plan);
        (void)engine_measure(a->env->engine, &request, r); /* the result tells the same, and more */
        outcome_from_result(ret, r);
}

/* Realtime less monotonic time: constant until somebody sets the clock. */
static int64_t clock_offset_ns(const struct clock *c)
{
        return (int64_t)(clock_realtime_ns(c) - clock_monotonic_ns(c));
}

bool active_measure(void *state, enum measure measure, uint64_t deadline_ns, const atomic_bool *cancel,
        struct result *r, struct outcome *ret)
{
        struct active *a = state;
        const struct clock *clock = a->env->clock;
        uint64_t started_realtime = clock_realtime_ns(clock), started = clock_monotonic_ns(clock);
        int64_t offset = clock_offset_ns(clock);
        int error = find_class(a);

        if (error < 0)
                fail_locally(a, error, ret);
        else
                measure_peer(a, measure, deadline_ns, cancel, r, ret);
        ret->started_realtime_ns = started_realtime;
        ret->duration_ns = clock_monotonic_ns(clock) - started;
        if (ret->fault.kind != OUTCOME_OK)
                return false;
        if (llabs(clock_offset_ns(clock) - offset) > (int64_t)CLOCK_STEP_NS)
                ret->invalid |= INVALID_CLOCK_STEP;
        return true;
}

void outcome_add_signal(struct outcome *o, enum signal_id id, double value, uint64_t samples)
{
        assert(o->n_signals < N_SIGNALS);
        o->signals[o->n_signals++] = (struct signal){ .id = id, .value = value, .samples = samples };
}
