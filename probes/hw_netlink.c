/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/hw_netlink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

void hw_netlink_init(struct hw_netlink *h, bool wanted)
{
        *h = (struct hw_netlink){ .wanted = wanted, .nldev = NLDEV_INIT };
}

void hw_netlink_done(struct hw_netlink *h)
{
        nldev_close(&h->nldev);
}

void hw_netlink_find(struct hw_netlink *h, int sysfs, const char *device)
{
        h->present = h->wanted && sysfs_is_real(sysfs) && nldev_find(&h->nldev, device, &h->index) == 0;
}

static int add_name(void *context, const struct nldev_entry *e)
{
        struct sysfs_names *names = context;
        char **items;

        if (!e->name || !e->has_value)
                return -EBADMSG;
        items = reallocarray(names->items, names->n + 1, sizeof(*items));
        if (!items)
                return -ENOMEM;
        names->items = items;
        items[names->n] = strdup(e->name);
        if (!items[names->n])
                return -ENOMEM;
        names->n++;
        return 0;
}

static int port_number(const char *port, uint32_t *ret)
{
        uint64_t number;
        int r = parse_u64(port, strlen(port), &number);

        if (r < 0)
                return r;
        if (number == NLDEV_NO_PORT || number > UINT8_MAX)
                return -ERANGE;
        *ret = (uint32_t)number;
        return 0;
}

int hw_netlink_names(struct hw_netlink *h, const char *port, struct sysfs_names *ret)
{
        struct sysfs_names names = { 0 };
        uint32_t number;
        int r = h->present ? port_number(port, &number) : -ENODEV;

        if (r == 0)
                r = nldev_ask(&h->nldev, NLDEV_COUNTERS, h->index, number, add_name, &names);
        if (r < 0) {
                sysfs_names_done(&names);
                return r;
        }
        *ret = names;
        return 0;
}

int hw_netlink_add(struct hw_netlink *h, const char *port, size_t first, size_t n)
{
        int r;

        if (h->n_ports == HW_NETLINK_PORTS_MAX)
                return -ENOSPC;
        r = port_number(port, &h->ports[h->n_ports].number);
        if (r < 0)
                return r;
        h->ports[h->n_ports].first = first;
        h->ports[h->n_ports++].n = n;
        return 0;
}

void hw_netlink_forget(struct hw_netlink *h)
{
        h->n_ports = 0;
        h->read_at_ns = 0;
}

struct filling {
        struct device_file *files;
        size_t n, at;
};

static int fill(void *context, const struct nldev_entry *e)
{
        struct filling *f = context;

        if (f->at == f->n || !e->name || !e->has_value || strcmp(e->name, f->files[f->at].name) != 0)
                return -ESTALE; /* an optional counter has been enabled or disabled */
        f->files[f->at].value = e->value;
        f->files[f->at++].error = 0;
        return 0;
}

static bool read_port(struct hw_netlink *h, size_t port, struct device_files *files)
{
        struct filling f = { .files = files->items + h->ports[port].first, .n = h->ports[port].n };

        for (size_t i = 0; i < f.n; i++)
                f.files[i].error = -ENODATA;
        return nldev_ask(&h->nldev, NLDEV_COUNTERS, h->index, h->ports[port].number, fill, &f) == 0 &&
               f.at == f.n;
}

bool hw_netlink_read(struct hw_netlink *h, uint64_t now_ns, struct device_files *files)
{
        bool all = true;

        if (h->n_ports == 0 || (h->read_at_ns && now_ns - h->read_at_ns < HW_NETLINK_AGE_NS))
                return true;
        h->read_at_ns = now_ns;
        for (size_t i = 0; i < h->n_ports; i++)
                all &= read_port(h, i, files);
        return all;
}
