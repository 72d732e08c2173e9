/* SPDX-License-Identifier: Apache-2.0 */
#include "base/labels.h"

#include <errno.h>

/* Length of the well-formed UTF-8 character at s (Unicode, table 3-7), 0 when there is none. */
static size_t utf8_length(const unsigned char *s)
{
        unsigned char low = 0x80, high = 0xbf;
        size_t len;

        if (s[0] < 0x80)
                return s[0] != 0;
        if (s[0] < 0xc2 || s[0] > 0xf4)
                return 0;
        len = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
        if (s[0] == 0xe0)
                low = 0xa0;
        else if (s[0] == 0xed)
                high = 0x9f;
        else if (s[0] == 0xf0)
                low = 0x90;
        else if (s[0] == 0xf4)
                high = 0x8f;
        for (size_t i = 1; i < len; i++) {
                if (s[i] < low || s[i] > high)
                        return 0;
                low = 0x80;
                high = 0xbf;
        }
        return len;
}

/* Prometheus refuses a whole page for one byte that is not UTF-8, and names come from the kernel and from
 * peers: such bytes become U+FFFD. */
static void add_escaped(struct buf *out, const char *value)
{
        const unsigned char *s = (const unsigned char *)value;

        while (*s) {
                size_t len = utf8_length(s);

                if (len == 0)
                        buf_text(out, "\xef\xbf\xbd");
                else if (*s == '\n')
                        buf_text(out, "\\n");
                else if (*s == '\\' || *s == '"')
                        buf_bytes(out, (const char[]){ '\\', (char)*s }, 2);
                else
                        buf_bytes(out, s, len);
                s += len ? len : 1;
        }
}

int labels_render(struct buf *out, const struct metric_family *f, const char *const *values)
{
        buf_clear(out);
        for (size_t i = 0; f->labels[i]; i++) {
                if (!values || !values[i])
                        return -EINVAL;
                if (i > 0)
                        buf_char(out, ',');
                buf_text(out, f->labels[i]);
                buf_text(out, "=\"");
                add_escaped(out, values[i]);
                buf_char(out, '"');
        }
        return out->error;
}
