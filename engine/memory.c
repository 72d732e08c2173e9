/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/mman.h>
#include <numaif.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "base/scope.h"
#include "base/sysfs.h"
#include "base/text.h"
#include "engine/fault.h"

#define HUGE_PAGE_BYTES                                                                                      \
        ((size_t)2 << 20) /* a block that a transparent huge page can fill, on x86 and 4 KiB Arm */
#define NODES_MAX 1024
#define THP_FILE  "/sys/kernel/mm/transparent_hugepage/enabled" /* "always [madvise] never" */
#define POOL      "/sys/kernel/mm/hugepages/hugepages-2048kB/"

/* Preferred, not required: a full node is slower, but works. Without CAP_SYS_NICE or NUMA this fails, which
 * is no error either. Before the first touch, since the touch decides. */
static void prefer_node(void *data, size_t bytes, int node)
{
        if (node < 0 || node >= NODES_MAX)
                return;
        unsigned long mask[NODES_MAX / (sizeof(unsigned long) * CHAR_BIT)] = { 0 };
        size_t bits = sizeof(mask[0]) * CHAR_BIT;
        mask[(size_t)node / bits] = 1UL << ((size_t)node % bits);
        (void)mbind(data, bytes, MPOL_PREFERRED, mask, NODES_MAX, 0);
}

static bool thp_is_on(void)
{
        char text[64];
        return sysfs_read_line(AT_FDCWD, THP_FILE, text, sizeof(text)) == 0 && !strstr(text, "[never]");
}

static size_t round_up(size_t bytes)
{
        return (bytes + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
}

/* What to map so that `bytes` of it can be had in this kind of pages. */
static size_t mapped_size(size_t bytes, enum memory_kind kind)
{
        switch (kind) {
        case MEMORY_HUGETLB:
                return round_up(bytes);
        case MEMORY_THP:
                return round_up(bytes) + HUGE_PAGE_BYTES; /* to begin where a huge page may */
        default:
                return bytes;
        }
}

static int map(struct memory *m, size_t bytes, enum memory_kind kind)
{
        if (bytes > SIZE_MAX - 2 * HUGE_PAGE_BYTES)
                return -ENOMEM;
        size_t mapped = mapped_size(bytes, kind);
        int huge = kind == MEMORY_HUGETLB ? MAP_HUGETLB | MAP_HUGE_2MB : 0;
        void *mapping = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | huge, -1, 0);
        if (mapping == MAP_FAILED)
                return -errno;
        *m = (struct memory){
                .data = kind == MEMORY_THP ? (void *)round_up((uintptr_t)mapping) : mapping,
                .bytes = bytes,
                .mapping = mapping,
                .mapped_bytes = mapped,
        };
        return 0;
}

/* Not the shared zero page: registration must pin pages of our own, and touching them now keeps the page
 * faults out of it. By the kernel since Linux 5.14: huge pages that were promised and cannot be had (a
 * cgroup's limit, a cpuset's nodes) are then an error and no SIGBUS. */
static int touch(struct memory *m)
{
        if (madvise(m->data, m->bytes, MADV_POPULATE_WRITE) == 0)
                return 0;
        if (errno != EINVAL)
                return errno == EFAULT ? -ENOMEM : -errno;
        memset(m->data, 0, m->bytes);
        return 0;
}

static int map_and_touch(struct memory *m, size_t bytes, enum memory_kind kind, int node)
{
        int r = map(m, bytes, kind);
        if (r < 0)
                return r;
        if (kind == MEMORY_THP)
                (void)madvise(m->data, round_up(bytes), MADV_HUGEPAGE); /* was seen to be on */
        if (kind == MEMORY_PLAIN)
                (void)madvise(m->data, bytes, MADV_NOHUGEPAGE); /* fails where there are none at all */
        prefer_node(m->data, m->bytes, node);
        r = touch(m);
        if (r < 0)
                memory_unmap(m);
        return r;
}

static int hugetlb_fault(size_t bytes, int error, struct fault *fault)
{
        uint64_t total = 0, free_pages = 0, reserved = 0, needed = round_up(bytes) / HUGE_PAGE_BYTES;
        if (sysfs_read_u64(AT_FDCWD, POOL "nr_hugepages", &total) < 0)
                return fault_set(fault, OUTCOME_LOCAL, -EOPNOTSUPP,
                        "this kernel has no huge pages of 2 MiB: ask for another kind of memory");
        (void)sysfs_read_u64(AT_FDCWD, POOL "free_hugepages", &free_pages); /* there, as the one above */
        (void)sysfs_read_u64(AT_FDCWD, POOL "resv_hugepages", &reserved);
        free_pages -= reserved < free_pages ? reserved : free_pages;
        if (error != -ENOMEM || free_pages >= needed)
                return fault_set(fault, OUTCOME_LOCAL, error,
                        "no %" PRIu64 " huge pages of 2 MiB, though %" PRIu64
                        " are free: %s (limited by a cgroup or a cpuset?)",
                        needed, free_pages, strerror(-error));
        return fault_set(fault, OUTCOME_LOCAL, error,
                "%" PRIu64 " huge pages of 2 MiB are needed, %" PRIu64 " are free: as root, echo %" PRIu64
                " >" POOL "nr_hugepages (or sysctl vm.nr_hugepages)",
                needed, free_pages, total + needed - free_pages);
}

static int map_fault(size_t bytes, enum memory_kind kind, int error, struct fault *fault)
{
        if (kind == MEMORY_HUGETLB)
                return hugetlb_fault(bytes, error, fault);
        return fault_set(fault, OUTCOME_LOCAL, error, "no memory for %zu bytes of messages: %s", bytes,
                strerror(-error));
}

const char *memory_kind_name(enum memory_kind k)
{
        static const char *const names[] = {
                [MEMORY_AUTO] = "auto",
                [MEMORY_PLAIN] = "plain",
                [MEMORY_THP] = "thp",
                [MEMORY_HUGETLB] = "hugetlb",
        };
        return (size_t)k < ARRAY_SIZE(names) ? names[k] : "unknown";
}

int memory_map(struct memory *m, size_t bytes, enum memory_kind wanted, int node, enum memory_kind *ret_used,
        struct fault *fault)
{
        if (wanted == MEMORY_AUTO)
                wanted = bytes >= HUGE_PAGE_BYTES && thp_is_on() ? MEMORY_THP : MEMORY_PLAIN;
        else if (wanted == MEMORY_THP && !thp_is_on())
                return fault_set(fault, OUTCOME_LOCAL, -EOPNOTSUPP,
                        "transparent huge pages are off: as root, echo madvise >" THP_FILE);
        int r = map_and_touch(m, bytes, wanted, node);
        if (r < 0)
                return map_fault(bytes, wanted, r, fault);
        *ret_used = wanted;
        return 0;
}

void memory_unmap(struct memory *m)
{
        if (m->mapping)
                (void)munmap(m->mapping, m->mapped_bytes); /* fails only for a bad range */
        *m = (struct memory){ 0 };
}
