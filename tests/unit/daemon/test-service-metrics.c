/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <stdbool.h>

#include "base/clock.h"
#include "base/text.h"
#include "daemon/detector.h"
#include "daemon/service_families.h"
#include "daemon/service_metrics.h"
#include "daemon/source_series.h"

/* The value of a sample; *ret_found says whether there is one. */
static double find(const struct batch *b, const char *name, const char *labels, bool *ret_found)
{
        *ret_found = false;
        for (size_t i = 0; i < batch_size(b); i++) {
                const struct sample *s = batch_sample(b, i);

                if (s->absent || !text_equal(s->family->name, name) || !text_equal(s->labels, labels))
                        continue;
                *ret_found = true;
                return s->integer ? (double)s->u64 : s->number;
        }
        return 0;
}

static void expect(const struct batch *b, const char *name, const char *labels, double value)
{
        bool found;
        double got = find(b, name, labels, &found);

        if (!found)
                fail_msg("%s{%s} is missing", name, labels);
        if (got < value - 1e-6 || got > value + 1e-6)
                fail_msg("%s{%s} is %g, not %g", name, labels, got, value);
}

static void expect_missing(const struct batch *b, const char *name, const char *labels)
{
        bool found;

        (void)find(b, name, labels, &found);
        if (found)
                fail_msg("%s{%s} is there", name, labels);
}

static void a_new_service_says_little(void **state)
{
        const struct service_state s = { .node = "host \"a\"" };
        struct batch *b = service_batch(&s);

        assert_non_null(b);
        expect(b, "rdma_canary_node_info", "node=\"host \\\"a\\\"\"", 1);
        expect(b, "rdma_canary_config_last_reload_successful", "", 0);
        expect_missing(b, "rdma_canary_config_last_reload_success_timestamp_seconds", "");
        expect_missing(b, "rdma_canary_http_scrapes_total", "");
        expect_missing(b, "rdma_canary_responder_connections_total", "");
        expect(b, "rdma_canary_collector_workers", "", 0);
        assert_int_equal(batch_size(b), 3);
        batch_unref(b);
}

static void sources_are_told_apart(void **state)
{
        const struct collector_state collectors[] = {
                { .source = "port", .device = "rxe0", .ran = true, .success = true, .duration_ns = 1500000 },
                { .source = "port",
                        .device = "rxe1",
                        .ran = true,
                        .overdue_ns = 2500000000,
                        .failures_total = 3 },
                { .source = "self", .device = "" },
        };
        const struct service_state s = {
                .node = "a",
                .collectors = collectors,
                .n_collectors = ARRAY_SIZE(collectors),
                .collector_workers = 3,
        };
        struct batch *b = service_batch(&s);

        expect(b, "rdma_canary_source_success", "source=\"port\",device=\"rxe0\"", 1);
        expect(b, "rdma_canary_source_duration_seconds", "source=\"port\",device=\"rxe0\"", 0.0015);
        expect(b, "rdma_canary_source_overdue_seconds", "source=\"port\",device=\"rxe0\"", 0);
        expect(b, "rdma_canary_source_success", "source=\"port\",device=\"rxe1\"", 0);
        expect(b, "rdma_canary_source_overdue_seconds", "source=\"port\",device=\"rxe1\"", 2.5);
        expect(b, "rdma_canary_source_failures_total", "source=\"port\",device=\"rxe1\"", 3);
        expect_missing(b, "rdma_canary_source_success", "source=\"self\",device=\"\"");
        expect_missing(b, "rdma_canary_source_duration_seconds", "source=\"self\",device=\"\"");
        expect(b, "rdma_canary_source_failures_total", "source=\"self\",device=\"\"", 0);
        expect(b, "rdma_canary_collector_workers", "", 3);
        batch_unref(b);
}

static void sources_are_prepared_once(void **state)
{
        struct collector_state states[] = {
                { .source = "port", .device = "rxe0", .ran = true, .success = true },
                { .source = "port", .device = "rxe1" },
        };
        struct service_state s = { .node = "a", .collectors = states, .n_collectors = 2 };
        struct batch *first, *second, *third;

        assert_int_equal(source_series_new(&s.source_series), 0);
        first = service_batch(&s);
        states[1].failures_total = 3;
        second = service_batch(&s);
        assert_ptr_equal(batch_set(first), batch_set(second));
        expect_missing(first, "rdma_canary_source_success", "source=\"port\",device=\"rxe1\"");
        expect(second, "rdma_canary_source_success", "source=\"port\",device=\"rxe1\"", 0);
        expect(second, "rdma_canary_source_failures_total", "source=\"port\",device=\"rxe1\"", 3);
        (void)text_copy(states[1].device, sizeof(states[1].device), "rxe2");
        third = service_batch(&s);
        assert_ptr_not_equal(batch_set(first), batch_set(third));
        expect(third, "rdma_canary_source_failures_total", "source=\"port\",device=\"rxe2\"", 3);
        expect_missing(third, "rdma_canary_source_failures_total", "source=\"port\",device=\"rxe1\"");
        batch_unref(first);
        batch_unref(second);
        batch_unref(third);
        source_series_free(s.source_series);
}

static void inbound_values_of_long_ago_are_left_out(void **state)
{
        const uint64_t now = UINT64_C(1796000000) * NS_PER_SEC;
        const struct responder_served served[] = {
                { "b", "rxe0", MEASURE_BANDWIDTH, 7, now - NS_PER_SEC, 20000000, 0, 0 },
                { "b", "rxe0", MEASURE_LATENCY, 8, now - NS_PER_SEC, 0, 5000, 9000 },
                { "c", "rxe0", MEASURE_BANDWIDTH, 9, now - 301 * NS_PER_SEC, 30000000, 0, 0 },
        };
        const struct service_state s = {
                .node = "a", .served = served, .n_served = ARRAY_SIZE(served), .now_realtime_ns = now
        };
        struct batch *b = service_batch(&s);

        expect(b, "rdma_canary_inbound_bandwidth_bytes_per_second", "device=\"rxe0\",peer=\"b\"", 20000000);
        expect(b, "rdma_canary_inbound_latency_p50_seconds", "device=\"rxe0\",peer=\"b\"", 5e-6);
        expect(b, "rdma_canary_inbound_latency_p99_seconds", "device=\"rxe0\",peer=\"b\"", 9e-6);
        expect_missing(b, "rdma_canary_inbound_bandwidth_bytes_per_second", "device=\"rxe0\",peer=\"c\"");
        expect(b, "rdma_canary_inbound_measurements_total",
                "device=\"rxe0\",peer=\"c\",measure=\"bandwidth\"", 9);
        batch_unref(b);
}

static void lanes_are_told_apart(void **state)
{
        const struct lane_state lanes[] = {
                { .source = "rdma_latency",
                        .device = "rxe0",
                        .peer = "b",
                        .lateness_ns = 250000000,
                        .turns_total = 7,
                        .stuck_seconds = 1.5 },
                { .source = "rdma_latency", .device = "rxe0", .peer = "c" },
        };
        const struct service_state s = { .node = "a", .lanes = lanes, .n_lanes = ARRAY_SIZE(lanes) };
        const char *b_labels = "probe=\"rdma_latency\",device=\"rxe0\",peer=\"b\"";
        const char *c_labels = "probe=\"rdma_latency\",device=\"rxe0\",peer=\"c\"";
        struct batch *b = service_batch(&s);

        expect(b, "rdma_canary_probe_lateness_seconds", b_labels, 0.25);
        expect(b, "rdma_canary_probe_turns_total", b_labels, 7);
        expect(b, "rdma_canary_probe_stuck_seconds", b_labels, 1.5);
        expect_missing(b, "rdma_canary_probe_lateness_seconds", c_labels);
        expect(b, "rdma_canary_probe_turns_total", c_labels, 0);
        batch_unref(b);
}

static void servers_and_reapers_are_told(void **state)
{
        const struct http_stats http = {
                .requests_total = { [2] = 5, [4] = 2 },
                .scrapes_total = 4,
                .scrapes_late_total = 1,
                .duplicate_samples_total = 6,
                .timed_out_total = 3,
                .connections = 2,
        };
        const struct responder_stats responder = {
                .connections_total = 9,
                .sessions_total = 8,
                .refused_total = 1,
                .malformed_total = 2,
                .received_bytes_total = 1 << 20,
                .sessions = 1,
        };
        const struct reaper_state reaper = {
                .device = "rxe0", .pending = 2, .oldest_ns = 3000000000, .done_total = 11, .stuck = true
        };
        const struct service_state s = {
                .node = "a",
                .reload_successful = true,
                .reload_success_realtime_ns = 1500000000250000000,
                .http = &http,
                .responder = &responder,
                .reapers = &reaper,
                .n_reapers = 1,
        };
        struct batch *b = service_batch(&s);

        expect(b, "rdma_canary_config_last_reload_successful", "", 1);
        expect(b, "rdma_canary_config_last_reload_success_timestamp_seconds", "", 1500000000.25);
        expect(b, "rdma_canary_http_requests_total", "code=\"2xx\"", 5);
        expect(b, "rdma_canary_http_requests_total", "code=\"4xx\"", 2);
        expect(b, "rdma_canary_http_requests_total", "code=\"5xx\"", 0);
        expect(b, "rdma_canary_http_scrapes_total", "", 4);
        expect(b, "rdma_canary_http_late_scrapes_total", "", 1);
        expect(b, "rdma_canary_http_timed_out_connections_total", "", 3);
        expect(b, "rdma_canary_http_open_connections", "", 2);
        expect(b, "rdma_canary_duplicate_samples_total", "", 6);
        expect(b, "rdma_canary_responder_sessions_total", "", 8);
        expect(b, "rdma_canary_responder_active_sessions", "", 1);
        expect(b, "rdma_canary_responder_received_bytes_total", "", 1 << 20);
        expect(b, "rdma_canary_teardown_pending", "device=\"rxe0\"", 2);
        expect(b, "rdma_canary_teardown_oldest_seconds", "device=\"rxe0\"", 3);
        expect(b, "rdma_canary_teardown_stuck", "device=\"rxe0\"", 1);
        expect(b, "rdma_canary_teardowns_total", "device=\"rxe0\"", 11);
        batch_unref(b);
}

static bool ends_with(const char *s, const char *suffix)
{
        size_t len = strlen(s), suffix_len = strlen(suffix);

        return len >= suffix_len && strcmp(s + len - suffix_len, suffix) == 0;
}

/* OpenMetrics calls a counter by its name without _total, which may be no other family's. */
static void families_are_named_by_the_rules(void **state)
{
        for (size_t i = 0; i < n_service_families; i++) {
                const struct metric_family *f = &service_families[i];

                assert_non_null(f->name);
                check_row(text_starts(f->name, "rdma_canary_"), f->name);
                check_row(ends_with(f->name, "_total") == (f->type == METRIC_COUNTER), f->name);
                check_row(f->help && ends_with(f->help, "."), f->name);
                for (size_t j = 0; j < n_service_families; j++) {
                        const char *other = service_families[j].name;
                        size_t len = strlen(other);

                        check_row(i == j || strcmp(f->name, other) != 0, f->name);
                        check_row(i == j || strncmp(f->name, other, len) != 0 ||
                                          strcmp(f->name + len, "_total") != 0,
                                f->name);
                }
        }
}

/* ---- names as OpenMetrics has them ----------------------------------------------------------------- */

/* The names a family's samples may have, its own first: OpenMetrics takes _total from a counter's. */
static size_t names_of(const struct metric_family *f, char names[5][128])
{
        static const char *const suffixes[][4] = {
                [METRIC_GAUGE] = { NULL },
                [METRIC_COUNTER] = { "_total", "_created" },
                [METRIC_HISTOGRAM] = { "_bucket", "_count", "_sum", "_created" },
                [METRIC_UNTYPED] = { NULL },
        };
        size_t n = 1, len = strlen(f->name) - (f->type == METRIC_COUNTER ? strlen("_total") : 0);

        text_message(names[0], 128, "%.*s", (int)len, f->name);
        for (size_t i = 0; i < 4 && suffixes[f->type][i]; i++)
                text_message(names[n++], 128, "%.*s%s", (int)len, f->name, suffixes[f->type][i]);
        return n;
}

static void check_apart(const struct metric_family *a, const struct metric_family *b)
{
        char names[5][128], others[5][128];
        size_t n = names_of(a, names), m = names_of(b, others);

        if (text_equal(a->name, b->name))
                return;
        for (size_t i = 0; i < n; i++) {
                for (size_t k = 0; k < m; k++)
                        check_row(!text_equal(names[i], others[k]), names[i]);
        }
}

static void no_two_families_collide_in_openmetrics(void **state)
{
        const struct metric_family *all[2000];
        size_t n = 0;

        for (size_t i = 0; i < n_service_families; i++)
                all[n++] = &service_families[i];
        for (size_t i = 0; i < n_detector_families; i++)
                all[n++] = &detector_families[i];
        for (size_t i = 0; i < n_outcome_families; i++)
                all[n++] = &outcome_families[i];
        for (size_t i = 0; i < n_source_classes; i++) {
                for (size_t k = 0; k < source_classes[i]->n_families; k++) {
                        assert_true(n < ARRAY_SIZE(all));
                        all[n++] = &source_classes[i]->families[k];
                }
        }
        for (size_t i = 0; i < n; i++) {
                for (size_t k = 0; k < i; k++)
                        check_apart(all[i], all[k]);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_new_service_says_little),
                cmocka_unit_test(sources_are_told_apart),
                cmocka_unit_test(inbound_values_of_long_ago_are_left_out),
                cmocka_unit_test(lanes_are_told_apart),
                cmocka_unit_test(servers_and_reapers_are_told),
                cmocka_unit_test(families_are_named_by_the_rules),
                cmocka_unit_test(no_two_families_collide_in_openmetrics),
                cmocka_unit_test(sources_are_prepared_once),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
