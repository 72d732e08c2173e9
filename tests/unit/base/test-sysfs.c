/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>

#include "base/sysfs.h"
#include "tests/unit/tree.h"

static char longest[SYSFS_VALUE_MAX + 1]; /* one more than there is room for */

static void numbers_and_what_is_none(void **state)
{
        static const struct {
                const char *text;
                int r;
                uint64_t value;
        } rows[] = {
                { "0\n", 0, 0 },
                { "42", 0, 42 },
                { "42 \n", 0, 42 },
                { "9223372036854775809\n", 0, UINT64_C(9223372036854775809) },
                { "18446744073709551615\n", 0, UINT64_MAX },
                { "18446744073709551616\n", -ERANGE, 0 },
                { "", -EINVAL, 0 },
                { "\n", -EINVAL, 0 },
                { "-1\n", -EINVAL, 0 },
                { "0x10\n", -EINVAL, 0 },
                { "12 34\n", -EINVAL, 0 },
                { "N/A (no PMA)\n", -ENODATA, 0 },
                { "\x01\xff\xfe", -EINVAL, 0 },
        };
        struct tree t;

        tree_init(&t);
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                uint64_t value = 7;
                int r;

                tree_text(&t, "file", rows[i].text);
                r = sysfs_read_u64(t.fd, "file", &value);
                check_row(r == rows[i].r, rows[i].text);
                check_row(value == (r < 0 ? 7 : rows[i].value), rows[i].text);
        }
        tree_done(&t);
}

static void a_file_fits_or_is_refused(void **state)
{
        char text[SYSFS_VALUE_MAX + 1];
        struct tree t;

        tree_init(&t);
        memset(longest, '1', sizeof(longest));
        tree_write(&t, "page", longest, SYSFS_VALUE_MAX);
        tree_write(&t, "more", longest, sizeof(longest));
        assert_int_equal(sysfs_read(t.fd, "page", text, sizeof(text)), SYSFS_VALUE_MAX);
        assert_int_equal(text[SYSFS_VALUE_MAX], '\0');
        assert_int_equal(sysfs_read(t.fd, "more", text, sizeof(text)), -EFBIG);
        tree_done(&t);
}

/* The FIFO has no writer: an open that waits would hang the test. */
static void what_is_no_file_is_refused_at_once(void **state)
{
        uint64_t value;
        struct tree t;

        tree_init(&t);
        tree_fifo(&t, "fifo");
        tree_directory(&t, "directory");
        tree_link(&t, "dangling", "nowhere");
        tree_link(&t, "loop", "loop");
        tree_link(&t, "device", "/dev/zero");
        assert_int_equal(sysfs_read_u64(t.fd, "fifo", &value), -EINVAL);
        assert_int_equal(sysfs_read_u64(t.fd, "directory", &value), -EINVAL);
        assert_int_equal(sysfs_read_u64(t.fd, "device", &value), -EINVAL);
        assert_int_equal(sysfs_read_u64(t.fd, "dangling", &value), -ENOENT);
        assert_int_equal(sysfs_read_u64(t.fd, "loop", &value), -ELOOP);
        tree_done(&t);
}

static void lines_lose_the_blanks_around_them(void **state)
{
        static const struct {
                const char *text, *line;
                int r;
        } rows[] = {
                { "eth0\n", "eth0", 0 },
                { " eth0 \r\nmore\n", "eth0", 0 },
                { "a b\n", "a b", 0 },
                { "", "", -ENODATA },
                { "  \n", "", -ENODATA },
                { "0123456789abcdef\n", "", -ENAMETOOLONG },
        };
        struct tree t;

        tree_init(&t);
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                char line[16];

                tree_text(&t, "file", rows[i].text);
                check_row(sysfs_read_line(t.fd, "file", line, sizeof(line)) == rows[i].r, rows[i].text);
                check_row(rows[i].r < 0 || strcmp(line, rows[i].line) == 0, rows[i].text);
        }
        tree_done(&t);
}

static void links_are_named_by_their_last_part(void **state)
{
        char name[16];
        struct tree t;

        tree_init(&t);
        tree_link(&t, "driver", "../../bus/pci/drivers/mlx5_core");
        tree_text(&t, "file", "x");
        assert_int_equal(sysfs_read_link_name(t.fd, "driver", name, sizeof(name)), 0);
        assert_string_equal(name, "mlx5_core");
        assert_int_equal(sysfs_read_link_name(t.fd, "file", name, sizeof(name)), -EINVAL);
        tree_done(&t);
}

static void listing_is_in_natural_order(void **state)
{
        static const char *const expected[] = { "mlx5_1", "mlx5_2", "mlx5_10" };
        struct sysfs_names names;
        uint64_t n;
        struct tree t;

        tree_init(&t);
        tree_directory(&t, "mlx5_10");
        tree_directory(&t, "mlx5_2");
        tree_text(&t, "mlx5_1", "");
        tree_text(&t, ".hidden", "");
        for (int twice = 0; twice < 2; twice++) {
                assert_int_equal(sysfs_list(t.fd, &names), 0);
                assert_int_equal(names.n, ARRAY_SIZE(expected));
                for (size_t i = 0; i < names.n; i++)
                        assert_string_equal(names.items[i], expected[i]);
                sysfs_names_done(&names);
        }
        assert_int_equal(sysfs_count(t.fd, &n), 0);
        assert_int_equal(n, ARRAY_SIZE(expected));
        tree_done(&t);
}

static void a_huge_directory_is_listed_in_part(void **state)
{
        struct sysfs_names names;
        uint64_t n;
        struct tree t;

        tree_init(&t);
        for (int i = 0; i < SYSFS_NAMES_MAX + 10; i++) {
                char name[16];

                (void)snprintf(name, sizeof(name), "%d", i);
                tree_text(&t, name, "");
        }
        assert_int_equal(sysfs_list(t.fd, &names), 0);
        assert_int_equal(names.n, SYSFS_NAMES_MAX);
        sysfs_names_done(&names);
        assert_int_equal(sysfs_count(t.fd, &n), 0);
        assert_int_equal(n, SYSFS_NAMES_MAX + 10);
        tree_done(&t);
}

static void devices_are_named_not_pathed(void **state)
{
        struct tree t;
        int fd;

        tree_init(&t);
        tree_directory(&t, "class/infiniband/rxe0");
        tree_text(&t, "class/infiniband/file", "");
        fd = sysfs_open_device(t.fd, "rxe0");
        assert_true(fd >= 0);
        assert_int_equal(close(fd), 0);
        assert_int_equal(sysfs_open_device(t.fd, "rxe1"), -ENODEV);
        assert_int_equal(sysfs_open_device(t.fd, "file"), -ENODEV);
        assert_int_equal(sysfs_open_device(t.fd, ""), -ENODEV);
        assert_int_equal(sysfs_open_device(t.fd, ".."), -ENODEV);
        assert_int_equal(sysfs_open_device(t.fd, "rxe0/../rxe0"), -ENODEV);
        tree_done(&t);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(numbers_and_what_is_none),
                cmocka_unit_test(a_file_fits_or_is_refused),
                cmocka_unit_test(what_is_no_file_is_refused_at_once),
                cmocka_unit_test(lines_lose_the_blanks_around_them),
                cmocka_unit_test(links_are_named_by_their_last_part),
                cmocka_unit_test(listing_is_in_natural_order),
                cmocka_unit_test(a_huge_directory_is_listed_in_part),
                cmocka_unit_test(devices_are_named_not_pathed),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
