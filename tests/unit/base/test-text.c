/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>

#include "base/number.h"
#include "base/text.h"

static void copy_fits_or_fails(void **state)
{
        static const struct {
                const char *src, *held;
                int result;
        } rows[] = {
                { "", "", 0 },
                { "abc", "abc", 0 },
                { "abcd", "abc", -ENAMETOOLONG },
                { "a much longer text", "a m", -ENAMETOOLONG },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                char dst[4 + 1] = "....";

                check_row(text_copy(dst, 4, rows[i].src) == rows[i].result, rows[i].src);
                assert_string_equal(dst, rows[i].held);
        }
}

static void format_fits_or_fails(void **state)
{
        char dst[6];

        assert_int_equal(text_format(dst, sizeof(dst), "%d-%d", 12, 34), 0);
        assert_string_equal(dst, "12-34");
        assert_int_equal(text_format(dst, sizeof(dst), "%d-%d", 123, 34), -ENAMETOOLONG);
        assert_string_equal(dst, "123-3");
        assert_int_equal(text_format(dst, 1, "%s", ""), 0);
        assert_int_equal(text_format(dst, 1, "x"), -ENAMETOOLONG);
        assert_string_equal(dst, "");
        text_message(dst, sizeof(dst), "%s", "cut off");
        assert_string_equal(dst, "cut o");
}

static void equal_knows_null(void **state)
{
        char same[] = "a";

        assert_true(text_equal("a", same));
        assert_false(text_equal("a", "b"));
        assert_false(text_equal("a", NULL));
        assert_false(text_equal(NULL, ""));
        assert_true(text_equal(NULL, NULL));
}

static void starts_with_prefix(void **state)
{
        assert_true(text_starts("mlx5_0", "mlx5"));
        assert_true(text_starts("mlx5", "mlx5"));
        assert_true(text_starts("", ""));
        assert_false(text_starts("mlx", "mlx5"));
        assert_false(text_starts("amlx5", "mlx5"));
}

/* The published vectors of FNV-1a. */
static void hash_is_fnv1a(void **state)
{
        assert_true(text_hash("", TEXT_HASH_SEED) == UINT64_C(0xcbf29ce484222325));
        assert_true(text_hash("a", TEXT_HASH_SEED) == UINT64_C(0xaf63dc4c8601ec8c));
        assert_true(text_hash("foobar", TEXT_HASH_SEED) == UINT64_C(0x85944171f73967e8));
        assert_true(text_hash("\xff", TEXT_HASH_SEED) == UINT64_C(0xaf64724c8602eb6e));
        assert_true(text_hash("bar", text_hash("foo", TEXT_HASH_SEED)) == UINT64_C(0x85944171f73967e8));
}

static void buf_grows_and_terminates(void **state)
{
        struct buf b;

        buf_init(&b);
        assert_string_equal(buf_cstr(&b), "");
        for (int i = 0; i < 1000; i++) {
                buf_text(&b, "ab");
                buf_char(&b, 'c');
                assert_int_equal(b.data[b.len], '\0');
        }
        assert_int_equal(b.len, 3000);
        assert_int_equal(strlen(buf_cstr(&b)), 3000);
        assert_memory_equal(b.data + 2997, "abc", 4);
        buf_clear(&b);
        assert_string_equal(buf_cstr(&b), "");
        buf_bytes(&b, "x\0y", 3);
        buf_bytes(&b, NULL, 0);
        assert_int_equal(b.len, 3);
        assert_memory_equal(b.data, "x\0y", 4);
        buf_done(&b);
        assert_null(b.data);
        buf_done(&b);
}

static void buf_format_appends_any_length(void **state)
{
        struct buf b;

        buf_init(&b);
        buf_format(&b, "%s=%d;", "a", 1);
        buf_format(&b, "%500s", "end");
        buf_format(&b, "%s", "");
        assert_int_equal(b.len, 504);
        assert_memory_equal(b.data, "a=1;", 4);
        assert_string_equal(b.data + 501, "end");
        buf_done(&b);
}

static void buf_error_sticks_until_cleared(void **state)
{
        struct buf b;

        buf_init(&b);
        buf_text(&b, "kept");
        buf_bytes(&b, "", SIZE_MAX - 8);
        assert_int_equal(b.error, -ENOMEM);
        buf_text(&b, "more");
        buf_format(&b, "%d", 1);
        buf_u64(&b, 1);
        assert_int_equal(b.len, 4);
        assert_null(buf_cstr(&b));
        buf_clear(&b);
        buf_text(&b, "again");
        assert_string_equal(buf_cstr(&b), "again");
        buf_done(&b);
}

static void u64_prints_exactly(void **state)
{
        static const struct {
                uint64_t value;
                const char *text;
        } rows[] = {
                { 0, "0" },
                { 9, "9" },
                { 10, "10" },
                { UINT64_C(9007199254740993), "9007199254740993" },
                { UINT64_MAX, "18446744073709551615" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                struct buf b;

                buf_init(&b);
                buf_u64(&b, rows[i].value);
                assert_string_equal(buf_cstr(&b), rows[i].text);
                buf_done(&b);
        }
}

static const struct {
        double value;
        const char *text;
} doubles[] = {
        { 0, "0" },
        { -0.0, "-0" },
        { 1, "1" },
        { -1, "-1" },
        { 0.1, "0.1" },
        { -2.5, "-2.5" },
        { 1.0 / 3, "0.3333333333333333" },
        { 0.1 + 0.2, "0.30000000000000004" },
        { 1e-9, "1e-09" },
        { 1.5e-9, "1.5e-09" },
        { 123456.789e-9, "0.000123456789" },
        { 99e-6, "9.9e-05" },
        { 1e-4, "0.0001" },
        { 12.000000001, "12.000000001" },
        { 999999.999999999, "999999.999999999" },
        { 1234567.891234, "1234567.891234" },
        { 123456789012.125, "123456789012.125" },
        { 999999999999.999, "999999999999.999" },
        { 1e12 + 0.5, "1000000000000.5" },
        { 1796087425.123456789, "1796087425.1234567" },
        { 5e-7, "5e-07" },
        { 1000000, "1000000" },
        { 123456789012345, "123456789012345" },
        { 0x1p53, "9007199254740992" },
        { -0x1p53, "-9007199254740992" },
        { 0x1p53 - 1, "9007199254740991" },
        { 1e22, "1e+22" },
        { DBL_MAX, "1.7976931348623157e+308" },
        { DBL_MIN, "2.2250738585072014e-308" },
        { NAN, "NaN" },
        { -NAN, "NaN" },
        { INFINITY, "+Inf" },
        { -INFINITY, "-Inf" },
};

static void check_doubles(void)
{
        for (size_t i = 0; i < ARRAY_SIZE(doubles); i++) {
                struct buf b;

                buf_init(&b);
                buf_double(&b, doubles[i].value);
                assert_string_equal(buf_cstr(&b), doubles[i].text);
                buf_done(&b);
        }
}

static void double_prints_shortest(void **state)
{
        check_doubles();
}

static void double_ignores_the_locale(void **state)
{
        if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
                skip();
        check_doubles();
        assert_string_equal(localeconv()->decimal_point, ",");
        setlocale(LC_ALL, "C");
}

/* Any bit pattern reads back as itself, the smallest subnormals included. */
static void double_reads_back(void **state)
{
        uint64_t bits = 1;
        struct buf b;

        buf_init(&b);
        for (int i = 0; i < 100000; i++) {
                double value, back;

                memcpy(&value, &bits, sizeof(value));
                bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                if (isnan(value))
                        continue;
                buf_clear(&b);
                buf_double(&b, value);
                back = strtod(buf_cstr(&b), NULL);
                if (memcmp(&back, &value, sizeof(back)) != 0)
                        fail_msg("%a became %s", value, buf_cstr(&b));
        }
        buf_done(&b);
}

/* The way without printf must spell numbers as the way with it does. */
static void short_fractions_are_as_printf_has_them(void **state)
{
        uint64_t bits = 1;

        for (int i = 0; i < 300000; i++) {
                static const double scales[] = { 1e9, 1e6, 1e3, 100, 8e9, 7 };
                char *at, text[NUMBER_MAX + 1], expected[NUMBER_MAX];
                double value;

                bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                value = (double)(bits >> (i % 60 + 4)) / scales[bits % ARRAY_SIZE(scales)];
                for (int digits = 15; digits <= 17; digits++) {
                        text_message(expected, sizeof(expected), "%.*g", digits, value);
                        if (strtod(expected, NULL) == value)
                                break;
                }
                if (value <= 0x1p53 && value == (double)(uint64_t)value)
                        text_message(expected, sizeof(expected), "%.0f", value);
                at = number_double(text, value);
                *at = '\0';
                assert_string_equal(text, expected);
        }
}

static void u64_prints_every_length(void **state)
{
        for (uint64_t power = 1;; power *= 10) {
                for (uint64_t value = power - 1; value <= power + 1; value++) {
                        char text[NUMBER_MAX + 1], expected[NUMBER_MAX];

                        *number_u64(text, value) = '\0';
                        text_message(expected, sizeof(expected), "%llu", (unsigned long long)value);
                        assert_string_equal(text, expected);
                }
                if (power > UINT64_MAX / 10)
                        break;
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(copy_fits_or_fails),
                cmocka_unit_test(format_fits_or_fails),
                cmocka_unit_test(equal_knows_null),
                cmocka_unit_test(starts_with_prefix),
                cmocka_unit_test(hash_is_fnv1a),
                cmocka_unit_test(buf_grows_and_terminates),
                cmocka_unit_test(buf_format_appends_any_length),
                cmocka_unit_test(buf_error_sticks_until_cleared),
                cmocka_unit_test(u64_prints_exactly),
                cmocka_unit_test(u64_prints_every_length),
                cmocka_unit_test(double_prints_shortest),
                cmocka_unit_test(short_fractions_are_as_printf_has_them),
                cmocka_unit_test(double_ignores_the_locale),
                cmocka_unit_test(double_reads_back),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
