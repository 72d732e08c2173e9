/* SPDX-License-Identifier: Apache-2.0 */
/* On the running kernel, whatever it has: where huge pages are not set aside, their refusal is tested. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sysfs.h"
#include "engine/fault.h"
#include "engine/memory.h"

#define HUGE_PAGE ((size_t)2 << 20)
#define POOL      "/sys/kernel/mm/hugepages/hugepages-2048kB/"
#define THP_FILE  "/sys/kernel/mm/transparent_hugepage/enabled"

static uint64_t read_number(const char *path)
{
        uint64_t value = 0;
        (void)sysfs_read_u64(AT_FDCWD, path, &value); /* 0 where there is no such file */
        return value;
}

static bool thp_is_on(void)
{
        char text[64];
        return sysfs_read_line(AT_FDCWD, THP_FILE, text, sizeof(text)) == 0 && !strstr(text, "[never]");
}

/* "Kilobytes of the mapping that `data` is in" by the name that smaps has for them. */
static uint64_t smaps_kilobytes(const void *data, const char *name)
{
        FILE *f = fopen("/proc/self/smaps", "re");
        char line[512];
        uint64_t start, end, value = 0;
        bool inside = false;
        assert_non_null(f);
        while (fgets(line, sizeof(line), f)) {
                if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &start, &end) == 2)
                        inside = (uintptr_t)data >= start && (uintptr_t)data < end;
                else if (inside && strncmp(line, name, strlen(name)) == 0)
                        value = strtoull(line + strlen(name), NULL, 10);
        }
        fclose(f);
        return value;
}

static void assert_zeroed(const struct memory *m, size_t bytes)
{
        assert_int_equal(m->bytes, bytes);
        for (size_t i = 0; i < bytes; i++)
                assert_int_equal(((const uint8_t *)m->data)[i], 0);
        memset(m->data, 0xff, bytes);
}

static void any_size_in_any_kind(void **state)
{
        static const size_t sizes[] = { 1, 4096, 4097, HUGE_PAGE - 1, HUGE_PAGE, HUGE_PAGE + 1 };
        static const enum memory_kind kinds[] = { MEMORY_AUTO, MEMORY_PLAIN, MEMORY_THP };
        for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
                for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
                        struct memory m = { 0 };
                        struct fault fault = { 0 };
                        enum memory_kind used = MEMORY_AUTO;
                        if (kinds[k] == MEMORY_THP && !thp_is_on())
                                continue;
                        assert_int_equal(memory_map(&m, sizes[i], kinds[k], -1, &used, &fault), 0);
                        assert_int_equal(fault.kind, OUTCOME_OK);
                        assert_true(used == kinds[k] || (kinds[k] == MEMORY_AUTO && used != MEMORY_AUTO));
                        assert_zeroed(&m, sizes[i]);
                        memory_unmap(&m);
                        assert_null(m.data);
                        memory_unmap(&m);
                }
}

static void auto_takes_huge_pages_for_what_fills_one(void **state)
{
        struct memory m = { 0 };
        enum memory_kind used;
        assert_int_equal(memory_map(&m, HUGE_PAGE - 1, MEMORY_AUTO, -1, &used, NULL), 0);
        assert_int_equal(used, MEMORY_PLAIN);
        memory_unmap(&m);
        assert_int_equal(memory_map(&m, HUGE_PAGE, MEMORY_AUTO, -1, &used, NULL), 0);
        assert_int_equal(used, thp_is_on() ? MEMORY_THP : MEMORY_PLAIN);
        memory_unmap(&m);
}

static void pages_are_there_before_they_are_used(void **state)
{
        struct memory m = { 0 };
        enum memory_kind used;
        assert_int_equal(memory_map(&m, 8 * HUGE_PAGE, MEMORY_PLAIN, 0, &used, NULL), 0);
        assert_true(smaps_kilobytes(m.data, "Rss:") >= 8 * HUGE_PAGE / 1024);
        assert_int_equal(smaps_kilobytes(m.data, "AnonHugePages:"), 0);
        memory_unmap(&m);
}

static void transparent_huge_pages_begin_where_they_can(void **state)
{
        struct memory m = { 0 };
        struct fault fault = { 0 };
        enum memory_kind used;
        int r = memory_map(&m, 3, MEMORY_THP, -1, &used, &fault);
        if (!thp_is_on()) {
                assert_int_equal(r, -EOPNOTSUPP);
                assert_non_null(strstr(fault.reason, "echo madvise >" THP_FILE));
                return;
        }
        assert_int_equal(r, 0);
        assert_int_equal((uintptr_t)m.data % HUGE_PAGE, 0);
        memory_unmap(&m);
}

/* One more than are free; without any, the smallest request. */
static void huge_pages_that_are_not_free_are_refused(void **state)
{
        struct memory m = { 0 };
        struct fault fault = { 0 };
        enum memory_kind used = MEMORY_AUTO;
        char needed[64], have[64], advice[128];
        uint64_t free_pages = read_number(POOL "free_hugepages") - read_number(POOL "resv_hugepages");
        int r = memory_map(&m, free_pages * HUGE_PAGE + 1, MEMORY_HUGETLB, -1, &used, &fault);
        assert_true(r == -ENOMEM || r == -EOPNOTSUPP);
        assert_int_equal(fault.kind, OUTCOME_LOCAL);
        assert_int_equal(fault.error, r);
        assert_int_equal(used, MEMORY_AUTO);
        assert_null(m.data);
        if (r == -EOPNOTSUPP) {
                assert_non_null(strstr(fault.reason, "no huge pages of 2 MiB"));
                return;
        }
        snprintf(needed, sizeof(needed), "%" PRIu64 " huge pages of 2 MiB are needed", free_pages + 1);
        snprintf(have, sizeof(have), "%" PRIu64 " are free", free_pages);
        snprintf(advice, sizeof(advice), "echo %" PRIu64 " >" POOL "nr_hugepages (or sysctl vm.nr_hugepages)",
                read_number(POOL "nr_hugepages") + 1);
        assert_non_null(strstr(fault.reason, needed));
        assert_non_null(strstr(fault.reason, have));
        assert_non_null(strstr(fault.reason, advice));
}

static void huge_pages_that_are_free_are_used(void **state)
{
        struct memory m = { 0 };
        enum memory_kind used = MEMORY_AUTO;
        if (read_number(POOL "free_hugepages") < read_number(POOL "resv_hugepages") + 2)
                skip();
        assert_int_equal(memory_map(&m, HUGE_PAGE + 1, MEMORY_HUGETLB, 0, &used, NULL), 0);
        assert_int_equal(used, MEMORY_HUGETLB);
        assert_int_equal(smaps_kilobytes(m.data, "Private_Hugetlb:"), 2 * HUGE_PAGE / 1024);
        assert_zeroed(&m, HUGE_PAGE + 1);
        memory_unmap(&m);
}

static void more_than_there_can_be_is_refused(void **state)
{
        static const enum memory_kind kinds[] = { MEMORY_AUTO, MEMORY_PLAIN };
        static const size_t sizes[] = { SIZE_MAX, SIZE_MAX - HUGE_PAGE, SIZE_MAX / 2 };
        for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
                for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
                        struct memory m = { 0 };
                        struct fault fault = { 0 };
                        enum memory_kind used;
                        assert_int_equal(memory_map(&m, sizes[i], kinds[k], -1, &used, &fault), -ENOMEM);
                        assert_non_null(strstr(fault.reason, "no memory for"));
                        assert_null(m.data);
                }
}

int main(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(any_size_in_any_kind),
                cmocka_unit_test(auto_takes_huge_pages_for_what_fills_one),
                cmocka_unit_test(pages_are_there_before_they_are_used),
                cmocka_unit_test(transparent_huge_pages_begin_where_they_can),
                cmocka_unit_test(huge_pages_that_are_not_free_are_refused),
                cmocka_unit_test(huge_pages_that_are_free_are_used),
                cmocka_unit_test(more_than_there_can_be_is_refused),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
