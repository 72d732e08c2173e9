/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/parse.h"

/* A copy without a terminator, in memory of exactly its size: reading past it is a fault under ASan. */
static char *exact_copy(const char *text, size_t len)
{
        char *copy = malloc(len > 0 ? len : 1);

        assert_non_null(copy);
        memcpy(copy, text, len);
        return copy;
}

typedef int u64_parser(const char *s, size_t len, uint64_t *ret);

#define UNTOUCHED UINT64_C(0xabababababababab)

struct u64_row {
        const char *text;
        int result;
        uint64_t value;
};

static void check_u64_rows(u64_parser *parse, const struct u64_row *rows, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                char *text = exact_copy(rows[i].text, strlen(rows[i].text));
                uint64_t value = UNTOUCHED, expected = rows[i].result == 0 ? rows[i].value : UNTOUCHED;
                int r = parse(text, strlen(rows[i].text), &value);

                free(text);
                check_row(r == rows[i].result, rows[i].text);
                check_row(value == expected, rows[i].text);
        }
}

/* What no parser of numbers accepts, whatever its units. */
static void check_never_number(u64_parser *parse)
{
        static const char *const texts[] = {
                "",
                " ",
                "-",
                "+",
                "-1",
                "+1",
                "x",
                "0x10",
                "1e3",
                "1_",
                "1,0",
                "1 0",
                "١",
                "½",
                "1__0",
                "--1",
                "inf",
                "nan",
                ".",
                "s",
                "K",
                "bit/s",
                "\n",
                "1s s",
                "1s\n\n",
                "1\xc2\xa0",
        };
        uint64_t value = UNTOUCHED;

        for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
                check_row(parse(texts[i], strlen(texts[i]), &value) == -EINVAL, texts[i]);
        assert_int_equal(parse("1\0", 2, &value), -EINVAL);
        assert_int_equal(parse("\0", 1, &value), -EINVAL);
        assert_int_equal(parse("1\0s", 3, &value), -EINVAL);
        assert_int_equal(parse(NULL, 0, &value), -EINVAL);
        assert_true(value == UNTOUCHED);
}

static void u64(void **state)
{
        static const struct u64_row rows[] = {
                { "0", 0, 0 },
                { "7", 0, 7 },
                { "1234567890", 0, 1234567890 },
                { "9007199254740993", 0, UINT64_C(9007199254740993) },
                { "18446744073709551615", 0, UINT64_MAX },
                { "18446744073709551616", -ERANGE },
                { "18446744073709551620", -ERANGE },
                { "99999999999999999999999999999999999999999999", -ERANGE },
                { "99999999999999999999999999999999999999999999x", -EINVAL },
                { "00", -EINVAL },
                { "010", -EINVAL },
                { "1.0", -EINVAL },
                { "10 ", -EINVAL },
                { " 10", -EINVAL },
                { "10\n", -EINVAL },
                { "30s", -EINVAL },
        };
        uint64_t value;

        check_u64_rows(parse_u64, rows, ARRAY_SIZE(rows));
        check_never_number(parse_u64);
        assert_int_equal(parse_u64("1234", 2, &value), 0);
        assert_int_equal(value, 12);
}

static void i64(void **state)
{
        static const struct {
                const char *text;
                int result;
                int64_t value;
        } rows[] = {
                { "0", 0, 0 },
                { "-0", 0, 0 },
                { "-1", 0, -1 },
                { "9223372036854775807", 0, INT64_MAX },
                { "-9223372036854775808", 0, INT64_MIN },
                { "-9223372036854775807", 0, -INT64_MAX },
                { "9223372036854775808", -ERANGE },
                { "-9223372036854775809", -ERANGE },
                { "-18446744073709551616", -ERANGE },
                { "", -EINVAL },
                { "-", -EINVAL },
                { "--1", -EINVAL },
                { "+1", -EINVAL },
                { "- 1", -EINVAL },
                { "-01", -EINVAL },
                { "1-", -EINVAL },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                int64_t value = 77;

                check_row(parse_i64(rows[i].text, strlen(rows[i].text), &value) == rows[i].result,
                        rows[i].text);
                check_row(value == (rows[i].result == 0 ? rows[i].value : 77), rows[i].text);
        }
}

static void real(void **state)
{
        static const struct {
                const char *text;
                int result;
                double value;
        } rows[] = {
                { "0", 0, 0 },
                { "0.5", 0, 0.5 },
                { "-2.25", 0, -2.25 },
                { "1e3", 0, 1000 },
                { "1E+3", 0, 1000 },
                { "25e-4", 0, 0.0025 },
                { "0e999999", 0, 0 },
                { "1.7976931348623157e308", 0, DBL_MAX },
                { "4.9406564584124654e-324", 0, 0x1p-1074 },
                { "1e309", -ERANGE },
                { "-1e999999999999999999999", -ERANGE },
                { "1e-999", -ERANGE },
                { "", -EINVAL },
                { ".5", -EINVAL },
                { "5.", -EINVAL },
                { "1.e3", -EINVAL },
                { "1e", -EINVAL },
                { "1e+", -EINVAL },
                { "1e-+3", -EINVAL },
                { "01.5", -EINVAL },
                { "+1", -EINVAL },
                { "--1", -EINVAL },
                { " 1", -EINVAL },
                { "1 ", -EINVAL },
                { "1,5", -EINVAL },
                { "1.2.3", -EINVAL },
                { "0x1p3", -EINVAL },
                { "nan", -EINVAL },
                { "inf", -EINVAL },
                { "-Infinity", -EINVAL },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                char *text = exact_copy(rows[i].text, strlen(rows[i].text));
                double value = 77;

                check_row(parse_double(text, strlen(rows[i].text), &value) == rows[i].result, rows[i].text);
                check_row(value == (rows[i].result == 0 ? rows[i].value : 77), rows[i].text);
                free(text);
        }
}

static void real_has_a_longest_text(void **state)
{
        char text[128];
        double value;

        memset(text, '1', sizeof(text));
        assert_int_equal(parse_double(text, 127, &value), 0);
        assert_true(value > 1e126 && value < 1.2e126);
        assert_int_equal(parse_double(text, 128, &value), -EINVAL);
        assert_int_equal(parse_double("1\0", 2, &value), -EINVAL);
}

static void boolean(void **state)
{
        static const char *const wrong[] = { "", "True", "TRUE", "yes", "no", "on", "off", "1", "0", "true ",
                " true", "tru", "falsee" };
        bool value = false;

        assert_int_equal(parse_bool("true", 4, &value), 0);
        assert_true(value);
        assert_int_equal(parse_bool("false", 5, &value), 0);
        assert_false(value);
        for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
                check_row(parse_bool(wrong[i], strlen(wrong[i]), &value) == -EINVAL, wrong[i]);
}

static void duration(void **state)
{
        static const struct u64_row rows[] = {
                { "0", 0, 0 },
                { "0s", 0, 0 },
                { "1ns", 0, 1 },
                { "5us", 0, 5000 },
                { "250ms", 0, 250000000 },
                { "30s", 0, UINT64_C(30000000000) },
                { "5m", 0, UINT64_C(300000000000) },
                { "1h30m", 0, UINT64_C(5400000000000) },
                { "1h05m", 0, UINT64_C(3900000000000) },
                { "1d", 0, UINT64_C(86400000000000) },
                { "1w", 0, UINT64_C(604800000000000) },
                { "1y", 0, UINT64_C(31536000000000000) },
                { "1y1w1d1h1m1s1ms1us1ns", 0, UINT64_C(32230861001001001) },
                { "18446744073709551615ns", 0, UINT64_MAX },
                { "584y", 0, UINT64_C(584) * 31536000 * 1000000000 },
                { "585y", -ERANGE },
                { "18446744073709551616ns", -ERANGE },
                { "18446744073709551615ns1ns", -EINVAL },
                { "584y50w", -ERANGE },
                { "18446744073s709ms551us616ns", -ERANGE },
                { "18446744073s709ms551us615ns", 0, UINT64_MAX },
                { "585y1x", -EINVAL },
                { "30", -EINVAL },
                { "00", -EINVAL },
                { "1m1h", -EINVAL },
                { "1s1s", -EINVAL },
                { "1h0", -EINVAL },
                { "0h30", -EINVAL },
                { "1.5h", -EINVAL },
                { "1 h", -EINVAL },
                { "1H", -EINVAL },
                { "1S", -EINVAL },
                { "1sec", -EINVAL },
                { "1msx", -EINVAL },
                { "1mss", -EINVAL },
                { "h", -EINVAL },
                { "1hm", -EINVAL },
                { "1h-30m", -EINVAL },
                { "1µs", -EINVAL },
        };

        check_u64_rows(parse_duration, rows, ARRAY_SIZE(rows));
        check_never_number(parse_duration);
}

static void size(void **state)
{
        static const struct u64_row rows[] = {
                { "0", 0, 0 },
                { "65536", 0, 65536 },
                { "64B", 0, 64 },
                { "64K", 0, 65536 },
                { "64KiB", 0, 65536 },
                { "64kB", 0, 64000 },
                { "1M", 0, 1048576 },
                { "1MiB", 0, 1048576 },
                { "1MB", 0, 1000000 },
                { "2G", 0, UINT64_C(2147483648) },
                { "1TB", 0, UINT64_C(1000000000000) },
                { "1PiB", 0, UINT64_C(1) << 50 },
                { "1PB", 0, UINT64_C(1000000000000000) },
                { "15E", 0, UINT64_C(15) << 60 },
                { "15EiB", 0, UINT64_C(15) << 60 },
                { "18EB", 0, UINT64_C(18000000000000000000) },
                { "18446744073709551615B", 0, UINT64_MAX },
                { "0E", 0, 0 },
                { "16E", -ERANGE },
                { "19EB", -ERANGE },
                { "18446744073709551616", -ERANGE },
                { "18446744073709551616q", -EINVAL },
                { "064K", -EINVAL },
                { "64k", -EINVAL },
                { "64KB", -EINVAL },
                { "64kiB", -EINVAL },
                { "64b", -EINVAL },
                { "64Kb", -EINVAL },
                { "64Kbit", -EINVAL },
                { "64 K", -EINVAL },
                { "64KK", -EINVAL },
                { "1.5M", -EINVAL },
                { "1Z", -EINVAL },
                { "64K ", -EINVAL },
        };

        check_u64_rows(parse_size, rows, ARRAY_SIZE(rows));
        check_never_number(parse_size);
}

static void rate(void **state)
{
        static const struct u64_row rows[] = {
                { "160Mbit/s", 0, 20000000 },
                { "12.5Gbit/s", 0, 1562500000 },
                { "0.1Gbit/s", 0, 12500000 },
                { "8bit/s", 0, 1 },
                { "9bit/s", 0, 1 },
                { "1kbit/s", 0, 125 },
                { "400Gbit/s", 0, UINT64_C(50000000000) },
                { "1.6Tbit/s", 0, UINT64_C(200000000000) },
                { "50MiB/s", 0, 52428800 },
                { "6GB/s", 0, UINT64_C(6000000000) },
                { "1.000000001GB/s", 0, 1000000001 },
                { "1B/s", 0, 1 },
                { "1KiB/s", 0, 1024 },
                { "1kB/s", 0, 1000 },
                { "2TiB/s", 0, UINT64_C(2199023255552) },
                { "0B/s", 0, 0 },
                { "0.0Mbit/s", 0, 0 },
                { "18446744073709551615B/s", 0, UINT64_MAX },
                { "18446744073709551615.9B/s", 0, UINT64_MAX },
                { "18446744073709551616B/s", -ERANGE },
                { "18446744073709551615kB/s", -ERANGE },
                { "18446744073709551615TiB/s", -ERANGE },
                { "99999999999999999999999bit/s", -ERANGE },
                { "7bit/s", -ERANGE },
                { "0.000000001B/s", -ERANGE },
                { "1.0000000001GB/s", -EINVAL },
                { "160", -EINVAL },
                { "0", -EINVAL },
                { "160M", -EINVAL },
                { "160Mbit", -EINVAL },
                { "160Mbps", -EINVAL },
                { "160Mb/s", -EINVAL },
                { "160mbit/s", -EINVAL },
                { "160KB/s", -EINVAL },
                { "160 Mbit/s", -EINVAL },
                { "160Mbit/S", -EINVAL },
                { "160Mbit/s ", -EINVAL },
                { ".5Gbit/s", -EINVAL },
                { "5.Gbit/s", -EINVAL },
                { "1.2.3Gbit/s", -EINVAL },
                { "01Gbit/s", -EINVAL },
        };

        check_u64_rows(parse_rate, rows, ARRAY_SIZE(rows));
        check_never_number(parse_rate);
}

static void host_port(void **state)
{
        static const struct {
                const char *text;
                int result;
                const char *host;
                uint16_t port;
        } rows[] = {
                { "host-1.example.org:14792", 0, "host-1.example.org", 14792 },
                { "my_host:1", 0, "my_host", 1 },
                { "10.0.0.1:80", 0, "10.0.0.1", 80 },
                { ":9090", 0, "", 9090 },
                { "[::]:65535", 0, "::", 65535 },
                { "[fe80::1%eth0]:1", 0, "fe80::1%eth0", 1 },
                { "[fe80::1%br-0.5]:1", 0, "fe80::1%br-0.5", 1 },
                { "[::ffff:10.0.0.1]:1", 0, "::ffff:10.0.0.1", 1 },
                { "host:0", -ERANGE },
                { "host:65536", -ERANGE },
                { "host:99999999999999999999", -ERANGE },
                { "a-host-name-that-does-not-fit-into-the-buffer:80", -ERANGE },
                { "", -EINVAL },
                { ":", -EINVAL },
                { "host", -EINVAL },
                { "host:", -EINVAL },
                { "host:http", -EINVAL },
                { "host:080", -EINVAL },
                { "host:+80", -EINVAL },
                { "host:80 ", -EINVAL },
                { " host:80", -EINVAL },
                { "ho st:80", -EINVAL },
                { "ho/st:80", -EINVAL },
                { "http://host:80", -EINVAL },
                { "::1:80", -EINVAL },
                { "fe80::1", -EINVAL },
                { "[]:80", -EINVAL },
                { "[:80", -EINVAL },
                { "]:80", -EINVAL },
                { "[host]:80", -EINVAL },
                { "[10.0.0.1]:80", -EINVAL },
                { "[::1]80", -EINVAL },
                { "[::1]", -EINVAL },
                { "[::1%]:80", -EINVAL },
                { "[%eth0]:80", -EINVAL },
                { "[::1%a%b]:80", -EINVAL },
                { "[::1%a b]:80", -EINVAL },
                { "[[::1]]:80", -EINVAL },
                { "[1:2:3:4:5:6:7:8:9]:80", -EINVAL },
                { "[0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000]:80", -EINVAL },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                char *text = exact_copy(rows[i].text, strlen(rows[i].text)), host[32] = "untouched";
                uint16_t port = 7;

                check_row(parse_host_port(text, strlen(rows[i].text), host, sizeof(host), &port) ==
                                  rows[i].result,
                        rows[i].text);
                check_row(strcmp(host, rows[i].result == 0 ? rows[i].host : "untouched") == 0, rows[i].text);
                check_row(port == (rows[i].result == 0 ? rows[i].port : 7), rows[i].text);
                free(text);
        }
}

static void host_port_refuses_zero_bytes(void **state)
{
        char host[64];
        uint16_t port;

        assert_int_equal(parse_host_port("ho\0st:80", 8, host, sizeof(host), &port), -EINVAL);
        assert_int_equal(parse_host_port("[::1\0]:80", 9, host, sizeof(host), &port), -EINVAL);
        assert_int_equal(parse_host_port("[::1%a\0]:80", 11, host, sizeof(host), &port), -EINVAL);
        assert_int_equal(parse_host_port("host:8\0", 7, host, sizeof(host), &port), -EINVAL);
        assert_int_equal(parse_host_port("abc:80", 6, host, 4, &port), 0);
        assert_int_equal(parse_host_port("abcd:80", 7, host, 4, &port), -ERANGE);
        assert_int_equal(parse_host_port(":80", 3, host, 0, &port), -ERANGE);
}

static void sysfs(void **state)
{
        static const struct u64_row rows[] = {
                { "42\n", 0, 42 },
                { "42", 0, 42 },
                { "  42 \t\n", 0, 42 },
                { "0\n", 0, 0 },
                { "007\n", 0, 7 },
                { "18446744073709551615\n", 0, UINT64_MAX },
                { "18446744073709551616\n", -ERANGE },
                { "N/A (no PMA)\n", -ENODATA },
                { "N/A\n", -ENODATA },
                { " n/a\n", -ENODATA },
                { "N/\n", -EINVAL },
                { "NA\n", -EINVAL },
                { "\n", -EINVAL },
                { "", -EINVAL },
                { "  \n", -EINVAL },
                { "42\n\n", -EINVAL },
                { "42\n7\n", -EINVAL },
                { "\n42", -EINVAL },
                { "4 2\n", -EINVAL },
                { "42\r\n", -EINVAL },
                { "-1\n", -EINVAL },
                { "0x1f\n", -EINVAL },
                { "25 Gb/sec\n", -EINVAL },
                { "unknown\n", -EINVAL },
        };
        uint64_t value = UNTOUCHED;

        check_u64_rows(parse_sysfs_u64, rows, ARRAY_SIZE(rows));
        assert_int_equal(parse_sysfs_u64("1\0\n", 3, &value), -EINVAL);
        assert_int_equal(parse_sysfs_u64(NULL, 0, &value), -EINVAL);
        assert_true(value == UNTOUCHED);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(u64),
                cmocka_unit_test(i64),
                cmocka_unit_test(real),
                cmocka_unit_test(real_has_a_longest_text),
                cmocka_unit_test(boolean),
                cmocka_unit_test(duration),
                cmocka_unit_test(size),
                cmocka_unit_test(rate),
                cmocka_unit_test(host_port),
                cmocka_unit_test(host_port_refuses_zero_bytes),
                cmocka_unit_test(sysfs),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
