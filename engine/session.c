/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/session.h"

#include <infiniband/verbs.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "engine/endpoint.h"
#include "engine/fault.h"
#include "engine/internal.h"
#include "engine/plan.h"

/* A client that has its report has a moment to say bye. */
#define BYE_NS NS_PER_SEC

/* Used by its session thread only. What a step makes is released at the end. */
struct session {
        struct engine *engine;
        struct dialogue *dialogue;
        const struct session_limits *limits; /* of all roles; from the hello on, of the client's */
        const atomic_bool *stop;
        struct fault fault;

        char client[ENGINE_NAME_MAX];
        struct device_facts *devices; /* owned */
        size_t n_devices;
        struct open_request *open; /* owned copy: messages share their memory */
        uint64_t started_ns, deadline_ns;
        struct lease *lease;
        struct endpoint *endpoint;
        struct counter_snapshot *before;
        struct result passive; /* what this end saw of the traffic */
        uint64_t received_bytes;
        struct responder_served served;
};

/* The stop of the whole responder comes as a shutdown of the socket, so nothing needs to look at it often. */
static struct patience patience_for(const struct session *s, uint64_t step_ns)
{
        return (struct patience){ deadline_min(s->deadline_ns, clock_now_ns() + step_ns), NULL };
}

/* ---- hello ------------------------------------------------------------------------------------------ */

static size_t addresses_each(const struct device_facts *devices, size_t n)
{
        size_t ports = 0;
        for (size_t i = 0; i < n; i++)
                ports += devices[i].n_ports;
        return ports > 0 ? PROTOCOL_ADDRESSES_MAX / ports : 0;
}

/* All of this host's devices, trimmed to what fits a frame: past 32 devices or 384 addresses the last ones,
 * and of each port the last ones, stay unknown to clients. */
static void fill_devices(struct welcome *w, const struct device_facts *devices, size_t n)
{
        w->n_devices = n < PROTOCOL_DEVICES_MAX ? n : PROTOCOL_DEVICES_MAX;
        size_t each = addresses_each(devices, w->n_devices);
        for (size_t i = 0; i < w->n_devices; i++) {
                w->devices[i] = devices[i];
                for (size_t k = 0; k < devices[i].n_ports; k++)
                        if (w->devices[i].ports[k].n_addresses > each)
                                w->devices[i].ports[k].n_addresses = each;
        }
}

static int step_hello(struct session *s)
{
        struct patience p = patience_for(s, STEP_NS);
        const struct message *m;
        char why[ENGINE_REASON_MAX];
        unsigned version;
        int r = dialogue_receive(s->dialogue, 1u << MESSAGE_HELLO, &p, &m, &s->fault);
        if (r < 0)
                return r;
        text_message(s->client, sizeof(s->client), "%s", m->hello.node);
        s->limits += m->hello.role;
        r = version_agree(
                m->hello.version_min, m->hello.version_max, s->engine->node, s->client, &version, why);
        if (r < 0)
                return fault_set(&s->fault, OUTCOME_REFUSED, r, "%s", why);
        r = rails_devices(s->engine->rails, &s->devices, &s->n_devices);
        if (r < 0 && r != -ENOSYS) /* a host without RDMA says so by an empty list */
                return fault_set(&s->fault, OUTCOME_LOCAL, r, "%s cannot list its RDMA devices: %s",
                        s->engine->node, strerror(-r));

        struct welcome *w = &dialogue_message(s->dialogue, MESSAGE_WELCOME)->welcome;
        w->version = version;
        w->capabilities = PROTOCOL_CAPABILITIES;
        text_message(w->node, sizeof(w->node), "%s", s->engine->node);
        fill_devices(w, s->devices, s->n_devices);
        return dialogue_send(s->dialogue, &p, &s->fault);
}

/* ---- open: all checks before the first verbs object ------------------------------------------------- */

static int __attribute__((format(printf, 2, 3))) refuse(struct session *s, const char *format, ...)
{
        char why[ENGINE_REASON_MAX];
        va_list args;
        va_start(args, format);
        (void)vsnprintf(why, sizeof(why), format, args); /* a message for people: may be cut off */
        va_end(args);
        return fault_set(&s->fault, OUTCOME_REFUSED, -EACCES, "%s", why);
}

static int check_limits(struct session *s)
{
        const struct plan *p = &s->open->plan;
        const struct session_limits *l = s->limits;
        const char *node = s->engine->node;
        char why[ENGINE_REASON_MAX];
        if (plan_check(p, why) < 0)
                return refuse(s, "%s: bad plan: %.180s", node, why);
        if (p->queue_pairs > l->max_queue_pairs)
                return refuse(s, "%s allows %u queue pairs for a measurement, not %u", node,
                        l->max_queue_pairs, p->queue_pairs);
        if (plan_memory_bytes(p) > l->max_bytes)
                return refuse(s,
                        "%s allows %" PRIu64 " bytes of pinned memory for a measurement, not %" PRIu64, node,
                        l->max_bytes, plan_memory_bytes(p));
        if (p->budget_ns > l->max_session_ns)
                return refuse(s, "%s allows %.1f s for a measurement, not %.1f s", node,
                        (double)l->max_session_ns / (double)NS_PER_SEC,
                        (double)p->budget_ns / (double)NS_PER_SEC);
        if (s->open->endpoint.n_qps != p->queue_pairs)
                return refuse(s, "bad open: %zu queue pairs described, %u planned", s->open->endpoint.n_qps,
                        p->queue_pairs);
        if (s->open->endpoint.address.type != s->open->address.type)
                return refuse(s, "bad open: the addresses of both ends are of different types");
        return 0;
}

/* Our own entry for the address the client chose from the welcome; the index may have moved since. */
static const struct rdma_address *find_address(const struct port_facts *p, const struct rdma_address *wanted)
{
        for (size_t i = 0; i < p->n_addresses; i++)
                if (p->addresses[i].type == wanted->type &&
                        memcmp(p->addresses[i].gid, wanted->gid, sizeof(wanted->gid)) == 0)
                        return &p->addresses[i];
        return NULL;
}

static int check_port(struct session *s, const struct rdma_address **ret)
{
        const char *node = s->engine->node, *name = s->open->device;
        unsigned number = s->open->port;
        const struct device_facts *d = devices_find(s->devices, s->n_devices, name);
        const struct port_facts *p = d && !d->iwarp ? device_port(d, s->open->port) : NULL;
        if (!p)
                return refuse(
                        s, "%s has no port %u of an RDMA device %s that can be probed", node, number, name);
        if (p->state != IBV_PORT_ACTIVE)
                return fault_set(&s->fault, OUTCOME_LOCAL, -ENETDOWN, "%s: %s port %u is not active", node,
                        name, number);
        if (s->open->plan.mtu_bytes > p->active_mtu_bytes ||
                s->open->endpoint.mtu_bytes > p->active_mtu_bytes)
                return refuse(s, "MTU %u asked for, but %s port %u on %s allows %u", s->open->plan.mtu_bytes,
                        name, number, node, p->active_mtu_bytes);
        *ret = find_address(p, &s->open->address);
        if (!*ret) {
                char text[64];
                rdma_address_format(&s->open->address, text, sizeof(text));
                return refuse(s, "%s: %s port %u does not have the address %s", node, name, number, text);
        }
        return 0;
}

static int make_endpoint(struct session *s, const struct rdma_address *address)
{
        char holder[128];
        text_message(holder, sizeof(holder), "session of %s", s->client);
        int r = admission_take(s->engine->admission, s->open->device, s->open->port, holder,
                clock_now_ns() + LEASE_WAIT_NS, &s->lease, &s->fault);
        if (r == 0)
                r = endpoint_open(s->engine->reapers, s->open->device, s->open->port, address, &s->open->plan,
                        &s->endpoint, &s->fault);
        if (r == 0)
                r = endpoint_connect(s->endpoint, &s->open->endpoint, &s->fault);
        if (r == 0 && s->open->plan.verify)
                endpoint_fill(s->endpoint, false);
        return r;
}

static int receive_open(struct session *s)
{
        struct patience p = patience_for(s, STEP_NS);
        const struct message *m;
        int r = dialogue_receive(s->dialogue, 1u << MESSAGE_OPEN, &p, &m, &s->fault);
        if (r < 0)
                return r;
        s->open = malloc(sizeof(*s->open));
        if (!s->open)
                return fault_set(&s->fault, OUTCOME_LOCAL, -ENOMEM, "%s: no memory", s->engine->node);
        *s->open = m->open;
        s->started_ns = clock_now_ns();
        s->deadline_ns = s->started_ns + deadline_min(s->limits->max_session_ns,
                                                 s->open->remaining_ms * NS_PER_MS + SESSION_MARGIN_NS);
        return 0;
}

static int step_open(struct session *s)
{
        const struct rdma_address *address = NULL;
        int r = receive_open(s);
        if (r == 0)
                r = check_limits(s);
        if (r == 0)
                r = check_port(s, &address);
        if (r == 0)
                r = make_endpoint(s, address);
        if (r < 0)
                return r;
        struct patience p = patience_for(s, STEP_NS);
        struct opened *opened = &dialogue_message(s->dialogue, MESSAGE_OPENED)->opened;
        endpoint_describe(s->endpoint, &opened->endpoint);
        opened->granted_ms = deadline_left_ns(s->deadline_ns, clock_now_ns()) / NS_PER_MS;
        return dialogue_send(s->dialogue, &p, &s->fault);
}

/* ---- traffic ---------------------------------------------------------------------------------------- */

static int step_ready(struct session *s)
{
        struct patience p = patience_for(s, STEP_NS);
        const struct message *m;
        int r = dialogue_receive(s->dialogue, 1u << MESSAGE_READY, &p, &m, &s->fault);
        if (r < 0)
                return r;
        if (counter_snapshot_take(s->open->device, s->open->port, &s->before) < 0)
                s->before = NULL;                             /* costs the deltas, not the measurement */
        (void)dialogue_message(s->dialogue, MESSAGE_STARTED); /* no fields */
        return dialogue_send(s->dialogue, &p, &s->fault);
}

/* The passive end is the NIC alone, or it answers, takes receives or sends as well. */
static int step_traffic(struct session *s)
{
        struct watch watch = { dialogue_fd(s->dialogue), s->stop, NULL };
        const struct plan *plan = &s->open->plan;
        if (!endpoint_serves(s->endpoint))
                return 0;
        int r = plan->measure == MEASURE_LATENCY
                        ? pingpong_run(s->endpoint, plan, false, s->deadline_ns, &watch, &s->passive)
                        : stream_serve(s->endpoint, plan, plan->bidirectional, s->deadline_ns, &watch,
                                  &s->passive);
        if (r < 0)
                s->fault = s->passive.fault;
        return r;
}

/* The client has made so many requests. */
static void fill_verified(const struct session *s, uint64_t requests, struct report *report)
{
        struct verification found;
        if (!s->open->plan.verify)
                return;
        endpoint_compare(s->endpoint, false, requests, &found);
        report->verified_bytes = found.bytes;
        report->wrong_bytes = found.wrong;
}

static void fill_report(const struct session *s, struct report *report)
{
        struct counter_snapshot *after = NULL;
        report->messages = s->passive.messages;
        report->cpu_ns = s->passive.cpu_ns;
        report->traffic_ns = s->passive.traffic_ns;
        report->received = s->passive.received;
        if (!s->before || counter_snapshot_take(s->open->device, s->open->port, &after) < 0)
                return;
        counter_snapshot_deltas(s->before, after, &report->counters);
        counter_snapshot_free(after);
}

/* The client's word, bounded by what no port carries: 1 TB/s. */
static void count_received(struct session *s, uint64_t own_bytes)
{
        uint64_t possible = (clock_now_ns() - s->started_ns) * 1000;
        s->received_bytes = own_bytes < possible ? own_bytes : possible;
}

static void note_served(struct session *s, const struct finish *f)
{
        struct responder_served *served = &s->served;
        if (f->average_bps == 0 && f->p50_ns == 0)
                return; /* it failed: nothing was measured */
        *served = (struct responder_served){
                .measure = s->open->plan.measure,
                .completed_total = 1,
                .last_realtime_ns = clock_realtime_ns(&clock_system),
                .average_bps = f->average_bps,
                .p50_ns = f->p50_ns,
                .p99_ns = f->p99_ns,
        };
        text_message(served->peer, sizeof(served->peer), "%s", s->client);
        text_message(served->device, sizeof(served->device), "%s", s->open->device);
}

static int step_report(struct session *s)
{
        struct patience p = patience_for(s, UINT64_MAX / 2);
        const struct message *m;
        int r = dialogue_receive(s->dialogue, 1u << MESSAGE_FINISH, &p, &m, &s->fault);
        if (r < 0)
                return r;
        count_received(s, m->finish.own_bytes);
        note_served(s, &m->finish);
        uint64_t requests = m->finish.own_bytes / s->open->plan.message_bytes;
        struct report *report = &dialogue_message(s->dialogue, MESSAGE_REPORT)->report;
        fill_report(s, report);
        fill_verified(s, requests, report);
        return dialogue_send(s->dialogue, &p, &s->fault);
}

/* The port is free for others while the client says bye, or does not. */
static int step_bye(struct session *s)
{
        struct patience p = patience_for(s, BYE_NS);
        const struct message *m;
        struct fault unused;
        endpoint_close(take_ptr(s->endpoint));
        lease_release(take_ptr(s->lease));
        (void)dialogue_receive(s->dialogue, 1u << MESSAGE_BYE, &p, &m, &unused); /* all is said and done */
        return 0;
}

/* ---- the line --------------------------------------------------------------------------------------- */

static int (*const steps[])(struct session *) = {
        step_hello,
        step_open,
        step_ready,
        step_traffic,
        step_report,
        step_bye,
};

static void say_no(struct session *s, struct session_outcome *outcome)
{
        static const enum refusal refusals[N_OUTCOME_KINDS] = {
                [OUTCOME_OK] = REFUSAL_LOCAL,
                [OUTCOME_LOCAL] = REFUSAL_LOCAL,
                [OUTCOME_BUSY] = REFUSAL_BUSY,
                [OUTCOME_REFUSED] = REFUSAL_REFUSED,
                [OUTCOME_PEER] = REFUSAL_LOCAL, /* the client was silent for too long */
                [OUTCOME_TRAFFIC] = REFUSAL_TRAFFIC,
                [OUTCOME_CANCELLED] = REFUSAL_LOCAL,
        };
        outcome->malformed = s->fault.kind == OUTCOME_PEER && s->fault.error == -EPROTO;
        outcome->refused = s->fault.kind == OUTCOME_BUSY || s->fault.kind == OUTCOME_REFUSED ||
                           s->fault.kind == OUTCOME_LOCAL;
        dialogue_refuse(
                s->dialogue, outcome->malformed ? REFUSAL_REFUSED : refusals[s->fault.kind], s->fault.reason);
}

static void session_done(struct session *s)
{
        counter_snapshot_free(s->before);
        result_done(&s->passive);
        endpoint_close(s->endpoint);
        lease_release(s->lease);
        free(s->open);
        free(s->devices);
}

void session_run(struct engine *e, struct dialogue *d, const struct session_limits limits[N_ROLES],
        const atomic_bool *stop, struct session_outcome *ret)
{
        struct session s = {
                .engine = e,
                .dialogue = d,
                .limits = limits,
                .stop = stop,
                .deadline_ns = clock_now_ns() + 2 * STEP_NS, /* until the client says what it wants */
        };
        *ret = (struct session_outcome){ 0 };
        result_init(&s.passive);
        int r = 0;
        for (size_t i = 0; i < ARRAY_SIZE(steps) && r == 0; i++)
                r = steps[i](&s);
        if (r < 0)
                say_no(&s, ret);
        ret->fault = s.fault;
        ret->received_bytes = s.received_bytes;
        ret->served = s.served;
        session_done(&s);
}
