/* SPDX-License-Identifier: Apache-2.0 */
#include "base/parse.h"

#include <arpa/inet.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/scope.h"

__extension__ typedef unsigned __int128 u128;

/* What is left to read. Every take_ function advances it over what it took. */
struct input {
        const char *at, *end;
};

static struct input input_of(const char *s, size_t len)
{
        return (struct input){ .at = s, .end = len ? s + len : s };
}

static bool is_digit(char c)
{
        return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool at_end(const struct input *in)
{
        return in->at == in->end;
}

static bool take_char(struct input *in, char c)
{
        if (at_end(in) || *in->at != c)
                return false;
        in->at++;
        return true;
}

static size_t take_digits(struct input *in)
{
        const char *from = in->at;

        while (!at_end(in) && is_digit(*in->at))
                in->at++;
        return (size_t)(in->at - from);
}

/* One or more decimal digits, leading zeros included. Takes all digits even when they do not fit, so that
 * the caller can still tell a malformed text from a large one. */
static int take_number(struct input *in, uint64_t *ret)
{
        const char *from = in->at;
        uint64_t value = 0;

        if (take_digits(in) == 0)
                return -EINVAL;
        for (const char *p = from; p < in->at; p++) {
                if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
                        __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
                        return -ERANGE;
        }
        *ret = value;
        return 0;
}

static bool has_leading_zero(const struct input *in)
{
        return in->end - in->at > 1 && in->at[0] == '0' && is_digit(in->at[1]);
}

struct unit {
        const char *name;
        uint64_t factor;
};

/* The whole of the text is the name of a unit. */
static const struct unit *find_unit(const struct unit *units, size_t n, const char *s, size_t len)
{
        for (size_t i = 0; i < n; i++) {
                if (strlen(units[i].name) == len && memcmp(units[i].name, s, len) == 0)
                        return &units[i];
        }
        return NULL;
}

int parse_u64(const char *s, size_t len, uint64_t *ret)
{
        struct input in = input_of(s, len);
        uint64_t value = 0;
        int r;

        if (has_leading_zero(&in))
                return -EINVAL;
        r = take_number(&in, &value);
        if (!at_end(&in))
                return -EINVAL;
        if (r < 0)
                return r;
        *ret = value;
        return 0;
}

int parse_i64(const char *s, size_t len, int64_t *ret)
{
        struct input in = input_of(s, len);
        bool negative = take_char(&in, '-');
        uint64_t magnitude, limit = (uint64_t)INT64_MAX + negative;
        int r = parse_u64(in.at, (size_t)(in.end - in.at), &magnitude);

        if (r < 0)
                return r;
        if (magnitude > limit)
                return -ERANGE;
        if (!negative)
                *ret = (int64_t)magnitude;
        else
                *ret = magnitude == limit ? INT64_MIN : -(int64_t)magnitude;
        return 0;
}

/* digits [. digits] [e [sign] digits], and whether any digit of the mantissa is not 0. */
static bool is_decimal(struct input in, bool *ret_nonzero)
{
        const char *from;

        (void)take_char(&in, '-');
        if (has_leading_zero(&in))
                return false;
        from = in.at;
        if (take_digits(&in) == 0)
                return false;
        if (take_char(&in, '.') && take_digits(&in) == 0)
                return false;
        *ret_nonzero = false;
        for (; from < in.at; from++)
                *ret_nonzero |= *from >= '1' && *from <= '9';
        if (take_char(&in, 'e') || take_char(&in, 'E')) {
                if (!take_char(&in, '-'))
                        (void)take_char(&in, '+');
                if (take_digits(&in) == 0)
                        return false;
        }
        return at_end(&in);
}

int parse_double(const char *s, size_t len, double *ret)
{
        char text[128]; /* strtod wants a terminator; every double has a text far shorter than this */
        bool nonzero;
        double value;

        if (len == 0 || len >= sizeof(text) || !is_decimal(input_of(s, len), &nonzero))
                return -EINVAL;
        memcpy(text, s, len);
        text[len] = '\0';
        /* glibc's "C" locale object is static: nothing is allocated, nothing to free. */
        value = strtod_l(text, NULL, newlocale(LC_ALL_MASK, "C", NULL));
        if (!isfinite(value) || (value == 0 && nonzero))
                return -ERANGE;
        *ret = value;
        return 0;
}

int parse_bool(const char *s, size_t len, bool *ret)
{
        if (len == 4 && memcmp(s, "true", 4) == 0)
                *ret = true;
        else if (len == 5 && memcmp(s, "false", 5) == 0)
                *ret = false;
        else
                return -EINVAL;
        return 0;
}

static const struct unit duration_units[] = {
        { "y", 365 * 24 * 3600 * NS_PER_SEC },
        { "w", 7 * 24 * 3600 * NS_PER_SEC },
        { "d", 24 * 3600 * NS_PER_SEC },
        { "h", 3600 * NS_PER_SEC },
        { "m", 60 * NS_PER_SEC },
        { "s", NS_PER_SEC },
        { "ms", NS_PER_MS },
        { "us", NS_PER_US },
        { "ns", 1 },
};

/* One number with a unit smaller than *next, which moves on. */
static int take_duration_part(struct input *in, const struct unit **next, uint64_t *total)
{
        const struct unit *end = duration_units + ARRAY_SIZE(duration_units), *unit;
        uint64_t count = 0, part;
        const char *name;
        int r = take_number(in, &count);

        if (r == -EINVAL)
                return r;
        name = in->at;
        while (!at_end(in) && is_letter(*in->at))
                in->at++;
        unit = find_unit(*next, (size_t)(end - *next), name, (size_t)(in->at - name));
        if (!unit)
                return -EINVAL;
        *next = unit + 1;
        if (r < 0 || __builtin_mul_overflow(count, unit->factor, &part) ||
                __builtin_add_overflow(*total, part, total))
                return -ERANGE;
        return 0;
}

int parse_duration(const char *s, size_t len, uint64_t *ret_ns)
{
        const struct unit *next = duration_units;
        struct input in = input_of(s, len);
        uint64_t total = 0;
        int r, result = 0;

        if (len == 1 && s[0] == '0') {
                *ret_ns = 0;
                return 0;
        }
        do {
                r = take_duration_part(&in, &next, &total);
                if (r == -EINVAL)
                        return r;
                if (r < 0)
                        result = r;
        } while (!at_end(&in));
        if (result < 0)
                return result;
        *ret_ns = total;
        return 0;
}

/* The n-th power of 1024. */
#define KIB(n) (UINT64_C(1) << (10 * (n)))

/* "KB" and "k" are left out: half of their users mean 1000 and the other half 1024. */
static const struct unit size_units[] = {
        { "", 1 },
        { "B", 1 },
        { "K", KIB(1) },
        { "M", KIB(2) },
        { "G", KIB(3) },
        { "T", KIB(4) },
        { "P", KIB(5) },
        { "E", KIB(6) },
        { "KiB", KIB(1) },
        { "MiB", KIB(2) },
        { "GiB", KIB(3) },
        { "TiB", KIB(4) },
        { "PiB", KIB(5) },
        { "EiB", KIB(6) },
        { "kB", UINT64_C(1000) },
        { "MB", UINT64_C(1000000) },
        { "GB", UINT64_C(1000000000) },
        { "TB", UINT64_C(1000000000000) },
        { "PB", UINT64_C(1000000000000000) },
        { "EB", UINT64_C(1000000000000000000) },
};

int parse_size(const char *s, size_t len, uint64_t *ret_bytes)
{
        struct input in = input_of(s, len);
        const struct unit *unit;
        uint64_t count = 0, bytes;
        int r;

        if (has_leading_zero(&in))
                return -EINVAL;
        r = take_number(&in, &count);
        if (r == -EINVAL)
                return r;
        unit = find_unit(size_units, ARRAY_SIZE(size_units), in.at, (size_t)(in.end - in.at));
        if (!unit)
                return -EINVAL;
        if (r < 0 || __builtin_mul_overflow(count, unit->factor, &bytes))
                return -ERANGE;
        *ret_bytes = bytes;
        return 0;
}

/* In bits per second. */
static const struct unit rate_units[] = {
        { "bit/s", 1 },
        { "kbit/s", UINT64_C(1000) },
        { "Mbit/s", UINT64_C(1000000) },
        { "Gbit/s", UINT64_C(1000000000) },
        { "Tbit/s", UINT64_C(1000000000000) },
        { "B/s", 8 },
        { "kB/s", 8 * UINT64_C(1000) },
        { "MB/s", 8 * UINT64_C(1000000) },
        { "GB/s", 8 * UINT64_C(1000000000) },
        { "TB/s", 8 * UINT64_C(1000000000000) },
        { "KiB/s", 8 * KIB(1) },
        { "MiB/s", 8 * KIB(2) },
        { "GiB/s", 8 * KIB(3) },
        { "TiB/s", 8 * KIB(4) },
};

#define RATE_DECIMALS 9

/* digits [. 1 to 9 digits], in units of 10^-9. */
static int take_decimal(struct input *in, u128 *ret_billionths)
{
        uint64_t whole = 0, fraction = 0, scale = UINT64_C(1000000000);
        int r;

        if (has_leading_zero(in))
                return -EINVAL;
        r = take_number(in, &whole);
        if (r == -EINVAL)
                return r;
        if (take_char(in, '.')) {
                struct input digits = *in;
                size_t n = take_digits(in);

                if (n == 0 || n > RATE_DECIMALS)
                        return -EINVAL;
                (void)take_number(&digits, &fraction); /* at most nine digits fit */
                for (; n < RATE_DECIMALS; n++)
                        fraction *= 10;
        }
        *ret_billionths = (u128)whole * scale + fraction;
        return r;
}

int parse_rate(const char *s, size_t len, uint64_t *ret_bytes_per_second)
{
        const u128 per_byte = (u128)8 * 1000000000;
        struct input in = input_of(s, len);
        const struct unit *unit;
        u128 number = 0, bytes;
        int r = take_decimal(&in, &number);

        if (r == -EINVAL)
                return r;
        unit = find_unit(rate_units, ARRAY_SIZE(rate_units), in.at, (size_t)(in.end - in.at));
        if (!unit)
                return -EINVAL;
        if (r < 0 || __builtin_mul_overflow(number, (u128)unit->factor, &bytes))
                return -ERANGE;
        bytes /= per_byte;
        if (bytes > UINT64_MAX || (bytes == 0 && number > 0))
                return -ERANGE;
        *ret_bytes_per_second = (uint64_t)bytes;
        return 0;
}

static bool is_host_name(const char *s, size_t len)
{
        for (size_t i = 0; i < len; i++) {
                if (!is_letter(s[i]) && !is_digit(s[i]) && !memchr("-._", s[i], 3))
                        return false;
        }
        return true;
}

/* An IPv6 address, with a zone ("fe80::1%eth0") or without. */
static bool is_v6_address(const char *s, size_t len)
{
        const char *zone = memchr(s, '%', len);
        size_t address_len = zone ? (size_t)(zone - s) : len;
        char address[INET6_ADDRSTRLEN];
        struct in6_addr parsed;

        if (address_len >= sizeof(address) || memchr(s, '\0', len))
                return false;
        if (zone && (address_len + 1 == len || !is_host_name(zone + 1, len - address_len - 1)))
                return false;
        memcpy(address, s, address_len);
        address[address_len] = '\0';
        return inet_pton(AF_INET6, address, &parsed) == 1;
}

int parse_host_port(const char *s, size_t len, char *host, size_t host_size, uint16_t *ret_port)
{
        const char *colon = len ? memrchr(s, ':', len) : NULL, *name = s;
        size_t name_len;
        uint64_t port;
        int r;

        if (!colon)
                return -EINVAL;
        name_len = (size_t)(colon - s);
        if (name_len >= 2 && s[0] == '[' && colon[-1] == ']') {
                name++;
                name_len -= 2;
                if (!is_v6_address(name, name_len))
                        return -EINVAL;
        } else if (!is_host_name(name, name_len)) {
                return -EINVAL;
        }
        r = parse_u64(colon + 1, len - (size_t)(colon + 1 - s), &port);
        if (r < 0)
                return r;
        if (port < 1 || port > UINT16_MAX || name_len >= host_size)
                return -ERANGE;
        memcpy(host, name, name_len);
        host[name_len] = '\0';
        *ret_port = (uint16_t)port;
        return 0;
}

static bool is_blank(char c)
{
        return c == ' ' || c == '\t';
}

/* What nearly all counters are: at most 19 digits, which always fit, and a newline. Thousands of them a
 * scrape, so worth a path of their own. */
static bool parse_plain(const char *s, size_t len, uint64_t *ret)
{
        uint64_t value = 0;

        if (len < 2 || len > 20 || s[len - 1] != '\n')
                return false;
        for (size_t i = 0; i < len - 1; i++) {
                unsigned digit = (unsigned)s[i] - '0';

                if (digit > 9)
                        return false;
                value = 10 * value + digit;
        }
        *ret = value;
        return true;
}

int parse_sysfs_u64(const char *s, size_t len, uint64_t *ret)
{
        struct input in = input_of(s, len);
        uint64_t value = 0;
        int r;

        if (parse_plain(s, len, ret))
                return 0;
        if (!at_end(&in) && in.end[-1] == '\n')
                in.end--;
        while (!at_end(&in) && is_blank(in.end[-1]))
                in.end--;
        while (!at_end(&in) && is_blank(*in.at))
                in.at++;
        if (in.end - in.at >= 3 && !is_digit(*in.at) && strncasecmp(in.at, "N/A", 3) == 0)
                return -ENODATA;
        r = take_number(&in, &value);
        if (!at_end(&in))
                return -EINVAL;
        if (r < 0)
                return r;
        *ret = value;
        return 0;
}
