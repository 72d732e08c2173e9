/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/target.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/parse.h"
#include "base/text.h"

/* A port that parse_host_port() takes, to ask it about a host without one. */
#define ANY_PORT ":1"

static int parse_host(const char *s, size_t len, char *host, size_t size)
{
        char with_port[512];
        bool colons = memchr(s, ':', len) && s[0] != '[';
        uint16_t port;
        if (len + 4 >= sizeof(with_port))
                return -ERANGE;
        int r = text_format(
                with_port, sizeof(with_port), colons ? "[%.*s]" ANY_PORT : "%.*s" ANY_PORT, (int)len, s);
        return r < 0 ? r : parse_host_port(with_port, strlen(with_port), host, size, &port);
}

int target_parse(const char *s, size_t len, char *host, size_t size, uint16_t *ret_port)
{
        if (len == 0 || memchr(s, '\0', len))
                return -EINVAL;
        const char *first = memchr(s, ':', len), *last = memrchr(s, ':', len);
        if (first == s && last == s)
                return -EINVAL; /* a port alone */
        bool bracketed = s[0] == '[';
        bool with_port = bracketed ? s[len - 1] != ']' : first && first == last;
        if (with_port)
                return parse_host_port(s, len, host, size, ret_port);
        int r = parse_host(s, len, host, size);
        if (r == 0)
                *ret_port = 0;
        return r;
}
