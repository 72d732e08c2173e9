/* SPDX-License-Identifier: Apache-2.0 */
/* The probes where no RDMA device is: what they say then, and the plan they would have used. */
#include "tests/unit/unit.h"

#include <errno.h>

#include "probes/active.h"

static uint64_t fake_now_ns(void *context)
{
        return *(uint64_t *)context;
}

static void a_missing_device_is_this_hosts_fault(void **state)
{
        static const char *const probes[] = { "rdma_bandwidth", "rdma_latency" };
        uint64_t now = 1700000000 * NS_PER_SEC;
        struct clock clock = { fake_now_ns, fake_now_ns, &now };
        struct source_environment env = {
                .sysfs = -1, .procfs = -1, .clock = &clock, .reader = &reader_system
        };
        struct source_target target = { .device = "nosuch0", .peer = "host-b", .peer_address = "192.0.2.1" };

        for (size_t i = 0; i < ARRAY_SIZE(probes); i++) {
                const struct source_class *c = source_class_find(probes[i]);
                struct active_config config = { .base.enabled = true };
                struct outcome o;
                void *source = NULL;

                assert_int_equal(c->create(&env, &target, &config, &source), 0);
                outcome_init(&o);
                c->run(source, clock_now_ns() + NS_PER_SEC, NULL, &o);
                assert_int_equal(o.fault.kind, OUTCOME_LOCAL);
                assert_true(o.fault.error == -ENODEV || o.fault.error == -ENOSYS);
                assert_non_null(strstr(o.fault.reason, "nosuch0"));
                assert_int_equal(o.n_signals, 0);
                assert_true(o.started_realtime_ns == now);
                outcome_done(&o);
                c->destroy(source);
        }
}

static void a_name_no_device_can_have_is_refused(void **state)
{
        struct source_environment env = {
                .sysfs = -1, .procfs = -1, .clock = &clock_system, .reader = &reader_system
        };
        struct source_target target = { .peer = "host-b", .peer_address = "192.0.2.1" };
        struct active_config config = { .base.enabled = true };
        char name[ENGINE_NAME_MAX + 1];
        void *source = NULL;

        memset(name, 'x', ENGINE_NAME_MAX);
        name[ENGINE_NAME_MAX] = '\0';
        target.device = name;
        assert_int_equal(active_create(&env, &target, &config, &source), -ENAMETOOLONG);
        assert_null(source);
}

static void plans_come_from_class_and_options(void **state)
{
        struct active_config config = { .base.enabled = true };
        struct plan plan, defaults;
        char why[ENGINE_REASON_MAX];

        for (enum device_class class = DEVICE_HARDWARE; class <= DEVICE_SOFTWARE; class ++) {
                plan_defaults(&defaults, MEASURE_BANDWIDTH, class);
                active_plan(&config, MEASURE_BANDWIDTH, class, &plan);
                assert_memory_equal(&plan, &defaults, sizeof(plan));
        }
        config.message_bytes = 4096;
        config.queue_pairs = 3;
        config.bytes = 1 << 20;
        active_plan(&config, MEASURE_BANDWIDTH, DEVICE_SOFTWARE, &plan);
        assert_int_equal(plan.message_bytes, 4096);
        assert_int_equal(plan.queue_pairs, 3);
        assert_int_equal(plan.budget_bytes, 1 << 20);
        assert_int_equal(plan.budget_ns, 0);
        assert_int_equal(plan_check(&plan, why), 0);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_missing_device_is_this_hosts_fault),
                cmocka_unit_test(a_name_no_device_can_have_is_refused),
                cmocka_unit_test(plans_come_from_class_and_options),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
