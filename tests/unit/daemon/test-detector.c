/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "base/text.h"
#include "daemon/detector.h"
#include "daemon/exposition.h"
#include "detect/baseline.h"

static const struct probe_labels labels = {
        .probe = "rdma_bandwidth", .device = "rxe0", .rail = "0", .peer = "b"
};

struct house {
        struct slots *slots;
        struct detector_series *series;
};

static int setup(void **state)
{
        static struct house h;

        assert_int_equal(slots_new(&h.slots), 0);
        assert_int_equal(detector_series_new(h.slots, &h.series), 0);
        *state = &h;
        return 0;
}

static int teardown(void **state)
{
        struct house *h = *state;

        detector_series_free(h->series);
        slots_free(h->slots);
        return 0;
}

static void feed(struct house *h, double value, enum outcome_kind kind, unsigned invalid)
{
        struct outcome o;

        outcome_init(&o);
        o.fault.kind = kind;
        o.invalid = invalid;
        o.n_signals = 1;
        o.signals[0] = (struct signal){ SIGNAL_BANDWIDTH, value, 1 };
        detector_series_feed(h->series, &labels, &o);
        outcome_done(&o);
}

static bool shows(struct house *h, const char *text)
{
        cleanup(buf_done) struct buf page = { 0 };
        struct batch **batches;
        size_t n;

        assert_int_equal(slots_collect(h->slots, &batches, &n), 0);
        assert_int_equal(exposition_render(&page, (const struct batch *const *)batches, n), 0);
        slots_release(batches, n);
        return page.data && strstr(page.data, text);
}

#define SERIES "{probe=\"rdma_bandwidth\",device=\"rxe0\",rail=\"0\",peer=\"b\",signal=\"bandwidth\"}"

static void a_change_shows_once_the_baseline_is_ready(void **state)
{
        struct house *h = *state;

        feed(h, 100, OUTCOME_OK, 0);
        assert_true(shows(h, "rdma_canary_detector_baseline_ready" SERIES " 0\n"));
        assert_false(shows(h, "rdma_canary_detector_change_ratio"));
        for (int i = 1; i < BASELINE_READY; i++)
                feed(h, 100, OUTCOME_OK, 0);
        assert_true(shows(h, "rdma_canary_detector_baseline_ready" SERIES " 1\n"));
        feed(h, 70, OUTCOME_OK, 0);
        assert_true(shows(h, "rdma_canary_detector_change_ratio" SERIES " -0.3"));
}

static void what_is_no_evidence_teaches_nothing(void **state)
{
        struct house *h = *state;

        feed(h, 100, OUTCOME_OK, 0);
        feed(h, 5, OUTCOME_OK, INVALID_TRUNCATED);
        feed(h, 5, OUTCOME_TRAFFIC, 0);
        feed(h, 0, OUTCOME_OK, 0);
        assert_true(shows(h, "rdma_canary_detector_baseline_samples" SERIES " 1\n"));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(a_change_shows_once_the_baseline_is_ready, setup, teardown),
                cmocka_unit_test_setup_teardown(what_is_no_evidence_teaches_nothing, setup, teardown),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
