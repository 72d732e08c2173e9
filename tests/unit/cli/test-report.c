/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <stdbool.h>

#include "tests/unit/cli/reports.h"

static json_t *document(const struct report *r)
{
        json_t *d = json_object();
        assert_int_equal(report_json(r, d), 0);
        return d;
}

static double number(const json_t *d, const char *key)
{
        const json_t *value = json_object_get(d, key);
        check_row(json_is_number(value), key);
        return json_number_value(value);
}

static const char *text(const json_t *d, const char *key)
{
        const json_t *value = json_object_get(d, key);
        check_row(json_is_string(value), key);
        return json_string_value(value);
}

static void bandwidth_has_its_figures(void **state)
{
        struct report r;
        report_of_success(&r, MEASURE_BANDWIDTH);
        json_t *d = document(&r);
        assert_string_equal(text(d, "command"), "bw");
        assert_string_equal(text(d, "started"), "2026-01-02T03:04:05Z");
        assert_string_equal(text(d, "outcome"), "ok");
        assert_true(json_is_null(json_object_get(d, "fault")));
        assert_string_equal(text(d, "peer"), "host-b:14792");
        assert_string_equal(text(d, "peer_address"), "198.51.100.1");
        assert_string_equal(text(d, "operation"), "write");
        assert_true(number(d, "message_bytes") == 65536);
        assert_true(number(d, "average_bytes_per_second") == 20e6);
        assert_true(number(d, "messages_per_second") == 1000);
        assert_null(json_object_get(d, "p50_ns"));
        assert_true(number(json_object_get(d, "counters"), "sent_pkts") == 17);
        assert_int_equal(json_object_size(json_object_get(d, "stage_ns")), N_STAGES);
        json_decref(d);
        report_done(&r);
}

static void latency_has_its_figures(void **state)
{
        struct report r;
        report_of_success(&r, MEASURE_LATENCY);
        json_t *d = document(&r);
        assert_true(number(d, "samples") == 1000);
        assert_true(number(d, "p50_ns") == 5000);
        assert_true(number(d, "p9999_ns") == 9000);
        assert_true(number(d, "mean_ns") == 5100.5);
        assert_null(json_object_get(d, "average_bytes_per_second"));
        json_decref(d);
        report_done(&r);
}

/* The same keys, so that a program need not ask twice. */
static void failure_has_a_fault_and_no_figures(void **state)
{
        struct report r, good;
        report_of_failure(&r);
        report_of_success(&good, MEASURE_BANDWIDTH);
        json_t *d = document(&r), *all = document(&good), *fault = json_object_get(d, "fault"), *value;
        const char *key;
        assert_string_equal(text(d, "outcome"), "peer");
        assert_string_equal(text(fault, "kind"), "peer");
        assert_string_equal(text(fault, "stage"), "resolve");
        assert_string_equal(text(fault, "reason"), "host-b: refused");
        assert_true(json_is_null(json_object_get(d, "average_bytes_per_second")));
        assert_true(json_is_null(json_object_get(d, "bytes")));
        json_object_foreach(all, key, value) check_row(json_object_get(d, key), key);
        assert_int_equal(json_object_size(d), json_object_size(all));
        json_decref(d);
        json_decref(all);
        report_done(&r);
        report_done(&good);
}

static void limits_are_judged_where_there_are_any(void **state)
{
        struct report r;
        report_of_success(&r, MEASURE_LATENCY);
        json_t *none = document(&r);
        assert_true(json_is_null(json_object_get(none, "limits_met")));
        assert_true(json_is_null(json_object_get(none, "limit_p50_ns")));
        r.limits.max_p50_ns = 10;
        json_t *missed = document(&r);
        assert_true(json_is_false(json_object_get(missed, "limits_met")));
        assert_true(number(missed, "limit_p50_ns") == 10);
        json_decref(none);
        json_decref(missed);
        report_done(&r);
}

static size_t commas(const char *line)
{
        size_t n = 0;
        bool quoted = false;
        for (; *line && *line != '\n'; line++) {
                quoted ^= *line == '"';
                n += !quoted && *line == ',';
        }
        return n;
}

static void csv_has_as_many_values_as_names(void **state)
{
        for (int i = 0; i < 3; i++) {
                cleanup(buf_done) struct buf out = { 0 };
                struct report r;
                if (i == 2)
                        report_of_failure(&r);
                else
                        report_of_success(&r, i == 0 ? MEASURE_BANDWIDTH : MEASURE_LATENCY);
                report_csv(&r, &out);
                const char *values = strchr(buf_cstr(&out), '\n') + 1;
                assert_int_equal(commas(out.data), commas(values));
                assert_string_equal(strchr(values, '\n'), "\n");
                report_done(&r);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(bandwidth_has_its_figures),
                cmocka_unit_test(latency_has_its_figures),
                cmocka_unit_test(failure_has_a_fault_and_no_figures),
                cmocka_unit_test(limits_are_judged_where_there_are_any),
                cmocka_unit_test(csv_has_as_many_values_as_names),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
