/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines by option rows: --key VALUE or --key=VALUE, in any order with the operands. */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include "base/option.h"
#include "cli/command.h"

enum arguments_result {
        ARGUMENTS_GO,
        ARGUMENTS_HELPED, /* --help was asked for and given: exit 0 */
        ARGUMENTS_WRONG,  /* said so on stderr: exit CLI_USAGE */
};

/* Fills `into` (released by the caller with option_free(), in any case) and up to max operands. */
enum arguments_result arguments_parse(const struct command *c, const struct option *rows, size_t n, int argc,
        char **argv, void *into, const char **operands, size_t max, size_t *ret_operands);

#endif
