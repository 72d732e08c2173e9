/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>

#include "base/cpulist.h"

static void lists_of_cpus(void **state)
{
        static const struct {
                const char *text;
                int r;
                size_t count;
        } rows[] = {
                { "", 0, 0 },
                { "\n", 0, 0 },
                { "0\n", 0, 1 },
                { "0-3,8,10-11\n", 0, 7 },
                { "0-8191", 0, 8192 },
                { "8192", -ERANGE, 0 },
                { "0-18446744073709551615", -ERANGE, 0 },
                { "3-2", -EINVAL, 0 },
                { "1,", -EINVAL, 0 },
                { ",1", -EINVAL, 0 },
                { "1-", -EINVAL, 0 },
                { "-1", -EINVAL, 0 },
                { "0-31:2/4", -EINVAL, 0 },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                struct cpulist l = { 0 };

                check_row(cpulist_parse(rows[i].text, strlen(rows[i].text), &l) == rows[i].r, rows[i].text);
                check_row(cpulist_count(&l) == rows[i].count, rows[i].text);
                check_row(cpulist_is_empty(&l) == (rows[i].count == 0), rows[i].text);
        }
}

static void parse(const char *text, struct cpulist *ret)
{
        assert_int_equal(cpulist_parse(text, strlen(text), ret), 0);
}

static void lists_are_written_as_they_are_read(void **state)
{
        static const struct {
                const char *text, *written;
        } rows[] = {
                { "", "" },
                { "0", "0" },
                { "8191", "8191" },
                { "0-8191", "0-8191" },
                { "0-3,8,10-11", "0-3,8,10-11" },
                { "62-65,127,128", "62-65,127-128" },
                { "5,1,0-2", "0-2,5" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                struct cpulist l;
                char text[64];

                parse(rows[i].text, &l);
                check_row(cpulist_format(&l, text, sizeof(text)) == 0, rows[i].text);
                check_row(strcmp(text, rows[i].written) == 0, rows[i].text);
        }
}

static void a_list_too_long_is_cut_between_ranges(void **state)
{
        static const struct {
                size_t size;
                const char *written;
        } rows[] = { { 1, "" }, { 4, "0-3" }, { 5, "0-3" }, { 6, "0-3,8" }, { 11, "0-3,8" } };
        struct cpulist l;

        parse("0-3,8,10-11", &l);
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                char text[16];

                assert_int_equal(cpulist_format(&l, text, rows[i].size), -ENAMETOOLONG);
                assert_string_equal(text, rows[i].written);
        }
}

static void what_is_in_both_and_what_is_outside(void **state)
{
        struct cpulist a, b;
        char text[64];

        parse("0-3,70,200", &a);
        parse("2-100", &b);
        assert_int_equal(cpulist_first_outside(&a, &b), 0);
        assert_int_equal(cpulist_first_outside(&b, &a), 4);
        cpulist_keep(&a, &b);
        assert_int_equal(cpulist_format(&a, text, sizeof(text)), 0);
        assert_string_equal(text, "2-3,70");
        assert_int_equal(cpulist_first_outside(&a, &b), -1);
        parse("200", &a);
        assert_int_equal(cpulist_first_outside(&a, &b), 200);
}

int main(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(lists_of_cpus),
                cmocka_unit_test(lists_are_written_as_they_are_read),
                cmocka_unit_test(a_list_too_long_is_cut_between_ranges),
                cmocka_unit_test(what_is_in_both_and_what_is_outside),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
