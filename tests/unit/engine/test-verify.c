/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include "tests/unit/engine/fake_verbs.h"

static struct plan plan_of(enum measure measure, enum operation operation, enum transport transport)
{
        struct plan p;
        plan_defaults(&p, measure, DEVICE_SOFTWARE);
        plan_set_operation(&p, operation, transport);
        if (!operation_facts(operation)->atomic)
                p.message_bytes = 1000;
        p.verify = true;
        return p;
}

/* What the fabric does: from the one's slots to the other's. */
static void carry(const struct endpoint *from, const struct endpoint *to, bool pulls)
{
        for (unsigned i = 0; i < from->n_qps; i++)
                memcpy(pulls ? endpoint_source(to, i) : endpoint_landing(to, i),
                        pulls ? endpoint_landing(from, i) : endpoint_source(from, i),
                        from->plan.message_bytes);
}

static struct verification compare(const struct endpoint *ep, bool active)
{
        struct verification v;
        endpoint_compare(ep, active, 0, &v);
        return v;
}

static void what_arrived_is_right_and_what_did_not_is_wrong(void **state)
{
        static const enum operation operations[] = { OPERATION_WRITE, OPERATION_SEND, OPERATION_READ };
        for (size_t i = 0; i < ARRAY_SIZE(operations); i++) {
                bool pulls = operation_facts(operations[i])->pulls;
                struct plan p = plan_of(MEASURE_BANDWIDTH, operations[i], TRANSPORT_RC);
                cleanup(fake_freep) struct fake *active = fake_new(&p), *passive = fake_new(&p);
                struct endpoint *to = pulls ? &active->ep : &passive->ep;
                endpoint_fill(&active->ep, true);
                endpoint_fill(&passive->ep, false);
                assert_int_equal(compare(to, pulls).wrong, 2000); /* nothing has come */
                carry(pulls ? &passive->ep : &active->ep, to, pulls);
                assert_int_equal(compare(to, pulls).bytes, 2000);
                assert_int_equal(compare(to, pulls).wrong, 0);
                (pulls ? endpoint_source(to, 1) : endpoint_landing(to, 1))[999] ^= 1;
                assert_int_equal(compare(to, pulls).wrong, 1);
                assert_int_equal(compare(pulls ? &passive->ep : &active->ep, !pulls).bytes, 0);
        }
}

static void another_queue_pairs_data_is_wrong(void **state)
{
        struct plan p = plan_of(MEASURE_BANDWIDTH, OPERATION_WRITE, TRANSPORT_RC);
        cleanup(fake_freep) struct fake *active = fake_new(&p), *passive = fake_new(&p);
        endpoint_fill(&active->ep, true);
        endpoint_fill(&passive->ep, false);
        memcpy(endpoint_landing(&passive->ep, 1), endpoint_source(&active->ep, 0), 1000);
        struct verification v = compare(&passive->ep, false);
        assert_int_equal(v.bytes, 1000); /* the other slot is as it was */
        assert_true(v.wrong > 900);
        memmove(endpoint_landing(&passive->ep, 1), endpoint_source(&active->ep, 1) + 1, 999); /* shifted */
        assert_true(compare(&passive->ep, false).wrong > 900);
}

static void the_number_in_a_latency_runs_message_is_not_compared(void **state)
{
        struct plan p = plan_of(MEASURE_LATENCY, OPERATION_WRITE, TRANSPORT_RC);
        cleanup(fake_freep) struct fake *active = fake_new(&p), *passive = fake_new(&p);
        endpoint_fill(&active->ep, true);
        endpoint_fill(&passive->ep, false);
        assert_int_equal(endpoint_landing(&passive->ep, 0)[999], 0); /* none yet */
        carry(&active->ep, &passive->ep, false);
        endpoint_landing(&passive->ep, 0)[999] = 77;
        assert_int_equal(compare(&passive->ep, false).bytes, 999);
        assert_int_equal(compare(&passive->ep, false).wrong, 0);
}

static void atomics_are_checked_by_what_they_counted(void **state)
{
        struct plan p = plan_of(MEASURE_BANDWIDTH, OPERATION_FETCH_ADD, TRANSPORT_RC);
        cleanup(fake_freep) struct fake *passive = fake_new(&p);
        uint64_t first = 30, second = 12;
        struct verification v;
        endpoint_fill(&passive->ep, false);
        memcpy(endpoint_landing(&passive->ep, 0), &first, sizeof(first));
        memcpy(endpoint_landing(&passive->ep, 1), &second, sizeof(second));
        endpoint_compare(&passive->ep, false, 42, &v);
        assert_true(v.bytes == 16 && v.wrong == 0);
        endpoint_compare(&passive->ep, false, 43, &v);
        assert_true(v.wrong > 0);
        endpoint_compare(&passive->ep, true, 43, &v);
        assert_int_equal(v.bytes, 0);
}

int main(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(what_arrived_is_right_and_what_did_not_is_wrong),
                cmocka_unit_test(another_queue_pairs_data_is_wrong),
                cmocka_unit_test(the_number_in_a_latency_runs_message_is_not_compared),
                cmocka_unit_test(atomics_are_checked_by_what_they_counted),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
