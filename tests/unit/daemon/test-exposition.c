/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <math.h>

#include "daemon/exposition.h"

static const double bounds[] = { 1e-6, 0.0025, 1, 10 };
static const struct metric_family gauge = {
        .name = "rdma_canary_gauge", .type = METRIC_GAUGE, .help = "A gauge.", .labels = { "device" }
};
static const struct metric_family counter = { .name = "rdma_canary_bytes_total",
        .type = METRIC_COUNTER,
        .help = "Bytes from\nC:\\counters, \"quoted\".",
        .labels = { "device", "port" } };
static const struct metric_family plain = {
        .name = "rdma_canary_up", .type = METRIC_GAUGE, .help = "Without labels."
};
static const struct metric_family untyped = {
        .name = "rdma_canary_hw", .type = METRIC_UNTYPED, .help = "Who knows."
};
static const struct metric_family histogram = { .name = "rdma_canary_seconds",
        .type = METRIC_HISTOGRAM,
        .help = "Latency.",
        .labels = { "device" },
        .bounds = bounds,
        .n_bounds = ARRAY_SIZE(bounds) };
static const struct metric_family plain_histogram = { .name = "rdma_canary_turn_seconds",
        .type = METRIC_HISTOGRAM,
        .help = "Turns.",
        .bounds = bounds,
        .n_bounds = 1 };

static void check_page(const struct batch *const *batches, size_t n, size_t dropped, const char *page)
{
        cleanup(buf_done) struct buf out = { 0 };

        assert_int_equal(exposition_render(&out, batches, n), dropped);
        assert_int_equal(out.error, 0);
        assert_string_equal(buf_cstr(&out), page);
}

static void check_batch(const struct batch *b, const char *page)
{
        assert_int_equal(batch_error(b), 0);
        check_page(&b, 1, 0, page);
}

static void nothing_gives_an_empty_page(void **state)
{
        cleanup(batch_unrefp) struct batch *b = batch_new();

        check_page(NULL, 0, 0, "");
        check_batch(b, "");
}

static void page_is_appended(void **state)
{
        cleanup(batch_unrefp) struct batch *b = batch_new();
        cleanup(buf_done) struct buf out = { 0 };

        batch_add_u64(b, &plain, NO_LABELS, 1);
        buf_text(&out, "# before\n");
        assert_int_equal(exposition_render(&out, (const struct batch *const[]){ b }, 1), 0);
        assert_string_equal(buf_cstr(&out), "# before\n"
                                            "# HELP rdma_canary_up Without labels.\n"
                                            "# TYPE rdma_canary_up gauge\n"
                                            "rdma_canary_up 1\n");
}

static void families_have_one_header_and_their_samples_together(void **state)
{
        cleanup(batch_unrefp) struct batch *a = batch_new(), *b = batch_new();

        batch_add_u64(a, &gauge, LABELS("rxe1"), 2);
        batch_add_u64(a, &plain, NO_LABELS, 1);
        batch_add_u64(b, &counter, LABELS("rxe0", "2"), 20);
        batch_add_u64(b, &gauge, LABELS("rxe0"), 1);
        batch_add_u64(b, &counter, LABELS("rxe0", "1"), 10);
        batch_add_u64(b, &untyped, NO_LABELS, 3);
        check_page((const struct batch *const[]){ a, b }, 2, 0,
                "# HELP rdma_canary_bytes_total Bytes from\\nC:\\\\counters, \"quoted\".\n"
                "# TYPE rdma_canary_bytes_total counter\n"
                "rdma_canary_bytes_total{device=\"rxe0\",port=\"1\"} 10\n"
                "rdma_canary_bytes_total{device=\"rxe0\",port=\"2\"} 20\n"
                "# HELP rdma_canary_gauge A gauge.\n"
                "# TYPE rdma_canary_gauge gauge\n"
                "rdma_canary_gauge{device=\"rxe0\"} 1\n"
                "rdma_canary_gauge{device=\"rxe1\"} 2\n"
                "# HELP rdma_canary_hw Who knows.\n"
                "# TYPE rdma_canary_hw untyped\n"
                "rdma_canary_hw 3\n"
                "# HELP rdma_canary_up Without labels.\n"
                "# TYPE rdma_canary_up gauge\n"
                "rdma_canary_up 1\n");
}

static void values_are_spelled_as_prometheus_does(void **state)
{
        static const struct {
                double value;
                const char *text;
        } rows[] = {
                { NAN, "NaN" },
                { -NAN, "NaN" },
                { INFINITY, "+Inf" },
                { -INFINITY, "-Inf" },
                { 0, "0" },
                { 0.1, "0.1" },
                { 1.5e-9, "1.5e-09" },
                { 12500000000, "12500000000" },
                { 1e300, "1e+300" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                cleanup(batch_unrefp) struct batch *b = batch_new();
                char page[256];

                batch_add_double(b, &plain, NO_LABELS, rows[i].value);
                text_message(page, sizeof(page),
                        "# HELP rdma_canary_up Without labels.\n# TYPE rdma_canary_up gauge\n"
                        "rdma_canary_up %s\n",
                        rows[i].text);
                check_batch(b, page);
        }
}

/* A double holds 2^53 + 1 no more; a counter of bytes passes it in a day at 800 Gbit/s. */
static void integers_stay_exact(void **state)
{
        cleanup(batch_unrefp) struct batch *b = batch_new();

        batch_add_u64(b, &gauge, LABELS("a"), UINT64_C(9007199254740993));
        batch_add_u64(b, &gauge, LABELS("b"), UINT64_MAX);
        check_batch(b, "# HELP rdma_canary_gauge A gauge.\n"
                       "# TYPE rdma_canary_gauge gauge\n"
                       "rdma_canary_gauge{device=\"a\"} 9007199254740993\n"
                       "rdma_canary_gauge{device=\"b\"} 18446744073709551615\n");
}

static void label_values_are_escaped(void **state)
{
        cleanup(batch_unrefp) struct batch *b = batch_new();

        batch_add_u64(b, &gauge, LABELS("a\\b\"c\nd"), 1);
        batch_add_u64(b, &gauge, LABELS(""), 2);
        check_batch(b, "# HELP rdma_canary_gauge A gauge.\n"
                       "# TYPE rdma_canary_gauge gauge\n"
                       "rdma_canary_gauge{device=\"\"} 2\n"
                       "rdma_canary_gauge{device=\"a\\\\b\\\"c\\nd\"} 1\n");
}

static void histograms_are_cumulative(void **state)
{
        static const uint64_t counts[] = { 1, 0, 5, UINT64_C(9007199254740993), 2 };
        static const uint64_t few[] = { 0, 0 };
        cleanup(batch_unrefp) struct batch *b = batch_new();

        batch_add_histogram(b, &histogram, LABELS("rxe0"), counts, 4.25);
        batch_add_histogram(b, &plain_histogram, NO_LABELS, few, 0);
        check_batch(b, "# HELP rdma_canary_seconds Latency.\n"
                       "# TYPE rdma_canary_seconds histogram\n"
                       "rdma_canary_seconds_bucket{device=\"rxe0\",le=\"1e-06\"} 1\n"
                       "rdma_canary_seconds_bucket{device=\"rxe0\",le=\"0.0025\"} 1\n"
                       "rdma_canary_seconds_bucket{device=\"rxe0\",le=\"1\"} 6\n"
                       "rdma_canary_seconds_bucket{device=\"rxe0\",le=\"10\"} 9007199254740999\n"
                       "rdma_canary_seconds_bucket{device=\"rxe0\",le=\"+Inf\"} 9007199254741001\n"
                       "rdma_canary_seconds_sum{device=\"rxe0\"} 4.25\n"
                       "rdma_canary_seconds_count{device=\"rxe0\"} 9007199254741001\n"
                       "# HELP rdma_canary_turn_seconds Turns.\n"
                       "# TYPE rdma_canary_turn_seconds histogram\n"
                       "rdma_canary_turn_seconds_bucket{le=\"1e-06\"} 0\n"
                       "rdma_canary_turn_seconds_bucket{le=\"+Inf\"} 0\n"
                       "rdma_canary_turn_seconds_sum 0\n"
                       "rdma_canary_turn_seconds_count 0\n");
}

static void duplicates_are_dropped_and_counted(void **state)
{
        static const uint64_t counts[] = { 1, 2, 3, 4, 5 };
        cleanup(batch_unrefp) struct batch *a = batch_new(), *b = batch_new();
        const char *page = "# HELP rdma_canary_seconds Latency.\n"
                           "# TYPE rdma_canary_seconds histogram\n"
                           "rdma_canary_seconds_bucket{device=\"rxe0\",le=\"1e-06\"} 1\n"
                           "rdma_canary_seconds_bucket{device=\"rxe0\",le=\"0.0025\"} 3\n"
                           "rdma_canary_seconds_bucket{device=\"rxe0\",le=\"1\"} 6\n"
                           "rdma_canary_seconds_bucket{device=\"rxe0\",le=\"10\"} 10\n"
                           "rdma_canary_seconds_bucket{device=\"rxe0\",le=\"+Inf\"} 15\n"
                           "rdma_canary_seconds_sum{device=\"rxe0\"} 1\n"
                           "rdma_canary_seconds_count{device=\"rxe0\"} 15\n"
                           "# HELP rdma_canary_up Without labels.\n"
                           "# TYPE rdma_canary_up gauge\n"
                           "rdma_canary_up 1\n";

        batch_add_u64(a, &plain, NO_LABELS, 2);
        batch_add_histogram(a, &histogram, LABELS("rxe0"), counts, 1);
        batch_add_u64(b, &plain, NO_LABELS, 1);
        batch_add_u64(b, &plain, NO_LABELS, 1);
        batch_add_histogram(b, &histogram, LABELS("rxe0"), counts, 2);
        check_page((const struct batch *const[]){ a, b }, 2, 3, page);
        check_page((const struct batch *const[]){ b, a }, 2, 3, page);
}

/* Two tables that name the same family share its header; one that gives it another type loses its samples. */
static void one_name_has_one_type(void **state)
{
        static const struct metric_family twin = {
                .name = "rdma_canary_gauge", .type = METRIC_GAUGE, .help = "A gauge.", .labels = { "device" }
        };
        static const struct metric_family other_type = { .name = "rdma_canary_gauge",
                .type = METRIC_COUNTER,
                .help = "A counter.",
                .labels = { "device" } };
        cleanup(batch_unrefp) struct batch *b = batch_new();

        batch_add_u64(b, &other_type, LABELS("a"), 1);
        batch_add_u64(b, &twin, LABELS("c"), 3);
        batch_add_u64(b, &twin, LABELS("b"), 9);
        batch_add_u64(b, &gauge, LABELS("b"), 2);
        check_page((const struct batch *const[]){ b }, 1, 2,
                "# HELP rdma_canary_gauge A gauge.\n"
                "# TYPE rdma_canary_gauge gauge\n"
                "rdma_canary_gauge{device=\"b\"} 2\n"
                "rdma_canary_gauge{device=\"c\"} 3\n");
}

#define N_BATCHES 6

/* Every source in every order: the page must not change. */
static void order_of_batches_does_not_matter(void **state)
{
        static const uint64_t counts[] = { 1, 2, 3, 4, 5 }, others[] = { 5, 4, 3, 2, 1 };
        static const char *const devices[N_BATCHES] = { "rxe0", "rxe1", "mlx5_0", "mlx5_10", "mlx5_2",
                "rxe0" };
        struct batch *batches[N_BATCHES];
        cleanup(buf_done) struct buf first = { 0 }, page = { 0 };
        size_t orders = 0;

        for (size_t i = 0; i < N_BATCHES; i++) {
                batches[i] = batch_new();
                batch_add_u64(batches[i], &gauge, LABELS(devices[i]), i);
                batch_add_double(batches[i], &counter, LABELS(devices[i], "1"), i % 2 ? NAN : (double)i);
                batch_add_histogram(batches[i], &histogram, LABELS(devices[i]), i == 5 ? others : counts, 1);
                assert_int_equal(batch_error(batches[i]), 0);
        }
        for (unsigned code = 0; code < 720; code++) { /* 6! orders, as mixed-radix digits */
                const struct batch *order[N_BATCHES];
                struct batch *left[N_BATCHES];
                unsigned rest = code;

                memcpy(left, batches, sizeof(left));
                for (size_t i = 0; i < N_BATCHES; i++) {
                        size_t n = N_BATCHES - i, pick = rest % n;

                        rest /= (unsigned)n;
                        order[i] = left[pick];
                        left[pick] = left[n - 1];
                }
                buf_clear(&page);
                assert_int_equal(exposition_render(&page, order, N_BATCHES), 3);
                if (code == 0)
                        buf_bytes(&first, page.data, page.len);
                assert_string_equal(buf_cstr(&page), buf_cstr(&first));
                orders++;
        }
        assert_int_equal(orders, 720);
        for (size_t i = 0; i < N_BATCHES; i++)
                batch_unref(batches[i]);
}

/* ---- prepared series -------------------------------------------------------------------------------- */

/* A source with three series on one device. */
static struct series_set *set_of(const char *device)
{
        struct series_set *set = series_set_new();

        assert_int_equal(series_set_add(set, &gauge, LABELS(device)), 0);
        assert_int_equal(series_set_add(set, &counter, LABELS(device, "2")), 1);
        assert_int_equal(series_set_add(set, &counter, LABELS(device, "1")), 2);
        return set;
}

static struct batch *values_of(struct series_set *set, uint64_t value)
{
        struct batch *b = batch_new_of(set);

        batch_set_double(b, 0, (double)value / 8);
        batch_set_u64(b, 1, value + 1);
        batch_set_u64(b, 2, value + 2);
        return b;
}

/* The same samples without a set. */
static struct batch *ad_hoc_of(const struct batch *b, const char *device)
{
        static const char *const ports[] = { "", "2", "1" };
        struct batch *copy = batch_new();

        for (size_t i = 0; i < 3; i++) {
                const struct sample *s = batch_sample(b, i);

                if (s->absent)
                        continue;
                if (i == 0)
                        batch_add_double(copy, &gauge, LABELS(device), s->number);
                else
                        batch_add_u64(copy, &counter, LABELS(device, ports[i]), s->u64);
        }
        return copy;
}

static void page_of(struct exposition *e, const struct batch *const *batches, size_t n,
        enum exposition_format format, struct buf *out, struct exposition_result *result)
{
        buf_clear(out);
        exposition_page(e, out, batches, n, format, NULL, result);
        assert_non_null(buf_cstr(out));
}

/* By the renderer with its memory, and by a fresh one over the same samples without sets. */
static void check_same(struct exposition *e, const struct batch *const *batches, size_t n,
        const struct batch *const *ad_hoc, size_t duplicates)
{
        cleanup(buf_done) struct buf page = { 0 }, expected = { 0 };
        struct exposition_result result;

        page_of(e, batches, n, EXPOSITION_TEXT, &page, &result);
        assert_int_equal(result.duplicates, duplicates);
        assert_int_equal(exposition_render(&expected, ad_hoc, n), duplicates);
        assert_string_equal(page.data, buf_cstr(&expected));
}

static void prepared_and_ad_hoc_pages_are_the_same(void **state)
{
        struct exposition *e;
        struct series_set *sets[2] = { set_of("rxe1"), set_of("rxe0") };
        cleanup(batch_unrefp) struct batch *extra = batch_new();

        batch_add_u64(extra, &gauge, LABELS("rxe00"), 3);
        batch_add_u64(extra, &plain, NO_LABELS, 1);
        batch_add_u64(extra, &counter, LABELS("rxe1", "1"), 0); /* twice */
        assert_int_equal(exposition_new(&e), 0);
        for (unsigned turn = 0; turn < 20; turn++) {
                struct batch *prepared[3], *ad_hoc[3];

                if (turn == 10) { /* the series of a source change */
                        series_set_unref(sets[0]);
                        sets[0] = set_of("rxe7");
                }
                for (size_t i = 0; i < 2; i++) {
                        bool silent = turn % 7 == 3; /* no sample of a family: no head */

                        prepared[i] = silent ? batch_new_of(sets[i]) : values_of(sets[i], turn);
                        ad_hoc[i] = ad_hoc_of(prepared[i], i == 1 ? "rxe0" : turn < 10 ? "rxe1" : "rxe7");
                }
                prepared[2] = ad_hoc[2] = extra;
                check_same(e, (const struct batch *const *)prepared, turn % 3 ? 2 : 3,
                        (const struct batch *const *)ad_hoc, turn % 3 == 0 && turn < 10 && turn != 3);
                check_same(e, (const struct batch *const *)prepared + 1, 1, /* one has vanished */
                        (const struct batch *const *)ad_hoc + 1, 0);
                for (size_t i = 0; i < 2; i++) {
                        batch_unref(prepared[i]);
                        batch_unref(ad_hoc[i]);
                }
        }
        for (size_t i = 0; i < 2; i++)
                series_set_unref(sets[i]);
        exposition_free(e);
        exposition_free(NULL);
}

static void a_series_prepared_twice_is_shown_once(void **state)
{
        cleanup(series_set_unrefp) struct series_set *set = set_of("rxe0"), *twin = set_of("rxe0");
        cleanup(batch_unrefp) struct batch *low = values_of(set, 8), *high = values_of(twin, 80);
        cleanup(batch_unrefp) struct batch *none = batch_new_of(twin), *ad_hoc = ad_hoc_of(low, "rxe0");
        cleanup(batch_unrefp) struct batch *ad_hoc_high = ad_hoc_of(high, "rxe0");
        struct exposition *e;

        assert_int_equal(exposition_new(&e), 0);
        check_same(e, (const struct batch *const[]){ low, high }, 2,
                (const struct batch *const[]){ ad_hoc, ad_hoc_high }, 3);
        check_same(e, (const struct batch *const[]){ high, low }, 2,
                (const struct batch *const[]){ ad_hoc, ad_hoc_high }, 3);
        check_same(e, (const struct batch *const[]){ low, none }, 2,
                (const struct batch *const[]){ ad_hoc, none }, 0);
        exposition_free(e);
}

/* A batch with a set may hold more than it. */
static void what_is_added_to_prepared_series_is_shown(void **state)
{
        static const uint64_t counts[] = { 1, 1, 0, 0, 0 };
        cleanup(series_set_unrefp) struct series_set *set = set_of("rxe0");
        cleanup(batch_unrefp) struct batch *b = values_of(set, 8);

        batch_add_u64(b, &gauge, LABELS("rxe"), 5);
        batch_add_histogram(b, &plain_histogram, NO_LABELS, counts, 0.5);
        check_batch(b, "# HELP rdma_canary_bytes_total Bytes from\\nC:\\\\counters, \"quoted\".\n"
                       "# TYPE rdma_canary_bytes_total counter\n"
                       "rdma_canary_bytes_total{device=\"rxe0\",port=\"1\"} 10\n"
                       "rdma_canary_bytes_total{device=\"rxe0\",port=\"2\"} 9\n"
                       "# HELP rdma_canary_gauge A gauge.\n"
                       "# TYPE rdma_canary_gauge gauge\n"
                       "rdma_canary_gauge{device=\"rxe\"} 5\n"
                       "rdma_canary_gauge{device=\"rxe0\"} 1\n"
                       "# HELP rdma_canary_turn_seconds Turns.\n"
                       "# TYPE rdma_canary_turn_seconds histogram\n"
                       "rdma_canary_turn_seconds_bucket{le=\"1e-06\"} 1\n"
                       "rdma_canary_turn_seconds_bucket{le=\"+Inf\"} 2\n"
                       "rdma_canary_turn_seconds_sum 0.5\n"
                       "rdma_canary_turn_seconds_count 2\n");
}

/* ---- OpenMetrics ------------------------------------------------------------------------------------ */

static void openmetrics_has_its_own_heads_bounds_and_end(void **state)
{
        static const double large[] = { 0.0001, 0.25, 1, 1000000, 12500000000 };
        static const struct metric_family sizes = { .name = "rdma_canary_message_bytes",
                .type = METRIC_HISTOGRAM,
                .help = "Sizes.",
                .bounds = large,
                .n_bounds = ARRAY_SIZE(large) };
        static const uint64_t counts[] = { 1, 0, 0, 0, 0, 0 };
        cleanup(series_set_unrefp) struct series_set *set = set_of("rxe0");
        cleanup(batch_unrefp) struct batch *b = values_of(set, 8);
        cleanup(buf_done) struct buf page = { 0 };
        struct exposition_result result;
        struct exposition *e;

        batch_add_u64(b, &untyped, NO_LABELS, 3);
        batch_add_histogram(b, &sizes, NO_LABELS, counts, 0.5);
        assert_int_equal(exposition_new(&e), 0);
        page_of(e, (const struct batch *const[]){ b }, 1, EXPOSITION_OPENMETRICS, &page, &result);
        assert_string_equal(page.data,
                "# HELP rdma_canary_bytes Bytes from\\nC:\\\\counters, \\\"quoted\\\".\n"
                "# TYPE rdma_canary_bytes counter\n"
                "# UNIT rdma_canary_bytes bytes\n"
                "rdma_canary_bytes_total{device=\"rxe0\",port=\"1\"} 10\n"
                "rdma_canary_bytes_total{device=\"rxe0\",port=\"2\"} 9\n"
                "# HELP rdma_canary_gauge A gauge.\n"
                "# TYPE rdma_canary_gauge gauge\n"
                "rdma_canary_gauge{device=\"rxe0\"} 1\n"
                "# HELP rdma_canary_hw Who knows.\n"
                "# TYPE rdma_canary_hw unknown\n"
                "rdma_canary_hw 3\n"
                "# HELP rdma_canary_message_bytes Sizes.\n"
                "# TYPE rdma_canary_message_bytes histogram\n"
                "# UNIT rdma_canary_message_bytes bytes\n"
                "rdma_canary_message_bytes_bucket{le=\"0.0001\"} 1\n"
                "rdma_canary_message_bytes_bucket{le=\"0.25\"} 1\n"
                "rdma_canary_message_bytes_bucket{le=\"1.0\"} 1\n"
                "rdma_canary_message_bytes_bucket{le=\"1e+06\"} 1\n"
                "rdma_canary_message_bytes_bucket{le=\"1.25e+10\"} 1\n"
                "rdma_canary_message_bytes_bucket{le=\"+Inf\"} 1\n"
                "rdma_canary_message_bytes_sum 0.5\n"
                "rdma_canary_message_bytes_count 1\n"
                "# EOF\n");
        assert_int_equal(result.series, 12);
        page_of(e, NULL, 0, EXPOSITION_OPENMETRICS, &page, &result);
        assert_string_equal(page.data, "# EOF\n");
        exposition_free(e);
}

static void units_are_known_by_the_end_of_the_name(void **state)
{
        static const struct {
                const char *name;
                enum metric_type type;
                const char *unit;
        } rows[] = {
                { "rdma_canary_x_seconds", METRIC_GAUGE, "seconds" },
                { "rdma_canary_x_seconds_total", METRIC_COUNTER, "seconds" },
                { "rdma_canary_x_bytes_total", METRIC_COUNTER, "bytes" },
                { "rdma_canary_x_ratio", METRIC_GAUGE, "ratio" },
                { "rdma_canary_x_celsius", METRIC_GAUGE, "celsius" },
                { "rdma_canary_x_bytes_per_second", METRIC_GAUGE, NULL },
                { "rdma_canary_x_kilobytes", METRIC_GAUGE, NULL },
                { "rdma_canary_x_packets_total", METRIC_COUNTER, NULL },
                { "_seconds", METRIC_GAUGE, NULL },
                { "seconds", METRIC_GAUGE, NULL },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                const struct metric_family f = { .name = rows[i].name, .type = rows[i].type };

                check_row(text_equal(format_unit(&f), rows[i].unit), rows[i].name);
        }
}

/* ---- a limit of series ------------------------------------------------------------------------------ */

static const struct metric_family dropped_family = { .name = "rdma_canary_dropped_series",
        .type = METRIC_GAUGE,
        .help = "Left out.",
        .labels = { "family" } };

static void limited_page(const struct batch *b, size_t max, struct buf *out, struct exposition_result *result)
{
        const struct exposition_kept kept[] = { { &plain, 1 } };
        const struct exposition_limit limit = { .max = max,
                .first = "rdma_canary_hw",
                .dropped = &dropped_family,
                .kept = kept,
                .n_kept = ARRAY_SIZE(kept) };
        struct exposition *e;

        assert_int_equal(exposition_new(&e), 0);
        buf_clear(out);
        for (unsigned i = 0; i < 2; i++) {
                buf_clear(out);
                exposition_page(e, out, &b, 1, EXPOSITION_TEXT, &limit, result);
        }
        assert_int_equal(out->error, 0);
        result->dropped = NULL;
        exposition_free(e);
}

static void whole_families_go_at_the_limit(void **state)
{
        static const uint64_t counts[] = { 1, 2, 3, 4, 5 };
        static const struct {
                size_t max, series;
                const char *shown[4], *gone[4];
        } rows[] = {
                { 0, 12, { "\nrdma_canary_hw 3\n", "\nrdma_canary_seconds_sum" }, { "dropped" } },
                { 12, 12, { "\nrdma_canary_hw 3\n" }, { "dropped" } },
                { 11, 12,
                        { "rdma_canary_dropped_series{family=\"rdma_canary_hw\"} 1\n",
                                "rdma_canary_seconds_sum" },
                        { "\nrdma_canary_hw 3\n" } },
                { 10, 6,
                        { "rdma_canary_dropped_series{family=\"rdma_canary_hw\"} 1\n"
                          "rdma_canary_dropped_series{family=\"rdma_canary_seconds\"} 7\n",
                                "rdma_canary_gauge{" },
                        { "rdma_canary_seconds_sum" } },
                { 1, 5, { "\nrdma_canary_up 1\n" }, { "rdma_canary_gauge{", "rdma_canary_bytes_total{" } },
        };
        cleanup(series_set_unrefp) struct series_set *set = set_of("rxe0");
        cleanup(batch_unrefp) struct batch *b = values_of(set, 8);
        cleanup(buf_done) struct buf page = { 0 };

        batch_add_u64(b, &untyped, NO_LABELS, 3);
        batch_add_u64(b, &plain, NO_LABELS, 1);
        batch_add_histogram(b, &histogram, LABELS("rxe0"), counts, 1);
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                struct exposition_result result;

                limited_page(b, rows[i].max, &page, &result);
                for (size_t k = 0; k < 4 && rows[i].shown[k]; k++)
                        check_row(strstr(page.data, rows[i].shown[k]), rows[i].shown[k]);
                for (size_t k = 0; k < 4 && rows[i].gone[k]; k++)
                        check_row(!strstr(page.data, rows[i].gone[k]), rows[i].gone[k]);
                assert_int_equal(result.series, rows[i].series);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(nothing_gives_an_empty_page),
                cmocka_unit_test(page_is_appended),
                cmocka_unit_test(families_have_one_header_and_their_samples_together),
                cmocka_unit_test(values_are_spelled_as_prometheus_does),
                cmocka_unit_test(integers_stay_exact),
                cmocka_unit_test(label_values_are_escaped),
                cmocka_unit_test(histograms_are_cumulative),
                cmocka_unit_test(duplicates_are_dropped_and_counted),
                cmocka_unit_test(one_name_has_one_type),
                cmocka_unit_test(order_of_batches_does_not_matter),
                cmocka_unit_test(prepared_and_ad_hoc_pages_are_the_same),
                cmocka_unit_test(a_series_prepared_twice_is_shown_once),
                cmocka_unit_test(what_is_added_to_prepared_series_is_shown),
                cmocka_unit_test(openmetrics_has_its_own_heads_bounds_and_end),
                cmocka_unit_test(units_are_known_by_the_end_of_the_name),
                cmocka_unit_test(whole_families_go_at_the_limit),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
