/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "base/batch.h"
#include "base/text.h"

static const struct metric_family plain = { .name = "plain", .type = METRIC_GAUGE, .help = "No labels." };
static const struct metric_family labelled = { .name = "labelled_total",
        .type = METRIC_COUNTER,
        .help = "Two labels.",
        .labels = { "device", "port" } };
static const double bounds[] = { 0.001, 0.01 };
static const struct metric_family histogram = { .name = "seconds",
        .type = METRIC_HISTOGRAM,
        .help = "A histogram.",
        .labels = { "device" },
        .bounds = bounds,
        .n_bounds = ARRAY_SIZE(bounds) };

static void samples_keep_kind_and_order(void **state)
{
        cleanup(batch_unrefp) struct batch *b = batch_new();

        assert_int_equal(batch_size(b), 0);
        batch_add_u64(b, &labelled, LABELS("rxe0", "1"), UINT64_MAX);
        batch_add_double(b, &plain, NO_LABELS, -0.5);
        assert_int_equal(batch_error(b), 0);
        assert_int_equal(batch_size(b), 2);
        assert_ptr_equal(batch_sample(b, 0)->family, &labelled);
        assert_true(batch_sample(b, 0)->integer);
        assert_true(batch_sample(b, 0)->u64 == UINT64_MAX);
        assert_string_equal(batch_sample(b, 0)->labels, "device=\"rxe0\",port=\"1\"");
        assert_false(batch_sample(b, 1)->integer);
        assert_true(batch_sample(b, 1)->number == -0.5);
        assert_string_equal(batch_sample(b, 1)->labels, "");
}

static void prepared_positions_are_absent_until_set(void **state)
{
        cleanup(series_set_unrefp) struct series_set *set = series_set_new();
        cleanup(batch_unrefp) struct batch *b = NULL;

        assert_int_equal(series_set_add(set, &labelled, LABELS("rxe0", "\"")), 0);
        assert_int_equal(series_set_add(set, &plain, NO_LABELS), 1);
        assert_int_equal(series_set_add(set, &labelled, LABELS("rxe0", "2")), 2);
        assert_int_equal(series_set_add(set, &labelled, LABELS("rxe0", NULL)), -EINVAL);
        b = batch_new_of(set);
        batch_set_u64(b, 0, 7);
        batch_set_double(b, 1, 0.5);
        batch_add_u64(b, &labelled, LABELS("rxe0", "3"), 9);
        assert_int_equal(batch_error(b), 0);
        assert_int_equal(batch_size(b), 4);
        assert_ptr_equal(batch_set(b), set);
        assert_false(batch_sample(b, 0)->absent);
        assert_true(batch_sample(b, 0)->integer);
        assert_int_equal(batch_sample(b, 0)->u64, 7);
        assert_string_equal(batch_sample(b, 0)->labels, "device=\"rxe0\",port=\"\\\"\"");
        assert_false(batch_sample(b, 1)->integer);
        assert_true(batch_sample(b, 1)->number == 0.5);
        assert_string_equal(batch_sample(b, 1)->labels, "");
        assert_true(batch_sample(b, 2)->absent);
        assert_int_equal(batch_sample(b, 3)->u64, 9);
}

static void a_batch_has_nothing_of_the_one_before(void **state)
{
        cleanup(series_set_unrefp) struct series_set *set = series_set_new();

        assert_int_equal(series_set_add(set, &labelled, LABELS("rxe0", "1")), 0);
        assert_int_equal(series_set_add(set, &plain, NO_LABELS), 1);
        for (uint64_t turn = 0; turn < 4; turn++) {
                cleanup(batch_unrefp) struct batch *b = batch_new_of(set);

                assert_int_equal(batch_size(b), 2);
                assert_true(batch_sample(b, 0)->absent && batch_sample(b, 1)->absent);
                assert_ptr_equal(batch_sample(b, 0)->family, &labelled);
                assert_string_equal(batch_sample(b, 0)->labels, "device=\"rxe0\",port=\"1\"");
                batch_set_u64(b, turn % 2, turn);
                if (turn == 2)
                        batch_add_u64(b, &labelled, LABELS("rxe0", "2"), 5);
                assert_int_equal(batch_error(b), 0);
        }
}

static void a_batch_keeps_its_set_alive(void **state)
{
        struct series_set *set = series_set_new();
        cleanup(batch_unrefp) struct batch *b = NULL;

        assert_int_equal(series_set_add(set, &labelled, LABELS("rxe0", "1")), 0);
        b = batch_new_of(set);
        series_set_unref(set);
        assert_string_equal(batch_sample(b, 0)->labels, "device=\"rxe0\",port=\"1\"");
        assert_ptr_equal(batch_sample(b, 0)->family, &labelled);
}

static void an_empty_batch_can_be_prepared_later(void **state)
{
        cleanup(series_set_unrefp) struct series_set *set = series_set_new();
        cleanup(batch_unrefp) struct batch *b = batch_new();

        assert_null(batch_samples(b));
        assert_int_equal(series_set_add(set, &plain, NO_LABELS), 0);
        assert_ptr_equal(series_set_items(set)[0].family, &plain);
        batch_prepare(b, set);
        batch_set_u64(b, 0, 5);
        batch_add_u64(b, &labelled, LABELS("rxe0", "1"), 6);
        assert_int_equal(batch_error(b), 0);
        assert_ptr_equal(batch_set(b), set);
        assert_int_equal(batch_samples(b)[0].u64, 5);
        assert_int_equal(batch_samples(b)[1].u64, 6);
}

static void label_values_are_escaped(void **state)
{
        static const struct {
                const char *value, *escaped;
        } rows[] = {
                { "", "" },
                { "plain", "plain" },
                { "a\"b", "a\\\"b" },
                { "a\\b", "a\\\\b" },
                { "a\nb", "a\\nb" },
                { "\\n", "\\\\n" },
                { "{},=#", "{},=#" },
                { "tab\there", "tab\there" },
                { "Z\xc3\xbcrich \xe2\x82\xac \xf0\x9f\x90\xa4",
                        "Z\xc3\xbcrich \xe2\x82\xac \xf0\x9f\x90\xa4" },
                { "\xe0\xa0\x80 \xed\x9f\xbf",
                        "\xe0\xa0\x80 \xed\x9f\xbf" }, /* the edges of what is well formed */
                { "\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf", "\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf" },
                /* Not UTF-8: a stray byte, a cut character, an overlong form, a surrogate, past U+10FFFF. */
                { "a\xff", "a\xef\xbf\xbd" },
                { "\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd" },
                { "\xe2\x82\"", "\xef\xbf\xbd\xef\xbf\xbd\\\"" },
                { "\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd" },
                { "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
                { "\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
                { "\xe0\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
                { "\xf0\x80\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                cleanup(batch_unrefp) struct batch *b = batch_new();
                char expected[128];

                batch_add_u64(b, &labelled, LABELS(rows[i].value, "1"), 0);
                assert_int_equal(batch_error(b), 0);
                text_message(expected, sizeof(expected), "device=\"%s\",port=\"1\"", rows[i].escaped);
                assert_string_equal(batch_sample(b, 0)->labels, expected);
        }
}

static void label_values_are_copied(void **state)
{
        cleanup(batch_unrefp) struct batch *b = batch_new();
        char device[] = "rxe0";

        batch_add_u64(b, &labelled, LABELS(device, "1"), 0);
        device[0] = 'X';
        assert_string_equal(batch_sample(b, 0)->labels, "device=\"rxe0\",port=\"1\"");
}

static void histogram_becomes_cumulative(void **state)
{
        cleanup(batch_unrefp) struct batch *b = batch_new();
        uint64_t counts[] = { 3, 0, 4 };

        batch_add_histogram(b, &histogram, LABELS("rxe0"), counts, 1.25);
        counts[0] = 99;
        assert_int_equal(batch_error(b), 0);
        assert_true(batch_sample(b, 0)->cumulative[0] == 3);
        assert_true(batch_sample(b, 0)->cumulative[1] == 3);
        assert_true(batch_sample(b, 0)->u64 == 7);
        assert_true(batch_sample(b, 0)->sum == 1.25);
}

static void many_samples_stay_in_place(void **state)
{
        cleanup(batch_unrefp) struct batch *b = batch_new();
        char port[5000], expected[5100];

        for (unsigned i = 0; i < 3000; i++) {
                text_message(port, sizeof(port), "%u", i);
                batch_add_u64(b, &labelled, LABELS("rxe0", port), i);
        }
        memset(port, 'x', sizeof(port) - 1); /* larger than any block of memory the batch takes at once */
        port[sizeof(port) - 1] = '\0';
        batch_add_u64(b, &labelled, LABELS("rxe0", port), 3000);
        assert_int_equal(batch_error(b), 0);
        assert_int_equal(batch_size(b), 3001);
        for (unsigned i = 0; i < 3000; i++) {
                text_message(expected, sizeof(expected), "device=\"rxe0\",port=\"%u\"", i);
                assert_string_equal(batch_sample(b, i)->labels, expected);
                assert_int_equal(batch_sample(b, i)->u64, i);
        }
        text_message(expected, sizeof(expected), "device=\"rxe0\",port=\"%s\"", port);
        assert_string_equal(batch_sample(b, 3000)->labels, expected);
}

static void missing_label_value_is_a_sticky_error(void **state)
{
        static const uint64_t counts[] = { 1, 2, 3 };
        cleanup(batch_unrefp) struct batch *b = batch_new();

        batch_add_u64(b, &plain, NO_LABELS, 1);
        batch_add_u64(b, &labelled, LABELS("rxe0", NULL), 2);
        assert_int_equal(batch_error(b), -EINVAL);
        batch_add_u64(b, &plain, NO_LABELS, 3);
        batch_add_histogram(b, &histogram, LABELS("rxe0"), counts, 1);
        assert_int_equal(batch_error(b), -EINVAL);
        assert_int_equal(batch_size(b), 1);
}

static void no_values_for_labels_is_an_error(void **state)
{
        cleanup(batch_unrefp) struct batch *b = batch_new();

        batch_add_double(b, &labelled, NO_LABELS, 1);
        assert_int_equal(batch_error(b), -EINVAL);
        assert_int_equal(batch_size(b), 0);
}

static void unref_accepts_null(void **state)
{
        batch_unref(NULL);
}

static void *read_and_unref(void *shared)
{
        struct batch *mine = shared;

        for (int i = 0; i < 20000; i++) {
                struct batch *again = batch_ref(mine);

                if (batch_sample(again, 0)->u64 != 7 || !text_equal(batch_sample(again, 1)->labels, ""))
                        return mine;
                batch_unref(again);
        }
        batch_unref(mine);
        return NULL;
}

/* The last of several threads frees it: ASan and TSan see any mistake, LeakSanitizer a missing free. */
static void references_are_counted_across_threads(void **state)
{
        struct batch *b = batch_new();
        pthread_t threads[4];

        batch_add_u64(b, &labelled, LABELS("rxe0", "1"), 7);
        batch_add_double(b, &plain, NO_LABELS, 1);
        for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
                assert_int_equal(pthread_create(&threads[i], NULL, read_and_unref, batch_ref(b)), 0);
        batch_unref(b);
        for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
                void *result;

                assert_int_equal(pthread_join(threads[i], &result), 0);
                assert_null(result);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(samples_keep_kind_and_order),
                cmocka_unit_test(prepared_positions_are_absent_until_set),
                cmocka_unit_test(a_batch_has_nothing_of_the_one_before),
                cmocka_unit_test(a_batch_keeps_its_set_alive),
                cmocka_unit_test(an_empty_batch_can_be_prepared_later),
                cmocka_unit_test(label_values_are_escaped),
                cmocka_unit_test(label_values_are_copied),
                cmocka_unit_test(histogram_becomes_cumulative),
                cmocka_unit_test(many_samples_stay_in_place),
                cmocka_unit_test(missing_label_value_is_a_sticky_error),
                cmocka_unit_test(no_values_for_labels_is_an_error),
                cmocka_unit_test(unref_accepts_null),
                cmocka_unit_test(references_are_counted_across_threads),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
