/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/arguments.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "base/text.h"

static const char *value_name(enum option_kind kind)
{
        switch (kind) {
        case OPTION_DURATION:
                return "TIME";
        case OPTION_SIZE:
                return "SIZE";
        case OPTION_U64:
                return "N";
        default:
                return "NAME";
        }
}

static void help(const struct command *c, const struct option *rows, size_t n)
{
        printf("%s\n\nusage: rdma-canary %s %s\n", c->summary, c->name, c->synopsis);
        if (n == 0)
                return;
        printf("\n");
        for (size_t i = 0; i < n; i++) {
                char left[32];
                text_message(left, sizeof(left), "--%s %s", rows[i].key, value_name(rows[i].kind));
                printf("  %-24s %s\n", left, rows[i].help);
        }
        printf("\nTIME: 500ms, 10s    SIZE: 65536, 64K, 4M\n");
}

static enum arguments_result __attribute__((format(printf, 2, 3)))
wrong(const struct command *c, const char *format, ...)
{
        va_list args;
        va_start(args, format);
        fprintf(stderr, "rdma-canary %s: ", c->name);
        (void)vfprintf(stderr, format, args); /* nowhere to say that stderr is gone */
        fprintf(stderr, "; see rdma-canary %s --help\n", c->name);
        va_end(args);
        return ARGUMENTS_WRONG;
}

static const struct option *find(const struct option *rows, size_t n, const char *key, size_t len)
{
        for (size_t i = 0; i < n; i++)
                if (strlen(rows[i].key) == len && strncmp(rows[i].key, key, len) == 0)
                        return &rows[i];
        return NULL;
}

/* argv[*i] starts with "--"; takes the next one too when the value is there. */
static enum arguments_result take_option(const struct command *c, const struct option *rows, size_t n,
        int argc, char **argv, int *i, void *into)
{
        const char *key = argv[*i] + 2;
        size_t len = strcspn(key, "=");
        const struct option *row = find(rows, n, key, len);
        char why[256];
        if (!row)
                return wrong(c, "no option --%.*s", (int)len, key);
        if (key[len] != '=' && *i + 1 >= argc)
                return wrong(c, "--%s needs a value", row->key);
        const char *value = key[len] == '=' ? key + len + 1 : argv[++*i];
        if (option_parse(row, value, strlen(value), into, why, sizeof(why)) < 0)
                return wrong(c, "--%s: %s", row->key, why);
        return ARGUMENTS_GO;
}

enum arguments_result arguments_parse(const struct command *c, const struct option *rows, size_t n, int argc,
        char **argv, void *into, const char **operands, size_t max, size_t *ret_operands)
{
        *ret_operands = 0;
        for (int i = 1; i < argc; i++) {
                enum arguments_result r = ARGUMENTS_GO;
                if (text_equal(argv[i], "--help") || text_equal(argv[i], "-h")) {
                        help(c, rows, n);
                        return ARGUMENTS_HELPED;
                }
                if (argv[i][0] == '-')
                        r = text_starts(argv[i], "--") ? take_option(c, rows, n, argc, argv, &i, into)
                                                       : wrong(c, "no option %s", argv[i]);
                else if (*ret_operands < max)
                        operands[(*ret_operands)++] = argv[i];
                else
                        r = wrong(c, "\"%s\" is one argument too many", argv[i]);
                if (r != ARGUMENTS_GO)
                        return r;
        }
        return ARGUMENTS_GO;
}
