/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/gzip.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

/* Pages repeat themselves: level 1 makes them a tenth in a third of level 6's time. */
#define LEVEL  1
#define WINDOW (15 + 16) /* 32 KiB, and a gzip head */
#define MEMORY 8         /* zlib's default */

struct gzip {
        z_stream stream;
        bool ready;
};

int gzip_new(struct gzip **ret)
{
        *ret = calloc(1, sizeof(**ret));
        return *ret ? 0 : -ENOMEM;
}

void gzip_free(struct gzip *z)
{
        if (z && z->ready)
                (void)deflateEnd(&z->stream); /* complains of a text that was not ended only */
        free(z);
}

static int begin(struct gzip *z)
{
        if (z->ready)
                return deflateReset(&z->stream) == Z_OK ? 0 : -EINVAL;
        if (deflateInit2(&z->stream, LEVEL, Z_DEFLATED, WINDOW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
                return -ENOMEM;
        z->ready = true;
        return 0;
}

/* In one step: there is room for the worst case. */
int gzip_compress(struct gzip *z, const struct buf *text, struct buf *out)
{
        int r = begin(z);
        uLong bound;
        char *at;

        if (r < 0)
                return r;
        bound = deflateBound(&z->stream, text->len);
        if (bound > UINT_MAX || !(at = buf_room(out, bound)))
                return -ENOMEM;
        z->stream.next_in = (Bytef *)text->data;
        z->stream.avail_in = (uInt)text->len;
        z->stream.next_out = (Bytef *)at;
        z->stream.avail_out = (uInt)bound;
        if (deflate(&z->stream, Z_FINISH) != Z_STREAM_END)
                return -EINVAL;
        buf_take(out, (const char *)z->stream.next_out);
        return 0;
}
