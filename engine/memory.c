/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/memory.h"

#include <errno.h>
#include <limits.h>
#include <numaif.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE_BYTES                                                                                      \
        ((size_t)2 << 20) /* a block that a transparent huge page can fill, on x86 and 4 KiB Arm */
#define NODES_MAX 1024

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

int memory_map(struct memory *m, size_t bytes, bool huge, int node)
{
        huge = huge && bytes >= HUGE_PAGE_BYTES;
        size_t mapped = huge ? bytes + HUGE_PAGE_BYTES : bytes;
        void *mapping = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapping == MAP_FAILED)
                return -errno;
        uintptr_t start = (uintptr_t)mapping;
        if (huge)
                start = (start + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
        *m = (struct memory){
                .data = (void *)start,
                .bytes = bytes,
                .mapping = mapping,
                .mapped_bytes = mapped,
        };
        if (huge)
                (void)madvise(m->data, bytes, MADV_HUGEPAGE); /* plain pages do as well */
        prefer_node(m->data, bytes, node);
        /* Not the shared zero page: registration must pin pages of our own, and touching them now keeps the
         * page faults out of it. */
        memset(m->data, 0, bytes);
        return 0;
}

void memory_unmap(struct memory *m)
{
        if (m->mapping)
                (void)munmap(m->mapping, m->mapped_bytes); /* fails only for a bad range */
        *m = (struct memory){ 0 };
}
