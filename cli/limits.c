/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/limits.h"

#include <inttypes.h>

#include "base/scope.h"
#include "cli/units.h"

static double average(const struct result *r)
{
        return r->average_bps;
}

static double p50(const struct result *r)
{
        return (double)r->latency.p50_ns;
}

static double p99(const struct result *r)
{
        return (double)r->latency.p99_ns;
}

static double p999(const struct result *r)
{
        return (double)r->latency.p999_ns;
}

static const struct row {
        const char *option, *what;
        enum measure measure;
        bool at_least; /* else at most */
        size_t offset;
        double (*value)(const struct result *r);
} rows[] = {
        { "min-bw", "average bandwidth", MEASURE_BANDWIDTH, true, offsetof(struct limits, min_bw_bps),
                average },
        { "max-p50", "median latency", MEASURE_LATENCY, false, offsetof(struct limits, max_p50_ns), p50 },
        { "max-p99", "99 % latency", MEASURE_LATENCY, false, offsetof(struct limits, max_p99_ns), p99 },
        { "max-p999", "99.9 % latency", MEASURE_LATENCY, false, offsetof(struct limits, max_p999_ns), p999 },
};

static uint64_t limit_of(const struct limits *l, const struct row *row)
{
        return *(const uint64_t *)((const char *)l + row->offset);
}

bool limits_given(const struct limits *l, enum measure measure)
{
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
                if (rows[i].measure == measure && limit_of(l, &rows[i]) > 0)
                        return true;
        return false;
}

/* Both forms: three digits may hide the difference. */
static void write_value(const struct row *row, double value, struct buf *out)
{
        char text[UNITS_MAX];
        if (row->measure == MEASURE_BANDWIDTH)
                buf_format(out, "%s (%.0f B/s)", units_bits(text, value), value);
        else
                buf_format(out, "%s (%.0f ns)", units_duration(text, value), value);
}

static bool is_missed(const struct row *row, double value, uint64_t limit)
{
        return limit > 0 && (row->at_least ? value < (double)limit : value > (double)limit);
}

size_t limits_missed(const struct limits *l, enum measure measure, const struct result *r, struct buf *out)
{
        size_t n = 0;
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                const struct row *row = &rows[i];
                uint64_t limit = limit_of(l, row);
                if (row->measure != measure || !is_missed(row, row->value(r), limit))
                        continue;
                buf_format(out, "rdma-canary: %s ", row->what);
                write_value(row, row->value(r), out);
                buf_format(out, " is %s --%s ", row->at_least ? "below" : "above", row->option);
                write_value(row, (double)limit, out);
                buf_char(out, '\n');
                n++;
        }
        return n;
}
