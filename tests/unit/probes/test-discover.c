/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>

#include "probes/probe.h"
#include "tests/unit/probes/support.h"

static void assert_devices(int sysfs, const char *const *exclude, size_t n_exclude,
        const char *const *expected, size_t n_expected)
{
        char **names = NULL;
        size_t n = 99;

        assert_int_equal(discover_devices(sysfs, exclude, n_exclude, &names, &n), 0);
        assert_int_equal(n, n_expected);
        for (size_t i = 0; i < n; i++)
                assert_string_equal(names[i], expected[i]);
        discover_free(names, n);
}

static void devices_come_in_natural_order(void **state)
{
        static const char *const expected[] = { "mlx5_2", "mlx5_10", "rxe0" };
        struct tree t;

        tree_init(&t);
        tree_link(&t, "class/infiniband/mlx5_10", "../../devices/nowhere");
        tree_link(&t, "class/infiniband/mlx5_2", "../../devices/nowhere");
        tree_directory(&t, "class/infiniband/rxe0");
        assert_devices(t.fd, NULL, 0, expected, ARRAY_SIZE(expected));
        tree_done(&t);
}

static void excluded_ones_are_not_there(void **state)
{
        static const char *const exclude[] = { "mlx5_bond_*", "rxe?" };
        static const char *const expected[] = { "mlx5_0", "rxe10" };
        struct tree t;

        tree_init(&t);
        tree_directory(&t, "class/infiniband/mlx5_0");
        tree_directory(&t, "class/infiniband/mlx5_bond_0");
        tree_directory(&t, "class/infiniband/rxe1");
        tree_directory(&t, "class/infiniband/rxe10");
        assert_devices(t.fd, exclude, ARRAY_SIZE(exclude), expected, ARRAY_SIZE(expected));
        tree_done(&t);
}

static void a_name_no_device_can_have_is_left_out(void **state)
{
        char path[128] = "class/infiniband/";
        struct tree t;

        tree_init(&t);
        memset(path + strlen(path), 'x', ENGINE_NAME_MAX);
        tree_directory(&t, path);
        assert_devices(t.fd, NULL, 0, NULL, 0);
        tree_done(&t);
}

static void no_rdma_at_all_is_no_error(void **state)
{
        struct tree t;

        tree_init(&t);
        assert_devices(t.fd, NULL, 0, NULL, 0);
        tree_directory(&t, "class/infiniband");
        assert_devices(t.fd, NULL, 0, NULL, 0);
        tree_done(&t);
}

static void fixtures_are_found(void **state)
{
        static const char *const rxe[] = { "rxe0" }, *const mlx5[] = { "mlx5_0", "mlx5_1" };
        cleanup(close_fdp) int rxe_fd = fixture_open("sysfs-rxe");
        cleanup(close_fdp) int mlx5_fd = fixture_open("sysfs-mlx5");

        assert_devices(rxe_fd, NULL, 0, rxe, ARRAY_SIZE(rxe));
        assert_devices(mlx5_fd, NULL, 0, mlx5, ARRAY_SIZE(mlx5));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(devices_come_in_natural_order),
                cmocka_unit_test(excluded_ones_are_not_there),
                cmocka_unit_test(a_name_no_device_can_have_is_left_out),
                cmocka_unit_test(no_rdma_at_all_is_no_error),
                cmocka_unit_test(fixtures_are_found),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
