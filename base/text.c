/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

int text_copy(char *dst, size_t size, const char *src)
{
        size_t len = strlen(src), fits;

        assert(size > 0);
        fits = len < size ? len : size - 1;
        memcpy(dst, src, fits);
        dst[fits] = '\0';
        return fits == len ? 0 : -ENAMETOOLONG;
}

/* The length the whole text has; negative when the C library has no memory for a conversion. */
__attribute__((format(printf, 3, 0))) static int format_into(
        char *dst, size_t size, const char *format, va_list args)
{
        int len;

        assert(size > 0);
        len = vsnprintf(dst, size, format, args);
        if (len < 0)
                dst[0] = '\0';
        return len;
}

int text_format(char *dst, size_t size, const char *format, ...)
{
        va_list args;
        int len;

        va_start(args, format);
        len = format_into(dst, size, format, args);
        va_end(args);
        if (len < 0)
                return -ENOMEM;
        return (size_t)len < size ? 0 : -ENAMETOOLONG;
}

void text_message(char *dst, size_t size, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        (void)format_into(dst, size, format, args);
        va_end(args);
}

bool text_equal(const char *a, const char *b)
{
        if (!a || !b)
                return a == b;
        return strcmp(a, b) == 0;
}

bool text_starts(const char *s, const char *prefix)
{
        return strncmp(s, prefix, strlen(prefix)) == 0;
}

uint64_t text_hash(const char *s, uint64_t seed)
{
        uint64_t hash = seed;

        for (; *s; s++) {
                hash ^= (unsigned char)*s;
                hash *= UINT64_C(0x100000001b3);
        }
        return hash;
}

void buf_init(struct buf *b)
{
        *b = (struct buf){ 0 };
}

void buf_done(struct buf *b)
{
        free(b->data);
        buf_init(b);
}

void buf_clear(struct buf *b)
{
        b->len = 0;
        b->error = 0;
        if (b->data)
                b->data[0] = '\0';
}

/* Room for `more` bytes and the terminator. */
static bool buf_reserve(struct buf *b, size_t more)
{
        size_t cap = b->cap ? b->cap : 128;
        char *data;

        if (b->error)
                return false;
        if (b->data && more < b->cap - b->len)
                return true;
        if (more >= SIZE_MAX / 2 - b->len) {
                b->error = -ENOMEM;
                return false;
        }
        while (cap - b->len <= more)
                cap *= 2;
        data = realloc(b->data, cap);
        if (!data) {
                b->error = -ENOMEM;
                return false;
        }
        b->data = data;
        b->cap = cap;
        b->data[b->len] = '\0';
        return true;
}

char *buf_room(struct buf *b, size_t len)
{
        return buf_reserve(b, len) ? b->data + b->len : NULL;
}

void buf_take(struct buf *b, const char *end)
{
        b->len = (size_t)(end - b->data);
        assert(b->len < b->cap);
        b->data[b->len] = '\0';
}

void buf_bytes(struct buf *b, const void *data, size_t len)
{
        if (len == 0 || !buf_reserve(b, len))
                return;
        memcpy(b->data + b->len, data, len);
        b->len += len;
        b->data[b->len] = '\0';
}

void buf_text(struct buf *b, const char *s)
{
        buf_bytes(b, s, strlen(s));
}

void buf_char(struct buf *b, char c)
{
        buf_bytes(b, &c, 1);
}

void buf_format(struct buf *b, const char *format, ...)
{
        va_list args, again;
        int len;

        va_start(args, format);
        va_copy(again, args);
        len = vsnprintf(NULL, 0, format, args);
        if (len < 0) {
                b->error = -ENOMEM;
        } else if (buf_reserve(b, (size_t)len)) {
                (void)vsnprintf(b->data + b->len, (size_t)len + 1, format, again);
                b->len += (size_t)len;
        }
        va_end(again);
        va_end(args);
}

void buf_u64(struct buf *b, uint64_t value)
{
        char *at = buf_room(b, NUMBER_MAX);

        if (at)
                buf_take(b, number_u64(at, value));
}

void buf_double(struct buf *b, double value)
{
        char *at = buf_room(b, NUMBER_MAX);

        if (at)
                buf_take(b, number_double(at, value));
}

const char *buf_cstr(struct buf *b)
{
        if (b->error)
                return NULL;
        if (!b->data && buf_reserve(b, 0))
                b->data[0] = '\0';
        return b->error ? NULL : b->data;
}
