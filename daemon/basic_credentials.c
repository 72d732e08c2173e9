/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/basic_credentials.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#define SCHEME      "Basic "
#define DECODED_MAX (BASIC_USER_MAX + 1 + BASIC_PASSWORD_MAX)

/* -1: none of base64's 64. */
static int digit_value(char c)
{
        static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        const char *at = c ? strchr(digits, c) : NULL;

        return at ? (int)(at - digits) : -1;
}

/* Four digits, of which the last `padding` are "=", into 3 − padding bytes. The bits left over must be 0. */
static int decode_group(const char *s, unsigned padding, char *out)
{
        uint32_t bits = 0;

        for (unsigned i = 0; i < 4; i++) {
                int value = i < 4 - padding ? digit_value(s[i]) : 0;

                if (value < 0)
                        return -EINVAL;
                bits = bits << 6 | (uint32_t)value;
        }
        if (bits & ((UINT32_C(1) << 8 * padding) - 1))
                return -EINVAL;
        for (unsigned i = 0; i < 3 - padding; i++)
                out[i] = (char)(bits >> (16 - 8 * i) & 0xff);
        return 0;
}

/* Base64 with its padding (RFC 4648, section 4). */
static int decode(const char *s, size_t len, char out[DECODED_MAX + 3], size_t *ret_len)
{
        size_t padding = 0, n = 0;

        if (len == 0 || len % 4 != 0)
                return -EINVAL;
        if (len / 4 * 3 > DECODED_MAX + 2)
                return -ERANGE;
        while (padding < 2 && s[len - 1 - padding] == '=')
                padding++;
        for (size_t at = 0; at < len; at += 4, n += 3) {
                int r = decode_group(s + at, at + 4 == len ? (unsigned)padding : 0, out + n);

                if (r < 0)
                        return r;
        }
        *ret_len = n - padding;
        return 0;
}

static int split(const char *pair, size_t len, struct basic_credentials *ret)
{
        const char *colon = memchr(pair, ':', len), *password = colon ? colon + 1 : NULL;
        size_t user_len, password_len;

        if (!colon || memchr(pair, '\0', len))
                return -EINVAL;
        user_len = (size_t)(colon - pair);
        password_len = len - user_len - 1;
        if (user_len > BASIC_USER_MAX || password_len > BASIC_PASSWORD_MAX)
                return -ERANGE;
        *ret = (struct basic_credentials){ 0 };
        memcpy(ret->user, pair, user_len);
        memcpy(ret->password, password, password_len);
        return 0;
}

int basic_credentials_parse(const char *s, size_t len, struct basic_credentials *ret)
{
        size_t skip = strlen(SCHEME), n = 0;
        char pair[DECODED_MAX + 3];
        int r;

        if (len < skip || strncasecmp(s, SCHEME, skip) != 0)
                return -EINVAL;
        while (skip < len && s[skip] == ' ')
                skip++;
        r = decode(s + skip, len - skip, pair, &n);
        if (r == 0)
                r = split(pair, n, ret);
        explicit_bzero(pair, sizeof(pair));
        return r;
}
