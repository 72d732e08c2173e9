/* SPDX-License-Identifier: Apache-2.0 */
/* Which RDMA devices there are, by name alone: nothing below a device's directory is touched. */
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/sysfs.h"
#include "probes/probe.h"

static bool is_excluded(const char *name, const char *const *exclude, size_t n_exclude)
{
        for (size_t i = 0; i < n_exclude; i++)
                if (fnmatch(exclude[i], name, 0) == 0)
                        return true;
        return false;
}

int discover_devices(
        int sysfs, const char *const *exclude, size_t n_exclude, char ***ret_names, size_t *ret_n)
{
        cleanup(close_fdp) int dir = sysfs_open_dir(sysfs, "class/infiniband");
        struct sysfs_names names = { 0 };
        size_t kept = 0;
        int r;

        if (dir == -ENOENT) {
                *ret_names = NULL;
                *ret_n = 0;
                return 0;
        }
        r = dir < 0 ? dir : sysfs_list(dir, &names);
        if (r < 0)
                return r;
        for (size_t i = 0; i < names.n; i++) {
                /* The kernel's own limit; a longer name is no device's. */
                if (strlen(names.items[i]) >= ENGINE_NAME_MAX ||
                        is_excluded(names.items[i], exclude, n_exclude))
                        free(names.items[i]);
                else
                        names.items[kept++] = names.items[i];
        }
        *ret_names = names.items;
        *ret_n = kept;
        return 0;
}

bool discover_is_iwarp(int sysfs, const char *device)
{
        cleanup(close_fdp) int dir = sysfs_open_device(sysfs, device);
        char type[32];

        /* "4: RNIC"; a channel adapter is "1: CA". */
        return dir >= 0 && sysfs_read_line(dir, "node_type", type, sizeof(type)) >= 0 && type[0] == '4';
}

void discover_free(char **names, size_t n)
{
        struct sysfs_names list = { .n = n, .items = names };

        sysfs_names_done(&list);
}
