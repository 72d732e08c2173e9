/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/document.h"
#include "base/scope.h"

#include <errno.h>
#include <string.h>

#include "cli/command.h"

/* Digits that every double keeps; 17 would show how it is stored. */
#define PRECISION 15

int document_print(const json_t *document, FILE *to)
{
        cleanup(freep) char *text = json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(PRECISION));
        if (!text)
                return -ENOMEM;
        fprintf(to, "%s\n", text);
        return 0;
}

int document_flush(void)
{
        if (fflush(stdout) == 0 && !ferror(stdout))
                return CLI_OK;
        fprintf(stderr, "rdma-canary: cannot write the result: %s\n", strerror(errno));
        return CLI_LOCAL;
}
