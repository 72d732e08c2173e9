/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for registration: anonymous, page-aligned, zeroed and touched. */
#ifndef ENGINE_MEMORY_H
#define ENGINE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

struct memory {
        void *data;
        size_t bytes;
        void *mapping; /* what was mapped: data lies in it, aligned to a huge page if asked */
        size_t mapped_bytes;
};

/* Transparent huge pages when `huge` and there is at least one page of them, else plain ones; on NUMA node
 * `node`
 * (-1: any) if the kernel can. 0, -ENOMEM. */
int memory_map(struct memory *m, size_t bytes, bool huge, int node);
void memory_unmap(struct memory *m); /* zeroed struct is fine */

#endif
