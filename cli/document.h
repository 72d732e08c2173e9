/* SPDX-License-Identifier: Apache-2.0 */
/* JSON documents on a stream. */
#ifndef CLI_DOCUMENT_H
#define CLI_DOCUMENT_H

#include <jansson.h>
#include <stdio.h>

/* Indented, with a newline at its end. 0, -ENOMEM; errors of the stream are left to it. */
int document_print(const json_t *document, FILE *to);
/* Flushes stdout: 0, or CLI_LOCAL after saying that it could not be written. */
int document_flush(void);

#endif
