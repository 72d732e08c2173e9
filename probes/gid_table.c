/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/gid_table.h"

#include <string.h>

#include "base/scope.h"
#include "base/sysfs.h"
#include "base/text.h"

static void count(struct gid_table *t, const char *type, unsigned n)
{
        size_t i = 0;

        while (i < t->n_types && strcmp(t->types[i].name, type) != 0)
                i++;
        if (i == GID_TYPES_MAX)
                i--;
        if (i == t->n_types) {
                (void)text_copy(t->types[i].name, sizeof(t->types[i].name), type); /* cut off is fine */
                t->types[i].n = 0;
                t->n_types++;
        }
        t->types[i].n += n;
}

static bool is_zero(const char *gid)
{
        return strspn(gid, "0:") == strlen(gid);
}

static void count_entry(int gids, int types, const char *index, struct gid_table *t)
{
        char gid[64], type[32];

        /* An entry without a type would answer EINVAL, and log it on some kernels. */
        if (sysfs_read_line(gids, index, gid, sizeof(gid)) < 0 || is_zero(gid))
                return;
        if (types < 0 || sysfs_read_line(types, index, type, sizeof(type)) < 0)
                (void)text_copy(type, sizeof(type), "unknown"); /* fits */
        count(t, type, 1);
}

int gid_table_read(int port_dir, const char *link_layer, struct gid_table *ret)
{
        cleanup(close_fdp) int gids = sysfs_open_dir(port_dir, "gids");
        cleanup(close_fdp) int types = sysfs_open_dir(port_dir, "gid_attrs/types");
        cleanup(sysfs_names_done) struct sysfs_names names = { 0 };
        int r = gids < 0 ? gids : sysfs_list(gids, &names);

        if (r < 0)
                return r;
        *ret = (struct gid_table){ 0 };
        count(ret, "IB/RoCE v1", 0);
        if (strcmp(link_layer, "Ethernet") == 0)
                count(ret, "RoCE v2", 0);
        for (size_t i = 0; i < names.n; i++)
                count_entry(gids, types, names.items[i], ret);
        return 0;
}
