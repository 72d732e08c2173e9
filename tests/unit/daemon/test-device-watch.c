/* SPDX-License-Identifier: Apache-2.0 */
/* By inotify, on a plain tree; uevents need a host of their own (tests/vm). */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "daemon/device_watch.h"

static void changes_of_a_plain_tree_are_heard(void **state)
{
        char path[] = "/tmp/rdma-canary-watch-XXXXXX";
        struct device_watch *w;
        int fd;

        assert_non_null(mkdtemp(path));
        fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
        assert_true(fd >= 0);
        assert_int_equal(device_watch_new(path, fd, &w), 0);
        assert_false(device_watch_is_sure(w)); /* no such directory yet */
        assert_int_equal(mkdirat(fd, "class", 0755), 0);
        assert_int_equal(mkdirat(fd, "class/infiniband", 0755), 0);
        assert_true(device_watch_is_sure(w));
        assert_int_equal(device_watch_take(w), UEVENT_NONE);

        assert_int_equal(mkdirat(fd, "class/infiniband/a0", 0755), 0);
        assert_int_equal(device_watch_take(w), UEVENT_DEVICE);
        assert_int_equal(device_watch_take(w), UEVENT_NONE);
        assert_int_equal(renameat(fd, "class/infiniband/a0", fd, "class/infiniband/b0"), 0);
        assert_int_equal(device_watch_take(w), UEVENT_DEVICE);
        assert_int_equal(unlinkat(fd, "class/infiniband/b0", AT_REMOVEDIR), 0);
        assert_int_equal(device_watch_take(w), UEVENT_DEVICE);

        assert_int_equal(unlinkat(fd, "class/infiniband", AT_REMOVEDIR), 0);
        assert_int_equal(device_watch_take(w), UEVENT_DEVICE);
        assert_false(device_watch_is_sure(w));
        device_watch_free(w);
        assert_int_equal(unlinkat(fd, "class", AT_REMOVEDIR), 0);
        assert_int_equal(rmdir(path), 0);
        close_fdp(&fd);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(changes_of_a_plain_tree_are_heard),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
