/* SPDX-License-Identifier: Apache-2.0 */
/* The active side of a measurement: one straight line of stages, each timed, each ending by the deadline. */
#include <poll.h>
#include <string.h>

#include "base/text.h"
#include "engine/dialogue.h"
#include "engine/endpoint.h"
#include "engine/fault.h"
#include "engine/internal.h"
#include "engine/operation.h"
#include "engine/plan.h"
#include "engine/result.h"

/* One measurement under way; used by the calling thread only. What a stage makes is released at the end. */
struct measurement {
        struct engine *engine;
        const struct measure_request *request;
        struct result *result;
        uint64_t started_ns;
        char host[192]; /* the peer in messages: its address from the connection once there is one */

        struct device_facts device;
        uint8_t port;
        struct lease *lease;
        struct addrinfo *addresses;
        struct dialogue *dialogue;
        struct welcome *welcome; /* owned copy: messages share their memory */
        struct match match;
        struct endpoint *endpoint;
        struct counter_snapshot *before;
};

static struct plan *plan_of(struct measurement *m)
{
        return &m->result->plan;
}

static struct patience step_patience(const struct measurement *m)
{
        return (struct patience){
                deadline_min(m->request->deadline_ns, clock_now_ns() + STEP_NS),
                m->request->cancel,
        };
}

/* ---- start: the plan is good, the device is there, nobody else measures on its port ---------------- */

static int find_device(struct measurement *m)
{
        struct fault *f = &m->result->fault;
        const char *name = m->request->device;
        int r = device_find(name, &m->device);
        if (r == -ENODEV)
                return fault_set(f, OUTCOME_LOCAL, r, "this host has no RDMA device %s", name);
        if (r == -ENOSYS)
                return fault_set(f, OUTCOME_LOCAL, r, "this host has no RDMA support: is ib_uverbs loaded?");
        if (r < 0 || m->device.n_ports == 0)
                return fault_set(f, OUTCOME_LOCAL, r < 0 ? r : -EIO,
                        "cannot open %s: %s; may this process read and write /dev/infiniband/uverbs*?", name,
                        strerror(r < 0 ? -r : EIO));
        if (m->device.iwarp)
                return fault_set(
                        f, OUTCOME_LOCAL, -EOPNOTSUPP, "%s is an iWARP device: counted, never probed", name);
        return 0;
}

static int find_port(struct measurement *m)
{
        uint8_t wanted = m->request->port;
        const struct port_facts *p =
                wanted > 0 ? device_port(&m->device, wanted) : device_active_port(&m->device);
        if (!p && wanted > 0)
                return fault_set(&m->result->fault, OUTCOME_LOCAL, -ENODEV, "%s has no port %u",
                        m->device.name, wanted);
        if (!p)
                return fault_set(&m->result->fault, OUTCOME_LOCAL, -ENETDOWN,
                        "no port of %s is active; is its link up?", m->device.name);
        m->port = m->result->port = p->number;
        return 0;
}

static int take_lease(struct measurement *m)
{
        char holder[128];
        text_message(holder, sizeof(holder), "measurement to %s", m->request->peer);
        return admission_take(m->engine->admission, m->device.name, m->port, holder,
                deadline_min(m->request->deadline_ns, clock_now_ns() + LEASE_WAIT_NS), &m->lease,
                &m->result->fault);
}

static int stage_start(struct measurement *m)
{
        char why[ENGINE_REASON_MAX];
        int r = plan_check(plan_of(m), why);
        if (r < 0)
                return fault_set(&m->result->fault, OUTCOME_LOCAL, r, "plan refused: %.200s", why);
        plan_resolve(plan_of(m));
        r = find_device(m);
        if (r == 0)
                r = find_port(m);
        return r < 0 ? r : take_lease(m);
}

/* ---- the control connection ------------------------------------------------------------------------ */

static int stage_resolve(struct measurement *m)
{
        struct patience p = step_patience(m);
        uint16_t port = m->request->peer_tcp_port ? m->request->peer_tcp_port : ENGINE_DEFAULT_PORT;
        return resolver_lookup(
                m->engine->resolver, m->request->peer, port, &p, &m->addresses, &m->result->fault);
}

static int stage_connect(struct measurement *m)
{
        struct patience p = step_patience(m);
        struct channel *c;
        int r = channel_connect(m->request->peer, m->addresses, &p, &c, &m->result->fault);
        if (r < 0)
                return r;
        r = dialogue_new(c, &m->dialogue);
        if (r < 0)
                return fault_set(&m->result->fault, OUTCOME_LOCAL, r, "%s: no memory", m->request->peer);
        text_message(m->host, sizeof(m->host), "%s", dialogue_name(m->dialogue));
        return 0;
}

static int check_welcome(struct measurement *m)
{
        struct fault *f = &m->result->fault;
        const struct welcome *w = m->welcome;
        const char *expected = m->request->peer_node;
        char why[ENGINE_REASON_MAX];
        unsigned version;
        text_message(m->result->peer_node, sizeof(m->result->peer_node), "%s", w->node);
        if (version_agree(w->version, w->version, "this host", w->node, &version, why) < 0)
                return fault_set(f, OUTCOME_REFUSED, -EPROTONOSUPPORT, "%s: %.180s", m->host, why);
        if (expected && !text_equal(expected, w->node))
                return fault_set(f, OUTCOME_PEER, -EHOSTUNREACH,
                        "%s: node %s answers where %s was expected; is the peer's address right?", m->host,
                        w->node, expected);
        if (!(w->capabilities & plan_capability(plan_of(m))))
                return fault_set(f, OUTCOME_REFUSED, -EOPNOTSUPP,
                        "%s: does not offer this measurement; upgrade rdma-canary there", m->host);
        return 0;
}

static int stage_hello(struct measurement *m)
{
        struct patience p = step_patience(m);
        struct hello *hello = &dialogue_message(m->dialogue, MESSAGE_HELLO)->hello;
        *hello = (struct hello){
                .magic = PROTOCOL_MAGIC,
                .version_min = PROTOCOL_VERSION_MIN,
                .version_max = PROTOCOL_VERSION_MAX,
                .role = m->request->operator? ROLE_OPERATOR : ROLE_PEER,
                .capabilities = PROTOCOL_CAPABILITIES,
        };
        text_message(hello->node, sizeof(hello->node), "%s", m->engine->node);
        const struct message *answer;
        int r = dialogue_ask(m->dialogue, MESSAGE_WELCOME, &p, &answer, &m->result->fault);
        if (r < 0)
                return r;
        m->welcome = malloc(sizeof(*m->welcome));
        if (!m->welcome)
                return fault_set(&m->result->fault, OUTCOME_LOCAL, -ENOMEM, "%s: no memory", m->host);
        *m->welcome = answer->welcome;
        return check_welcome(m);
}

/* ---- both ends' queue pairs ------------------------------------------------------------------------- */

static int stage_address(struct measurement *m)
{
        struct result *result = m->result;
        int r = match_choose(&m->device, m->port, m->welcome, m->request, &m->match, &result->fault);
        if (r == 0)
                r = match_mtu(&m->device, &m->match, plan_of(m)->mtu_bytes, m->welcome->node,
                        &plan_of(m)->mtu_bytes, &result->fault);
        if (r < 0)
                return r;
        text_message(result->peer_device, sizeof(result->peer_device), "%s", m->match.peer_device->name);
        result->peer_port = m->match.peer_port->number;
        result->address = m->match.local;
        result->peer_address = m->match.peer;
        return 0;
}

static int stage_device(struct measurement *m)
{
        return endpoint_open(m->engine->reapers, m->device.name, m->match.local_port, &m->match.local,
                plan_of(m), &m->endpoint, &m->result->fault);
}

static void fill_open(const struct measurement *m, struct open_request *open)
{
        uint64_t left = deadline_left_ns(m->request->deadline_ns, clock_now_ns()) / NS_PER_MS;
        open->plan = m->result->plan;
        text_message(open->device, sizeof(open->device), "%s", m->match.peer_device->name);
        open->port = m->match.peer_port->number;
        open->address = m->match.peer;
        text_message(open->client_device, sizeof(open->client_device), "%s", m->device.name);
        open->client_port = m->match.local_port;
        open->client_class = m->device.class;
        endpoint_describe(m->endpoint, &open->endpoint);
        open->remaining_ms = left < UINT32_MAX ? left : UINT32_MAX;
}

static int stage_admit(struct measurement *m)
{
        struct patience p = step_patience(m);
        fill_open(m, &dialogue_message(m->dialogue, MESSAGE_OPEN)->open);
        const struct message *answer;
        int r = dialogue_ask(m->dialogue, MESSAGE_OPENED, &p, &answer, &m->result->fault);
        if (r < 0)
                return r;
        if (answer->opened.endpoint.n_qps != plan_of(m)->queue_pairs)
                return fault_set(&m->result->fault, OUTCOME_PEER, -EPROTO,
                        "%s: made %zu queue pairs where %u were asked for", m->host,
                        answer->opened.endpoint.n_qps, plan_of(m)->queue_pairs);
        r = endpoint_connect(m->endpoint, &answer->opened.endpoint, &m->result->fault);
        if (r == 0 && plan_of(m)->verify)
                endpoint_fill(m->endpoint, true);
        return r;
}

static int stage_ready(struct measurement *m)
{
        struct patience p = step_patience(m);
        const struct message *answer;
        (void)dialogue_message(m->dialogue, MESSAGE_READY); /* no fields */
        return dialogue_ask(m->dialogue, MESSAGE_STARTED, &p, &answer, &m->result->fault);
}

/* ---- traffic ------------------------------------------------------------------------------------------ */

/* The control connection spoke or broke during traffic: what has the peer to say? */
static void ask_why(struct measurement *m)
{
        struct pollfd pfd = { .fd = dialogue_fd(m->dialogue), .events = POLLIN };
        if (poll(&pfd, 1, 0) <= 0)
                return;
        struct patience brief = { clock_now_ns() + 100 * NS_PER_MS, m->request->cancel };
        struct fault word = { 0 };
        const struct message *unused;
        if (dialogue_receive(m->dialogue, 0, &brief, &unused, &word) == 0)
                return;
        if (word.error == -EPIPE || word.error == -ECONNRESET)
                fault_set(&word, OUTCOME_PEER, word.error,
                        "%s: broke off in traffic; did rdma-canaryd there end or restart?", m->host);
        if (word.error == -ETIMEDOUT) /* by the kernel's keepalive */
                fault_set(&word, OUTCOME_PEER, word.error,
                        "%s: no longer answers on the control connection; is that host down or standing "
                        "still?",
                        m->host);
        m->result->fault = word;
}

static int run_traffic(struct measurement *m)
{
        struct watch watch = { dialogue_fd(m->dialogue), m->request->cancel, NULL };
        const struct plan *plan = plan_of(m);
        if (plan->measure == MEASURE_LATENCY)
                return pingpong_run(m->endpoint, plan, true, m->request->deadline_ns, &watch, m->result);
        return stream_run(m->endpoint, plan, m->request->deadline_ns, &watch, m->result);
}

/* A missing snapshot costs the deltas, not the measurement. */
static void snapshot(const struct measurement *m, struct counter_snapshot **ret)
{
        if (counter_snapshot_take(m->device.name, m->match.local_port, ret) < 0)
                *ret = NULL;
}

static void count_deltas(struct measurement *m)
{
        struct counter_snapshot *after = NULL;
        if (!m->before)
                return;
        snapshot(m, &after);
        if (after)
                counter_snapshot_deltas(m->before, after, &m->result->counters);
        counter_snapshot_free(after);
}

/* The other end of a bidirectional run goes on sending until it has read `finish`, and its last messages need
 * receives here. */
static int serve_the_rest(struct measurement *m, const struct patience *p, struct fault *fault)
{
        const struct plan *plan = plan_of(m);
        if (!plan->bidirectional || !operation_facts(plan->operation)->receives)
                return 0;
        struct watch watch = { dialogue_fd(m->dialogue), m->request->cancel, NULL };
        struct result rest;
        result_init(&rest);
        int r = stream_serve(m->endpoint, plan, false, p->deadline_ns, &watch, &rest);
        m->result->received += rest.received;
        if (r < 0)
                *fault = rest.fault;
        result_done(&rest);
        return r;
}

static int exchange_report(struct measurement *m, const struct patience *p, struct fault *fault)
{
        struct finish *finish = &dialogue_message(m->dialogue, MESSAGE_FINISH)->finish;
        *finish = (struct finish){
                .bytes = m->result->bytes,
                .messages = m->result->messages,
                .own_bytes = m->result->own_bytes,
        };
        if (m->result->fault.kind == OUTCOME_OK) {
                finish->average_bps = (uint64_t)m->result->average_bps;
                finish->p50_ns = m->result->latency.p50_ns;
                finish->p99_ns = m->result->latency.p99_ns;
        }
        const struct message *answer;
        int r = dialogue_send(m->dialogue, p, fault);
        if (r == 0)
                r = serve_the_rest(m, p, fault);
        if (r < 0)
                return r;
        r = dialogue_receive(m->dialogue, 1U << MESSAGE_REPORT, p, &answer, fault);
        if (r < 0)
                return r;
        result_take_report(m->result, &answer->report);
        if (answer->report.fault == OUTCOME_OK)
                return 0;
        return fault_set(fault, OUTCOME_TRAFFIC, -EREMOTEIO, "%s: %.190s", m->host, answer->report.reason);
}

/* The peer's counters say most about a run that failed; a peer that is gone shall not cost more time. */
static void report_of_failure(struct measurement *m)
{
        struct fault unused = { 0 };
        struct patience brief = {
                deadline_min(m->request->deadline_ns, clock_now_ns()) + REPORT_GRACE_NS,
                m->request->cancel,
        };
        (void)exchange_report(m, &brief, &unused); /* the run's own fault is the one that counts */
}

static int stage_traffic(struct measurement *m)
{
        snapshot(m, &m->before);
        m->result->started_realtime_ns = clock_realtime_ns(&clock_system);
        int r = run_traffic(m);
        count_deltas(m);
        if (r == 0)
                return 0;
        if (m->result->fault.kind != OUTCOME_CANCELLED)
                ask_why(m);
        if (m->result->fault.kind == OUTCOME_TRAFFIC)
                report_of_failure(m);
        return r;
}

static int stage_report(struct measurement *m)
{
        struct patience p = {
                deadline_min(m->request->deadline_ns, clock_now_ns() + STEP_NS) + REPORT_GRACE_NS,
                m->request->cancel,
        };
        int r = exchange_report(m, &p, &m->result->fault);
        if (r == 0 && plan_of(m)->verify)
                endpoint_compare(m->endpoint, true, m->result->peer_bytes / plan_of(m)->message_bytes,
                        &m->result->verified);
        return r < 0 ? r : result_judge(m->result, m->host, &m->result->fault);
}

static int stage_done(struct measurement *m)
{
        struct patience none = { 0, NULL };
        (void)dialogue_message(m->dialogue, MESSAGE_BYE);
        (void)dialogue_send(m->dialogue, &none, NULL); /* politeness: the hang-up says the same */
        return 0;
}

/* ---- the line ----------------------------------------------------------------------------------------- */

static int (*const stages[N_STAGES])(struct measurement *) = {
        [STAGE_START] = stage_start,
        [STAGE_RESOLVE] = stage_resolve,
        [STAGE_CONNECT] = stage_connect,
        [STAGE_HELLO] = stage_hello,
        [STAGE_ADDRESS] = stage_address,
        [STAGE_DEVICE] = stage_device,
        [STAGE_ADMIT] = stage_admit,
        [STAGE_READY] = stage_ready,
        [STAGE_TRAFFIC] = stage_traffic,
        [STAGE_REPORT] = stage_report,
        [STAGE_DONE] = stage_done,
};

/* Traffic that the deadline would cut at once says nothing of the path, but reads as if it did. */
static int enough_left(struct measurement *m)
{
        uint64_t now = clock_now_ns(), took = now - m->started_ns;
        if (took <= 3 * deadline_left_ns(m->request->deadline_ns, now))
                return 0;
        return fault_set(&m->result->fault, OUTCOME_PEER, -ETIMEDOUT,
                "%s: setting up took %.1f s, which leaves too little for traffic; is the control network "
                "slow?",
                m->host, (double)took / (double)NS_PER_SEC);
}

/* Between stages, so that none begins after the deadline or a cancel. Once traffic is through, the peer's
 * report is worth the grace that its stage allows. */
static int may_go_on(struct measurement *m, enum stage next)
{
        if (next >= STAGE_REPORT)
                return 0;
        struct patience p = { m->request->deadline_ns, m->request->cancel };
        int r = patience_check(&p, clock_now_ns());
        if (r == -ECANCELED)
                return fault_set(&m->result->fault, OUTCOME_CANCELLED, r, "%s: cancelled before stage %s",
                        m->host, stage_name(next));
        if (r < 0)
                return fault_set(&m->result->fault, OUTCOME_PEER, r,
                        "%s: the time for the measurement was over before stage %s", m->host,
                        stage_name(next));
        return next == STAGE_TRAFFIC ? enough_left(m) : 0;
}

static int run_stage(struct measurement *m, enum stage s)
{
        uint64_t start = clock_now_ns();
        int r = may_go_on(m, s);
        if (r == 0)
                r = stages[s](m);
        if (r < 0)
                return r;
        m->result->stage_ns[s] = clock_now_ns() - start;
        m->result->stage = s;
        return 0;
}

static void measurement_done(struct measurement *m)
{
        counter_snapshot_free(m->before);
        endpoint_close(m->endpoint);
        dialogue_free(m->dialogue);
        addrinfo_freep(&m->addresses);
        lease_release(m->lease);
        free(m->welcome);
}

int engine_measure(struct engine *e, const struct measure_request *request, struct result *ret)
{
        struct measurement m = {
                .engine = e, .request = request, .result = ret, .started_ns = clock_now_ns()
        };
        text_message(m.host, sizeof(m.host), "%s", request->peer);
        text_message(ret->device, sizeof(ret->device), "%s", request->device);
        ret->plan = request->plan;
        int r = 0;
        for (enum stage s = STAGE_START; s < N_STAGES && r == 0; s++)
                r = run_stage(&m, s);
        measurement_done(&m);
        return r < 0 ? ret->fault.error : 0;
}
