/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/units.h"

#include <stddef.h>

#include "base/scope.h"
#include "base/text.h"

static const struct unit bytes_units[] = {
        { 1 << 30, "GiB" },
        { 1 << 20, "MiB" },
        { 1 << 10, "KiB" },
        { 1, "B" },
};
static const struct unit rate_units[] = {
        { 1 << 30, "GiB/s" },
        { 1 << 20, "MiB/s" },
        { 1 << 10, "KiB/s" },
        { 1, "B/s" },
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

static const struct quantity_units {
        const struct unit *units;
        size_t n;
} quantities[] = {
        [QUANTITY_BYTES] = { bytes_units, ARRAY_SIZE(bytes_units) },
        [QUANTITY_RATE] = { rate_units, ARRAY_SIZE(rate_units) },
        [QUANTITY_BITS] = { bit_units, ARRAY_SIZE(bit_units) },
        [QUANTITY_TIME] = { time_units, ARRAY_SIZE(time_units) },
};

const struct unit *units_for(enum quantity q, double value)
{
        const struct quantity_units *all = &quantities[q];
        size_t i = 0;
        while (i + 1 < all->n && value < all->units[i].size)
                i++;
        return &all->units[i];
}

const char *units_in(char *dst, double value, const struct unit *unit)
{
        double scaled = value / unit->size;
        int decimals = scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2;
        if (scaled < 1e15 && scaled == (double)(int64_t)scaled)
                decimals = 0;
        text_message(dst, UNITS_MAX, "%.*f", decimals, scaled);
        return dst;
}

static const char *format(char *dst, enum quantity q, double value)
{
        char number[UNITS_MAX];
        const struct unit *unit = units_for(q, value);
        text_message(dst, UNITS_MAX, "%s %s", units_in(number, value, unit), unit->name);
        return dst;
}

const char *units_bytes(char *dst, uint64_t bytes)
{
        return format(dst, QUANTITY_BYTES, (double)bytes);
}

const char *units_rate(char *dst, double bytes_per_second)
{
        return format(dst, QUANTITY_RATE, bytes_per_second);
}

const char *units_bits(char *dst, double bytes_per_second)
{
        return format(dst, QUANTITY_BITS, bytes_per_second);
}

const char *units_duration(char *dst, double ns)
{
        return format(dst, QUANTITY_TIME, ns);
}
