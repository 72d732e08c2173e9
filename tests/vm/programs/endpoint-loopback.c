/* SPDX-License-Identifier: Apache-2.0 */
/* Both ends of a measurement in one process, on one real device: what the data path promises without a
 * control side. Runs in a test host as root; the device is DEVICE in the environment, else rxe0. */
#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/endpoint.h"
#include "engine/plan.h"

#define LIMIT_NS (20 * NS_PER_SEC)

/* A sender, a receiver, and what both need. */
struct pair {
        struct reapers *reapers;
        struct device_facts facts;
        struct rdma_address address;
        struct plan plan;
        struct endpoint *sender, *receiver;
};

static const char *device(void)
{
        const char *name = getenv("DEVICE");
        return name ? name : "rxe0";
}

static void rest(uint64_t ns)
{
        struct timespec t = { .tv_sec = (time_t)(ns / NS_PER_SEC), .tv_nsec = (long)(ns % NS_PER_SEC) };
        nanosleep(&t, NULL);
}

static void good(int r, const struct fault *f)
{
        if (r < 0)
                fail_msg("%d: %s", r, f->reason);
}

static struct endpoint *open_end(struct pair *p)
{
        struct endpoint *ep = NULL;
        struct fault f = { 0 };
        good(endpoint_open(p->reapers, device(), 1, &p->address, &p->plan, &ep, &f), &f);
        return ep;
}

static void pair_connect(struct pair *p)
{
        struct endpoint_info sender, receiver;
        struct fault f = { 0 };
        p->sender = open_end(p);
        p->receiver = open_end(p);
        endpoint_describe(p->sender, &sender);
        endpoint_describe(p->receiver, &receiver);
        good(endpoint_connect(p->receiver, &sender, &f), &f);
        good(endpoint_connect(p->sender, &receiver, &f), &f);
}

static void pair_init(struct pair *p, enum measure measure)
{
        uint8_t port;
        size_t remote;
        struct fault f = { 0 };
        *p = (struct pair){ 0 };
        assert_int_equal(reapers_new(&p->reapers), 0);
        assert_int_equal(device_find(device(), &p->facts), 0);
        const struct port_facts *own = &p->facts.ports[0];
        good(address_choose(&p->facts, 0, own->addresses, own->n_addresses, own->link_layer, &p->address,
                     &port, &remote, &f),
                &f);
        plan_defaults(&p->plan, measure, p->facts.class);
        p->plan.mtu_bytes = own->active_mtu_bytes;
}

static unsigned descriptors(void)
{
        unsigned n = 0;
        DIR *d = opendir("/proc/self/fd");
        while (d && readdir(d))
                n++;
        if (d)
                closedir(d);
        return n;
}

/* Everything given to the reaper is gone soon. */
static void pair_done(struct pair *p)
{
        endpoint_close(p->sender);
        endpoint_close(p->receiver);
        struct reaper_state s = { .pending = 1 };
        for (int i = 0; i < 5000 && s.pending > 0; i++) {
                assert_true(reapers_states(p->reapers, &s, 1) <= 1);
                rest(NS_PER_MS);
        }
        assert_int_equal(s.pending, 0);
        reapers_free(p->reapers);
}

static void budgets_are_met_to_the_byte(void **state)
{
        static const struct {
                uint64_t message, bytes, messages, wanted;
                unsigned qps, depth, list, signal;
        } rows[] = {
                { 65536, 4 << 20, 0, 4 << 20, 2, 16, 4, 2 },
                { 65536, (4 << 20) + 1, 0, (4 << 20) + 65536, 4, 16, 4, 2 },
                { 1, 0, 1000, 1000, 1, 16, 4, 8 },
                { 4097, 0, 333, 333 * 4097, 3, 8, 3, 4 },
                { 1 << 20, 8 << 20, 0, 8 << 20, 1, 2, 1, 1 },
        };
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                struct pair p;
                struct result r;
                pair_init(&p, MEASURE_BANDWIDTH);
                p.plan.message_bytes = rows[i].message;
                p.plan.budget_bytes = rows[i].bytes;
                p.plan.budget_messages = rows[i].messages;
                p.plan.budget_ns = 0;
                p.plan.queue_pairs = rows[i].qps;
                p.plan.depth = rows[i].depth;
                p.plan.post_list = rows[i].list;
                p.plan.signal_interval = rows[i].signal;
                pair_connect(&p);
                result_init(&r);
                good(stream_run(p.sender, &p.plan, clock_now_ns() + LIMIT_NS, NULL, &r), &r.fault);
                assert_int_equal(r.bytes, rows[i].wanted);
                assert_false(r.truncated);
                pair_done(&p);
        }
}

static void counters_agree_with_what_was_sent(void **state)
{
        struct pair p;
        struct result r;
        struct counter_snapshot *before = NULL, *after = NULL;
        struct counter_deltas d;
        pair_init(&p, MEASURE_BANDWIDTH);
        p.plan.budget_ns = 0;
        pair_connect(&p);
        assert_int_equal(counter_snapshot_take(device(), 1, &before), 0);
        result_init(&r);
        good(stream_run(p.sender, &p.plan, clock_now_ns() + LIMIT_NS, NULL, &r), &r.fault);
        assert_int_equal(counter_snapshot_take(device(), 1, &after), 0);
        counter_snapshot_deltas(before, after, &d);
        uint64_t sent = 0;
        for (size_t i = 0; i < d.n; i++)
                if (strcmp(d.items[i].name, "sent_pkts") == 0)
                        sent = d.items[i].delta;
        uint64_t data = r.own_bytes / p.plan.mtu_bytes; /* and an acknowledgement for some */
        if (sent < data || sent > data + data / 8 + 64)
                fail_msg("%llu packets sent for %llu of data", (unsigned long long)sent,
                        (unsigned long long)data);
        counter_snapshot_free(before);
        counter_snapshot_free(after);
        pair_done(&p);
}

static void time_ends_a_run(void **state)
{
        struct pair p;
        struct result r;
        pair_init(&p, MEASURE_BANDWIDTH);
        p.plan.budget_bytes = 0;
        p.plan.budget_ns = 300 * NS_PER_MS;
        pair_connect(&p);
        result_init(&r);
        good(stream_run(p.sender, &p.plan, clock_now_ns() + LIMIT_NS, NULL, &r), &r.fault);
        assert_true(r.traffic_ns >= 300 * NS_PER_MS && r.traffic_ns < NS_PER_SEC);
        assert_true(r.messages > 0 && !r.truncated);
        pair_done(&p);
}

/* The passive end in a thread of its own, which a byte on its control connection ends. */
struct passive {
        struct pair *pair;
        int control[2];
        pthread_t thread;
        struct result result;
        int error;
};

static void *run_passive(void *argument)
{
        struct passive *p = argument;
        const struct plan *plan = &p->pair->plan;
        struct watch watch = { .fd = p->control[0] };
        uint64_t deadline_ns = clock_now_ns() + LIMIT_NS;
        if (plan->measure == MEASURE_LATENCY)
                p->error = pingpong_run(p->pair->receiver, plan, false, deadline_ns, &watch, &p->result);
        else
                p->error = stream_serve(
                        p->pair->receiver, plan, plan->bidirectional, deadline_ns, &watch, &p->result);
        return NULL;
}

static void passive_start(struct passive *p, struct pair *pair)
{
        *p = (struct passive){ .pair = pair };
        result_init(&p->result);
        assert_int_equal(pipe2(p->control, O_CLOEXEC), 0);
        if (endpoint_serves(pair->receiver))
                assert_int_equal(pthread_create(&p->thread, NULL, run_passive, p), 0);
}

static void passive_stop(struct passive *p)
{
        assert_int_equal(write(p->control[1], "x", 1), 1);
        if (endpoint_serves(p->pair->receiver))
                pthread_join(p->thread, NULL);
        good(p->error, &p->result.fault);
        close(p->control[0]);
        close(p->control[1]);
}

static void every_message_is_a_latency_sample(void **state)
{
        struct pair p;
        struct result r;
        struct passive passive;
        pair_init(&p, MEASURE_LATENCY);
        p.plan.budget_ns = 0;
        pair_connect(&p);
        passive_start(&passive, &p);
        result_init(&r);
        good(pingpong_run(p.sender, &p.plan, true, clock_now_ns() + LIMIT_NS, NULL, &r), &r.fault);
        passive_stop(&passive);
        assert_int_equal(r.latency.count, p.plan.budget_messages);
        assert_int_equal(passive.result.messages, p.plan.budget_messages + p.plan.warmup_messages);
        print_message("p50 %llu us, p99 %llu us\n", (unsigned long long)(r.latency.p50_ns / NS_PER_US),
                (unsigned long long)(r.latency.p99_ns / NS_PER_US));
        result_done(&r);
        pair_done(&p);
}

/* ---- every operation on every transport that carries it ---------------------------------------------- */

struct shape {
        uint64_t message_bytes;
        unsigned queue_pairs, post_list, signal_interval;
        bool bidirectional;
};

static void verify(const struct endpoint *ep, bool active, uint64_t requests, bool expected, const char *what)
{
        struct verification v;
        endpoint_compare(ep, active, requests, &v);
        check_row((v.bytes > 0) == expected, what);
        check_row(v.wrong == 0, what);
}

/* What a plan is called in a failure. */
static const char *plan_text(const struct plan *p)
{
        static char text[128];
        snprintf(text, sizeof(text), "%s of %llu B on %s, %u queue pairs%s, %s", operation_name(p->operation),
                (unsigned long long)p->message_bytes, transport_name(p->transport), p->queue_pairs,
                p->bidirectional ? ", bidirectional" : "",
                p->measure == MEASURE_LATENCY ? "latency" : "bandwidth");
        return text;
}

static bool receives(enum operation o)
{
        return o == OPERATION_SEND || o == OPERATION_WRITE_IMMEDIATE;
}

/* The passive end sends until it is told, and what it sends needs receives until it has stopped. */
struct stopping {
        struct passive *passive;
        int done[2];
};

static void *stop_passive(void *argument)
{
        struct stopping *s = argument;
        passive_stop(s->passive);
        assert_int_equal(write(s->done[1], "x", 1), 1);
        return NULL;
}

static void serve_while_stopping(struct pair *p, struct passive *passive, struct result *r)
{
        struct stopping s = { .passive = passive };
        struct result rest;
        pthread_t thread;
        assert_int_equal(pipe2(s.done, O_CLOEXEC), 0);
        assert_int_equal(pthread_create(&thread, NULL, stop_passive, &s), 0);
        struct watch watch = { .fd = s.done[0] };
        result_init(&rest);
        good(stream_serve(p->sender, &p->plan, false, clock_now_ns() + LIMIT_NS, &watch, &rest), &rest.fault);
        pthread_join(thread, NULL);
        r->received += rest.received;
        if (p->plan.transport == TRANSPORT_RC)
                check_row(r->received == passive->result.messages, plan_text(&p->plan));
        close(s.done[0]);
        close(s.done[1]);
}

static void check_run(const struct pair *p, const struct result *r, const struct passive *passive)
{
        const char *what = plan_text(&p->plan);
        bool pulls = !operation_is_halved(p->plan.operation), lossy = p->plan.transport != TRANSPORT_RC;
        bool atomic = p->plan.operation == OPERATION_FETCH_ADD || p->plan.operation == OPERATION_COMPARE_SWAP;
        bool mutual = p->plan.bidirectional || (p->plan.measure == MEASURE_LATENCY && !pulls);
        uint64_t sent = r->own_bytes / p->plan.message_bytes;
        check_row(r->messages + r->lost == p->plan.budget_messages, what);
        if (p->plan.measure == MEASURE_BANDWIDTH && receives(p->plan.operation)) {
                check_row(passive->result.received <= sent && passive->result.received > 0, what);
                check_row(lossy || passive->result.received == sent, what);
        }
        check_row(passive->result.messages > 0 || !mutual, what);
        if (lossy && p->plan.queue_pairs > 1)
                return; /* one of them may have lost all of its messages */
        bool lands_there = atomic || !pulls, lands_here = atomic ? mutual : pulls || mutual;
        verify(p->receiver, false, sent, lands_there || mutual, what);
        verify(p->sender, true, passive->result.messages, lands_here, what);
}

static void run_plan(
        enum measure measure, enum operation operation, enum transport transport, const struct shape *shape)
{
        struct pair p;
        struct result r;
        struct passive passive;
        char why[ENGINE_REASON_MAX] = "";
        pair_init(&p, measure);
        plan_set_operation(&p.plan, operation, transport);
        if (p.plan.message_bytes != 8)
                p.plan.message_bytes = shape->message_bytes;
        if (transport == TRANSPORT_UD && p.plan.message_bytes > p.plan.mtu_bytes)
                p.plan.message_bytes = p.plan.mtu_bytes;
        p.plan.queue_pairs = shape->queue_pairs;
        p.plan.post_list = shape->post_list;
        p.plan.signal_interval = shape->signal_interval;
        p.plan.bidirectional = shape->bidirectional;
        p.plan.verify = true;
        p.plan.budget_bytes = p.plan.budget_ns = 0;
        p.plan.budget_messages = measure == MEASURE_LATENCY ? 30 : 40 * shape->queue_pairs;
        check_row(plan_check(&p.plan, why) == 0, why);
        plan_resolve(&p.plan);
        pair_connect(&p);
        endpoint_fill(p.receiver, false);
        endpoint_fill(p.sender, true);
        passive_start(&passive, &p);
        result_init(&r);
        uint64_t deadline_ns = clock_now_ns() + LIMIT_NS;
        good(measure == MEASURE_LATENCY ? pingpong_run(p.sender, &p.plan, true, deadline_ns, NULL, &r)
                                        : stream_run(p.sender, &p.plan, deadline_ns, NULL, &r),
                &r.fault);
        if (shape->bidirectional && receives(operation))
                serve_while_stopping(&p, &passive, &r);
        else
                passive_stop(&passive);
        check_run(&p, &r, &passive);
        result_done(&r);
        pair_done(&p);
}

static void run_all_plans(enum measure measure, const struct shape *shapes, size_t n)
{
        char why[ENGINE_REASON_MAX];
        unsigned runs = 0;
        for (enum operation o = 0; o < N_OPERATIONS; o++)
                for (enum transport t = 0; t < N_TRANSPORTS; t++) {
                        struct plan p;
                        plan_defaults(&p, measure, DEVICE_SOFTWARE);
                        plan_set_operation(&p, o, t);
                        if (plan_check(&p, why) < 0)
                                continue;
                        for (size_t i = 0; i < n; i++, runs++)
                                run_plan(measure, o, t, &shapes[i]);
                }
        assert_int_equal(runs, 10 * n); /* six on RC, three on UC, one on UD */
}

static void every_operation_carries_its_data(void **state)
{
        static const struct shape shapes[] = {
                { 1, 1, 1, 1, false },
                { 4097, 2, 4, 2, false },
                { 65536, 3, 4, 1, true },
        };
        run_all_plans(MEASURE_BANDWIDTH, shapes, ARRAY_SIZE(shapes));
}

static void every_operation_has_a_latency(void **state)
{
        static const struct shape shapes[] = {
                { 2, 1, 1, 8, false },
                { 64, 1, 1, 8, false },
                { 9000, 1, 1, 1, false },
        };
        run_all_plans(MEASURE_LATENCY, shapes, ARRAY_SIZE(shapes));
}

static void many_queue_pairs_carry_their_data(void **state)
{
        static const struct shape shapes[] = { { 4096, 64, 4, 4, false }, { 512, 256, 2, 2, false } };
        for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
                run_plan(MEASURE_BANDWIDTH, OPERATION_WRITE, TRANSPORT_RC, &shapes[i]);
                run_plan(MEASURE_BANDWIDTH, OPERATION_SEND, TRANSPORT_RC, &shapes[i]);
                run_plan(MEASURE_BANDWIDTH, OPERATION_READ, TRANSPORT_RC, &shapes[i]);
        }
}

/* What disturbs a run, from another thread, after a tenth of a second. */
struct disturbance {
        struct pair *pair;
        atomic_bool cancel;
        uint64_t at_ns;
};

static void *cancel(void *argument)
{
        struct disturbance *d = argument;
        rest(100 * NS_PER_MS);
        d->at_ns = clock_now_ns();
        atomic_store(&d->cancel, true);
        return NULL;
}

static void *drop_receiver(void *argument)
{
        struct disturbance *d = argument;
        rest(100 * NS_PER_MS);
        d->at_ns = clock_now_ns();
        endpoint_close(d->pair->receiver);
        d->pair->receiver = NULL;
        return NULL;
}

static void *delete_device(void *argument)
{
        struct disturbance *d = argument;
        char command[128];
        rest(100 * NS_PER_MS);
        d->at_ns = clock_now_ns();
        snprintf(command, sizeof(command), "rdma link delete %s", device());
        return system(command) == 0 ? NULL : d; /* returns when the last context is closed */
}

/* Runs without end until disturbed; returns how long after. */
static uint64_t run_disturbed(
        struct pair *p, void *(*disturb)(void *), pthread_t *thread, struct disturbance *d, struct result *r)
{
        *d = (struct disturbance){ .pair = p };
        struct watch watch = { .fd = -1, .cancel = &d->cancel };
        p->plan.budget_bytes = 0;
        p->plan.budget_ns = LIMIT_NS;
        pair_connect(p);
        assert_int_equal(pthread_create(thread, NULL, disturb, d), 0);
        result_init(r);
        assert_true(stream_run(p->sender, &p->plan, clock_now_ns() + LIMIT_NS, &watch, r) < 0);
        return clock_now_ns() - d->at_ns;
}

static void cancelling_ends_it_at_once(void **state)
{
        struct pair p;
        struct disturbance d;
        struct result r;
        pthread_t thread;
        pair_init(&p, MEASURE_BANDWIDTH);
        uint64_t took = run_disturbed(&p, cancel, &thread, &d, &r);
        pthread_join(thread, NULL);
        assert_int_equal(r.fault.kind, OUTCOME_CANCELLED);
        print_message("after %llu us\n", (unsigned long long)(took / NS_PER_US));
        assert_true(took < 50 * NS_PER_MS); /* 2 ms, and a machine that is busy */
        pair_done(&p);
}

static void a_receiver_that_goes_ends_it(void **state)
{
        struct pair p;
        struct disturbance d;
        struct result r;
        pthread_t thread;
        pair_init(&p, MEASURE_BANDWIDTH);
        uint64_t took = run_disturbed(&p, drop_receiver, &thread, &d, &r);
        pthread_join(thread, NULL);
        assert_int_equal(r.fault.kind, OUTCOME_TRAFFIC);
        print_message("after %llu ms: %s\n", (unsigned long long)(took / NS_PER_MS), r.fault.reason);
        assert_true(took < 5 * NS_PER_SEC);
        pair_done(&p);
}

static void a_device_that_goes_ends_it_and_is_let_go(void **state)
{
        struct pair p;
        struct disturbance d;
        struct result r;
        pthread_t thread;
        void *failed;
        pair_init(&p, MEASURE_BANDWIDTH);
        uint64_t took = run_disturbed(&p, delete_device, &thread, &d, &r);
        assert_int_equal(r.fault.kind, OUTCOME_LOCAL);
        assert_int_equal(r.fault.error, -ENODEV);
        assert_true(took < 3 * NS_PER_SEC); /* a tenth of a second, and starting a program in a slow guest */
        pair_done(&p);
        pthread_join(thread, &failed);
        assert_null(failed);
        print_message("ended after %llu ms, deleted after %llu ms\n", (unsigned long long)(took / NS_PER_MS),
                (unsigned long long)((clock_now_ns() - d.at_ns) / NS_PER_MS));
        assert_int_equal(system("rdma link add rxe0 type rxe netdev eth0"), 0);
}

/* One field that cannot be had; the reason says which. */
static void refused(struct pair *p, const char *name, uint8_t port, int error, const char *word)
{
        struct endpoint *ep = NULL;
        struct fault f = { 0 };
        assert_int_equal(endpoint_open(p->reapers, name, port, &p->address, &p->plan, &ep, &f), error);
        assert_null(ep);
        check_row(strstr(f.reason, word) != NULL, f.reason);
        assert_int_equal(f.kind, OUTCOME_LOCAL);
}

static void what_cannot_be_is_refused_with_the_reason(void **state)
{
        struct pair p;
        pair_init(&p, MEASURE_BANDWIDTH);
        struct plan plan = p.plan;
        refused(&p, "rxe9", 1, -ENODEV, "rxe9");
        refused(&p, device(), 9, -ENETDOWN, "port 9");
        p.plan.retry_count = 7;
        refused(&p, device(), 1, -EINVAL, "retry_count");
        p.plan = plan;
        p.plan.message_bytes = UINT64_C(1) << 30;
        p.plan.queue_pairs = 1;
        refused(&p, device(), 1, -EMSGSIZE, "message_bytes");
        p.plan = plan;
        p.plan.depth = 16384;
        p.plan.receive_depth = 16384;
        refused(&p, device(), 1, -EINVAL, "completion entries");
        p.plan = plan;
        p.address.index += 500;
        refused(&p, device(), 1, -EADDRNOTAVAIL, "no longer");
        pair_done(&p);
}

static void drop_ipc_lock(void)
{
        struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
        struct __user_cap_data_struct data[2];
        assert_int_equal(syscall(SYS_capget, &header, data), 0);
        data[0].effective &= ~(1U << CAP_IPC_LOCK);
        assert_int_equal(syscall(SYS_capset, &header, data), 0);
}

static void too_little_lockable_memory_is_explained(void **state)
{
        struct pair p;
        struct rlimit limit = { .rlim_cur = 65536, .rlim_max = 65536 };
        pair_init(&p, MEASURE_BANDWIDTH);
        assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
        drop_ipc_lock();
        refused(&p, device(), 1, -ENOMEM, "LimitMEMLOCK=");
        pair_done(&p);
}

static void repeated_turns_leave_nothing_behind(void **state)
{
        unsigned before = 0;
        for (int turn = 0; turn < 40; turn++) {
                struct pair p;
                struct result r;
                pair_init(&p, MEASURE_BANDWIDTH);
                p.plan.budget_bytes = 1 << 20;
                pair_connect(&p);
                result_init(&r);
                good(stream_run(p.sender, &p.plan, clock_now_ns() + LIMIT_NS, NULL, &r), &r.fault);
                pair_done(&p);
                if (turn == 0)
                        before = descriptors();
        }
        assert_int_equal(descriptors(), before);
}

int main(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(budgets_are_met_to_the_byte),
                cmocka_unit_test(counters_agree_with_what_was_sent), cmocka_unit_test(time_ends_a_run),
                cmocka_unit_test(every_message_is_a_latency_sample),
                cmocka_unit_test(every_operation_carries_its_data),
                cmocka_unit_test(every_operation_has_a_latency),
                cmocka_unit_test(many_queue_pairs_carry_their_data),
                cmocka_unit_test(cancelling_ends_it_at_once), cmocka_unit_test(a_receiver_that_goes_ends_it),
                cmocka_unit_test(a_device_that_goes_ends_it_and_is_let_go),
                cmocka_unit_test(what_cannot_be_is_refused_with_the_reason),
                cmocka_unit_test(repeated_turns_leave_nothing_behind),
                cmocka_unit_test(too_little_lockable_memory_is_explained), /* last: the limit stays */
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
