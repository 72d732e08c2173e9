/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines by option rows: --key VALUE or --key=VALUE, in any order with the operands. A row of kind
 * OPTION_BOOL is a flag without a value; one of kind OPTION_TEXTS may come again, and takes several values
 * with commas between them. */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include "cli/command.h"

enum arguments_result {
        ARGUMENTS_GO,
        ARGUMENTS_HELPED, /* --help was asked for */
        ARGUMENTS_WRONG,
};

struct arguments {
        const char **operands;  /* room for max of them, which point into argv */
        size_t max, n_operands; /* n_operands: how many came */
        struct buf text;        /* the help, or what is wrong; for arguments_end() */
};

/* Sets the fields of `into` (zeroed by the caller) to the rows' fallbacks. 0, -ENOMEM. */
int arguments_defaults(const struct command *c, void *into);
/* Fills `into`, released by the caller with arguments_free() in any case. */
enum arguments_result arguments_parse(
        const struct command *c, int argc, char **argv, void *into, struct arguments *a);
/* Sets the text to what is wrong, with where to read more. ARGUMENTS_WRONG. */
enum arguments_result arguments_wrong(const struct command *c, struct arguments *a, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
void arguments_free(const struct command *c, void *into);
/* Says what there is to say where it belongs, releases the text, and returns the exit code. */
int arguments_end(enum arguments_result result, struct arguments *a);

/* All of the command's help. */
void arguments_help(const struct command *c, struct buf *out);

#endif
