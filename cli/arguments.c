/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/arguments.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/scope.h"

#define LEFT_COLUMNS 25

/* ---- help ------------------------------------------------------------------------------------------- */

static const char *value_name(const struct option *row)
{
        if (row->placeholder)
                return row->placeholder;
        switch (row->kind) {
        case OPTION_BOOL:
                return "";
        case OPTION_DURATION:
                return "TIME";
        case OPTION_SIZE:
                return "SIZE";
        case OPTION_RATE:
                return "RATE";
        case OPTION_U64:
                return "N";
        default:
                return "NAME";
        }
}

static const struct value_kind {
        enum option_kind kind;
        const char *text; /* of the help, and of a complaint */
} value_kinds[] = {
        { OPTION_DURATION, "TIME: 500ms, 10s, 1h; units ns us ms s m h" },
        { OPTION_SIZE, "SIZE: 65536, 64K, 4MiB; K and KiB are 1024" },
        { OPTION_RATE, "RATE: 90Gbit/s, 11GB/s; kbit/s Mbit/s Gbit/s, kB/s MB/s GB/s, KiB/s MiB/s GiB/s" },
};

static bool has_kind(const struct command *c, enum option_kind kind)
{
        for (size_t g = 0; c->groups && c->groups[g]; g++)
                for (size_t i = 0; i < c->groups[g]->n; i++)
                        if (c->groups[g]->rows[i].kind == kind)
                                return true;
        return false;
}

static void help_row(const struct option *row, struct buf *out)
{
        char left[64];
        const char *value = value_name(row);
        text_message(left, sizeof(left), "--%s%s%s", row->key, *value ? " " : "", value);
        buf_format(out, "  %-*s %s\n", LEFT_COLUMNS, left, row->help);
}

void arguments_help(const struct command *c, struct buf *out)
{
        buf_format(out, "%s\n\nusage: rdma-canary %s %s\n", c->summary, c->name, c->synopsis);
        for (size_t g = 0; c->groups && c->groups[g]; g++) {
                buf_format(out, "\n%s:\n", c->groups[g]->title);
                for (size_t i = 0; i < c->groups[g]->n; i++)
                        help_row(&c->groups[g]->rows[i], out);
        }
        const char *separator = "\n";
        for (size_t i = 0; i < ARRAY_SIZE(value_kinds); i++) {
                if (!has_kind(c, value_kinds[i].kind))
                        continue;
                buf_format(out, "%s%s\n", separator, value_kinds[i].text);
                separator = "";
        }
        buf_text(out, "\n" CLI_EXIT_CODES);
}

/* ---- parsing ---------------------------------------------------------------------------------------- */

enum arguments_result arguments_wrong(const struct command *c, struct arguments *a, const char *format, ...)
{
        char text[512];
        va_list args;
        va_start(args, format);
        (void)vsnprintf(text, sizeof(text), format, args); /* a message for people: may be cut off */
        va_end(args);
        buf_clear(&a->text);
        buf_format(&a->text, "rdma-canary %s: %s; see rdma-canary %s --help\n", c->name, text, c->name);
        return ARGUMENTS_WRONG;
}

static const struct option *find(const struct command *c, const char *key, size_t len)
{
        for (size_t g = 0; c->groups && c->groups[g]; g++)
                for (size_t i = 0; i < c->groups[g]->n; i++) {
                        const struct option *row = &c->groups[g]->rows[i];
                        if (strlen(row->key) == len && strncmp(row->key, key, len) == 0)
                                return row;
                }
        return NULL;
}

static int add_text(struct option_list *list, const char *text, size_t len)
{
        char **items = realloc(list->items, (list->n + 1) * sizeof(*items));
        if (!items)
                return -ENOMEM;
        list->items = items;
        items[list->n] = strndup(text, len);
        if (!items[list->n])
                return -ENOMEM;
        list->n++;
        return 0;
}

static enum arguments_result take_texts(
        const struct command *c, struct arguments *a, const struct option *row, const char *value, void *into)
{
        for (const char *at = value;; at++) {
                size_t len = strcspn(at, ",");
                if (len == 0)
                        return arguments_wrong(c, a, "--%s: \"%.100s\" has an empty part", row->key, value);
                if (add_text((struct option_list *)((char *)into + row->offset), at, len) < 0)
                        return arguments_wrong(c, a, "out of memory");
                at += len;
                if (*at == '\0')
                        return ARGUMENTS_GO;
        }
}

/* After what is wrong, all units: people try "10G". */
static const char *units_hint(enum option_kind kind)
{
        return kind == OPTION_RATE ? "; a unit is needed: kbit/s Mbit/s Gbit/s, kB/s MB/s GB/s, KiB/s MiB/s "
                                     "GiB/s"
                                   : "";
}

static enum arguments_result take_value(
        const struct command *c, struct arguments *a, const struct option *row, const char *value, void *into)
{
        char why[256];
        if (row->kind == OPTION_TEXTS)
                return take_texts(c, a, row, value, into);
        if (option_parse(row, value, strlen(value), into, why, sizeof(why)) < 0)
                return arguments_wrong(c, a, "--%s: %s%s", row->key, why, units_hint(row->kind));
        return ARGUMENTS_GO;
}

/* argv[*i] starts with "--"; takes the next one too when the value is there. */
static enum arguments_result take_option(
        const struct command *c, struct arguments *a, int argc, char **argv, int *i, void *into)
{
        const char *key = argv[*i] + 2;
        size_t len = strcspn(key, "=");
        bool attached = key[len] == '=';
        const struct option *row = find(c, key, len);
        if (!row)
                return arguments_wrong(c, a, "no option --%.*s", (int)(len < 100 ? len : 100), key);
        if (row->kind == OPTION_BOOL) {
                if (attached)
                        return arguments_wrong(c, a, "--%s takes no value", row->key);
                *(bool *)((char *)into + row->offset) = true;
                return ARGUMENTS_GO;
        }
        if (!attached && (*i + 1 >= argc || text_starts(argv[*i + 1], "--")))
                return arguments_wrong(
                        c, a, "--%s needs a value", row->key); /* one that starts with -- comes after a = */
        return take_value(c, a, row, attached ? key + len + 1 : argv[++*i], into);
}

static enum arguments_result take_argument(
        const struct command *c, struct arguments *a, int argc, char **argv, int *i, void *into)
{
        const char *word = argv[*i];
        if (text_equal(word, "--help") || text_equal(word, "-h")) {
                arguments_help(c, &a->text);
                return ARGUMENTS_HELPED;
        }
        if (text_starts(word, "--"))
                return take_option(c, a, argc, argv, i, into);
        if (word[0] == '-')
                return arguments_wrong(c, a, "no option %.100s", word);
        if (a->n_operands == a->max)
                return arguments_wrong(c, a, "\"%.100s\" is one argument too many", word);
        a->operands[a->n_operands++] = word;
        return ARGUMENTS_GO;
}

enum arguments_result arguments_parse(
        const struct command *c, int argc, char **argv, void *into, struct arguments *a)
{
        enum arguments_result r = ARGUMENTS_GO;
        a->n_operands = 0;
        for (int i = 1; i < argc && r == ARGUMENTS_GO; i++)
                r = take_argument(c, a, argc, argv, &i, into);
        return r;
}

int arguments_defaults(const struct command *c, void *into)
{
        for (size_t g = 0; c->groups && c->groups[g]; g++)
                for (size_t i = 0; i < c->groups[g]->n; i++) {
                        const struct option *row = &c->groups[g]->rows[i];
                        int r = option_defaults(row, 1, into);
                        if (r < 0)
                                return r;
                }
        return 0;
}

void arguments_free(const struct command *c, void *into)
{
        for (size_t g = 0; c->groups && c->groups[g]; g++)
                option_free(c->groups[g]->rows, c->groups[g]->n, into);
}

int arguments_end(enum arguments_result result, struct arguments *a)
{
        const char *text = buf_cstr(&a->text);
        FILE *to = result == ARGUMENTS_HELPED ? stdout : stderr;
        fputs(text ? text : "rdma-canary: out of memory\n", to);
        buf_done(&a->text);
        return result == ARGUMENTS_HELPED ? CLI_OK : CLI_USAGE;
}
