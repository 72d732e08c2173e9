/* SPDX-License-Identifier: Apache-2.0 */
#include "base/option.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/parse.h"
#include "base/scope.h"
#include "base/text.h"

static void *field_of(const struct option *row, void *into)
{
        return (char *)into + row->offset;
}

/* Largest first; a bound is written in the largest unit that divides it. */
struct unit {
        const char *name;
        uint64_t factor;
};

static const struct unit plain_units[] = { { "", 1 } };
static const struct unit duration_units[] = {
        { "d", 24 * 3600 * NS_PER_SEC },
        { "h", 3600 * NS_PER_SEC },
        { "m", 60 * NS_PER_SEC },
        { "s", NS_PER_SEC },
        { "ms", NS_PER_MS },
        { "us", NS_PER_US },
        { "ns", 1 },
};
static const struct unit size_units[] = {
        { "T", UINT64_C(1) << 40 },
        { "G", UINT64_C(1) << 30 },
        { "M", UINT64_C(1) << 20 },
        { "K", UINT64_C(1) << 10 },
        { "", 1 },
};
/* Bits, for that is how links are sold: 125000 bytes per second are 1Mbit/s. */
static const struct unit rate_units[] = {
        { "Gbit/s", UINT64_C(125000000) },
        { "Mbit/s", UINT64_C(125000) },
        { "kbit/s", UINT64_C(125) },
        { "B/s", 1 },
};

struct scalar {
        const char *expected;
        const struct unit *units;                               /* of the bounds; the last row has factor 1 */
        int (*parse)(const char *s, size_t len, uint64_t *ret); /* the bounded numbers */
};

static const struct scalar scalars[] = {
        [OPTION_BOOL] = { "true or false", plain_units },
        [OPTION_U64] = { "a whole number", plain_units, parse_u64 },
        [OPTION_RATIO] = { "a ratio from 0 to 1", plain_units },
        [OPTION_DURATION] = { "a duration such as 30s, 250ms", duration_units, parse_duration },
        [OPTION_SIZE] = { "a size such as 64K, 1MiB", size_units, parse_size },
        [OPTION_RATE] = { "a rate such as 160Mbit/s, 50MB/s", rate_units, parse_rate },
        [OPTION_TEXT] = { "a text", plain_units },
        [OPTION_CHOICE] = { "one of ", plain_units },
};

bool option_is_scalar(enum option_kind kind)
{
        return kind < ARRAY_SIZE(scalars);
}

static void describe_bound(struct buf *out, const struct unit *unit, uint64_t bound)
{
        while (bound % unit->factor != 0 || (bound == 0 && unit->factor > 1))
                unit++;
        buf_u64(out, bound / unit->factor);
        buf_text(out, unit->name);
}

static void describe_bounds(struct buf *out, const struct option *row)
{
        const struct unit *units = scalars[row->kind].units;

        if (row->max > 0) {
                buf_text(out, ", ");
                describe_bound(out, units, row->min);
                buf_text(out, " to ");
                describe_bound(out, units, row->max);
        } else if (row->min > 0) {
                buf_text(out, ", at least ");
                describe_bound(out, units, row->min);
        }
        if (row->kind == OPTION_TEXT && (row->max > 0 || row->min > 0))
                buf_text(out, " bytes long");
}

void option_describe(const struct option *row, struct buf *out)
{
        static const char *const collections[] = {
                [OPTION_MAP] = "a mapping",
                [OPTION_LIST] = "a sequence of mappings",
                [OPTION_TEXTS] = "a sequence of texts",
                [OPTION_LABELS] = "a mapping of names to texts",
        };

        if (!option_is_scalar(row->kind)) {
                buf_text(out, collections[row->kind]);
                return;
        }
        buf_text(out, scalars[row->kind].expected);
        for (size_t i = 0; row->kind == OPTION_CHOICE && row->choices[i]; i++) {
                buf_text(out, i > 0 ? ", " : "");
                buf_text(out, row->choices[i]);
        }
        describe_bounds(out, row);
}

static bool in_bounds(const struct option *row, uint64_t value)
{
        return value >= row->min && (row->max == 0 || value <= row->max);
}

static int parse_bounded(const struct option *row, const char *text, size_t len, uint64_t *field)
{
        uint64_t value;
        int r = scalars[row->kind].parse(text, len, &value);

        if (r < 0)
                return r;
        if (!in_bounds(row, value))
                return -ERANGE;
        *field = value;
        return 0;
}

static int parse_ratio(const char *text, size_t len, double *field)
{
        double value;
        int r = parse_double(text, len, &value);

        if (r < 0)
                return r;
        if (value < 0 || value > 1)
                return -ERANGE;
        *field = value;
        return 0;
}

static int parse_choice(const char *const *choices, const char *text, size_t len, unsigned *field)
{
        for (unsigned i = 0; choices[i]; i++) {
                if (strlen(choices[i]) == len && memcmp(choices[i], text, len) == 0) {
                        *field = i;
                        return 0;
                }
        }
        return -EINVAL;
}

static int parse_text(const struct option *row, const char *text, size_t len, char **field)
{
        char *copy;

        if (len > 0 && memchr(text, '\0', len))
                return -EINVAL;
        if (!in_bounds(row, len))
                return -ERANGE;
        copy = strndup(len > 0 ? text : "", len);
        if (!copy)
                return -ENOMEM;
        free(*field);
        *field = copy;
        return 0;
}

static int parse_field(const struct option *row, const char *text, size_t len, void *into)
{
        void *field = field_of(row, into);

        switch (row->kind) {
        case OPTION_BOOL:
                return parse_bool(text, len, field);
        case OPTION_RATIO:
                return parse_ratio(text, len, field);
        case OPTION_TEXT:
                return parse_text(row, text, len, field);
        case OPTION_CHOICE:
                return parse_choice(row->choices, text, len, field);
        default:
                return parse_bounded(row, text, len, field);
        }
}

/* The first bytes of a text for a message, never half a UTF-8 character. */
static int shown_len(const char *text, size_t len)
{
        size_t shown = 40;

        if (len <= shown)
                return (int)len;
        while (shown > 0 && (text[shown] & 0xc0) == 0x80)
                shown--;
        return (int)shown;
}

static void explain(
        const struct option *row, const char *text, size_t len, int error, char *why, size_t why_size)
{
        cleanup(buf_done) struct buf allowed = { 0 };
        int shown = shown_len(text, len);

        option_describe(row, &allowed);
        if (error == -ENOMEM || !buf_cstr(&allowed)) {
                text_message(why, why_size, "out of memory");
                return;
        }
        text_message(why, why_size, "\"%.*s%s\" is %s; expected %s", shown, text,
                (size_t)shown < len ? "..." : "", error == -ERANGE ? "out of range" : "not valid",
                buf_cstr(&allowed));
}

int option_parse(
        const struct option *row, const char *text, size_t len, void *into, char *why, size_t why_size)
{
        int r;

        assert(option_is_scalar(row->kind));
        r = parse_field(row, text, len, into);
        if (r < 0)
                explain(row, text, len, r, why, why_size);
        return r;
}

static int default_field(const struct option *row, void *into)
{
        int r;

        if (row->kind == OPTION_MAP)
                return option_defaults(row->children, row->n_children, field_of(row, into));
        if (!row->fallback)
                return 0;
        if (!option_is_scalar(row->kind))
                return -EINVAL;
        r = parse_field(row, row->fallback, strlen(row->fallback), into);
        return r == -ERANGE ? -EINVAL : r;
}

int option_defaults(const struct option *rows, size_t n, void *into)
{
        for (size_t i = 0; i < n; i++) {
                int r = default_field(&rows[i], into);

                if (r < 0) {
                        option_free(rows, n, into);
                        return r;
                }
        }
        return 0;
}

static void free_list(const struct option *row, struct option_list *list)
{
        for (size_t i = 0; i < list->n; i++) {
                if (row->kind == OPTION_LIST) {
                        option_free(row->children, row->n_children, (char *)list->items + i * row->item_size);
                } else if (row->kind == OPTION_TEXTS) {
                        free(((char **)list->items)[i]);
                } else {
                        free(((struct option_label *)list->items)[i].name);
                        free(((struct option_label *)list->items)[i].value);
                }
        }
        free(list->items);
        *list = (struct option_list){ 0 };
}

static void free_field(const struct option *row, void *field)
{
        switch (row->kind) {
        case OPTION_BOOL:
                *(bool *)field = false;
                break;
        case OPTION_RATIO:
                *(double *)field = 0;
                break;
        case OPTION_CHOICE:
                *(unsigned *)field = 0;
                break;
        case OPTION_TEXT:
                free(*(char **)field);
                *(char **)field = NULL;
                break;
        case OPTION_MAP:
                option_free(row->children, row->n_children, field);
                break;
        case OPTION_LIST:
        case OPTION_TEXTS:
        case OPTION_LABELS:
                free_list(row, field);
                break;
        default:
                *(uint64_t *)field = 0;
        }
}

void option_free(const struct option *rows, size_t n, void *into)
{
        for (size_t i = 0; i < n; i++)
                free_field(&rows[i], field_of(&rows[i], into));
}
