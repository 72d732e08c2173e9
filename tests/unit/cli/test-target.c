/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>

#include "cli/target.h"

static void hosts_with_and_without_ports(void **state)
{
        static const struct {
                const char *text, *host;
                unsigned port;
        } goods[] = {
                { "host-b", "host-b", 0 },
                { "host-b.example:14792", "host-b.example", 14792 },
                { "198.51.100.2", "198.51.100.2", 0 },
                { "198.51.100.2:1", "198.51.100.2", 1 },
                { "2001:db8::2", "2001:db8::2", 0 },
                { "fe80::1%eth0", "fe80::1%eth0", 0 },
                { "[2001:db8::2]:5", "2001:db8::2", 5 },
                { "[2001:db8::2]", "2001:db8::2", 0 },
                { "::1", "::1", 0 },
        };

        for (size_t i = 0; i < ARRAY_SIZE(goods); i++) {
                char host[64] = "";
                uint16_t port = 7;
                int r = target_parse(goods[i].text, strlen(goods[i].text), host, sizeof(host), &port);

                check_row(r == 0 && port == goods[i].port, goods[i].text);
                assert_string_equal(host, goods[i].host);
        }
}

static void what_is_neither_is_refused(void **state)
{
        static const char *const bads[] = { "", ":5", "host:", "host:0", "host:65536", "host:x", "a b",
                "host/1", "[::1", "[::1]x", "[host]:5", "::zz", "user@host", "host:1:2", "[]" };

        for (size_t i = 0; i < ARRAY_SIZE(bads); i++) {
                char host[64] = "as before";
                uint16_t port = 7;
                int r = target_parse(bads[i], strlen(bads[i]), host, sizeof(host), &port);

                check_row(r == -EINVAL || r == -ERANGE, bads[i]);
                check_row(port == 7 && strcmp(host, "as before") == 0, bads[i]);
        }
}

static void hosts_that_do_not_fit_are_refused(void **state)
{
        char host[8], text[600];
        uint16_t port;

        memset(text, 'h', sizeof(text));
        assert_int_equal(target_parse(text, 7, host, sizeof(host), &port), 0);
        assert_int_equal(target_parse(text, 8, host, sizeof(host), &port), -ERANGE);
        assert_int_equal(target_parse(text, sizeof(text), host, sizeof(host), &port), -ERANGE);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(hosts_with_and_without_ports),
                cmocka_unit_test(what_is_neither_is_refused),
                cmocka_unit_test(hosts_that_do_not_fit_are_refused),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
