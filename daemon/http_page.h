/* SPDX-License-Identifier: Apache-2.0 */
/* The status page. Pure. */
#ifndef DAEMON_HTTP_PAGE_H
#define DAEMON_HTTP_PAGE_H

#include "base/text.h"

/* Text made safe for elements and quoted attributes. */
void http_page_text(struct buf *out, const char *text);
/* Everything before and after the daemon's own part. */
void http_page_begin(struct buf *out, const char *telemetry_path);
void http_page_end(struct buf *out);

#endif
