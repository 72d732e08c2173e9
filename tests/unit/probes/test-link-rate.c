/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>

#include "probes/link_rate.h"

static void every_spelling(void **state)
{
        static const struct {
                const char *text;
                int r;
                uint64_t bytes_per_second;
        } rows[] = {
                { "100 Gb/sec (4X EDR)\n", 0, UINT64_C(12500000000) },
                { "400 Gb/sec (4X NDR)\n", 0, UINT64_C(50000000000) },
                { "2.5 Gb/sec (1X SDR)\n", 0, 312500000 },
                { "2.5 Gb/sec", 0, 312500000 },
                { "0.125 Gb/sec\n", 0, 15625000 },
                { "0 GB/sec\n", 0, 0 },
                { "0 Gb/sec (4X SDR)\n", 0, 0 },
                { "1 GB/sec\n", 0, 1000000000 },
                { "100 Mb/sec\n", 0, 12500000 },
                { "", -EINVAL, 0 },
                { "\n", -EINVAL, 0 },
                { "100", -EINVAL, 0 },
                { "100 ", -EINVAL, 0 },
                { "Gb/sec", -EINVAL, 0 },
                { " Gb/sec", -EINVAL, 0 },
                { "-1 Gb/sec", -EINVAL, 0 },
                { "1. Gb/sec", -EINVAL, 0 },
                { ".5 Gb/sec", -EINVAL, 0 },
                { "1.2345 Gb/sec", -EINVAL, 0 },
                { "1.2.3 Gb/sec", -EINVAL, 0 },
                { "100 Gb/secs", -EINVAL, 0 },
                { "100 Gb/sec (4X EDR", -EINVAL, 0 },
                { "100 Gb/sec 4X", -EINVAL, 0 },
                { "100 Tb/sec", -EINVAL, 0 },
                { "1000000001 Gb/sec", -ERANGE, 0 },
                { "99999999999999999999 Gb/sec", -ERANGE, 0 },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                uint64_t value = 7;
                int r = link_rate_parse(rows[i].text, strlen(rows[i].text), &value);

                check_row(r == rows[i].r, rows[i].text);
                check_row(value == (r < 0 ? 7 : rows[i].bytes_per_second), rows[i].text);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(every_spelling),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
