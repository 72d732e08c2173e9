/* SPDX-License-Identifier: Apache-2.0 */
/* Both ends of a measurement in one process, on one real device: what the data path promises without a
 * control side. Runs in a test host as root; the device is DEVICE in the environment, else rxe0. */
#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/clock.h"
#include "engine/endpoint.h"

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

/* The passive end in a thread of its own. */
struct passive {
        struct pair *pair;
        struct watch watch;
        struct result result;
        int error;
};

static void *run_passive(void *argument)
{
        struct passive *p = argument;
        p->error = pingpong_run(
                p->pair->receiver, &p->pair->plan, false, clock_now_ns() + LIMIT_NS, &p->watch, &p->result);
        return NULL;
}

static void every_message_is_a_latency_sample(void **state)
{
        struct pair p;
        struct result r;
        pair_init(&p, MEASURE_LATENCY);
        p.plan.budget_ns = 0;
        pair_connect(&p);
        struct passive passive = { .pair = &p, .watch = { .fd = -1 } };
        result_init(&passive.result);
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, run_passive, &passive), 0);
        result_init(&r);
        good(pingpong_run(p.sender, &p.plan, true, clock_now_ns() + LIMIT_NS, NULL, &r), &r.fault);
        pthread_join(thread, NULL);
        good(passive.error, &passive.result.fault);
        assert_int_equal(r.latency.count, p.plan.budget_messages);
        assert_int_equal(passive.result.messages, p.plan.budget_messages + p.plan.warmup_messages);
        print_message("p50 %llu us, p99 %llu us\n", (unsigned long long)(r.latency.p50_ns / NS_PER_US),
                (unsigned long long)(r.latency.p99_ns / NS_PER_US));
        result_done(&r);
        pair_done(&p);
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
        p.plan.queue_pairs = ENDPOINT_QPS_MAX;
        p.plan.depth = 16384;
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
                cmocka_unit_test(cancelling_ends_it_at_once), cmocka_unit_test(a_receiver_that_goes_ends_it),
                cmocka_unit_test(a_device_that_goes_ends_it_and_is_let_go),
                cmocka_unit_test(what_cannot_be_is_refused_with_the_reason),
                cmocka_unit_test(repeated_turns_leave_nothing_behind),
                cmocka_unit_test(too_little_lockable_memory_is_explained), /* last: the limit stays */
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
