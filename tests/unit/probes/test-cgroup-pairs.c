/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>

#include "probes/cgroup_pairs.h"
#include "tests/unit/probes/support.h"

static void assert_path(const char *text, const char *path)
{
        char found[64];

        assert_int_equal(cgroup_parse(text, strlen(text), found, sizeof(found)), 0);
        assert_string_equal(found, path);
}

static void paths_of_both_versions(void **state)
{
        char found[8];

        assert_path("0::/kubepods.slice/pod1\n", "/kubepods.slice/pod1");
        assert_path("0::/kubepods.slice/pod1", "/kubepods.slice/pod1");
        assert_path("0::/\n", "/");
        assert_path("4:memory:/a\n1:name=systemd:/b\n", "/a");
        assert_path("4:memory:/\n1:name=systemd:/b:c\n", "/b:c");
        assert_path("4:memory:/a\n0::/b\n", "/b");
        assert_path("4:memory:/a\n0::/\n", "/a"); /* both versions mounted, the second unused */
        assert_int_equal(cgroup_parse("", 0, found, sizeof(found)), -ENODATA);
        assert_int_equal(cgroup_parse("0:/a\nnone\n1::\n2::x\n", 18, found, sizeof(found)), -ENODATA);
        assert_int_equal(cgroup_parse("0::/long/one", 12, found, sizeof(found)), -ENAMETOOLONG);
}

static void assert_count(const struct cgroup_pairs *c, size_t i, const char *cgroup, uint64_t pairs)
{
        assert_true(i < c->n);
        assert_string_equal(c->items[i].cgroup, cgroup);
        assert_int_equal(c->items[i].pairs, pairs);
}

static void processes_are_added_up(void **state)
{
        struct cgroup_pairs c = { 0 };
        struct tree t;

        tree_init(&t);
        tree_text(&t, "10/cgroup", "0::/a\n");
        tree_text(&t, "11/cgroup", "0::/b\n");
        tree_text(&t, "12/cgroup", "0::/b\n");
        for (uint64_t pid = 10; pid <= 13; pid++)
                assert_int_equal(cgroup_pairs_add_process(&c, t.fd, pid), 0);
        assert_int_equal(cgroup_pairs_cut(&c), 0);
        assert_int_equal(c.n, 3);
        assert_count(&c, 0, "/b", 2);
        assert_count(&c, 1, CGROUP_PAIRS_HIDDEN, 1);
        assert_count(&c, 2, "/a", 1);
        cgroup_pairs_done(&c);
        tree_done(&t);
}

static void only_the_largest_are_shown(void **state)
{
        struct cgroup_pairs c = { 0 };
        char name[16];

        for (unsigned i = 1; i <= 25; i++) {
                (void)snprintf(name, sizeof(name), "/pod%u", i);
                assert_int_equal(cgroup_pairs_add(&c, name, i), 0);
        }
        assert_int_equal(cgroup_pairs_cut(&c), 0);
        assert_int_equal(c.n, CGROUP_PAIRS_SHOWN + 1);
        assert_count(&c, 0, "/pod25", 25);
        assert_count(&c, 19, "/pod6", 6);
        assert_count(&c, 20, CGROUP_PAIRS_OTHER, 1 + 2 + 3 + 4 + 5);
        cgroup_pairs_done(&c);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(paths_of_both_versions),
                cmocka_unit_test(processes_are_added_up),
                cmocka_unit_test(only_the_largest_are_shown),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
