/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include "base/text.h"
#include "probes/netdevs.h"
#include "tests/unit/probes/support.h"

static void assert_found(int sysfs, const char *device, const char *const *names, size_t n)
{
        struct netdevs found;

        assert_int_equal(netdevs_find(sysfs, device, &found), 0);
        assert_int_equal(found.n, n);
        for (size_t i = 0; i < n; i++)
                assert_string_equal(found.items[i].name, names[i]);
}

#define NAMES(...) (const char *const[]){ __VA_ARGS__ }, ARRAY_SIZE(((const char *const[]){ __VA_ARGS__ }))

static void names_are_those_the_kernel_accepts(void **state)
{
        static const char *const good[] = { "eth0", "ens1f0np0", "bond0.100", "a", "...", "fifteen-letters" };
        static const char *const bad[] = { "", ".", "..", "a/b", "/", "a:1", "a b", "a\n",
                "sixteen-letters-" };

        for (size_t i = 0; i < ARRAY_SIZE(good); i++)
                check_row(netdev_name_is_valid(good[i]), good[i]);
        for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
                check_row(!netdev_name_is_valid(bad[i]), bad[i]);
}

static void a_functions_own_interfaces_without_representors(void **state)
{
        struct tree t;

        tree_init(&t);
        tree_text(&t, "class/infiniband/d/device/net/ens1f0np0/phys_port_name", "p0\n");
        tree_text(&t, "class/infiniband/d/device/net/ens1f0npf0vf3/phys_port_name", "pf0vf3\n");
        tree_text(&t, "class/infiniband/d/device/net/eth7/phys_port_name", "c1pf0sf88\n");
        tree_directory(&t, "class/infiniband/d/device/net/plain");
        assert_found(t.fd, "d", NAMES("ens1f0np0", "plain"));
        tree_done(&t);
}

static void a_software_devices_parent_and_its_gids(void **state)
{
        cleanup(close_fdp) int sysfs = fixture_open("sysfs-rxe");

        assert_found(sysfs, "rxe0", NAMES("eth0"));
}

static void what_a_bond_or_vlan_stands_on(void **state)
{
        struct tree t;
        struct netdevs found;

        tree_init(&t);
        tree_text(&t, "class/infiniband/bond/ports/1/gid_attrs/ndevs/0", "bond0\n");
        tree_text(&t, "class/infiniband/bond/ports/1/gid_attrs/ndevs/3", "bond0.7\n");
        tree_text(&t, "class/infiniband/bond/ports/2/gid_attrs/ndevs/0", "bond0\n");
        tree_text(&t, "class/net/bond0/ifindex", "5\n");
        tree_link(&t, "class/net/bond0/lower_ens1", "../ens1");
        tree_link(&t, "class/net/bond0/lower_ens2", "../ens2");
        tree_link(&t, "class/net/bond0/upper_bond0.7", "../bond0.7");
        tree_link(&t, "class/net/bond0.7/lower_bond0", "../bond0");
        tree_text(&t, "class/net/ens1/ifindex", "2\n");
        /* A circle, which the kernel would not make. */
        tree_link(&t, "class/net/ens2/lower_bond0.7", "../bond0.7");
        assert_found(t.fd, "bond", NAMES("bond0", "bond0.7", "ens1", "ens2"));
        assert_int_equal(netdevs_find(t.fd, "bond", &found), 0);
        assert_int_equal(found.items[0].index, 5);
        assert_int_equal(found.items[2].index, 2);
        assert_int_equal(found.items[3].index, 0);
        tree_done(&t);
}

static void names_that_would_lead_elsewhere_are_none(void **state)
{
        static const char *const names[] = { "../../secret\n", "a/b\n", "..\n", "\n",
                "longer-than-any-name\n" };
        struct tree t;
        struct netdevs found;

        tree_init(&t);
        for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
                char path[96];

                assert_int_equal(text_format(path, sizeof(path),
                                         "class/infiniband/d/ports/1/gid_attrs/ndevs/%u", (unsigned)i),
                        0);
                tree_text(&t, path, names[i]);
        }
        tree_fifo(&t, "class/infiniband/d/parent");
        assert_int_equal(netdevs_find(t.fd, "d", &found), 0);
        assert_int_equal(found.n, 0);
        assert_int_equal(netdevs_find(t.fd, "gone", &found), 0);
        assert_int_equal(found.n, 0);
        tree_done(&t);
}

static void more_than_fit_are_left_out(void **state)
{
        struct tree t;
        struct netdevs found;

        tree_init(&t);
        for (unsigned i = 0; i < NETDEVS_MAX + 3; i++) {
                char path[96];

                assert_int_equal(text_format(path, sizeof(path), "class/infiniband/d/device/net/e%u", i), 0);
                tree_directory(&t, path);
        }
        assert_int_equal(netdevs_find(t.fd, "d", &found), 0);
        assert_int_equal(found.n, NETDEVS_MAX);
        tree_done(&t);
}

static void the_same_names_are_not_the_same_interfaces(void **state)
{
        struct netdevs a = { .n = 1, .items = { { .name = "eth0", .index = 2 } } }, b = a;

        assert_true(netdevs_equal(&a, &b));
        b.items[0].index = 3;
        assert_false(netdevs_equal(&a, &b));
        b = a;
        b.items[0].name[3] = '1';
        assert_false(netdevs_equal(&a, &b));
        b = a;
        b.n = 0;
        assert_false(netdevs_equal(&a, &b));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(names_are_those_the_kernel_accepts),
                cmocka_unit_test(a_functions_own_interfaces_without_representors),
                cmocka_unit_test(a_software_devices_parent_and_its_gids),
                cmocka_unit_test(what_a_bond_or_vlan_stands_on),
                cmocka_unit_test(names_that_would_lead_elsewhere_are_none),
                cmocka_unit_test(more_than_fit_are_left_out),
                cmocka_unit_test(the_same_names_are_not_the_same_interfaces),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
