/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>

#include "base/clock.h"
#include "cli/respond.h"

static void it_ends_when_idle_and_not_before(void **state)
{
        struct responder_stats s = { .last_activity_ns = 100 * NS_PER_SEC };
        uint64_t idle = 10 * NS_PER_SEC;

        assert_int_equal(respond_wait_ns(&s, idle, 100 * NS_PER_SEC), idle);
        assert_int_equal(respond_wait_ns(&s, idle, 109 * NS_PER_SEC), NS_PER_SEC);
        assert_int_equal(respond_wait_ns(&s, idle, 110 * NS_PER_SEC), 0);
        assert_true(respond_wait_ns(&s, 0, 999 * NS_PER_SEC) > 0);
        s.sessions = 1;
        assert_true(respond_wait_ns(&s, idle, 999 * NS_PER_SEC) > 0);
}

static void names_are_no_addresses(void **state)
{
        char *good[] = { (char *)"198.51.100.1", (char *)"2001:db8::1" },
             *bad[] = { good[0], (char *)"host-b" };

        assert_null(respond_bad_address(&(struct option_list){ 0 }));
        assert_null(respond_bad_address(&(struct option_list){ 2, good }));
        assert_string_equal(respond_bad_address(&(struct option_list){ 2, bad }), "host-b");
}

static void the_first_line_says_who_may(void **state)
{
        char *addresses[] = { (char *)"198.51.100.1", (char *)"2001:db8::1" };
        cleanup(buf_done) struct buf out = { 0 };

        respond_describe(&(struct option_list){ 0 }, "", 14792, &out);
        assert_string_equal(buf_cstr(&out),
                "responding to anyone on port 14792\n--allow ADDRESS limits who may measure\n");
        buf_clear(&out);
        respond_describe(&(struct option_list){ 2, addresses }, "127.0.0.1", 5, &out);
        assert_string_equal(
                buf_cstr(&out), "responding to 198.51.100.1, 2001:db8::1 on port 5 of 127.0.0.1\n");
}

static void a_taken_port_has_advice(void **state)
{
        assert_non_null(strstr(respond_advice(-EADDRINUSE), "is rdma-canaryd running here?"));
        assert_string_equal(respond_advice(-ENOMEM), "");
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(it_ends_when_idle_and_not_before),
                cmocka_unit_test(names_are_no_addresses),
                cmocka_unit_test(the_first_line_says_who_may),
                cmocka_unit_test(a_taken_port_has_advice),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
