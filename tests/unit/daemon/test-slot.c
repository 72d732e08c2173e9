/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "daemon/slot.h"

static const struct metric_family family = {
        .name = "rdma_canary_test_value",
        .type = METRIC_GAUGE,
        .help = "A test's.",
};

static struct batch *batch_of(uint64_t value)
{
        struct batch *b = batch_new();

        assert_non_null(b);
        batch_add_u64(b, &family, NO_LABELS, value);
        return b;
}

/* The sum of all values there are; the number of batches in *ret_n. */
static uint64_t sum_of(struct slots *s, size_t *ret_n)
{
        struct batch **batches;
        uint64_t sum = 0;

        assert_int_equal(slots_collect(s, &batches, ret_n), 0);
        for (size_t i = 0; i < *ret_n; i++)
                sum += batch_sample(batches[i], 0)->u64;
        slots_release(batches, *ret_n);
        return sum;
}

static void empty_registry_collects_nothing(void **state)
{
        struct slots *s = NULL;
        struct slot *slot = NULL;
        size_t n;

        assert_int_equal(slots_new(&s), 0);
        assert_int_equal(sum_of(s, &n), 0);
        assert_int_equal(n, 0);
        assert_int_equal(slot_add(s, &slot), 0);
        assert_int_equal(sum_of(s, &n), 0);
        assert_int_equal(n, 0);
        slots_free(s);
        slots_free(NULL);
}

static void latest_batch_is_shown(void **state)
{
        struct slots *s = NULL;
        struct slot *a = NULL, *b = NULL;
        size_t n;

        assert_int_equal(slots_new(&s), 0);
        assert_int_equal(slot_add(s, &a), 0);
        assert_int_equal(slot_add(s, &b), 0);
        slot_publish(a, batch_of(1));
        slot_publish(b, batch_of(10));
        assert_int_equal(sum_of(s, &n), 11);
        slot_publish(a, batch_of(2));
        assert_int_equal(sum_of(s, &n), 12);
        assert_int_equal(n, 2);
        slot_publish(b, NULL);
        assert_int_equal(sum_of(s, &n), 2);
        assert_int_equal(n, 1);
        slots_free(s);
}

static void withdrawing_leaves_what_is_newer(void **state)
{
        struct slots *s = NULL;
        struct slot *slot = NULL;
        struct batch *old = batch_of(1), *kept = batch_ref(old);
        size_t n;

        assert_int_equal(slots_new(&s), 0);
        assert_int_equal(slot_add(s, &slot), 0);
        slot_publish(slot, old);
        slot_publish(slot, batch_of(2));
        slot_withdraw(slot, kept);
        assert_int_equal(sum_of(s, &n), 2);
        slot_publish(slot, batch_ref(kept));
        slot_withdraw(slot, kept);
        assert_int_equal(sum_of(s, &n), 0);
        batch_unref(kept);
        slots_free(s);
}

static void removed_slots_show_nothing(void **state)
{
        struct slot *slots[40];
        struct slots *s = NULL;
        size_t n;

        assert_int_equal(slots_new(&s), 0);
        for (size_t i = 0; i < ARRAY_SIZE(slots); i++) {
                assert_int_equal(slot_add(s, &slots[i]), 0);
                slot_publish(slots[i], batch_of(i));
        }
        for (size_t i = 0; i < ARRAY_SIZE(slots); i += 2)
                slot_remove(slots[i]);
        assert_int_equal(sum_of(s, &n), 20 * 20);
        assert_int_equal(n, 20);
        for (size_t i = 1; i < ARRAY_SIZE(slots); i += 2)
                slot_remove(slots[i]);
        slot_remove(NULL);
        assert_int_equal(sum_of(s, &n), 0);
        slots_free(s);
}

static void batches_outlive_their_slot(void **state)
{
        struct slots *s = NULL;
        struct slot *slot = NULL;
        struct batch **batches;
        size_t n;

        assert_int_equal(slots_new(&s), 0);
        assert_int_equal(slot_add(s, &slot), 0);
        slot_publish(slot, batch_of(7));
        assert_int_equal(slots_collect(s, &batches, &n), 0);
        slot_remove(slot);
        slots_free(s);
        assert_int_equal(n, 1);
        assert_int_equal(batch_sample(batches[0], 0)->u64, 7);
        slots_release(batches, n);
}

struct traffic {
        struct slots *slots;
        atomic_bool stop;
};

static void *publish_without_end(void *context)
{
        struct traffic *t = context;

        while (!atomic_load(&t->stop)) {
                struct slot *slot = NULL;

                if (slot_add(t->slots, &slot) < 0)
                        abort();
                for (unsigned i = 0; i < 10; i++)
                        slot_publish(slot, batch_of(1));
                slot_remove(slot);
        }
        return NULL;
}

static void slots_come_and_go_under_readers(void **state)
{
        struct traffic t = { 0 };
        pthread_t threads[3];
        size_t n;

        assert_int_equal(slots_new(&t.slots), 0);
        for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
                assert_int_equal(pthread_create(&threads[i], NULL, publish_without_end, &t), 0);
        for (unsigned i = 0; i < 2000; i++)
                assert_true(sum_of(t.slots, &n) <= ARRAY_SIZE(threads));
        atomic_store(&t.stop, true);
        for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
                assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(sum_of(t.slots, &n), 0);
        slots_free(t.slots);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(empty_registry_collects_nothing),
                cmocka_unit_test(latest_batch_is_shown),
                cmocka_unit_test(withdrawing_leaves_what_is_newer),
                cmocka_unit_test(removed_slots_show_nothing),
                cmocka_unit_test(batches_outlive_their_slot),
                cmocka_unit_test(slots_come_and_go_under_readers),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
