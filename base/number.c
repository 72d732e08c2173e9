/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"

#include <assert.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

static const uint64_t powers[] = {
        UINT64_C(1),
        UINT64_C(10),
        UINT64_C(100),
        UINT64_C(1000),
        UINT64_C(10000),
        UINT64_C(100000),
        UINT64_C(1000000),
        UINT64_C(10000000),
        UINT64_C(100000000),
        UINT64_C(1000000000),
        UINT64_C(10000000000),
        UINT64_C(100000000000),
        UINT64_C(1000000000000),
        UINT64_C(10000000000000),
        UINT64_C(100000000000000),
        UINT64_C(1000000000000000),
        UINT64_C(10000000000000000),
        UINT64_C(100000000000000000),
        UINT64_C(1000000000000000000),
        UINT64_C(10000000000000000000),
};

static const char pairs[] = "0001020304050607080910111213141516171819"
                            "2021222324252627282930313233343536373839"
                            "4041424344454647484950515253545556575859"
                            "6061626364656667686970717273747576777879"
                            "8081828384858687888990919293949596979899";

static unsigned count_digits(uint64_t value)
{
        unsigned bits = 64 - (unsigned)__builtin_clzll(value | 1);
        unsigned guess = bits * 1233 >> 12; /* bits * log10(2), at most one too few */

        return guess + (guess < ARRAY_SIZE(powers) && value >= powers[guess]) + (value == 0);
}

/* Exactly `n` digits, with zeros in front. */
static char *digits(char *at, uint64_t value, unsigned n)
{
        char *end = at + n, *to = end;

        while (n >= 2) {
                to -= 2;
                memcpy(to, &pairs[value % 100 * 2], 2);
                value /= 100;
                n -= 2;
        }
        if (n > 0)
                *at = (char)('0' + value % 10);
        return end;
}

char *number_u64(char *at, uint64_t value)
{
        return digits(at, value, count_digits(value));
}

/* value / 10^decimals as "%.15g" writes it; the last digit is not 0, and there is a fraction. */
static char *fixed(char *at, uint64_t value, unsigned decimals)
{
        unsigned n = count_digits(value), before = n > decimals ? n - decimals : 0;

        assert(n > 0 && n <= ARRAY_SIZE(powers) && decimals < ARRAY_SIZE(powers));
        if (n + 4 < decimals + 1) { /* below 0.0001 */
                at = digits(at, value / powers[n - 1], 1);
                if (n > 1) {
                        *at++ = '.';
                        at = digits(at, value % powers[n - 1], n - 1);
                }
                *at++ = 'e';
                *at++ = '-';
                return digits(at, decimals + 1 - n, 2);
        }
        at = before > 0 ? digits(at, value / powers[decimals], before) : digits(at, 0, 1);
        *at++ = '.';
        return digits(at, value % powers[decimals], decimals);
}

/* Most of what is not whole has been divided by a power of ten: nanoseconds, milliwatts, percent. A number of
 * up to 15 digits over an exact power of ten that gives the value by one (correctly rounded) division is its
 * shortest text. NULL: not such a value. */
static char *short_decimal(char *at, double value)
{
        static const unsigned rows[] = { 9, 6, 3 };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                unsigned decimals = rows[i];
                double scale = (double)powers[decimals], scaled = value * scale;
                uint64_t whole;

                if (scaled >= 1e15)
                        continue;
                whole = (uint64_t)(scaled + 0.5);
                if ((double)whole / scale != value)
                        return NULL;
                for (; decimals > 3 && whole % 1000 == 0; decimals -= 3)
                        whole /= 1000;
                for (; decimals > 1 && whole % 10 == 0; decimals--)
                        whole /= 10;
                return fixed(at, whole, decimals);
        }
        return NULL;
}

/* Fifteen digits give the shortest text of every normal number that has one so short, and seventeen always
 * read back. The decimal point must not follow the user's locale; glibc's "C" locale object is static. */
static char *any_fraction(char *at, double value)
{
        locale_t callers = uselocale(newlocale(LC_ALL_MASK, "C", NULL));
        int len = 0;

        for (int precision = 15; precision <= 17; precision++) {
                char text[NUMBER_MAX];

                len = snprintf(text, sizeof(text), "%.*g", precision, value);
                memcpy(at, text, (size_t)len);
                if (strtod(text, NULL) == value)
                        break;
        }
        (void)uselocale(callers);
        return at + len;
}

static char *word(char *at, const char *text)
{
        size_t len = strlen(text);

        memcpy(at, text, len);
        return at + len;
}

char *number_double(char *at, double value)
{
        double magnitude = fabs(value);
        char *end;

        if (isnan(value))
                return word(at, "NaN");
        if (isinf(value))
                return word(at, value > 0 ? "+Inf" : "-Inf");
        if (signbit(value))
                *at++ = '-';
        if (magnitude <= 0x1p53 && magnitude == (double)(uint64_t)magnitude)
                return number_u64(at, (uint64_t)magnitude);
        end = magnitude < 1e12 ? short_decimal(at, magnitude) : NULL;
        return end ? end : any_fraction(at, magnitude);
}
