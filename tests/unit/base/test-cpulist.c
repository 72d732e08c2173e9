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

int main(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(lists_of_cpus),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
