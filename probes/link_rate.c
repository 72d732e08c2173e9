/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/link_rate.h"

#include <errno.h>
#include <string.h>

#include "base/parse.h"
#include "base/scope.h"

/* Thousandths of the unit, so that "2.5" is exact. */
static const struct {
        const char *name;
        uint64_t milli_bytes;
} units[] = {
        { "Gb/sec", 125000 },
        { "Mb/sec", 125 },
        { "GB/sec", 1000000 },
        { "MB/sec", 1000 },
};

#define WHOLE_MAX UINT64_C(1000000000)

/* "12", "2.5", "0.125". */
static int parse_thousandths(const char *s, size_t len, uint64_t *ret)
{
        const char *point = memchr(s, '.', len);
        size_t whole_len = point ? (size_t)(point - s) : len;
        size_t digits = point ? len - whole_len - 1 : 0;
        uint64_t whole, fraction = 0;
        int r = parse_u64(s, whole_len, &whole);

        if (r == 0 && point)
                r = digits > 3 ? -EINVAL : parse_u64(point + 1, digits, &fraction);
        if (r < 0)
                return r;
        if (whole > WHOLE_MAX)
                return -ERANGE;
        for (size_t i = digits; i < 3; i++)
                fraction *= 10;
        *ret = whole * 1000 + fraction;
        return 0;
}

static int find_unit(const char *s, size_t len, uint64_t *ret)
{
        for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
                size_t n = strlen(units[i].name);

                /* What follows in brackets, width and speed, is not looked at. */
                if (len >= n && memcmp(s, units[i].name, n) == 0 &&
                        (len == n || (len > n + 3 && s[n] == ' ' && s[n + 1] == '(' && s[len - 1] == ')'))) {
                        *ret = units[i].milli_bytes;
                        return 0;
                }
        }
        return -EINVAL;
}

int link_rate_parse(const char *text, size_t len, uint64_t *ret_bytes_per_second)
{
        const char *space;
        uint64_t thousandths, unit;
        size_t number_len;
        int r;

        if (len > 0 && text[len - 1] == '\n')
                len--;
        space = memchr(text, ' ', len);
        if (!space)
                return -EINVAL;
        number_len = (size_t)(space - text);
        r = find_unit(space + 1, len - number_len - 1, &unit);
        if (r == 0)
                r = parse_thousandths(text, number_len, &thousandths);
        if (r == 0)
                *ret_bytes_per_second = thousandths * unit;
        return r;
}
