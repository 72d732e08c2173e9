/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <math.h>

#include "base/clock.h"
#include "engine/windows.h"

#define START UINT64_C(123456789)

static void near(double got, double want)
{
        if (fabs(got - want) > 0.01 * want)
                fail_msg("%g, expected %g within 1 %%", got, want);
}

/* `n` completions, one each `step_ns`, from `from`; returns the count afterwards. */
static uint64_t run(struct windows *w, uint64_t from_ns, uint64_t step_ns, uint64_t n, uint64_t messages)
{
        for (uint64_t i = 1; i <= n; i++)
                windows_add(w, START + from_ns + i * step_ns, messages + i);
        return messages + n;
}

static void a_steady_run_is_the_same_everywhere(void **state)
{
        static const uint64_t counts[] = { 32, 1000, 1024, 1025, 100000, 1000000 };
        for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
                struct windows w;
                struct windows_rates r;
                windows_start(&w, START);
                uint64_t n = run(&w, 0, 1000, counts[i], 0);
                windows_rates(&w, START + n * 1000, n, &r);
                near(r.steady, 1e6);
                near(r.best, 1e6);
                near(r.worst, 1e6);
        }
}

static void a_slow_spell_shows_as_the_worst_window(void **state)
{
        struct windows w;
        struct windows_rates r;
        windows_start(&w, START);
        uint64_t messages = run(&w, 0, 1000, 50000, 0);       /* 50 ms at 1 M/s */
        messages = run(&w, 50000000, 4000, 2500, messages);   /* 10 ms at a quarter */
        messages = run(&w, 60000000, 1000, 100000, messages); /* 100 ms */
        windows_rates(&w, START + 160000000, messages, &r);   /* windows of 10 ms */
        /* A window's edges lie between stamps, 512 of them at least: 3 % of a window. */
        assert_true(r.worst >= 245000 && r.worst < 275000);
        near(r.best, 1e6);
        near(r.steady, (140000.0 - 7500.0) / 0.14);
}

static void too_few_stamps_give_nothing(void **state)
{
        struct windows w;
        struct windows_rates r;
        windows_start(&w, START);
        run(&w, 0, 1000, 31, 0);
        windows_rates(&w, START + 31000, 31, &r);
        assert_true(r.steady == 0 && r.best == 0 && r.worst == 0);
        windows_start(&w, START);
        windows_rates(&w, START, 0, &r);
        assert_true(r.steady == 0 && r.best == 0 && r.worst == 0);
}

static void completions_at_one_instant_do_no_harm(void **state)
{
        struct windows w;
        struct windows_rates r;
        windows_start(&w, START);
        for (uint64_t i = 1; i <= 5000; i++)
                windows_add(&w, START + i / 100 * 100000, i);
        windows_rates(&w, START + 5000000, 5000, &r);
        assert_true(isfinite(r.best) && isfinite(r.worst) && r.worst >= 0);
        windows_start(&w, START);
        for (uint64_t i = 1; i <= 5000; i++)
                windows_add(&w, START, i);
        windows_rates(&w, START, 5000, &r);
        assert_true(r.best == 0);
}

int main(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_steady_run_is_the_same_everywhere),
                cmocka_unit_test(a_slow_spell_shows_as_the_worst_window),
                cmocka_unit_test(too_few_stamps_give_nothing),
                cmocka_unit_test(completions_at_one_instant_do_no_harm),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
