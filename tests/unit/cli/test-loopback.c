/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include "cli/loopback.h"

static void each_has_a_port_that_answers(void **state)
{
        struct loopback *first, *second;
        struct fault fault;

        assert_int_equal(loopback_new("host-a", &first, &fault), 0);
        assert_int_equal(loopback_new("host-a", &second, &fault), 0);
        assert_true(loopback_port(first) > 0);
        assert_int_not_equal(loopback_port(first), loopback_port(second));
        cleanup(close_fdp) int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        struct sockaddr_in a = { .sin_family = AF_INET,
                .sin_port = htons(loopback_port(first)),
                .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
        assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
        loopback_free(first);
        loopback_free(second);
        loopback_free(NULL);
}

static void a_name_that_does_not_fit_is_a_fault(void **state)
{
        struct loopback *l = NULL;
        struct fault fault = { 0 };
        char name[2 * ENGINE_NAME_MAX];

        memset(name, 'n', sizeof(name));
        name[sizeof(name) - 1] = '\0';
        assert_true(loopback_new(name, &l, &fault) < 0);
        assert_null(l);
        assert_int_equal(fault.kind, OUTCOME_LOCAL);
        assert_non_null(strstr(fault.reason, "--loopback: cannot start"));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(each_has_a_port_that_answers),
                cmocka_unit_test(a_name_that_does_not_fit_is_a_fault),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
