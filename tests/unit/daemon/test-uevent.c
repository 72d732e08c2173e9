/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>

#include "daemon/uevent.h"

#define PARSE(text, e) uevent_parse(text, sizeof(text) - 1, e)
/* As the kernel sends them; a string's own NUL is its last byte's. */
#define DEVICE(action)                                                                                       \
        action "@/devices/virtual/infiniband/rxe0\0"                                                         \
               "ACTION=" action "\0DEVPATH=/devices/virtual/infiniband/rxe0\0"                               \
               "SUBSYSTEM=infiniband\0NAME=rxe0\0SEQNUM=1042\0"
#define INTERFACE(action)                                                                                    \
        action "@/devices/virtual/net/dummy7\0"                                                              \
               "ACTION=" action "\0DEVPATH=/devices/virtual/net/dummy7\0SUBSYSTEM=net\0"                     \
               "INTERFACE=dummy7\0IFINDEX=7\0SEQNUM=1043\0"
#define MOVE                                                                                                 \
        "move@/devices/virtual/infiniband/rxe9\0ACTION=move\0DEVPATH=/devices/virtual/infiniband/rxe9\0"     \
        "SUBSYSTEM=infiniband\0DEVPATH_OLD=/devices/virtual/infiniband/rxe0\0SEQNUM=1044\0"

static void devices_and_interfaces_concern_us(void **state)
{
        struct uevent e;

        assert_int_equal(PARSE(DEVICE("add"), &e), 0);
        assert_string_equal(e.action, "add");
        assert_string_equal(e.devpath, "/devices/virtual/infiniband/rxe0");
        assert_string_equal(e.subsystem, "infiniband");
        assert_int_equal(uevent_concern(&e), UEVENT_DEVICE);
        assert_int_equal(PARSE(DEVICE("remove"), &e), 0);
        assert_int_equal(uevent_concern(&e), UEVENT_DEVICE);
        assert_int_equal(PARSE(MOVE, &e), 0);
        assert_string_equal(e.devpath, "/devices/virtual/infiniband/rxe9");
        assert_int_equal(uevent_concern(&e), UEVENT_DEVICE);
        assert_int_equal(PARSE(INTERFACE("add"), &e), 0);
        assert_int_equal(uevent_concern(&e), UEVENT_INTERFACE);
}

static void others_do_not(void **state)
{
        struct uevent e;

        assert_int_equal(PARSE(DEVICE("change"), &e), 0);
        assert_int_equal(uevent_concern(&e), UEVENT_NONE);
        assert_int_equal(
                PARSE("add@/devices/x\0ACTION=add\0DEVPATH=/devices/x\0SUBSYSTEM=infiniband_verbs\0", &e), 0);
        assert_int_equal(uevent_concern(&e), UEVENT_NONE);
        assert_int_equal(PARSE("add@/module/x\0ACTION=add\0DEVPATH=/module/x\0SEQNUM=1\0", &e), 0);
        assert_string_equal(e.subsystem, "");
        assert_int_equal(uevent_concern(&e), UEVENT_NONE);
}

static void what_is_no_message_is_refused(void **state)
{
        static const char add[] = DEVICE("add");
        struct uevent e = { .action = "untouched" };

        /* The last byte of the literal is the one the compiler adds. Whole strings may be missing at the end,
         * but not the path. */
        for (size_t len = 0; len < sizeof(add) - 1; len++)
                if (len == 0 || add[len - 1] != '\0')
                        assert_int_equal(uevent_parse(add, len, &e), -EBADMSG);
        assert_int_equal(PARSE("libudev\0\xfe\xed\xca\xfe", &e), -EBADMSG);
        assert_int_equal(PARSE("add@/devices/x\0ACTION=remove\0DEVPATH=/devices/x\0", &e), -EBADMSG);
        assert_int_equal(PARSE("add@/devices/x\0ACTION=add\0DEVPATH=/devices/y\0", &e), -EBADMSG);
        assert_int_equal(PARSE("add@/devices/x\0ACTION=add\0", &e), -EBADMSG);
        assert_int_equal(PARSE("add@/devices/x\0ACTION=add\0DEVPATH=/devices/x\0no equals\0", &e), -EBADMSG);
        assert_string_equal(e.action, "untouched");
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(devices_and_interfaces_concern_us),
                cmocka_unit_test(others_do_not),
                cmocka_unit_test(what_is_no_message_is_refused),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
