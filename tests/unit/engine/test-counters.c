/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "engine/counters.h"

/* A port's directory as sysfs has it. */
struct tree {
        char path[64];
        int fd;
};

static void put(const struct tree *t, const char *name, const char *content)
{
        int fd = openat(t->fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, content, strlen(content)), (ssize_t)strlen(content));
        close(fd);
}

static int make_tree(void **state)
{
        struct tree *t = calloc(1, sizeof(*t));
        assert_non_null(t);
        *state = t;
        strcpy(t->path, "/tmp/counters-XXXXXX");
        assert_non_null(mkdtemp(t->path));
        t->fd = open(t->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_true(t->fd >= 0);
        assert_int_equal(mkdirat(t->fd, "hw_counters", 0755), 0);
        put(t, "hw_counters/lifespan", "10\n");
        put(t, "hw_counters/sent_pkts", "1000\n");
        put(t, "hw_counters/rcvd_pkts", "500\n");
        put(t, "hw_counters/send_err", "0\n");
        return 0;
}

static int remove_tree(void **state)
{
        struct tree *t = *state;
        char command[128];
        close(t->fd);
        snprintf(command, sizeof(command), "rm -r '%s'", t->path);
        int r = system(command);
        free(t);
        return r;
}

static struct counter_snapshot *take(const struct tree *t)
{
        struct counter_snapshot *s = NULL;
        assert_int_equal(counter_snapshot_take_at(t->fd, &s), 0);
        return s;
}

static void what_moved_is_told(void **state)
{
        struct tree *t = *state;
        cleanup(counter_snapshot_freep) struct counter_snapshot *before = take(t);
        put(t, "hw_counters/sent_pkts", "1064\n");
        put(t, "hw_counters/lifespan", "20\n");
        cleanup(counter_snapshot_freep) struct counter_snapshot *after = take(t);
        struct counter_deltas d;
        counter_snapshot_deltas(before, after, &d);
        assert_int_equal(d.n, 1);
        assert_string_equal(d.items[0].name, "sent_pkts");
        assert_int_equal(d.items[0].delta, 64);
}

static void what_fell_came_or_went_is_left_out(void **state)
{
        struct tree *t = *state;
        assert_int_equal(mkdirat(t->fd, "counters", 0755), 0);
        put(t, "counters/port_xmit_data", "5\n");
        put(t, "counters/VL15_dropped", "N/A (no PMA)\n");
        put(t, "counters/gone", "1\n");
        cleanup(counter_snapshot_freep) struct counter_snapshot *before = take(t);
        put(t, "hw_counters/rcvd_pkts", "7\n"); /* a reset device */
        put(t, "hw_counters/new", "7\n");
        put(t, "counters/port_xmit_data", "8\n");
        assert_int_equal(unlinkat(t->fd, "counters/gone", 0), 0);
        cleanup(counter_snapshot_freep) struct counter_snapshot *after = take(t);
        struct counter_deltas d;
        counter_snapshot_deltas(before, after, &d);
        assert_int_equal(d.n, 1);
        assert_string_equal(d.items[0].name, "port_xmit_data");
        assert_int_equal(d.items[0].delta, 3);
}

static void a_port_without_counters_has_none(void **state)
{
        struct tree *t = *state;
        int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        cleanup(counter_snapshot_freep) struct counter_snapshot *before = NULL;
        assert_int_equal(counter_snapshot_take_at(fd, &before), 0);
        close(fd);
        cleanup(counter_snapshot_freep) struct counter_snapshot *after = take(t);
        struct counter_deltas d;
        counter_snapshot_deltas(before, after, &d);
        assert_int_equal(d.n, 0);
        counter_snapshot_free(NULL);
        struct counter_snapshot *none = NULL;
        assert_true(counter_snapshot_take("no-such-device", 1, &none) < 0);
        assert_null(none);
}

int main(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(what_moved_is_told, make_tree, remove_tree),
                cmocka_unit_test_setup_teardown(what_fell_came_or_went_is_left_out, make_tree, remove_tree),
                cmocka_unit_test_setup_teardown(a_port_without_counters_has_none, make_tree, remove_tree),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
