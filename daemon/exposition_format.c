/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/exposition_format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Base units and what they are of; "_per_second" is none of its own. */
static const char *const units[] = { "seconds", "bytes", "ratio", "celsius", "volts", "amperes", "watts",
        "joules", "hertz", "meters", "grams" };

static size_t base_length(const struct metric_family *f)
{
        size_t len = strlen(f->name);

        return f->type == METRIC_COUNTER && len > strlen("_total") ? len - strlen("_total") : len;
}

const char *format_unit(const struct metric_family *f)
{
        size_t len = base_length(f);

        for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
                size_t n = strlen(units[i]);

                if (len > n + 1 && f->name[len - n - 1] == '_' &&
                        strncmp(f->name + len - n, units[i], n) == 0)
                        return units[i];
        }
        return NULL;
}

static void add_help(struct buf *out, const char *help, enum exposition_format format)
{
        const char *escaped = format == EXPOSITION_OPENMETRICS ? "\n\\\"" : "\n\\";

        for (const char *s = help; *s;) {
                size_t plain = strcspn(s, escaped);

                buf_bytes(out, s, plain);
                s += plain;
                if (*s == '\0')
                        break;
                buf_char(out, '\\');
                buf_char(out, *s == '\n' ? 'n' : *s);
                s++;
        }
}

static void begin_line(
        struct buf *out, const char *what, const struct metric_family *f, enum exposition_format format)
{
        buf_text(out, what);
        buf_bytes(out, f->name, format == EXPOSITION_OPENMETRICS ? base_length(f) : strlen(f->name));
        buf_char(out, ' ');
}

void format_head(struct buf *out, const struct metric_family *f, enum exposition_format format)
{
        static const char *const types[] = {
                [METRIC_GAUGE] = "gauge",
                [METRIC_COUNTER] = "counter",
                [METRIC_HISTOGRAM] = "histogram",
                [METRIC_UNTYPED] = "untyped",
        };
        const char *unit = format == EXPOSITION_OPENMETRICS ? format_unit(f) : NULL;
        const char *type = types[f->type];

        if (format == EXPOSITION_OPENMETRICS && f->type == METRIC_UNTYPED)
                type = "unknown";
        begin_line(out, "# HELP ", f, format);
        add_help(out, f->help, format);
        buf_char(out, '\n');
        begin_line(out, "# TYPE ", f, format);
        buf_text(out, type);
        buf_char(out, '\n');
        if (!unit)
                return;
        begin_line(out, "# UNIT ", f, format);
        buf_text(out, unit);
        buf_char(out, '\n');
}

void format_name(struct buf *out, const struct metric_family *f, const char *suffix, const char *labels)
{
        buf_text(out, f->name);
        buf_text(out, suffix);
        if (labels[0]) {
                buf_char(out, '{');
                buf_text(out, labels);
                buf_char(out, '}');
        }
        buf_char(out, ' ');
}

/* OpenMetrics wants bounds as floats in their canonical form: 1.0 and 1e+06. */
static void add_bound(struct buf *out, double bound, enum exposition_format format)
{
        char text[32];

        if (format == EXPOSITION_TEXT || (bound != trunc(bound) && fabs(bound) < 1e6)) {
                buf_double(out, bound);
                return;
        }
        if (fabs(bound) < 1e6) {
                buf_double(out, bound);
                buf_text(out, ".0");
                return;
        }
        for (int precision = 6; precision <= 17; precision++) {
                text_message(text, sizeof(text), "%.*g", precision, bound);
                if (strtod(text, NULL) == bound)
                        break;
        }
        buf_text(out, text);
}

/* bound: NULL for +Inf. */
static void add_bucket(struct buf *out, const struct sample *s, const double *bound, uint64_t count,
        enum exposition_format format)
{
        buf_text(out, s->family->name);
        buf_text(out, "_bucket{");
        if (s->labels[0]) {
                buf_text(out, s->labels);
                buf_char(out, ',');
        }
        buf_text(out, "le=\"");
        if (bound)
                add_bound(out, *bound, format);
        else
                buf_text(out, "+Inf");
        buf_text(out, "\"} ");
        buf_u64(out, count);
        buf_char(out, '\n');
}

static void add_histogram(struct buf *out, const struct sample *s, enum exposition_format format)
{
        for (size_t i = 0; i < s->family->n_bounds; i++)
                add_bucket(out, s, &s->family->bounds[i], s->cumulative[i], format);
        add_bucket(out, s, NULL, s->u64, format);
        format_name(out, s->family, "_sum", s->labels);
        buf_double(out, s->sum);
        buf_char(out, '\n');
        format_name(out, s->family, "_count", s->labels);
        buf_u64(out, s->u64);
        buf_char(out, '\n');
}

void format_sample(struct buf *out, const struct sample *s, enum exposition_format format)
{
        if (s->family->type == METRIC_HISTOGRAM) {
                add_histogram(out, s, format);
                return;
        }
        format_name(out, s->family, "", s->labels);
        if (s->integer)
                buf_u64(out, s->u64);
        else
                buf_double(out, s->number);
        buf_char(out, '\n');
}

void format_end(struct buf *out, enum exposition_format format)
{
        if (format == EXPOSITION_OPENMETRICS)
                buf_text(out, "# EOF\n");
}
