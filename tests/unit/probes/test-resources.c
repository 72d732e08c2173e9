/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel says needs a host with a device (tests/vm). */
#include "tests/unit/unit.h"

#include <fcntl.h>

#include "base/scope.h"
#include "tests/unit/probes/support.h"

static void assert_nothing(int sysfs, const char *device)
{
        int r;
        cleanup(batch_unrefp) struct batch *b =
                collect_once(source_class_find("resources"), sysfs, -1, device, &r);

        assert_int_equal(r, 0);
        assert_int_equal(batch_size(b), 0);
}

static void the_kernel_is_not_asked_about_a_tree_of_files(void **state)
{
        cleanup(close_fdp) int sysfs = fixture_open("sysfs-rxe");

        assert_nothing(sysfs, "rxe0");
}

static void a_device_that_is_not_there_is_no_failure(void **state)
{
        cleanup(close_fdp) int sysfs = open("/sys", O_PATH | O_DIRECTORY | O_CLOEXEC);

        assert_nothing(sysfs, "no_such_device0");
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_kernel_is_not_asked_about_a_tree_of_files),
                cmocka_unit_test(a_device_that_is_not_there_is_no_failure),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
