/* SPDX-License-Identifier: Apache-2.0 */
/* Every parser: only the documented errors, nothing written on failure, and what was read prints back. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/parse.h"
#include "base/scope.h"
#include "base/text.h"
#include "tests/fuzz/fuzz.h"

#define UNTOUCHED UINT64_C(0xabababababababab)

typedef int u64_parser(const char *s, size_t len, uint64_t *ret);

static void check_u64(u64_parser *parse, const char *s, size_t len)
{
        uint64_t value = UNTOUCHED;
        int r = parse(s, len, &value);

        require(r == 0 || r == -EINVAL || r == -ERANGE || (r == -ENODATA && parse == parse_sysfs_u64));
        require(r == 0 || value == UNTOUCHED);
        require(r != 0 || (len > 0 && !memchr(s, '\0', len)));
}

static void check_u64_prints_back(const char *s, size_t len)
{
        cleanup(buf_done) struct buf b = { 0 };
        uint64_t value;

        if (parse_u64(s, len, &value) != 0)
                return;
        buf_u64(&b, value);
        require(b.len == len && memcmp(b.data, s, len) == 0);
}

static void check_i64(const char *s, size_t len)
{
        int64_t value = 77, negated;
        char text[32] = "-";
        int r = parse_i64(s, len, &value);

        require(r == 0 || ((r == -EINVAL || r == -ERANGE) && value == 77));
        if (r != 0 || s[0] == '-')
                return;
        memcpy(text + 1, s, len);
        require(parse_i64(text, len + 1, &negated) == 0 && negated == -value);
}

static void check_double(const char *s, size_t len)
{
        cleanup(buf_done) struct buf b = { 0 };
        double value = 77, again;
        int r = parse_double(s, len, &value);

        require(r == 0 || ((r == -EINVAL || r == -ERANGE) && value == 77));
        if (r != 0)
                return;
        require(isfinite(value));
        buf_double(&b, value);
        require(parse_double(b.data, b.len, &again) == 0 && again == value);
}

static void check_host_port(const char *s, size_t len)
{
        char host[300] = "untouched";
        uint16_t port = 0;
        int r = parse_host_port(s, len, host, sizeof(host), &port);

        require(r == 0 || ((r == -EINVAL || r == -ERANGE) && port == 0 && text_equal(host, "untouched")));
        if (r == 0)
                require(port > 0 && strlen(host) < len && !strpbrk(host, " []/@\n"));
}

static void check_bool(const char *s, size_t len)
{
        bool value;
        int r = parse_bool(s, len, &value);

        require(r == 0 || r == -EINVAL);
        require(r != 0 || len == (value ? 4 : 5));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static u64_parser *const parsers[] = { parse_u64, parse_duration, parse_size, parse_rate,
                parse_sysfs_u64 };
        const char *s = (const char *)data;

        for (size_t i = 0; i < ARRAY_SIZE(parsers); i++)
                check_u64(parsers[i], s, size);
        check_u64_prints_back(s, size);
        check_i64(s, size);
        check_double(s, size);
        check_bool(s, size);
        check_host_port(s, size);
        return 0;
}
