/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as the value of Accept and Accept-Encoding: an answer of the table, OpenMetrics only for who names it,
 * gzip only for who names it or anything; and what a client refuses at the end of its list, it does not get. */
#include <ctype.h>
#include <string.h>

#include "base/scope.h"
#include "base/text.h"
#include "daemon/http_negotiate.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        cleanup(freep) char *text = malloc(size + 1);
        cleanup(buf_done) struct buf refused = { 0 };
        const struct http_page_type *type;

        require(text);
        memcpy(text, data, size);
        text[size] = '\0';
        type = http_page_type(text);
        require(type->format < N_EXPOSITION_FORMATS && strstr(type->content_type, "version="));
        if (type->format == EXPOSITION_OPENMETRICS)
                require(strcasestr(text, "application/openmetrics-text"));
        if (http_takes_gzip(text))
                require(strcasestr(text, "gzip") || strchr(text, '*'));
        /* Behind an open quote nothing is a list any more. */
        if (strchr(text, '"'))
                return 0;
        buf_format(&refused, "%s,gzip;q=0", text);
        require(!http_takes_gzip(buf_cstr(&refused)));
        return 0;
}
