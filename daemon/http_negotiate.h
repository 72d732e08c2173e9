/* SPDX-License-Identifier: Apache-2.0 */
/* What a client says it takes: the values of Accept and Accept-Encoding (RFC 9110, 12.5). Pure. An element that
 * is not well formed counts as not there. */
#ifndef DAEMON_HTTP_NEGOTIATE_H
#define DAEMON_HTTP_NEGOTIATE_H

#include <stdbool.h>

#include "daemon/exposition_format.h"

struct http_page_type {
        enum exposition_format format;
        const char *content_type;
};

/* OpenMetrics for who asks for it by name, in a version we speak, and likes nothing else of ours better; else
 * the text format. accept: NULL: not there. */
const struct http_page_type *http_page_type(const char *accept);
/* Whether gzip is allowed and not liked less than the plain page. accept_encoding: NULL: not there. */
bool http_takes_gzip(const char *accept_encoding);

#endif
