/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "base/text.h"
#include "probes/outcome.h"
#include "tests/unit/probes/support.h"

#define PAIR "probe=\"rdma_bandwidth\",device=\"rxe0\",rail=\"rail0\",peer=\"host-b\""

static const struct probe_labels labels = { "rdma_bandwidth", "rxe0", "rail0", "host-b" };

static struct outcome success(void)
{
        struct outcome o;

        outcome_init(&o);
        o.stage = STAGE_DONE;
        o.signals[o.n_signals++] = (struct signal){ SIGNAL_BANDWIDTH, 6.5e7, 64 };
        o.started_realtime_ns = 1700000000 * NS_PER_SEC;
        o.duration_ns = 250 * NS_PER_MS;
        o.messages = 64;
        o.own_bytes = 68 << 16;
        o.mtu_bytes = 4096;
        (void)text_copy(o.peer_node, sizeof(o.peer_node), "host-b.example");
        (void)text_copy(o.peer_device, sizeof(o.peer_device), "rxe1");
        return o;
}

static struct outcome failure(enum outcome_kind kind, enum stage stage)
{
        struct outcome o;

        outcome_init(&o);
        o.stage = stage;
        o.fault.kind = kind;
        o.started_realtime_ns = 1700000030 * NS_PER_SEC;
        return o;
}

static struct batch *render(
        const struct probe_totals *totals, const struct outcome *previous, const struct outcome *last)
{
        struct batch *b = batch_new();

        assert_non_null(b);
        outcome_render(&labels, totals, previous, last, b);
        assert_int_equal(batch_error(b), 0);
        return b;
}

static void assert_number(const struct batch *b, const char *family, double value)
{
        const struct sample *s = sample_find(b, family, PAIR);

        assert_non_null(s);
        assert_false(s->integer);
        assert_true(s->number == value);
}

static void success_shows_totals_and_values(void **state)
{
        struct probe_totals totals = { 0 };
        struct outcome o = success();
        struct batch *b;

        probe_totals_add(&totals, &o);
        b = render(&totals, NULL, &o);
        assert_sample_u64(b, "rdma_canary_probe_success", PAIR, 1);
        assert_sample_u64(b, "rdma_canary_probe_attempts_total", PAIR, 1);
        assert_sample_u64(b, "rdma_canary_probe_invalid_total", PAIR, 0);
        assert_sample_u64(b, "rdma_canary_probe_messages_total", PAIR, 64);
        assert_sample_u64(b, "rdma_canary_probe_transmitted_bytes_total", PAIR, 68 << 16);
        assert_sample_u64(b, "rdma_canary_probe_last_stage", PAIR, STAGE_DONE);
        assert_sample_u64(b, "rdma_canary_probe_mtu_bytes", PAIR, 4096);
        assert_sample_u64(b, "rdma_canary_probe_path_info",
                PAIR ",peer_node=\"host-b.example\",peer_device=\"rxe1\"", 1);
        assert_number(b, "rdma_canary_probe_bandwidth_bytes_per_second", 6.5e7);
        assert_number(b, "rdma_canary_probe_duration_seconds", 0.25);
        assert_number(b, "rdma_canary_probe_last_run_timestamp_seconds", 1.7e9);
        assert_number(b, "rdma_canary_probe_last_success_timestamp_seconds", 1.7e9);
        assert_no_sample(b, "rdma_canary_probe_latency_p50_seconds", PAIR);
        batch_unref(b);
        outcome_done(&o);
}

static void every_reason_is_there_from_the_start(void **state)
{
        static const char *const reasons[] = { "local", "busy", "refused", "peer", "traffic", "cancelled" };
        struct probe_totals totals = { 0 };
        struct outcome o = success();
        struct batch *b = render(&totals, NULL, &o);

        for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
                char with_reason[256];

                (void)snprintf(with_reason, sizeof(with_reason), PAIR ",reason=\"%s\"", reasons[i]);
                assert_sample_u64(b, "rdma_canary_probe_failures_total", with_reason, 0);
        }
        batch_unref(b);
}

static void failure_withdraws_the_values(void **state)
{
        struct probe_totals totals = { 0 };
        struct outcome before = success(), now = failure(OUTCOME_PEER, STAGE_RESOLVE);
        struct batch *b;

        probe_totals_add(&totals, &before);
        probe_totals_add(&totals, &now);
        b = render(&totals, &before, &now);
        assert_sample_u64(b, "rdma_canary_probe_success", PAIR, 0);
        assert_sample_u64(b, "rdma_canary_probe_attempts_total", PAIR, 2);
        assert_sample_u64(b, "rdma_canary_probe_failures_total", PAIR ",reason=\"peer\"", 1);
        assert_sample_u64(b, "rdma_canary_probe_last_stage", PAIR, STAGE_RESOLVE);
        assert_no_sample(b, "rdma_canary_probe_bandwidth_bytes_per_second", PAIR);
        assert_no_sample(b, "rdma_canary_probe_mtu_bytes", PAIR);
        assert_number(b, "rdma_canary_probe_last_run_timestamp_seconds", 1700000030);
        assert_number(b, "rdma_canary_probe_last_success_timestamp_seconds", 1.7e9);
        batch_unref(b);
}

static void busy_and_cancelled_say_nothing_of_the_path(void **state)
{
        static const enum outcome_kind kinds[] = { OUTCOME_BUSY, OUTCOME_CANCELLED };

        for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
                struct probe_totals totals = { 0 };
                struct outcome before = success(), now = failure(kinds[i], STAGE_START);
                struct batch *b = render(&totals, &before, &now);

                assert_sample_u64(b, "rdma_canary_probe_success", PAIR, 1);
                assert_number(b, "rdma_canary_probe_bandwidth_bytes_per_second", 6.5e7);
                assert_number(b, "rdma_canary_probe_last_run_timestamp_seconds", 1700000030);
                batch_unref(b);
                b = render(&totals, NULL, &now);
                assert_no_sample(b, "rdma_canary_probe_success", PAIR);
                assert_no_sample(b, "rdma_canary_probe_last_stage", PAIR);
                assert_sample_u64(b, "rdma_canary_probe_attempts_total", PAIR, 0);
                batch_unref(b);
        }
}

static void invalid_turns_are_counted_and_shown(void **state)
{
        struct probe_totals totals = { 0 };
        struct outcome o = success();
        struct batch *b;

        o.invalid = INVALID_TRUNCATED | INVALID_CLOCK_STEP;
        probe_totals_add(&totals, &o);
        b = render(&totals, NULL, &o);
        assert_sample_u64(b, "rdma_canary_probe_invalid_total", PAIR, 1);
        assert_sample_u64(b, "rdma_canary_probe_success", PAIR, 1);
        assert_number(b, "rdma_canary_probe_bandwidth_bytes_per_second", 6.5e7);
        batch_unref(b);
}

static void a_result_becomes_an_outcome(void **state)
{
        struct histogram *h = calloc(1, sizeof(*h));
        struct outcome o;
        struct result r;

        assert_non_null(h);
        result_init(&r);
        outcome_init(&o);
        r.stage = STAGE_DONE;
        r.truncated = true;
        r.messages = 10;
        r.own_bytes = 640;
        r.plan.mtu_bytes = 1024;
        r.latency_histogram = h;
        (void)text_copy(r.peer_node, sizeof(r.peer_node), "host-b");
        outcome_from_result(&o, &r);
        assert_null(r.latency_histogram);
        assert_ptr_equal(o.latency, h);
        assert_int_equal(o.invalid, INVALID_TRUNCATED);
        assert_int_equal(o.mtu_bytes, 1024);
        assert_int_equal(o.messages, 10);
        assert_int_equal(o.own_bytes, 640);
        assert_string_equal(o.peer_node, "host-b");
        result_done(&r);
        outcome_done(&o);
        assert_null(o.latency);
}

/* A turn that failed at its deadline is a failure, not a doubtful success. */
static void only_success_is_invalid(void **state)
{
        struct outcome o;
        struct result r;

        result_init(&r);
        outcome_init(&o);
        r.truncated = true;
        r.fault.kind = OUTCOME_TRAFFIC;
        outcome_from_result(&o, &r);
        assert_int_equal(o.invalid, 0);
        result_done(&r);
        outcome_done(&o);
}

static void the_aggregate_counts_every_message(void **state)
{
        struct probe_aggregate *a = probe_aggregate_new();
        struct outcome o = success();
        struct batch *b = batch_new();
        const struct sample *s;

        assert_non_null(a);
        assert_non_null(b);
        o.latency = calloc(1, sizeof(*o.latency));
        assert_non_null(o.latency);
        histogram_add(o.latency, 500);            /* the first bucket */
        histogram_add(o.latency, 12 * NS_PER_US); /* up to 15 µs */
        histogram_add(o.latency, NS_PER_SEC);     /* past the last bound */
        probe_aggregate_add(a, &o);
        probe_aggregate_add(a, &o);
        probe_aggregate_render(a, "rdma_latency", "rxe0", b);
        s = sample_find(b, "rdma_canary_probe_latency_seconds", "probe=\"rdma_latency\",device=\"rxe0\"");
        assert_non_null(s);
        assert_int_equal(s->family->n_bounds, 31);
        assert_int_equal(s->cumulative[0], 2);
        assert_int_equal(s->cumulative[6], 2); /* 10 µs */
        assert_int_equal(s->cumulative[7], 4); /* 15 µs */
        assert_int_equal(s->cumulative[30], 4);
        assert_int_equal(s->u64, 6);
        assert_float_equal(s->sum, 2 * 1.0000125, 1e-6);
        batch_unref(b);
        outcome_done(&o);
        probe_aggregate_free(a);
}

static void the_aggregate_counts_failures_by_stage(void **state)
{
        static const char family[] = "rdma_canary_probe_stage_failures_total";
        struct probe_aggregate *a = probe_aggregate_new();
        struct outcome failed = failure(OUTCOME_PEER, STAGE_CONNECT),
                       busy = failure(OUTCOME_BUSY, STAGE_START);
        struct batch *b = batch_new();

        assert_non_null(a);
        assert_non_null(b);
        probe_aggregate_add(a, &failed);
        probe_aggregate_add(a, &busy);
        probe_aggregate_render(a, "p", "d", b);
        assert_int_equal(batch_size(b), STAGE_DONE); /* no histogram before the first latency */
        assert_sample_u64(b, family, "probe=\"p\",device=\"d\",stage=\"connect\"", 1);
        assert_sample_u64(b, family, "probe=\"p\",device=\"d\",stage=\"start\"", 0);
        batch_unref(b);
        probe_aggregate_free(a);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(success_shows_totals_and_values),
                cmocka_unit_test(every_reason_is_there_from_the_start),
                cmocka_unit_test(failure_withdraws_the_values),
                cmocka_unit_test(busy_and_cancelled_say_nothing_of_the_path),
                cmocka_unit_test(invalid_turns_are_counted_and_shown),
                cmocka_unit_test(a_result_becomes_an_outcome),
                cmocka_unit_test(only_success_is_invalid),
                cmocka_unit_test(the_aggregate_counts_every_message),
                cmocka_unit_test(the_aggregate_counts_failures_by_stage),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
