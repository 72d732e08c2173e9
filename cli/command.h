/* SPDX-License-Identifier: Apache-2.0 */
/* A command of rdma-canary: one file each, one const descriptor each. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "base/option.h"

/* Exit codes, for scripts. */
enum exit_code {
        CLI_OK = 0,
        CLI_MISSED = 1, /* measured, but not within the limits */
        CLI_USAGE = 2,
        CLI_PEER = 3,  /* the peer or the path to it */
        CLI_LOCAL = 4, /* this host or its device */
};

#define CLI_EXIT_CODES                                                                                       \
        "exit code: 0 well, 1 a limit missed, 2 wrong usage, 3 the peer or the path,\n"                      \
        "           4 this host\n"

/* Options that the help shows together. All groups of a command fill one struct. */
struct option_group {
        const char *title; /* "the traffic" */
        const struct option *rows;
        size_t n;
};

struct command {
        const char *name;
        const char *synopsis;                     /* what follows the name: "HOST [OPTION…]" */
        const char *summary;                      /* one line */
        const struct option_group *const *groups; /* NULL-terminated; NULL: no options */
        int (*run)(const struct command *self, int argc, char **argv); /* argv[0] is the name; an exit code */
};

#endif
