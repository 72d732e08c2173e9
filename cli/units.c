/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/units.h"

#include <stddef.h>

#include "base/scope.h"
#include "base/text.h"

struct unit {
        double size;
        const char *name;
};

static const struct unit bytes_units[] = {
        { 1 << 30, "GiB" },
        { 1 << 20, "MiB" },
        { 1 << 10, "KiB" },
        { 1, "B" },
};
static const struct unit bit_units[] = {
        { 1e9 / 8, "Gbit/s" },
        { 1e6 / 8, "Mbit/s" },
        { 1e3 / 8, "kbit/s" },
        { 1.0 / 8, "bit/s" },
};
static const struct unit time_units[] = {
        { 1e9, "s" },
        { 1e6, "ms" },
        { 1e3, "µs" },
        { 1, "ns" },
};

static const char *format(char *dst, double value, const struct unit *units, size_t n, const char *suffix)
{
        size_t i = 0;
        while (i + 1 < n && value < units[i].size)
                i++;
        double scaled = value / units[i].size;
        int decimals = scaled == (double)(uint64_t)scaled || scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2;
        text_message(dst, UNITS_MAX, "%.*f %s%s", decimals, scaled, units[i].name, suffix);
        return dst;
}

const char *units_bytes(char *dst, uint64_t bytes)
{
        return format(dst, (double)bytes, bytes_units, ARRAY_SIZE(bytes_units), "");
}

const char *units_rate(char *dst, double bytes_per_second)
{
        return format(dst, bytes_per_second, bytes_units, ARRAY_SIZE(bytes_units), "/s");
}

const char *units_bits(char *dst, double bytes_per_second)
{
        return format(dst, bytes_per_second, bit_units, ARRAY_SIZE(bit_units), "");
}

const char *units_duration(char *dst, double ns)
{
        return format(dst, ns, time_units, ARRAY_SIZE(time_units), "");
}
