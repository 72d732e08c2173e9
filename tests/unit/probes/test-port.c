/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>

#include "base/sysfs.h"
#include "tests/unit/probes/support.h"

#define PORT "class/infiniband/hostile0/ports/1/"

static const struct source_class *port_class(void)
{
        return source_class_find("port");
}

static void soft_roce_has_state_but_no_counters(void **state)
{
        static const char labels[] = "device=\"rxe0\",port=\"1\"";
        cleanup(close_fdp) int sysfs = fixture_open("sysfs-rxe");
        int r;
        cleanup(batch_unrefp) struct batch *b = collect_once(port_class(), sysfs, -1, "rxe0", &r);

        assert_int_equal(r, 0);
        assert_sample_u64(b, "rdma_canary_port_state_id", labels, 4);
        assert_sample_u64(b, "rdma_canary_port_physical_state_id", labels, 5);
        assert_sample_u64(b, "rdma_canary_port_rate_bytes_per_second", labels, 312500000);
        assert_sample_u64(b, "rdma_canary_port_lid", labels, 0);
        assert_sample_u64(b, "rdma_canary_port_sm_lid", labels, 0);
        assert_sample_u64(b, "rdma_canary_port_info",
                "device=\"rxe0\",port=\"1\",link_layer=\"Ethernet\",netdev=\"eth0\"", 1);
        assert_sample_u64(
                b, "rdma_canary_port_netdev_mtu_bytes", "device=\"rxe0\",port=\"1\",netdev=\"eth0\"", 4200);
        assert_int_equal(batch_size(b), 7);
}

static void port_data_is_in_bytes(void **state)
{
        static const char labels[] = "device=\"mlx5_0\",port=\"1\"";
        cleanup(close_fdp) int sysfs = fixture_open("sysfs-mlx5");
        int r;
        cleanup(batch_unrefp) struct batch *b = collect_once(port_class(), sysfs, -1, "mlx5_0", &r);

        assert_int_equal(r, 0);
        assert_sample_u64(
                b, "rdma_canary_port_transmitted_bytes_total", labels, 4 * UINT64_C(4611686018427387));
        assert_sample_u64(b, "rdma_canary_port_received_bytes_total", labels, 1000);
        assert_sample_u64(b, "rdma_canary_port_transmitted_packets_total", labels, 1002);
        assert_sample_u64(b, "rdma_canary_port_received_packets_total", labels, 1003);
        assert_sample_u64(b, "rdma_canary_port_transmit_wait_ticks_total", labels, 1008);
        assert_sample_u64(b, "rdma_canary_port_symbol_errors_total", labels, 65535);
        assert_sample_u64(b, "rdma_canary_port_link_downed_total", labels, 2);
        assert_sample_u64(b, "rdma_canary_port_vl15_dropped_total", labels, 1020);
        assert_sample_u64(b, "rdma_canary_port_rate_bytes_per_second", labels, UINT64_C(12500000000));
        assert_sample_u64(
                b, "rdma_canary_port_saturated", "device=\"mlx5_0\",port=\"1\",counter=\"symbol_error\"", 1);
        assert_sample_u64(
                b, "rdma_canary_port_saturated", "device=\"mlx5_0\",port=\"1\",counter=\"link_downed\"", 0);
        assert_sample_u64(b, "rdma_canary_port_resets_total", labels, 0);
        assert_int_equal(samples_present(b), 7 + 21 + 13 + 1); /* 13 narrow ones */
}

static void what_the_kernel_does_not_know_is_missing_and_no_failure(void **state)
{
        static const char labels[] = "device=\"mlx5_1\",port=\"1\"";
        cleanup(close_fdp) int sysfs = fixture_open("sysfs-mlx5");
        int r;
        cleanup(batch_unrefp) struct batch *b = collect_once(port_class(), sysfs, -1, "mlx5_1", &r);

        assert_int_equal(r, 0);
        assert_sample_u64(b, "rdma_canary_port_transmitted_bytes_total", labels, 68);
        assert_no_sample(b, "rdma_canary_port_received_bytes_total", labels);
        assert_no_sample(b, "rdma_canary_port_symbol_errors_total", labels);
        assert_sample_u64(b, "rdma_canary_port_state_id", labels, 1);
        assert_sample_u64(b, "rdma_canary_port_lid", labels, 0x1a);
        assert_sample_u64(b, "rdma_canary_port_sm_lid", labels, 0xffff);
        assert_sample_u64(b, "rdma_canary_port_info",
                "device=\"mlx5_1\",port=\"1\",link_layer=\"InfiniBand\",netdev=\"\"", 1);
}

static void a_vanished_device_has_no_samples(void **state)
{
        cleanup(close_fdp) int sysfs = fixture_open("sysfs-rxe");
        int r;
        cleanup(batch_unrefp) struct batch *b = collect_once(port_class(), sysfs, -1, "rxe9", &r);

        assert_int_equal(r, 0);
        assert_int_equal(batch_size(b), 0);
}

static void assert_unreadable(const struct batch *b, const char *counter, const char *error)
{
        char labels[160];

        (void)snprintf(labels, sizeof(labels), "device=\"hostile0\",port=\"1\",counter=\"%s\",errno=\"%s\"",
                counter, error);
        assert_sample_u64(b, "rdma_canary_unreadable", labels, 1);
}

static void one_bad_file_costs_one_sample(void **state)
{
        static const char labels[] = "device=\"hostile0\",port=\"1\"";
        static char longest[SYSFS_VALUE_MAX + 1];
        struct tree t;
        struct batch *b;
        int r;

        tree_init(&t);
        memset(longest, '1', sizeof(longest));
        tree_text(&t, PORT "link_layer", "Ethernet\n");
        tree_text(&t, PORT "state", "ACTIVE\n");
        tree_text(&t, PORT "phys_state", "-5: LinkUp\n");
        tree_fifo(&t, PORT "rate");
        tree_text(&t, PORT "lid", "0x-1\n");
        tree_text(&t, PORT "sm_lid", "0x0x1\n");
        /* A name that would lead out of class/net. */
        tree_text(&t, PORT "gid_attrs/ndevs/0", "../../secret\n");
        tree_text(&t, "secret/mtu", "1500\n");
        tree_fifo(&t, PORT "counters/port_xmit_packets");
        tree_directory(&t, PORT "counters/port_rcv_packets");
        tree_write(&t, PORT "counters/port_rcv_errors", longest, sizeof(longest));
        tree_text(&t, PORT "counters/link_downed", "-1\n");
        tree_text(&t, PORT "counters/symbol_error", "");
        tree_text(&t, PORT "counters/port_xmit_data", "4611686018427387904\n"); /* 2^62: ×4 is too much */
        tree_text(&t, PORT "counters/port_rcv_data", "5");                      /* no newline */
        tree_write(&t, PORT "counters/VL15_dropped", "\0\1\2", 3);
        tree_text(&t, PORT "counters/of_a_later_kernel", "3\n");
        b = collect_once(port_class(), t.fd, -1, "hostile0", &r);
        assert_true(r == -EFBIG || r == -ERANGE);
        assert_int_equal(samples_present(b), 3 + 6);
        assert_sample_u64(b, "rdma_canary_port_info",
                "device=\"hostile0\",port=\"1\",link_layer=\"Ethernet\",netdev=\"../../secret\"", 1);
        assert_sample_u64(b, "rdma_canary_port_received_bytes_total", labels, 20);
        assert_unreadable(b, "port_rcv_errors", "EFBIG");
        assert_unreadable(b, "link_downed", "EINVAL");
        assert_unreadable(b, "symbol_error", "EINVAL");
        assert_unreadable(b, "VL15_dropped", "EINVAL");
        assert_unreadable(b, "port_xmit_packets", "EINVAL");
        batch_unref(b);
        tree_done(&t);
}

static void only_numbers_are_ports(void **state)
{
        static const char *const names[] = { "2", "10", "256", "x", "-1", "1 " };
        struct tree t;
        struct batch *b;
        int r;

        tree_init(&t);
        for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
                char path[128];

                (void)snprintf(path, sizeof(path), "class/infiniband/d/ports/%s/state", names[i]);
                tree_text(&t, path, "4: ACTIVE\n");
        }
        tree_text(&t, "class/infiniband/d/ports/3", "a file");
        b = collect_once(port_class(), t.fd, -1, "d", &r);
        assert_int_equal(r, 0);
        assert_int_equal(batch_size(b), 2);
        assert_string_equal(batch_sample(b, 0)->labels, "device=\"d\",port=\"2\"");
        assert_string_equal(batch_sample(b, 1)->labels, "device=\"d\",port=\"10\"");
        batch_unref(b);
        tree_done(&t);
}

static void wide_ones_of_old_kernels_win(void **state)
{
        static const char labels[] = "device=\"d\",port=\"1\"";
        struct tree t;
        struct batch *b;
        int r;

        tree_init(&t);
        tree_text(&t, "class/infiniband/d/ports/1/counters/port_xmit_data", "4294967295\n");
        tree_text(&t, "class/infiniband/d/ports/1/counters/port_rcv_data", "4294967295\n");
        tree_text(&t, "class/infiniband/d/ports/1/counters/port_rcv_packets", "7\n");
        tree_text(&t, "class/infiniband/d/ports/1/counters/port_xmit_contraint_errors", "3\n");
        tree_text(&t, "class/infiniband/d/ports/1/counters_ext/port_xmit_data_64", "5000000000\n");
        tree_text(&t, "class/infiniband/d/ports/1/counters_ext/port_multicast_rcv_packets", "9\n");
        b = collect_once(port_class(), t.fd, -1, "d", &r);
        assert_int_equal(r, 0);
        assert_sample_u64(b, "rdma_canary_port_transmitted_bytes_total", labels, UINT64_C(20000000000));
        assert_sample_u64(b, "rdma_canary_port_multicast_received_packets_total", labels, 9);
        assert_sample_u64(b, "rdma_canary_port_transmit_constraint_errors_total", labels, 3);
        assert_sample_u64(
                b, "rdma_canary_port_saturated", "device=\"d\",port=\"1\",counter=\"port_rcv_data\"", 1);
        assert_no_sample(
                b, "rdma_canary_port_saturated", "device=\"d\",port=\"1\",counter=\"port_rcv_packets\"");
        batch_unref(b);
        tree_done(&t);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(soft_roce_has_state_but_no_counters),
                cmocka_unit_test(port_data_is_in_bytes),
                cmocka_unit_test(what_the_kernel_does_not_know_is_missing_and_no_failure),
                cmocka_unit_test(a_vanished_device_has_no_samples),
                cmocka_unit_test(one_bad_file_costs_one_sample),
                cmocka_unit_test(only_numbers_are_ports),
                cmocka_unit_test(wide_ones_of_old_kernels_win),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
