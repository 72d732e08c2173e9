/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for registration: anonymous, page-aligned, zeroed and touched. */
#ifndef ENGINE_MEMORY_H
#define ENGINE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/engine.h"

struct memory {
        void *data;
        size_t bytes;
        void *mapping; /* what was mapped: data lies in it, aligned to a huge page if asked */
        size_t mapped_bytes;
};

/* On NUMA node `node` (-1: any) if the kernel can. *ret_used is never MEMORY_AUTO. 0; -ENOMEM, or -EOPNOTSUPP
 * for a kind that this kernel does not have or that is switched off, with the reason. */
int memory_map(struct memory *m, size_t bytes, enum memory_kind wanted, int node, enum memory_kind *ret_used,
        struct fault *fault);
void memory_unmap(struct memory *m); /* zeroed struct is fine */

#endif
