/* SPDX-License-Identifier: Apache-2.0 */
/* rdma-canary: the operator's tool over the engine. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/scope.h"
#include "base/text.h"
#include "cli/commands.h"

static void usage(FILE *to)
{
        fprintf(to, "Measures RDMA between two hosts. The other one runs rdma-canaryd or respond.\n\n");
        fprintf(to, "usage: rdma-canary COMMAND [ARGUMENT...]\n\n");
        for (size_t i = 0; commands[i]; i++)
                fprintf(to, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
        fprintf(to, "\n  COMMAND --help says more; --version\n\n" CLI_EXIT_CODES);
}

int main(int argc, char **argv)
{
        (void)setlocale(LC_CTYPE, ""); /* for names in messages; numbers stay as they are */
        if (argc < 2) {
                usage(stderr);
                return CLI_USAGE;
        }
        if (text_equal(argv[1], "--help") || text_equal(argv[1], "-h")) {
                usage(stdout);
                return CLI_OK;
        }
        if (text_equal(argv[1], "--version")) {
                printf("rdma-canary %s\n", RDMA_CANARY_VERSION);
                return CLI_OK;
        }
        for (size_t i = 0; commands[i]; i++)
                if (text_equal(argv[1], commands[i]->name))
                        return commands[i]->run(commands[i], argc - 1, argv + 1);
        fprintf(stderr, "rdma-canary: no command \"%s\"; see rdma-canary --help\n", argv[1]);
        return CLI_USAGE;
}
