/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include "probes/probe.h"
#include "tests/unit/probes/support.h"

#define DEVICE "class/infiniband/d/device/"
#define IRQ    "rdma_canary_irq_"

static void make_tree(struct tree *t)
{
        tree_init(t);
        tree_text(t, DEVICE "numa_node", "1\n");
        tree_text(t, "devices/system/node/node1/cpulist", "8-15\n");
        tree_text(t, DEVICE "msi_irqs/40", "msix\n");
        tree_text(t, DEVICE "msi_irqs/41", "msix\n");
        tree_text(t, DEVICE "msi_irqs/42", "msix\n");
        tree_text(t, DEVICE "msi_irqs/43", "msix\n");
        tree_text(t, "irq/40/effective_affinity_list", "8\n");
        tree_text(t, "irq/40/smp_affinity_list", "0-15\n"); /* what was asked for does not count */
        tree_text(t, "irq/41/effective_affinity_list", "3\n");
        tree_text(t, "irq/42/smp_affinity_list", "7-8\n");
        tree_text(t, "irq/43/effective_affinity_list", "\n");
}

static void vectors_by_node(void **state)
{
        struct tree t;
        struct batch *b;
        int r;

        make_tree(&t);
        b = collect_once(source_class_find("irq"), t.fd, t.fd, "d", &r);
        assert_int_equal(r, 0);
        assert_sample_u64(b, IRQ "vectors", "device=\"d\"", 4);
        assert_sample_u64(b, IRQ "cpus", "device=\"d\"", 3);
        assert_sample_u64(b, IRQ "vectors_local_node", "device=\"d\"", 1);
        assert_sample_u64(b, IRQ "vectors_remote_node", "device=\"d\"", 2);
        batch_unref(b);
        tree_done(&t);
}

static void without_a_node_nothing_is_near_or_far(void **state)
{
        struct tree t;
        struct batch *b;
        int r;

        make_tree(&t);
        tree_text(&t, DEVICE "numa_node", "-1\n");
        b = collect_once(source_class_find("irq"), t.fd, t.fd, "d", &r);
        assert_int_equal(r, 0);
        assert_sample_u64(b, IRQ "vectors", "device=\"d\"", 4);
        assert_sample_u64(b, IRQ "cpus", "device=\"d\"", 3);
        assert_no_sample(b, IRQ "vectors_local_node", "device=\"d\"");
        assert_no_sample(b, IRQ "vectors_remote_node", "device=\"d\"");
        batch_unref(b);
        tree_done(&t);
}

static void a_device_without_vectors_has_no_samples(void **state)
{
        cleanup(close_fdp) int sysfs = fixture_open("sysfs-rxe");
        static const char *const devices[] = { "rxe0", "gone" };

        for (size_t i = 0; i < ARRAY_SIZE(devices); i++) {
                int r;
                struct batch *b = collect_once(source_class_find("irq"), sysfs, sysfs, devices[i], &r);

                assert_int_equal(r, 0);
                assert_no_sample(b, IRQ "vectors", "device=\"rxe0\"");
                assert_no_sample(b, IRQ "vectors", "device=\"gone\"");
                batch_unref(b);
        }
}

static uint64_t test_now(void *context)
{
        return *(const uint64_t *)context;
}

static void files_are_read_every_minute(void **state)
{
        uint64_t now = NS_PER_SEC;
        struct clock clock = { .monotonic_ns = test_now, .realtime_ns = test_now, .context = &now };
        struct source_environment env = { .clock = &clock, .reader = &reader_system };
        struct source_config config = { .enabled = true };
        const struct source_class *class = source_class_find("irq");
        struct tree t;
        void *source = NULL;

        make_tree(&t);
        env.sysfs = env.procfs = t.fd;
        assert_int_equal(class->create(&env, &(struct source_target){ .device = "d" }, &config, &source), 0);
        for (int turn = 0; turn < 3; turn++) {
                struct batch *b = batch_new();

                assert_int_equal(class->collect(source, DEADLINE_NEVER, b), 0);
                assert_sample_u64(b, IRQ "vectors_remote_node", "device=\"d\"", turn < 2 ? 2 : 1);
                batch_unref(b);
                tree_text(&t, "irq/41/effective_affinity_list", "9\n");
                now += turn == 0 ? 60 * NS_PER_SEC - 1 : 1;
        }
        class->destroy(source);
        tree_done(&t);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(vectors_by_node),
                cmocka_unit_test(without_a_node_nothing_is_near_or_far),
                cmocka_unit_test(a_device_without_vectors_has_no_samples),
                cmocka_unit_test(files_are_read_every_minute),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
