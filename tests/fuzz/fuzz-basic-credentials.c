/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the value of an Authorization header: refused and nothing touched, or credentials that encode to
 * the very digits that were sent. */
#include <string.h>

#include "base/text.h"
#include "daemon/basic_credentials.h"
#include "tests/fuzz/fuzz.h"

static void encode(const char *s, size_t len, struct buf *out)
{
        static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

        for (size_t at = 0; at < len; at += 3) {
                size_t left = len - at;
                unsigned char a = (unsigned char)s[at], b = left > 1 ? (unsigned char)s[at + 1] : 0,
                              c = left > 2 ? (unsigned char)s[at + 2] : 0;

                buf_char(out, digits[a >> 2]);
                buf_char(out, digits[(a & 3) << 4 | b >> 4]);
                buf_char(out, left > 1 ? digits[(b & 15) << 2 | c >> 6] : '=');
                buf_char(out, left > 2 ? digits[c & 63] : '=');
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct basic_credentials c, untouched;
        struct buf pair = { 0 }, digits = { 0 };

        memset(&c, 0x55, sizeof(c));
        untouched = c;
        if (basic_credentials_parse((const char *)data, size, &c) < 0) {
                require(memcmp(&c, &untouched, sizeof(c)) == 0);
                return 0;
        }
        require(memchr(c.user, '\0', sizeof(c.user)) && memchr(c.password, '\0', sizeof(c.password)));
        require(!strchr(c.user, ':'));
        buf_format(&pair, "%s:%s", c.user, c.password);
        encode(pair.data, pair.len, &digits);
        require(digits.len <= size && memcmp(data + size - digits.len, digits.data, digits.len) == 0);
        buf_done(&pair);
        buf_done(&digits);
        return 0;
}
