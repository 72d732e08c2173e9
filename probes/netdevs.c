/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/netdevs.h"

#include <ctype.h>
#include <string.h>

#include "base/scope.h"
#include "base/sysfs.h"
#include "base/text.h"

bool netdev_name_is_valid(const char *name)
{
        size_t len = strlen(name);

        if (len == 0 || len >= IF_NAMESIZE || text_equal(name, ".") || text_equal(name, ".."))
                return false;
        for (size_t i = 0; i < len; i++)
                if (name[i] == '/' || name[i] == ':' || isspace((unsigned char)name[i]))
                        return false;
        return true;
}

static void add(struct netdevs *list, const char *name)
{
        if (!netdev_name_is_valid(name) || list->n == NETDEVS_MAX)
                return;
        for (size_t i = 0; i < list->n; i++)
                if (text_equal(list->items[i].name, name))
                        return;
        (void)text_copy(list->items[list->n++].name, IF_NAMESIZE, name); /* fits: it is valid */
}

/* A switch-mode function has the representors of its virtual functions beside its own interface: "pf0vf3"
 * or "c1pf0sf88", where the port itself is "p0". */
static bool is_representor(int net, const char *name)
{
        char path[64], port[64];
        const char *p = port;

        if (text_format(path, sizeof(path), "%s/phys_port_name", name) < 0 ||
                sysfs_read_line(net, path, port, sizeof(port)) < 0)
                return false;
        if (*p == 'c')
                p += 1 + strspn(p + 1, "0123456789");
        return text_starts(p, "pf");
}

static int add_own(int device, struct netdevs *list)
{
        cleanup(close_fdp) int net = sysfs_open_dir(device, "device/net");
        cleanup(sysfs_names_done) struct sysfs_names names = { 0 };
        int r = net < 0 ? net : sysfs_list(net, &names);

        for (size_t i = 0; i < names.n; i++)
                if (netdev_name_is_valid(names.items[i]) && !is_representor(net, names.items[i]))
                        add(list, names.items[i]);
        return r;
}

static void add_parent(int device, struct netdevs *list)
{
        char name[64];

        if (sysfs_read_line(device, "parent", name, sizeof(name)) == 0)
                add(list, name);
}

/* Entries without a GID answer EINVAL. Real ports have theirs among the first; tables have up to 1024. */
static void add_port(int ports, const char *port, struct netdevs *list)
{
        enum { LOOK_AT = 16 };
        char path[320], name[64];

        for (unsigned i = 0; i < LOOK_AT; i++)
                if (text_format(path, sizeof(path), "%s/gid_attrs/ndevs/%u", port, i) == 0 &&
                        sysfs_read_line(ports, path, name, sizeof(name)) == 0)
                        add(list, name);
}

static int add_ports(int device, struct netdevs *list)
{
        cleanup(close_fdp) int ports = sysfs_open_dir(device, "ports");
        cleanup(sysfs_names_done) struct sysfs_names names = { 0 };
        int r = ports < 0 ? ports : sysfs_list(ports, &names);

        for (size_t i = 0; i < names.n; i++)
                add_port(ports, names.items[i], list);
        return r;
}

/* Its index, and what it stands on: the kernel has a link lower_NAME for each. */
static int look_at(int sysfs, struct netdev *netdev, struct netdevs *list)
{
        static const char prefix[] = "lower_";
        cleanup(sysfs_names_done) struct sysfs_names links = { 0 };
        cleanup(close_fdp) int dir = -1;
        char path[64];
        int r = text_format(path, sizeof(path), "class/net/%s", netdev->name);

        if (r == 0)
                r = dir = sysfs_open_dir(sysfs, path);
        if (r < 0)
                return r;
        (void)sysfs_read_u64(dir, "ifindex", &netdev->index); /* untouched: not known */
        r = sysfs_list(dir, &links);
        for (size_t i = 0; i < links.n; i++)
                if (text_starts(links.items[i], prefix))
                        add(list, links.items[i] + strlen(prefix));
        return r;
}

int netdevs_find(int sysfs, const char *device, struct netdevs *ret)
{
        cleanup(close_fdp) int dir = sysfs_open_device(sysfs, device);
        struct netdevs list = { 0 };
        int error = 0;

        sysfs_note_error(&error, dir);
        if (dir >= 0) {
                sysfs_note_error(&error, add_own(dir, &list));
                add_parent(dir, &list);
                sysfs_note_error(&error, add_ports(dir, &list));
        }
        /* The list grows on the way, so lower ones of lower ones are found too; each is in it once. */
        for (size_t i = 0; i < list.n; i++)
                sysfs_note_error(&error, look_at(sysfs, &list.items[i], &list));
        *ret = list;
        return error;
}

bool netdevs_equal(const struct netdevs *a, const struct netdevs *b)
{
        if (a->n != b->n)
                return false;
        for (size_t i = 0; i < a->n; i++)
                if (a->items[i].index != b->items[i].index || !text_equal(a->items[i].name, b->items[i].name))
                        return false;
        return true;
}
