/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for registration: anonymous, page-aligned, zeroed and touched. */
#ifndef ENGINE_MEMORY_H
#define ENGINE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

struct fault;

enum memory_kind {
        MEMORY_AUTO, /* transparent huge pages if the kernel has them and at least one is filled, else plain */
        MEMORY_PLAIN,   /* pages of the kernel's size; none is merged into a huge one */
        MEMORY_THP,     /* transparent huge pages; the kernel takes plain ones where memory is in fragments */
        MEMORY_HUGETLB, /* huge pages of 2 MiB set aside by the administrator */
};

struct memory {
        void *data;
        size_t bytes;
        void *mapping; /* what was mapped: data lies in it, aligned to a huge page if asked */
        size_t mapped_bytes;
};

/* On NUMA node `node` (-1: any) if the kernel can. *ret_used is never MEMORY_AUTO. 0; -ENOMEM, or -EOPNOTSUPP
 * for a kind that this kernel does not have or that is switched off, with the reason. */
int memory_map_kind(struct memory *m, size_t bytes, enum memory_kind wanted, int node,
        enum memory_kind *ret_used, struct fault *fault);
/* MEMORY_AUTO when `huge`, else MEMORY_PLAIN. 0, -ENOMEM. */
int memory_map(struct memory *m, size_t bytes, bool huge, int node);
void memory_unmap(struct memory *m); /* zeroed struct is fine */

#endif
