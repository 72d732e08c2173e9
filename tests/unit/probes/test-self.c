/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>

#include "tests/unit/probes/support.h"

#define BUILD        "rdma_canary_build_info"
#define BUILD_LABELS "version=\"" RDMA_CANARY_VERSION "\""

static const struct source_class *self_class(void)
{
        return source_class_find("self");
}

/* The command may hold anything, brackets and blanks too. */
static const char stat_text[] = "160 (rdma) x 1) R 149 160 160 0 -1 4194560 1589 0 0 0 1250 250 0 0 20 0 7 0 "
                                "53500 17256448 2853 18446744073709551615 1 1 0 0 0\n";
static const char limits_text[] =
        "Limit                     Soft Limit           Hard Limit           Units     \n"
        "Max open files            65536                524288               files     \n"
        "Max address space         unlimited            unlimited            bytes     \n";

static void a_recorded_process(void **state)
{
        struct tree t;
        struct batch *b;
        struct timespec realtime, since_boot;
        double boot;
        int r;

        tree_init(&t);
        tree_text(&t, "self/stat", stat_text);
        tree_text(&t, "self/limits", limits_text);
        tree_text(&t, "self/fd/0", "");
        tree_text(&t, "self/fd/1", "");
        b = collect_once(self_class(), -1, t.fd, "", &r);
        assert_int_equal(r, 0);
        assert_sample_u64(b, BUILD, BUILD_LABELS, 1);
        assert_sample_u64(b, "process_open_fds", "", 2);
        assert_sample_u64(b, "process_max_fds", "", 65536);
        assert_no_sample(b, "process_virtual_memory_max_bytes", "");
        assert_sample_u64(b, "process_threads", "", 7);
        assert_sample_u64(b, "process_virtual_memory_bytes", "", 17256448);
        assert_sample_u64(b, "process_resident_memory_bytes", "", 2853 * (uint64_t)sysconf(_SC_PAGESIZE));
        assert_float_equal(sample_find(b, "process_cpu_seconds_total", "")->number,
                1500.0 / (double)sysconf(_SC_CLK_TCK), 1e-9);
        assert_int_equal(clock_gettime(CLOCK_REALTIME, &realtime), 0);
        assert_int_equal(clock_gettime(CLOCK_BOOTTIME, &since_boot), 0);
        boot = (double)(realtime.tv_sec - since_boot.tv_sec);
        assert_in_range(
                (uint64_t)(sample_find(b, "process_start_time_seconds", "")->number - boot), 533, 537);
        batch_unref(b);
        tree_done(&t);
}

static void this_process(void **state)
{
        cleanup(close_fdp) int procfs = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        int r;
        cleanup(batch_unrefp) struct batch *b = collect_once(self_class(), -1, procfs, "", &r);

        assert_int_equal(r, 0);
        assert_true(sample_find(b, "process_open_fds", "")->u64 >= 3);
        assert_true(sample_find(b, "process_resident_memory_bytes", "")->u64 > 100000);
        assert_true(sample_find(b, "process_start_time_seconds", "")->number < (double)time(NULL) + 1);
}

static size_t shown(const struct batch *b)
{
        size_t n = 0;

        for (size_t i = 0; i < batch_size(b); i++)
                n += !batch_sample(b, i)->absent;
        return n;
}

static void without_procfs_there_is_still_a_version(void **state)
{
        struct tree t;
        struct batch *b;
        int r;

        tree_init(&t);
        b = collect_once(self_class(), -1, t.fd, "", &r);
        assert_int_equal(r, 0);
        assert_int_equal(shown(b), 1);
        assert_sample_u64(b, BUILD, BUILD_LABELS, 1);
        batch_unref(b);
        tree_text(&t, "self/stat", "160 (cut off) R 149");
        b = collect_once(self_class(), -1, t.fd, "", &r);
        assert_int_equal(shown(b), 1);
        batch_unref(b);
        tree_done(&t);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_recorded_process),
                cmocka_unit_test(this_process),
                cmocka_unit_test(without_procfs_there_is_still_a_version),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
