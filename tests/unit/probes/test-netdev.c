/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "probes/readings.h"
#include "tests/unit/probes/support.h"

#define NET         "class/net/eth0/"
#define LABELS_ETH0 "device=\"d\",netdev=\"eth0\""
#define UP          "rdma_canary_netdev_up"
#define SPEED       "rdma_canary_netdev_speed_bytes_per_second"
#define BYTES       "rdma_canary_netdev_received_bytes_total"

/* A collector that lives on, with a clock that the test moves. */
struct collector {
        struct tree tree;
        uint64_t now_ns;
        struct clock clock;
        struct reader reader;
        atomic_uint generation;
        struct source_environment env;
        const struct source_class *class;
        void *source;
};

static uint64_t test_now(void *context)
{
        return *(const uint64_t *)context;
}

static void collector_init(struct collector *c)
{
        struct source_config config = { .enabled = true };

        *c = (struct collector){ .now_ns = NS_PER_SEC, .reader = reader_system };
        tree_init(&c->tree);
        tree_text(&c->tree, "class/infiniband/d/parent", "eth0\n");
        tree_text(&c->tree, NET "ifindex", "2\n");
        tree_text(&c->tree, NET "operstate", "up\n");
        tree_text(&c->tree, NET "carrier", "1\n");
        tree_text(&c->tree, NET "carrier_changes", "3\n");
        tree_text(&c->tree, NET "speed", "100000\n");
        tree_text(&c->tree, NET "mtu", "4200\n");
        tree_text(&c->tree, NET "statistics/rx_bytes", "18446744073709551615\n");
        tree_text(&c->tree, NET "statistics/tx_dropped", "7\n");
        c->clock = (struct clock){ .monotonic_ns = test_now, .realtime_ns = test_now, .context = &c->now_ns };
        c->env = (struct source_environment){ .sysfs = c->tree.fd,
                .procfs = -1,
                .clock = &c->clock,
                .reader = &c->reader,
                .generation = &c->generation };
        c->class = source_class_find("netdev");
        assert_int_equal(
                c->class->create(&c->env, &(struct source_target){ .device = "d" }, &config, &c->source), 0);
}

static void collector_done(struct collector *c)
{
        c->class->destroy(c->source);
        tree_done(&c->tree);
}

static struct batch *collect(struct collector *c)
{
        struct batch *b = batch_new();

        assert_non_null(b);
        assert_int_equal(c->class->collect(c->source, DEADLINE_NEVER, b), 0);
        assert_int_equal(batch_error(b), 0);
        return b;
}

static void everything_there_is_in_base_units(void **state)
{
        struct collector c;
        struct batch *b;

        collector_init(&c);
        b = collect(&c);
        assert_sample_u64(b, UP, LABELS_ETH0, 1);
        assert_sample_u64(b, "rdma_canary_netdev_carrier", LABELS_ETH0, 1);
        assert_sample_u64(b, "rdma_canary_netdev_carrier_changes_total", LABELS_ETH0, 3);
        assert_sample_u64(b, SPEED, LABELS_ETH0, UINT64_C(12500000000));
        assert_sample_u64(b, "rdma_canary_netdev_mtu_bytes", LABELS_ETH0, 4200);
        assert_sample_u64(b, BYTES, LABELS_ETH0, UINT64_MAX);
        assert_sample_u64(b, "rdma_canary_netdev_transmitted_drops_total", LABELS_ETH0, 7);
        assert_int_equal(batch_size(b), 7);
        batch_unref(b);
        collector_done(&c);
}

static void an_unknown_speed_is_absent(void **state)
{
        static const char *const spellings[] = { "-1\n", "4294967295\n", "", "unknown\n" };

        for (size_t i = 0; i < ARRAY_SIZE(spellings); i++) {
                struct collector c;
                struct batch *b;

                collector_init(&c);
                tree_text(&c.tree, NET "speed", spellings[i]);
                b = collect(&c);
                assert_no_sample(b, SPEED, LABELS_ETH0);
                assert_sample_u64(b, UP, LABELS_ETH0, 1);
                batch_unref(b);
                collector_done(&c);
        }
}

static void up_is_what_operstate_says(void **state)
{
        static const struct {
                const char *text;
                uint64_t up;
        } rows[] = { { "up\n", 1 }, { "unknown\n", 1 }, { "down\n", 0 }, { "lowerlayerdown\n", 0 },
                { "dormant\n", 0 } };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                struct collector c;
                struct batch *b;

                collector_init(&c);
                tree_text(&c.tree, NET "operstate", rows[i].text);
                b = collect(&c);
                assert_sample_u64(b, UP, LABELS_ETH0, rows[i].up);
                batch_unref(b);
                collector_done(&c);
        }
}

/* Speed takes the kernel's network lock. */
static void speed_is_read_again_when_the_link_changed_or_after_a_while(void **state)
{
        struct collector c;

        collector_init(&c);
        batch_unref(collect(&c));
        tree_text(&c.tree, NET "speed", "40000\n");
        for (int turn = 0; turn < 3; turn++) {
                struct batch *b;

                if (turn == 1)
                        tree_text(&c.tree, NET "carrier_changes", "4\n");
                if (turn == 2) {
                        tree_text(&c.tree, NET "speed", "10000\n");
                        c.now_ns += LOOKUP_AGE_NS;
                }
                b = collect(&c);
                assert_sample_u64(b, SPEED, LABELS_ETH0,
                        (uint64_t[]){ UINT64_C(12500000000), UINT64_C(5000000000), 1250000000 }[turn]);
                batch_unref(b);
        }
        collector_done(&c);
}

static void the_set_stays_the_same_until_interfaces_change(void **state)
{
        struct collector c;
        struct batch *first, *second, *third;

        collector_init(&c);
        first = collect(&c);
        atomic_fetch_add(&c.generation, 1); /* somebody else's */
        c.now_ns += LOOKUP_AGE_NS;
        tree_text(&c.tree, NET "statistics/tx_dropped", "8\n");
        second = collect(&c);
        assert_ptr_equal(batch_set(first), batch_set(second));
        assert_sample_u64(second, "rdma_canary_netdev_transmitted_drops_total", LABELS_ETH0, 8);
        tree_text(&c.tree, "class/infiniband/d/parent", "eth1\n");
        tree_text(&c.tree, "class/net/eth1/operstate", "down\n");
        atomic_fetch_add(&c.generation, 1);
        third = collect(&c);
        assert_int_equal(batch_size(third), 1);
        assert_sample_u64(third, UP, "device=\"d\",netdev=\"eth1\"", 0);
        batch_unref(first);
        batch_unref(second);
        batch_unref(third);
        collector_done(&c);
}

static int n_gone; /* reads that still say so */

static ssize_t read_gone(int fd, char *dst, size_t size)
{
        if (n_gone > 0) {
                n_gone--;
                return -ENODEV;
        }
        return reader_system.read(fd, dst, size);
}

static void an_interface_made_anew_under_its_name_is_found_at_once(void **state)
{
        struct collector c;
        struct batch *b;

        collector_init(&c);
        batch_unref(collect(&c));
        c.reader.read = read_gone;
        n_gone = 1;
        b = collect(&c);
        assert_sample_u64(b, BYTES, LABELS_ETH0, UINT64_MAX);
        assert_sample_u64(b, UP, LABELS_ETH0, 1);
        batch_unref(b);
        collector_done(&c);
}

static void one_that_is_gone_takes_its_samples_along(void **state)
{
        struct collector c;
        struct batch *b;

        collector_init(&c);
        batch_unref(collect(&c));
        tree_text(&c.tree, "class/infiniband/d/parent", "\n");
        c.reader.read = read_gone;
        n_gone = 1;
        b = collect(&c);
        assert_int_equal(batch_size(b), 0);
        batch_unref(b);
        collector_done(&c);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(everything_there_is_in_base_units),
                cmocka_unit_test(an_unknown_speed_is_absent),
                cmocka_unit_test(up_is_what_operstate_says),
                cmocka_unit_test(speed_is_read_again_when_the_link_changed_or_after_a_while),
                cmocka_unit_test(the_set_stays_the_same_until_interfaces_change),
                cmocka_unit_test(an_interface_made_anew_under_its_name_is_found_at_once),
                cmocka_unit_test(one_that_is_gone_takes_its_samples_along),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
