/* SPDX-License-Identifier: Apache-2.0 */
/* Whole texts → gzip. Keeps zlib's memory (a quarter of a MiB) from its first use on. One thread at a time. */
#ifndef DAEMON_GZIP_H
#define DAEMON_GZIP_H

#include "base/text.h"

struct gzip;

int gzip_new(struct gzip **ret);
void gzip_free(struct gzip *z); /* NULL is fine */
/* Appends. 0, -ENOMEM. */
int gzip_compress(struct gzip *z, const struct buf *text, struct buf *out);

#endif
