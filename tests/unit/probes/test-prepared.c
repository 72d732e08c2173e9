/* SPDX-License-Identifier: Apache-2.0 */
/* Collectors that keep their files open: what makes them look again, and what errors of files do. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "base/sysfs.h"
#include "probes/readings.h"
#include "tests/unit/probes/support.h"

#define DEVICE "class/infiniband/d/"
#define SET    DEVICE "ports/1/hw_counters/"
#define LABEL  "device=\"d\",port=\"1\""

/* Files of one name answer an error instead; how often they were asked. The reader has no context of its
 * own, and each test program is one thread. */
static struct {
        int error, fd;
        unsigned reads;
        uint64_t now_ns;
} faults = { .fd = -1 };

static int open_faulty(int dir, const char *path)
{
        int fd = reader_system.open(dir, path);

        if (strcmp(path + strlen(path) - 3, "bad") == 0)
                faults.fd = fd;
        return fd;
}

static ssize_t read_faulty(int fd, char *dst, size_t size)
{
        if (fd != faults.fd)
                return reader_system.read(fd, dst, size);
        faults.reads++;
        return faults.error ? faults.error : reader_system.read(fd, dst, size);
}

static uint64_t fake_now(void *context)
{
        return faults.now_ns;
}

struct world {
        struct tree tree;
        atomic_uint generation;
        struct clock clock;
        struct reader reader;
        struct source_environment env;
        const struct source_class *class;
        void *source;
};

static void world_init(struct world *w, const char *class)
{
        faults.error = 0;
        faults.fd = -1;
        faults.reads = 0;
        faults.now_ns = NS_PER_SEC;
        tree_init(&w->tree);
        atomic_init(&w->generation, 0);
        w->clock = (struct clock){ .monotonic_ns = fake_now, .realtime_ns = fake_now };
        w->reader = (struct reader){ .open = open_faulty, .read = read_faulty };
        w->env = (struct source_environment){ .sysfs = w->tree.fd,
                .procfs = -1,
                .clock = &w->clock,
                .reader = &w->reader,
                .generation = &w->generation };
        w->class = source_class_find(class);
        w->source = source_create(w->class, &w->env, "d");
}

static void world_done(struct world *w)
{
        w->class->destroy(w->source);
        tree_done(&w->tree);
}

static struct batch *turn(struct world *w, int *ret_r)
{
        struct batch *b = batch_new();

        assert_non_null(b);
        *ret_r = w->class->collect(w->source, DEADLINE_NEVER, b);
        assert_int_equal(batch_error(b), 0);
        return b;
}

static void assert_counter(const struct batch *b, const char *name, uint64_t value)
{
        char labels[128];

        (void)snprintf(labels, sizeof(labels), LABEL ",counter=\"%s\"", name);
        assert_sample_u64(b, "rdma_canary_hw_value", labels, value);
}

static void errors_cost_one_sample_and_are_told(void **state)
{
        static const struct {
                int error, result;
                const char *name;
        } rows[] = {
                { -EINVAL, 0, "EINVAL" },
                { -EOPNOTSUPP, 0, "EOPNOTSUPP" },
                { -EIO, -EIO, "EIO" },
                { -ETIMEDOUT, -ETIMEDOUT, "ETIMEDOUT" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                struct world w;
                struct batch *b;
                char labels[128];
                int r;

                world_init(&w, "hw_counters");
                tree_text(&w.tree, SET "bad", "1\n");
                tree_text(&w.tree, SET "good", "2\n");
                faults.error = rows[i].error;
                b = turn(&w, &r);
                assert_int_equal(r, rows[i].result);
                assert_counter(b, "good", 2);
                (void)snprintf(labels, sizeof(labels), LABEL ",counter=\"bad\",errno=\"%s\"", rows[i].name);
                assert_sample_u64(b, "rdma_canary_unreadable", labels, 1);
                assert_int_equal(samples_present(b), 2);
                batch_unref(b);
                world_done(&w);
        }
}

static void errors_that_stay_rest_and_others_do_not(void **state)
{
        struct world w;
        int r;

        world_init(&w, "hw_counters");
        tree_text(&w.tree, SET "bad", "1\n");
        faults.error = -EINVAL;
        for (unsigned i = 0; i < 4; i++, faults.now_ns += 15 * NS_PER_SEC)
                batch_unref(turn(&w, &r));
        assert_int_equal(faults.reads, 1);
        faults.now_ns += NS_PER_SEC; /* the first rest of 60 s is over */
        faults.error = -EIO;
        batch_unref(turn(&w, &r));
        batch_unref(turn(&w, &r));
        assert_int_equal(faults.reads, 3);
        faults.error = 0;
        struct batch *b = turn(&w, &r);
        assert_counter(b, "bad", 1);
        assert_int_equal(samples_present(b), 1);
        batch_unref(b);
        world_done(&w);
}

static void what_is_not_there_is_no_error(void **state)
{
        struct world w;
        struct batch *b;
        int r;

        world_init(&w, "hw_counters");
        tree_text(&w.tree, SET "not_available", "N/A (no PMA)\n");
        b = turn(&w, &r);
        assert_int_equal(r, 0);
        assert_int_equal(samples_present(b), 0);
        batch_unref(b);
        world_done(&w);
}

static void a_device_that_came_anew_is_read_at_the_same_scrape(void **state)
{
        struct world w;
        struct batch *b;
        int r;

        world_init(&w, "hw_counters");
        tree_text(&w.tree, SET "bad", "1\n");
        batch_unref(turn(&w, &r));
        assert_int_equal(unlinkat(w.tree.fd, SET "bad", 0), 0);
        tree_text(&w.tree, SET "bad", "5\n");
        tree_text(&w.tree, SET "new", "6\n");
        faults.error = -ENODEV; /* of the old descriptor; a new file has another, most likely */
        b = turn(&w, &r);
        assert_int_equal(r, 0);
        assert_counter(b, "new", 6);
        batch_unref(b);
        faults.error = 0;
        b = turn(&w, &r);
        assert_counter(b, "bad", 5);
        batch_unref(b);
        world_done(&w);
}

static void counters_that_appear_or_vanish_are_noticed(void **state)
{
        struct world w;
        struct batch *b;
        int r;

        world_init(&w, "hw_counters");
        tree_text(&w.tree, SET "one", "1\n");
        batch_unref(turn(&w, &r));
        tree_text(&w.tree, SET "two", "2\n");
        b = turn(&w, &r);
        assert_int_equal(samples_present(b), 1); /* not looked at yet */
        batch_unref(b);
        faults.now_ns += LOOKUP_AGE_NS;
        b = turn(&w, &r);
        assert_counter(b, "two", 2);
        batch_unref(b);
        assert_int_equal(unlinkat(w.tree.fd, SET "one", 0), 0);
        atomic_fetch_add(&w.generation, 1);
        b = turn(&w, &r);
        assert_int_equal(samples_present(b), 1);
        assert_counter(b, "two", 2);
        batch_unref(b);
        world_done(&w);
}

static void series_stay_the_same_object(void **state)
{
        struct world w;
        struct batch *a, *b;
        int r;

        world_init(&w, "hw_counters");
        tree_text(&w.tree, SET "one", "1\n");
        tree_fifo(&w.tree, SET "fifo");
        a = turn(&w, &r);
        faults.now_ns += LOOKUP_AGE_NS;
        b = turn(&w, &r);
        assert_ptr_equal(batch_set(a), batch_set(b));
        batch_unref(a);
        batch_unref(b);
        world_done(&w);
}

static void a_vanished_device_takes_its_series(void **state)
{
        struct world w;
        struct batch *b;
        int r;

        world_init(&w, "port");
        tree_text(&w.tree, DEVICE "ports/1/state", "4: ACTIVE\n");
        batch_unref(turn(&w, &r));
        assert_int_equal(renameat(w.tree.fd, "class/infiniband/d", w.tree.fd, "class/infiniband/e"), 0);
        atomic_fetch_add(&w.generation, 1);
        b = turn(&w, &r);
        assert_int_equal(r, 0);
        assert_int_equal(batch_size(b), 0);
        batch_unref(b);
        assert_int_equal(renameat(w.tree.fd, "class/infiniband/e", w.tree.fd, "class/infiniband/d"), 0);
        b = turn(&w, &r);
        assert_sample_u64(b, "rdma_canary_port_state_id", LABEL, 4);
        batch_unref(b);
        world_done(&w);
}

static void resets_are_counted_and_outlive_preparation(void **state)
{
        struct world w;
        struct batch *b;
        int r;

        world_init(&w, "port");
        tree_text(&w.tree, DEVICE "ports/1/counters/symbol_error", "65535\n");
        b = turn(&w, &r);
        assert_sample_u64(b, "rdma_canary_port_resets_total", LABEL, 0);
        batch_unref(b);
        tree_text(&w.tree, DEVICE "ports/1/counters/symbol_error", "3\n");
        b = turn(&w, &r);
        assert_sample_u64(b, "rdma_canary_port_resets_total", LABEL, 1);
        assert_sample_u64(b, "rdma_canary_port_saturated", LABEL ",counter=\"symbol_error\"", 0);
        batch_unref(b);
        tree_text(&w.tree, DEVICE "ports/1/counters/link_downed", "0\n");
        atomic_fetch_add(&w.generation, 1);
        b = turn(&w, &r);
        assert_sample_u64(b, "rdma_canary_port_link_downed_total", LABEL, 0);
        assert_sample_u64(b, "rdma_canary_port_resets_total", LABEL, 1);
        batch_unref(b);
        world_done(&w);
}

static size_t count_descriptors(void)
{
        struct sysfs_names names = { 0 };
        int dir = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        size_t n;

        assert_true(dir >= 0);
        assert_int_equal(sysfs_list(dir, &names), 0);
        assert_int_equal(close(dir), 0);
        n = names.n;
        sysfs_names_done(&names);
        return n;
}

static void all_descriptors_are_closed(void **state)
{
        size_t before = count_descriptors();
        struct world w;
        int r;

        for (unsigned i = 0; i < 2; i++) {
                world_init(&w, i == 0 ? "port" : "hw_counters");
                tree_text(&w.tree, SET "one", "1\n");
                tree_text(&w.tree, DEVICE "ports/1/counters/symbol_error", "1\n");
                batch_unref(turn(&w, &r));
                assert_int_equal(count_descriptors(), before + 2); /* the tree's, and one file's */
                world_done(&w);
                assert_int_equal(count_descriptors(), before);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(errors_cost_one_sample_and_are_told),
                cmocka_unit_test(errors_that_stay_rest_and_others_do_not),
                cmocka_unit_test(what_is_not_there_is_no_error),
                cmocka_unit_test(a_device_that_came_anew_is_read_at_the_same_scrape),
                cmocka_unit_test(counters_that_appear_or_vanish_are_noticed),
                cmocka_unit_test(series_stay_the_same_object),
                cmocka_unit_test(a_vanished_device_takes_its_series),
                cmocka_unit_test(resets_are_counted_and_outlive_preparation),
                cmocka_unit_test(all_descriptors_are_closed),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
