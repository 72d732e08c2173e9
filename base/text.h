/* SPDX-License-Identifier: Apache-2.0 */
/* Fixed-size strings whose truncation is an error, and a growing byte buffer. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies src into dst[size]. -ENAMETOOLONG (dst holds what fits, terminated) when it does not fit. */
int text_copy(char *dst, size_t size, const char *src);
/* snprintf with the same rule. */
int text_format(char *dst, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* For messages meant for people: a cut-off text is better than none, so truncation is no error. */
void text_message(char *dst, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

bool text_equal(const char *a, const char *b); /* NULL equals NULL only */
bool text_starts(const char *s, const char *prefix);
/* 64-bit FNV-1a; stable over versions and hosts (schedule offsets depend on it). Chain by passing a
 * previous result as seed; start with TEXT_HASH_SEED. */
#define TEXT_HASH_SEED UINT64_C(0xcbf29ce484222325)
uint64_t text_hash(const char *s, uint64_t seed);

/* A growing byte buffer. Errors are sticky: after -ENOMEM further additions do nothing and `error`
 * stays, so callers check once at the end. data is always NUL-terminated when len > 0 or after
 * buf_cstr(). Not thread-safe. */
struct buf {
        char *data;
        size_t len, cap;
        int error; /* 0 or -ENOMEM */
};

void buf_init(struct buf *b);
void buf_done(struct buf *b);  /* frees; b may be used again as after buf_init() */
void buf_clear(struct buf *b); /* len = 0 and error = 0, memory kept */
/* Room for len more bytes, to be written to and then taken in by buf_take(): where they begin; NULL after an
 * error. */
char *buf_room(struct buf *b, size_t len);
void buf_take(struct buf *b, const char *end);
void buf_bytes(struct buf *b, const void *data, size_t len);
void buf_text(struct buf *b, const char *s);
void buf_char(struct buf *b, char c);
void buf_format(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* As base/number.h has them. */
void buf_u64(struct buf *b, uint64_t value);
void buf_double(struct buf *b, double value);
const char *buf_cstr(struct buf *b); /* "" for an empty buffer; NULL after an error */

#endif
