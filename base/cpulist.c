/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cpulist.h"

#include <errno.h>
#include <string.h>

#include "base/parse.h"
#include "base/scope.h"
#include "base/text.h"

static int add_range(struct cpulist *l, const char *text, size_t len)
{
        const char *dash = memchr(text, '-', len);
        uint64_t first, last;
        int r = parse_u64(text, dash ? (size_t)(dash - text) : len, &first);

        last = first;
        if (r == 0 && dash)
                r = parse_u64(dash + 1, len - (size_t)(dash + 1 - text), &last);
        if (r < 0)
                return r;
        if (last >= CPULIST_MAX)
                return -ERANGE;
        if (first > last)
                return -EINVAL;
        for (uint64_t cpu = first; cpu <= last; cpu++)
                l->bits[cpu / 64] |= UINT64_C(1) << cpu % 64;
        return 0;
}

int cpulist_parse(const char *text, size_t len, struct cpulist *ret)
{
        struct cpulist l = { 0 };

        if (len > 0 && text[len - 1] == '\n')
                len--;
        while (len > 0) {
                const char *comma = memchr(text, ',', len);
                size_t n = comma ? (size_t)(comma - text) : len;
                int r = add_range(&l, text, n);

                if (r < 0)
                        return r;
                if (comma && n + 1 == len)
                        return -EINVAL;
                n += comma ? 1 : 0;
                text += n;
                len -= n;
        }
        *ret = l;
        return 0;
}

bool cpulist_is_empty(const struct cpulist *l)
{
        for (size_t i = 0; i < ARRAY_SIZE(l->bits); i++)
                if (l->bits[i])
                        return false;
        return true;
}

bool cpulist_is_within(const struct cpulist *l, const struct cpulist *outer)
{
        for (size_t i = 0; i < ARRAY_SIZE(l->bits); i++)
                if (l->bits[i] & ~outer->bits[i])
                        return false;
        return true;
}

void cpulist_add(struct cpulist *l, const struct cpulist *more)
{
        for (size_t i = 0; i < ARRAY_SIZE(l->bits); i++)
                l->bits[i] |= more->bits[i];
}

void cpulist_keep(struct cpulist *l, const struct cpulist *others)
{
        for (size_t i = 0; i < ARRAY_SIZE(l->bits); i++)
                l->bits[i] &= others->bits[i];
}

int cpulist_first_outside(const struct cpulist *l, const struct cpulist *outer)
{
        for (size_t i = 0; i < ARRAY_SIZE(l->bits); i++) {
                uint64_t outside = l->bits[i] & ~outer->bits[i];

                if (outside)
                        return (int)(i * 64) + __builtin_ctzll(outside);
        }
        return -1;
}

size_t cpulist_count(const struct cpulist *l)
{
        size_t n = 0;

        for (size_t i = 0; i < ARRAY_SIZE(l->bits); i++)
                n += (size_t)__builtin_popcountll(l->bits[i]);
        return n;
}

static bool has(const struct cpulist *l, unsigned cpu)
{
        return cpu < CPULIST_MAX && (l->bits[cpu / 64] >> cpu % 64 & 1);
}

int cpulist_format(const struct cpulist *l, char *dst, size_t size)
{
        size_t len = 0;

        dst[0] = '\0';
        for (unsigned first = 0, next; first < CPULIST_MAX; first = next + 1) {
                char range[32];

                for (next = first; has(l, next);)
                        next++;
                if (next == first)
                        continue;
                text_message(range, sizeof(range), next - first > 1 ? "%s%u-%u" : "%s%u", len > 0 ? "," : "",
                        first, next - 1);
                if (text_copy(dst + len, size - len, range) < 0) {
                        dst[len] = '\0';
                        return -ENAMETOOLONG;
                }
                len += strlen(range);
        }
        return 0;
}
