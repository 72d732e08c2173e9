/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "engine/admission.h"

static int take(struct admission *a, const char *device, uint8_t port, uint64_t ms, struct lease **ret,
        struct fault *fault)
{
        return admission_take(
                a, device, port, "probe of host-b", clock_now_ns() + ms * NS_PER_MS, ret, fault);
}

static void one_lease_a_port(void **state)
{
        struct admission *a;
        struct lease *first, *other_port, *other_device, *second;
        struct fault fault = { 0 };
        assert_int_equal(admission_new(&a), 0);
        assert_int_equal(take(a, "rxe0", 1, 0, &first, &fault), 0);
        assert_int_equal(take(a, "rxe0", 2, 0, &other_port, &fault), 0);
        assert_int_equal(take(a, "rxe1", 1, 0, &other_device, &fault), 0);
        assert_int_equal(take(a, "rxe0", 1, 0, &second, &fault), -EBUSY);
        assert_int_equal(fault.kind, OUTCOME_BUSY);
        assert_string_equal(fault.reason, "rxe0 port 1 is taken by the probe of host-b, since 0.0 s");
        lease_release(first);
        assert_int_equal(take(a, "rxe0", 1, 0, &second, &fault), 0);
        lease_release(second);
        lease_release(other_port);
        lease_release(other_device);
        lease_release(NULL);
        admission_free(a);
}

static void waits_no_longer_than_asked(void **state)
{
        struct admission *a;
        struct lease *first, *second;
        struct fault fault = { 0 };
        assert_int_equal(admission_new(&a), 0);
        assert_int_equal(take(a, "rxe0", 1, 0, &first, &fault), 0);
        uint64_t start = clock_now_ns();
        assert_int_equal(take(a, "rxe0", 1, 50, &second, &fault), -EBUSY);
        uint64_t spent = clock_now_ns() - start;
        assert_in_range(spent, 50 * NS_PER_MS, NS_PER_SEC);
        lease_release(first);
        admission_free(a);
}

static void *release_later(void *lease)
{
        (void)poll(NULL, 0, 30);
        lease_release(lease);
        return NULL;
}

static void a_release_wakes_who_waits(void **state)
{
        struct admission *a;
        struct lease *first, *second;
        struct fault fault = { 0 };
        pthread_t thread;
        assert_int_equal(admission_new(&a), 0);
        assert_int_equal(take(a, "rxe0", 1, 0, &first, &fault), 0);
        uint64_t start = clock_now_ns();
        assert_int_equal(pthread_create(&thread, NULL, release_later, first), 0);
        assert_int_equal(take(a, "rxe0", 1, 10000, &second, &fault), 0);
        assert_true(clock_now_ns() - start < 5 * NS_PER_SEC);
        assert_int_equal(pthread_join(thread, NULL), 0);
        lease_release(second);
        admission_free(a);
}

struct crowd {
        struct admission *admission;
        atomic_int inside, most, turns;
};

static void *take_turns(void *argument)
{
        struct crowd *c = argument;
        for (int i = 0; i < 200; i++) {
                struct lease *l;
                struct fault fault;
                if (take(c->admission, "rxe0", 1, 20000, &l, &fault) < 0)
                        continue;
                if (atomic_fetch_add(&c->inside, 1) > 0)
                        atomic_store(&c->most, 2);
                atomic_fetch_add(&c->turns, 1);
                atomic_fetch_sub(&c->inside, 1);
                lease_release(l);
        }
        return NULL;
}

static void never_two_at_once(void **state)
{
        struct crowd c = { 0 };
        pthread_t threads[8];
        assert_int_equal(admission_new(&c.admission), 0);
        for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
                assert_int_equal(pthread_create(&threads[i], NULL, take_turns, &c), 0);
        for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
                assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(c.most, 0);
        assert_int_equal(c.turns, 8 * 200);
        admission_free(c.admission);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(one_lease_a_port),
                cmocka_unit_test(waits_no_longer_than_asked),
                cmocka_unit_test(a_release_wakes_who_waits),
                cmocka_unit_test(never_two_at_once),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
