/* SPDX-License-Identifier: Apache-2.0 */
/* What a port's GID table holds: how many entries of which type. Tables have 16 to 1024 entries, a file each,
 * so this is read seldom. */
#ifndef PROBES_GID_TABLE_H
#define PROBES_GID_TABLE_H

#include <stddef.h>

#define GID_TYPES_MAX 4 /* the kernel has two; others of later kernels share the last place */

struct gid_table {
        size_t n_types;
        struct {
                char name[32]; /* "IB/RoCE v1", "RoCE v2" */
                unsigned n;
        } types[GID_TYPES_MAX];
};

/* Of ports/N/gids and gid_attrs/types. The types that a port of this link layer has are there with 0 when the
 * table has none of them: a table without any is a finding. 0, or -errno: there is no table. */
int gid_table_read(int port_dir, const char *link_layer, struct gid_table *ret);

#endif
