/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "engine/pacer.h"

#define START UINT64_C(987654321012345)

static const uint64_t rates[] = { 1000, 999983, 20000000, 125000000, 1562500000, 12345678901, 100000000000 };
static const uint64_t sizes[] = { 1, 7, 64, 1000, 4096, 65536, 1000003, 1 << 20, 1 << 30 };

/* xorshift: the same jitter on every run. */
static uint64_t draw(uint64_t *state, uint64_t below)
{
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        return *state % below;
}

/* Nanoseconds that n messages take, as exactly as a double knows it. */
static double lasts_ns(uint64_t rate, uint64_t size, uint64_t n)
{
        return (double)n * (double)size / (double)rate * 1e9;
}

/* A host that looks at the pacer when it says so, or up to `jitter_ns` later, and takes all it may. */
struct host {
        struct pacer pacer;
        uint64_t rate, size, now_ns, jitter_ns, random;
        uint64_t sent, largest;
};

static void host_init(struct host *h, uint64_t rate, uint64_t size, uint64_t jitter_ns)
{
        *h = (struct host){ .rate = rate,
                .size = size,
                .now_ns = START,
                .jitter_ns = jitter_ns,
                .random = 88172645463325252 };
        pacer_init(&h->pacer, rate, size, START);
}

static uint64_t host_step(struct host *h)
{
        uint64_t due = pacer_next_ns(&h->pacer);
        h->now_ns = (due > h->now_ns ? due : h->now_ns) + draw(&h->random, h->jitter_ns + 1);
        uint64_t n = pacer_allowed(&h->pacer, h->now_ns);
        pacer_took(&h->pacer, n);
        h->sent += n;
        h->largest = n > h->largest ? n : h->largest;
        return n;
}

/* What one burst may be at most. */
static uint64_t burst_limit(uint64_t rate, uint64_t size)
{
        uint64_t bytes = size * (NS_PER_SEC / PACER_CATCH_UP_NS);
        return (rate + bytes - 1) / bytes;
}

/* Over a second, or as long as 200 messages take: the count is what the time is worth, to 1 % and a message. */
static void check_rate(uint64_t rate, uint64_t size, uint64_t jitter_ns)
{
        struct host h;
        host_init(&h, rate, size, jitter_ns);
        double wanted_ns = lasts_ns(rate, size, 200);
        uint64_t length_ns = wanted_ns > 1e9 ? (uint64_t)wanted_ns : NS_PER_SEC;
        for (uint64_t second = 1; second <= 3; second++) {
                uint64_t before = h.sent, began_ns = h.now_ns;
                while (h.now_ns < began_ns + length_ns)
                        host_step(&h);
                double fair = (double)(h.now_ns - began_ns) / lasts_ns(rate, size, 1);
                double got = (double)(h.sent - before);
                if (got < 0.99 * fair - 1 || got > 1.01 * fair + 1)
                        fail_msg("%" PRIu64 " B/s of %" PRIu64 " B: %g messages, not %g", rate, size, got,
                                fair);
                if (h.largest > burst_limit(rate, size))
                        fail_msg("%" PRIu64 " B/s of %" PRIu64 " B: %" PRIu64 " at once", rate, size,
                                h.largest);
        }
}

static void every_rate_is_kept_to_one_percent(void **state)
{
        static const uint64_t jitters[] = { 2000, 60000, 900000 };
        for (size_t r = 0; r < ARRAY_SIZE(rates); r++)
                for (size_t s = 0; s < ARRAY_SIZE(sizes); s++)
                        for (size_t j = 0; j < ARRAY_SIZE(jitters); j++)
                                check_rate(rates[r], sizes[s], jitters[j]);
}

/* A host that is never late sends each message at the nanosecond after it is due, whatever came before: the
 * thousandth is no further off than the first. */
static void gaps_are_even_and_nothing_drifts(void **state)
{
        for (size_t r = 0; r < ARRAY_SIZE(rates); r++)
                for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
                        __extension__ typedef unsigned __int128 u128;
                        struct host h;
                        host_init(&h, rates[r], sizes[s], 0);
                        for (int step = 0; step < 1000; step++) {
                                u128 product = (u128)h.sent * sizes[s] * NS_PER_SEC;
                                uint64_t due = START + (uint64_t)((product + rates[r] - 1) / rates[r]);
                                host_step(&h);
                                if (h.now_ns != due)
                                        fail_msg("%" PRIu64 " B/s of %" PRIu64 " B: message %" PRIu64
                                                 " is %" PRId64 " ns late",
                                                rates[r], sizes[s], h.sent, (int64_t)(h.now_ns - due));
                        }
                }
}

static void nothing_goes_before_it_is_due(void **state)
{
        struct pacer p;
        pacer_init(&p, 1000000, 1000, START); /* one each millisecond */
        assert_int_equal(pacer_allowed(&p, START - 1), 0);
        assert_int_equal(pacer_allowed(&p, START), 1);
        assert_int_equal(pacer_allowed(&p, START), 1); /* asking takes nothing */
        pacer_took(&p, 1);
        assert_int_equal(pacer_next_ns(&p), START + NS_PER_MS);
        assert_int_equal(pacer_allowed(&p, START + NS_PER_MS - 1), 0);
        assert_int_equal(pacer_allowed(&p, START + NS_PER_MS), 1);
        pacer_took(&p, 0);
        assert_int_equal(pacer_next_ns(&p), START + NS_PER_MS);

        pacer_init(&p, 3, 1, START); /* due at a third of a nanosecond past a whole one */
        pacer_took(&p, 1);
        assert_int_equal(pacer_next_ns(&p), START + 333333334);
        assert_int_equal(pacer_allowed(&p, START + 333333333), 0);
        assert_int_equal(pacer_allowed(&p, START + 333333334), 1);
}

/* After a stall at most the catch-up's worth goes at once, and the rate is the same as ever afterwards. */
static void a_stall_is_not_made_good_by_a_burst(void **state)
{
        static const uint64_t stalls[] = { 2 * NS_PER_MS, 250 * NS_PER_MS, 3600 * NS_PER_SEC };
        for (size_t r = 0; r < ARRAY_SIZE(rates); r++)
                for (size_t s = 0; s < ARRAY_SIZE(sizes); s++)
                        for (size_t k = 0; k < ARRAY_SIZE(stalls); k++) {
                                struct host h;
                                host_init(&h, rates[r], sizes[s], 1000);
                                for (int step = 0; step < 100; step++)
                                        host_step(&h);
                                h.now_ns += stalls[k];
                                uint64_t began_ns = h.now_ns, before = h.sent;
                                while (h.now_ns < began_ns + 20 * NS_PER_MS)
                                        host_step(&h);
                                double fair = (double)(h.now_ns - began_ns) / lasts_ns(rates[r], sizes[s], 1);
                                assert_true(h.largest <= burst_limit(rates[r], sizes[s]));
                                assert_true((double)(h.sent - before) <=
                                            fair + (double)burst_limit(rates[r], sizes[s]) + 1);
                        }
}

static void in_any_millisecond_goes_no_more_than_two_are_worth(void **state)
{
        struct host h;
        uint64_t at[64] = { 0 }, n = 0;
        host_init(&h, 20000 * UINT64_C(1000), 1000, 700000); /* 20 a millisecond */
        for (int step = 0; step < 20000; step++) {
                if (step % 50 == 0)
                        h.now_ns += 5 * NS_PER_MS;
                for (uint64_t sent = host_step(&h); sent > 0; sent--, n++) {
                        uint64_t *slot = &at[n % 41]; /* the one 41 messages ago */
                        assert_true(*slot == 0 || h.now_ns - *slot >= NS_PER_MS);
                        *slot = h.now_ns;
                }
        }
}

/* Nothing overflows at the ends of what can be asked for. */
static void extremes(void **state)
{
        struct pacer p;
        pacer_init(&p, 1, UINT64_C(1) << 40, START);
        assert_int_equal(pacer_allowed(&p, START), 1);
        pacer_took(&p, 1);
        assert_true(pacer_next_ns(&p) == DEADLINE_NEVER);
        assert_int_equal(pacer_allowed(&p, UINT64_MAX - 1), 0);

        pacer_init(&p, UINT64_MAX, 1, START);
        assert_true(pacer_allowed(&p, START + 1) > UINT64_MAX / NS_PER_SEC);
        assert_true(pacer_allowed(&p, UINT64_MAX) <= UINT64_MAX / (NS_PER_SEC / PACER_CATCH_UP_NS) + 1);
        pacer_took(&p, pacer_allowed(&p, UINT64_MAX));
        assert_true(pacer_next_ns(&p) > UINT64_MAX - 2);

        pacer_init(&p, UINT64_MAX, UINT64_MAX, 0);
        pacer_took(&p, pacer_allowed(&p, 5));
        assert_int_equal(pacer_next_ns(&p), NS_PER_SEC);
}

int main(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(every_rate_is_kept_to_one_percent),
                cmocka_unit_test(gaps_are_even_and_nothing_drifts),
                cmocka_unit_test(nothing_goes_before_it_is_due),
                cmocka_unit_test(a_stall_is_not_made_good_by_a_burst),
                cmocka_unit_test(in_any_millisecond_goes_no_more_than_two_are_worth),
                cmocka_unit_test(extremes),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
