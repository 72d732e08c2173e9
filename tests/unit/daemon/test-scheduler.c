/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler with real lanes, a clock of the test's, and one probe class whose turns do what the test
 * says. This file's source_classes stand in for the generated table. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "daemon/exposition.h"
#include "daemon/log.h"
#include "daemon/scheduler.h"

/* ---- the class ------------------------------------------------------------------------------------ */

static struct {
        _Atomic(enum outcome_kind) kind; /* what a turn ends with */
        atomic_bool block; /* a turn waits for `go` first, deaf to its deadline like the kernel */
        atomic_uint live, runs;
        const struct clock *clock;
        sem_t go;
} fake;

struct fake_config {
        struct source_config base;
        uint64_t interval_ns;
};

static const struct option fake_options[] = {
        SOURCE_OPTION_ENABLED(struct fake_config, "true"),
        { .key = "interval",
                .kind = OPTION_DURATION,
                .offset = offsetof(struct fake_config, interval_ns),
                .fallback = "30s",
                .help = "interval" },
};

static int fake_create(const struct source_environment *env, const struct source_target *target,
        const void *config, void **ret_state)
{
        *ret_state = malloc(1); /* for the leak checker */
        atomic_fetch_add(&fake.live, 1);
        return *ret_state ? 0 : -ENOMEM;
}

static void fake_destroy(void *state)
{
        atomic_fetch_sub(&fake.live, 1);
        free(state);
}

static uint64_t fake_interval_ns(const void *config)
{
        return ((const struct fake_config *)config)->interval_ns;
}

static uint64_t fake_timeout_ns(const void *config)
{
        return 5 * NS_PER_SEC;
}

static void fake_run(void *state, uint64_t deadline_ns, const atomic_bool *cancel, struct outcome *ret)
{
        atomic_fetch_add(&fake.runs, 1);
        if (atomic_load(&fake.block))
                (void)sem_wait(&fake.go);
        ret->started_realtime_ns = clock_realtime_ns(fake.clock);
        ret->fault.kind = atomic_load(&fake.kind);
        ret->stage = ret->fault.kind == OUTCOME_OK ? STAGE_DONE : STAGE_CONNECT;
        if (ret->fault.kind == OUTCOME_OK) {
                ret->signals[0] = (struct signal){ SIGNAL_BANDWIDTH, 1e9, 100 };
                ret->n_signals = 1;
        }
}

static const struct source_class source_fake = {
        .name = "fake",
        .summary = "What the test says.",
        .trigger = TRIGGER_TIMER,
        .scope = SCOPE_PAIR,
        .options = fake_options,
        .n_options = ARRAY_SIZE(fake_options),
        .config_size = sizeof(struct fake_config),
        .create = fake_create,
        .interval_ns = fake_interval_ns,
        .timeout_ns = fake_timeout_ns,
        .run = fake_run,
        .destroy = fake_destroy,
};

const struct source_class *const source_classes[] = { &source_fake };
const size_t n_source_classes = ARRAY_SIZE(source_classes);

/* ---- the stage ------------------------------------------------------------------------------------ */

struct stage_set {
        struct clock clock;
        _Atomic uint64_t now_ns;
        struct source_environment env;
        struct slots *slots;
        struct scheduler *scheduler;
        struct config *config;
        int wake;
};

static uint64_t stage_now(void *context)
{
        return atomic_load(&((struct stage_set *)context)->now_ns);
}

static void stage_wake(void *context)
{
        uint64_t one = 1;

        assert_int_equal(write(((struct stage_set *)context)->wake, &one, sizeof(one)), sizeof(one));
}

static struct config *load(const char *text)
{
        char path[] = "/tmp/test-scheduler-XXXXXX";
        int fd = mkstemp(path);
        struct config *c = NULL;
        struct buf problems = { 0 };

        assert_true(fd >= 0);
        assert_int_equal(write(fd, text, strlen(text)), strlen(text));
        (void)close(fd);
        if (config_load(path, &c, &problems) < 0)
                fail_msg("%s", buf_cstr(&problems));
        buf_done(&problems);
        (void)unlink(path);
        return c;
}

static int setup(void **state)
{
        struct stage_set *t = calloc(1, sizeof(*t));

        log_setup(LOG_LEVEL_ERROR, LOG_FORMAT_LOGFMT);
        atomic_store(&fake.kind, OUTCOME_OK);
        atomic_store(&fake.block, false);
        atomic_store(&fake.runs, 0);
        assert_int_equal(sem_init(&fake.go, 0, 0), 0);
        t->clock = (struct clock){ stage_now, stage_now, t };
        fake.clock = &t->clock;
        t->now_ns = clock_now_ns();
        t->env = (struct source_environment){
                .sysfs = -1, .procfs = -1, .clock = &t->clock, .reader = &reader_system
        };
        t->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        assert_int_equal(slots_new(&t->slots), 0);
        assert_int_equal(scheduler_new(&t->env, t->slots, stage_wake, t, &t->scheduler), 0);
        *state = t;
        return 0;
}

static int teardown(void **state)
{
        struct stage_set *t = *state;

        assert_int_equal(scheduler_free(t->scheduler, clock_now_ns() + 5 * NS_PER_SEC), 0);
        assert_int_equal(atomic_load(&fake.live), 0);
        slots_free(t->slots);
        config_unref(t->config);
        (void)close(t->wake);
        (void)sem_destroy(&fake.go);
        free(t);
        return 0;
}

/* Rails as the config has them, else one per device named here. */
static void reconcile(struct stage_set *t, const char *text, const char *first, const char *second)
{
        struct rail rails[2] = { { .name = "0" }, { .name = "1" } };
        size_t n = second ? 2 : 1;

        config_unref(t->config);
        t->config = load(text);
        strcpy(rails[0].device, first);
        if (second)
                strcpy(rails[1].device, second);
        assert_int_equal(scheduler_reconcile(t->scheduler, t->config, rails, n), 0);
}

/* Lets virtual time go on; every turn that starts is waited for and taken in. */
static void advance(struct stage_set *t, uint64_t seconds)
{
        uint64_t end = t->now_ns + seconds * NS_PER_SEC;

        for (;;) {
                uint64_t next = scheduler_next_ns(t->scheduler);
                unsigned before = atomic_load(&fake.runs);
                struct pollfd p = { .fd = t->wake, .events = POLLIN };
                uint64_t count;

                if (next > end)
                        break;
                if (next > t->now_ns)
                        t->now_ns = next;
                scheduler_run_due(t->scheduler);
                /* Turns of fake_run take no time: a wake comes at once for each that was submitted. */
                while (poll(&p, 1, atomic_load(&fake.block) ? 50 : 200) > 0) {
                        assert_int_equal(read(t->wake, &count, sizeof(count)), sizeof(count));
                        scheduler_collect(t->scheduler);
                        if (scheduler_next_ns(t->scheduler) > t->now_ns && before != atomic_load(&fake.runs))
                                break;
                }
        }
        t->now_ns = end;
}

static char *page(struct stage_set *t)
{
        struct batch **batches;
        struct buf out = { 0 };
        size_t n;

        assert_int_equal(slots_collect(t->slots, &batches, &n), 0);
        assert_int_equal(exposition_render(&out, (const struct batch *const *)batches, n), 0);
        slots_release(batches, n);
        return out.data ? out.data : strdup("");
}

static void check_on_page(struct stage_set *t, const char *line, bool there)
{
        cleanup(freep) char *text = page(t);

        if (!!strstr(text, line) != there)
                fail_msg("%s \"%s\" on\n%s", there ? "no" : "still", line, text);
}

#define TWO_PEERS "node: a\npeers: [{name: b, address: h}, {name: c, address: h}]\n"
#define ONE_PEER  "node: a\npeers: [{name: b, address: h}]\n"
#define LABELS_B  "{probe=\"fake\",device=\"rxe0\",rail=\"0\",peer=\"b\"}"

/* ---- the tests ------------------------------------------------------------------------------------- */

static void test_every_pair_has_one_turn_an_interval(void **state)
{
        struct stage_set *t = *state;
        cleanup(freep) struct lane_state *lanes = NULL;
        size_t n;

        reconcile(t, TWO_PEERS, "rxe0", "rxe1");
        assert_int_equal(scheduler_probes(t->scheduler), 4);
        advance(t, 90);
        assert_int_equal(scheduler_lane_states(t->scheduler, &lanes, &n), 0);
        assert_int_equal(n, 4);
        for (size_t i = 0; i < n; i++)
                assert_int_equal(lanes[i].turns_total, 3);
        assert_int_equal(scheduler_failing(t->scheduler), 0);
        check_on_page(t, "rdma_canary_probe_attempts_total" LABELS_B " 3\n", true);
        check_on_page(t, "rdma_canary_probe_success" LABELS_B " 1\n", true);
        check_on_page(t, "rdma_canary_probe_bandwidth_bytes_per_second" LABELS_B " 1e+09\n", false);
        check_on_page(t, "rdma_canary_probe_bandwidth_bytes_per_second" LABELS_B " 1000000000\n", true);
}

static void test_a_removed_peer_takes_its_series_and_the_other_keeps_its_totals(void **state)
{
        struct stage_set *t = *state;

        reconcile(t, TWO_PEERS, "rxe0", NULL);
        advance(t, 60);
        check_on_page(t, "peer=\"c\"", true);
        reconcile(t, ONE_PEER, "rxe0", NULL);
        assert_int_equal(scheduler_probes(t->scheduler), 1);
        check_on_page(t, "peer=\"c\"", false);
        check_on_page(t, "rdma_canary_probe_attempts_total" LABELS_B " 2\n", true);
        advance(t, 30);
        check_on_page(t, "rdma_canary_probe_attempts_total" LABELS_B " 3\n", true);
}

static void test_a_new_interval_counts_at_once(void **state)
{
        struct stage_set *t = *state;

        reconcile(t, ONE_PEER, "rxe0", NULL);
        advance(t, 30);
        reconcile(t, ONE_PEER "probes: {fake: {interval: 1s}}\n", "rxe0", NULL);
        advance(t, 10);
        check_on_page(t, "rdma_canary_probe_attempts_total" LABELS_B " 11\n", true);
        reconcile(t, ONE_PEER "probes: {fake: {enabled: false}}\n", "rxe0", NULL);
        assert_int_equal(scheduler_probes(t->scheduler), 0);
        assert_int_equal(scheduler_next_ns(t->scheduler), DEADLINE_NEVER);
        check_on_page(t, "peer=\"b\"", false);
}

static void test_busy_is_tried_again_soon_and_is_no_failure(void **state)
{
        struct stage_set *t = *state;

        atomic_store(&fake.kind, OUTCOME_BUSY);
        reconcile(t, ONE_PEER, "rxe0", NULL);
        while (atomic_load(&fake.runs) == 0)
                advance(t, 1);
        advance(t, 5);
        assert_int_equal(atomic_load(&fake.runs), 4);
        assert_int_equal(scheduler_failing(t->scheduler), 0);
        check_on_page(t, "rdma_canary_probe_success" LABELS_B, false);
}

static void test_values_of_long_ago_are_withdrawn(void **state)
{
        struct stage_set *t = *state;

        reconcile(t, ONE_PEER, "rxe0", NULL);
        advance(t, 30);
        atomic_store(&fake.kind, OUTCOME_BUSY);
        advance(t, 60);
        check_on_page(t, "rdma_canary_probe_bandwidth_bytes_per_second" LABELS_B, true);
        advance(t, 90);
        check_on_page(t, "rdma_canary_probe_bandwidth_bytes_per_second" LABELS_B, false);
        check_on_page(t, "rdma_canary_probe_success" LABELS_B, false);
        check_on_page(t, "rdma_canary_probe_attempts_total" LABELS_B, true);
}

static void test_failures_show_and_end(void **state)
{
        struct stage_set *t = *state;

        atomic_store(&fake.kind, OUTCOME_PEER);
        reconcile(t, ONE_PEER, "rxe0", NULL);
        advance(t, 30);
        assert_int_equal(scheduler_failing(t->scheduler), 1);
        check_on_page(t, "rdma_canary_probe_success" LABELS_B " 0\n", true);
        check_on_page(t, "rdma_canary_probe_bandwidth_bytes_per_second", false);
        atomic_store(&fake.kind, OUTCOME_OK);
        advance(t, 30);
        assert_int_equal(scheduler_failing(t->scheduler), 0);
        check_on_page(t, "rdma_canary_probe_success" LABELS_B " 1\n", true);
}

static void test_a_turn_stuck_in_the_kernel_is_reported_and_taken_up_again(void **state)
{
        struct stage_set *t = *state;
        cleanup(freep) struct lane_state *lanes = NULL;
        size_t n;

        atomic_store(&fake.block, true);
        reconcile(t, ONE_PEER, "rxe0", NULL);
        advance(t, 45);
        assert_int_equal(atomic_load(&fake.runs), 1);
        assert_int_equal(scheduler_failing(t->scheduler), 1);
        check_on_page(t, "rdma_canary_probe_success" LABELS_B " 0\n", true);
        assert_int_equal(scheduler_lane_states(t->scheduler, &lanes, &n), 0);
        assert_true(lanes[0].stuck_seconds > 0);
        atomic_store(&fake.block, false);
        (void)sem_post(&fake.go);
        advance(t, 60);
        assert_true(atomic_load(&fake.runs) >= 2);
        check_on_page(t, "rdma_canary_probe_success" LABELS_B " 1\n", true);
}

static void test_a_removed_turn_that_runs_is_freed_when_it_returns(void **state)
{
        struct stage_set *t = *state;

        atomic_store(&fake.block, true);
        reconcile(t, ONE_PEER, "rxe0", NULL);
        while (atomic_load(&fake.runs) == 0)
                advance(t, 1);
        reconcile(t, "node: a\n", "rxe0", NULL);
        assert_int_equal(scheduler_probes(t->scheduler), 0);
        assert_int_equal(atomic_load(&fake.live), 1);
        check_on_page(t, "peer=\"b\"", false);
        (void)sem_post(&fake.go);
        while (atomic_load(&fake.live) > 0)
                scheduler_collect(t->scheduler);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
        const struct CMUnitTest tests[] = {
                TEST(test_every_pair_has_one_turn_an_interval),
                TEST(test_a_removed_peer_takes_its_series_and_the_other_keeps_its_totals),
                TEST(test_a_new_interval_counts_at_once),
                TEST(test_busy_is_tried_again_soon_and_is_no_failure),
                TEST(test_values_of_long_ago_are_withdrawn),
                TEST(test_failures_show_and_end),
                TEST(test_a_turn_stuck_in_the_kernel_is_reported_and_taken_up_again),
                TEST(test_a_removed_turn_that_runs_is_freed_when_it_returns),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
