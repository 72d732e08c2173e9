/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "engine/reaper.h"

/* A teardown that blocks, as the kernel can, until its gate opens. */
struct gate {
        atomic_bool open;
        atomic_uint entered, done;
};

struct work {
        struct teardown teardown;
        struct gate *gate;
};

static void rest(uint64_t ns)
{
        struct timespec t = { .tv_sec = (time_t)(ns / NS_PER_SEC), .tv_nsec = (long)(ns % NS_PER_SEC) };
        nanosleep(&t, NULL);
}

static void destroy(struct teardown *t)
{
        struct work *w = (struct work *)t;
        struct gate *g = w->gate;
        atomic_fetch_add(&g->entered, 1);
        while (!atomic_load(&g->open))
                rest(NS_PER_MS);
        free(w);
        atomic_fetch_add(&g->done, 1);
}

static void submit(struct reapers *r, const char *device, struct gate *g)
{
        struct work *w = calloc(1, sizeof(*w));
        assert_non_null(w);
        w->gate = g;
        w->teardown.destroy = destroy;
        reapers_submit(r, device, &w->teardown);
}

static void until(atomic_uint *value, unsigned wanted)
{
        uint64_t deadline = clock_now_ns() + 5 * NS_PER_SEC;
        while (atomic_load(value) < wanted && clock_now_ns() < deadline)
                rest(NS_PER_MS);
        assert_int_equal(atomic_load(value), wanted);
}

static struct reapers *reapers(void)
{
        struct reapers *r = NULL;
        assert_int_equal(reapers_new(&r), 0);
        return r;
}

/* done_total follows the work by a moment. */
static struct reaper_state state_when_done(struct reapers *r, uint64_t done)
{
        struct reaper_state s = { 0 };
        for (int i = 0; i < 5000 && s.done_total < done; i++) {
                assert_int_equal(reapers_states(r, &s, 1), 1);
                rest(NS_PER_MS);
        }
        return s;
}

static void everything_given_is_destroyed(void **state)
{
        static struct gate open = { .open = true };
        struct reapers *r = reapers();
        for (unsigned i = 0; i < 100; i++)
                submit(r, "rxe0", &open);
        until(&open.done, 100);
        struct reaper_state s = state_when_done(r, 100);
        assert_string_equal(s.device, "rxe0");
        assert_int_equal(s.pending, 0);
        assert_int_equal(s.oldest_ns, 0);
        assert_int_equal(s.done_total, 100);
        assert_false(s.stuck);
        reapers_free(r);
}

static void what_is_queued_is_still_done_at_the_end(void **state)
{
        static struct gate slow;
        struct reapers *r = reapers();
        for (unsigned i = 0; i < 10; i++)
                submit(r, "rxe0", &slow);
        until(&slow.entered, 1);
        atomic_store(&slow.open, true);
        reapers_free(r);
        assert_int_equal(atomic_load(&slow.done), 10);
}

static void a_stuck_device_blocks_only_itself(void **state)
{
        static struct gate stuck, open = { .open = true };
        struct reapers *r = reapers();
        submit(r, "rxe1", &stuck);
        submit(r, "rxe1", &stuck);
        until(&stuck.entered, 1);
        assert_false(reapers_stuck(r, "rxe1"));
        submit(r, "rxe0", &open);
        until(&open.done, 1);
        rest(REAPER_STUCK_NS + 50 * NS_PER_MS);
        assert_true(reapers_stuck(r, "rxe1"));
        assert_false(reapers_stuck(r, "rxe0"));
        assert_false(reapers_stuck(r, "unknown"));
        struct reaper_state states[4];
        assert_int_equal(reapers_states(r, states, 1), 1);
        assert_int_equal(reapers_states(r, states, 4), 2);
        assert_string_equal(states[0].device, "rxe0");
        assert_string_equal(states[1].device, "rxe1");
        assert_int_equal(states[1].pending, 2);
        assert_true(states[1].stuck && states[1].oldest_ns > REAPER_STUCK_NS);
        atomic_store(&stuck.open, true);
        until(&stuck.done, 2);
        for (int i = 0; i < 5000 && reapers_stuck(r, "rxe1"); i++)
                rest(NS_PER_MS);
        assert_false(reapers_stuck(r, "rxe1"));
        reapers_free(r);
}

static void freeing_does_not_wait_for_the_stuck(void **state)
{
        static struct gate stuck;
        struct reapers *r = reapers();
        submit(r, "rxe0", &stuck);
        until(&stuck.entered, 1);
        uint64_t began = clock_now_ns();
        reapers_free(r);
        assert_true(clock_now_ns() - began < 2 * NS_PER_SEC);
        assert_int_equal(atomic_load(&stuck.done), 0);
        atomic_store(&stuck.open, true); /* the one left behind now cleans up after all */
        until(&stuck.done, 1);
        rest(50 * NS_PER_MS);
}

static void nothing_given_is_nothing_to_free(void **state)
{
        uint64_t began = clock_now_ns();
        reapers_free(reapers());
        reapers_free(NULL);
        assert_true(clock_now_ns() - began < NS_PER_SEC / 2);
}

int main(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(everything_given_is_destroyed),
                cmocka_unit_test(what_is_queued_is_still_done_at_the_end),
                cmocka_unit_test(a_stuck_device_blocks_only_itself),
                cmocka_unit_test(freeing_does_not_wait_for_the_stuck),
                cmocka_unit_test(nothing_given_is_nothing_to_free),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
