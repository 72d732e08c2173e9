/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include "tests/unit/probes/support.h"

static const struct source_class *device_class(void)
{
        return source_class_find("device");
}

static void hardware_tells_all(void **state)
{
        cleanup(close_fdp) int sysfs = fixture_open("sysfs-mlx5");
        int r;
        cleanup(batch_unrefp) struct batch *b = collect_once(device_class(), sysfs, -1, "mlx5_0", &r);

        assert_int_equal(r, 0);
        assert_sample_u64(b, "rdma_canary_device_info",
                "device=\"mlx5_0\",driver=\"mlx5_core\",firmware=\"22.36.1010\",board_id=\"MT_0000000359\","
                "hca_type=\"MT4125\",node_type=\"CA\",node_guid=\"1070:fd03:0000:5301\","
                "pci_address=\"0000:5e:00.0\"",
                1);
        assert_sample_u64(b, "rdma_canary_device_numa_node", "device=\"mlx5_0\"", 0);
}

static void software_has_less(void **state)
{
        cleanup(close_fdp) int sysfs = fixture_open("sysfs-rxe");
        int r;
        cleanup(batch_unrefp) struct batch *b = collect_once(device_class(), sysfs, -1, "rxe0", &r);

        assert_int_equal(r, 0);
        assert_sample_u64(b, "rdma_canary_device_info",
                "device=\"rxe0\",driver=\"\",firmware=\"\",board_id=\"\",hca_type=\"\",node_type=\"CA\","
                "node_guid=\"5054:00ff:feca:9a01\",pci_address=\"\"",
                1);
}

static void a_vanished_device_has_no_samples(void **state)
{
        cleanup(close_fdp) int sysfs = fixture_open("sysfs-rxe");
        int r;
        cleanup(batch_unrefp) struct batch *b = collect_once(device_class(), sysfs, -1, "rxe9", &r);

        assert_int_equal(r, 0);
        assert_int_equal(batch_size(b), 0);
}

static void no_numa_node_is_not_node_0(void **state)
{
        struct tree t;
        struct batch *b;
        int r;

        tree_init(&t);
        tree_text(&t, "class/infiniband/d/device/numa_node", "-1\n");
        b = collect_once(device_class(), t.fd, -1, "d", &r);
        assert_int_equal(r, 0);
        assert_no_sample(b, "rdma_canary_device_numa_node", "device=\"d\"");
        batch_unref(b);
        tree_done(&t);
}

#define PORT "class/infiniband/d/ports/1/"

static void gids_are_counted_by_type(void **state)
{
        struct tree t;
        struct batch *b;
        int r;

        tree_init(&t);
        tree_text(&t, PORT "link_layer", "Ethernet\n");
        tree_text(&t, PORT "gids/0", "fe80:0000:0000:0000:5054:00ff:feca:9a01\n");
        tree_text(&t, PORT "gids/1", "fe80:0000:0000:0000:5054:00ff:feca:9a01\n");
        tree_text(&t, PORT "gids/2", "0000:0000:0000:0000:0000:ffff:c633:6401\n");
        tree_text(&t, PORT "gids/3", "0000:0000:0000:0000:0000:0000:0000:0000\n");
        tree_text(&t, PORT "gid_attrs/types/0", "IB/RoCE v1\n");
        tree_text(&t, PORT "gid_attrs/types/1", "RoCE v2\n");
        tree_text(&t, PORT "gid_attrs/types/2", "RoCE v2\n");
        tree_text(&t, PORT "gid_attrs/types/3", "RoCE v2\n"); /* of an empty entry: not asked */
        b = collect_once(device_class(), t.fd, -1, "d", &r);
        assert_int_equal(r, 0);
        assert_sample_u64(b, "rdma_canary_port_gids", "device=\"d\",port=\"1\",gid_type=\"IB/RoCE v1\"", 1);
        assert_sample_u64(b, "rdma_canary_port_gids", "device=\"d\",port=\"1\",gid_type=\"RoCE v2\"", 2);
        batch_unref(b);
        tree_done(&t);
}

static void an_empty_gid_table_is_seen(void **state)
{
        struct tree t;
        struct batch *b;
        int r;

        tree_init(&t);
        tree_text(&t, PORT "link_layer", "InfiniBand\n");
        tree_text(&t, PORT "gids/0", "0000:0000:0000:0000:0000:0000:0000:0000\n");
        b = collect_once(device_class(), t.fd, -1, "d", &r);
        assert_int_equal(r, 0);
        assert_sample_u64(b, "rdma_canary_port_gids", "device=\"d\",port=\"1\",gid_type=\"IB/RoCE v1\"", 0);
        assert_no_sample(b, "rdma_canary_port_gids", "device=\"d\",port=\"1\",gid_type=\"RoCE v2\"");
        batch_unref(b);
        tree_done(&t);
}

static void a_virtual_function_names_its_physical_one(void **state)
{
        struct tree t;
        struct batch *b;
        int r;

        tree_init(&t);
        tree_link(&t, "class/infiniband/d/device/physfn", "../0000:5e:00.0");
        b = collect_once(device_class(), t.fd, -1, "d", &r);
        assert_int_equal(r, 0);
        assert_sample_u64(b, "rdma_canary_device_virtual_function_info",
                "device=\"d\",physical_function=\"0000:5e:00.0\"", 1);
        batch_unref(b);
        tree_done(&t);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(hardware_tells_all),
                cmocka_unit_test(software_has_less),
                cmocka_unit_test(a_vanished_device_has_no_samples),
                cmocka_unit_test(no_numa_node_is_not_node_0),
                cmocka_unit_test(gids_are_counted_by_type),
                cmocka_unit_test(an_empty_gid_table_is_seen),
                cmocka_unit_test(a_virtual_function_names_its_physical_one),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
