/* SPDX-License-Identifier: Apache-2.0 */
/* A command of rdma-canary: one file each, one const descriptor each. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

/* Exit codes, for scripts. */
enum exit_code {
        CLI_OK = 0,
        CLI_USAGE = 2,
        CLI_PEER = 3,  /* the peer or the path to it */
        CLI_LOCAL = 4, /* this host or its device */
};

struct command {
        const char *name;
        const char *synopsis; /* what follows the name: "HOST [OPTION…]" */
        const char *summary;  /* one line */
        int (*run)(const struct command *self, int argc, char **argv); /* argv[0] is the name; an exit code */
};

extern const struct command command_bw, command_devices, command_lat;

#endif
