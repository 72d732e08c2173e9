/* SPDX-License-Identifier: Apache-2.0 */
/* What a device is: from /sys/class/infiniband/DEVICE, and from verbs what sysfs does not tell (driver of a
 * software device, active MTU). Verbs opens the device, which costs milliseconds on hardware, so it is asked
 * seldom; and in a source of its own, so that a device that hangs there still has its counters. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/sysfs.h"
#include "base/text.h"
#include "probes/fixed_series.h"
#include "probes/gid_table.h"
#include "probes/passive.h"
#include "probes/readings.h"

#define GIDS_AGE_NS (300 * NS_PER_SEC)

enum device_family {
        DEVICE_INFO,
        DEVICE_NUMA_NODE,
        DEVICE_VIRTUAL_FUNCTION,
        PORT_ACTIVE_MTU,
        PORT_MAX_MTU,
        PORT_GIDS,
        N_DEVICE_FAMILIES,
};

static const struct metric_family families[] = {
        [DEVICE_INFO] = {
                .name = "rdma_canary_device_info", .type = METRIC_GAUGE,
                .help = "What a device is; labels that the device does not have are empty. Always 1.",
                .labels = { "device", "driver", "firmware", "board_id", "hca_type", "node_type", "node_guid",
                        "pci_address" },
        },
        [DEVICE_NUMA_NODE] = {
                .name = "rdma_canary_device_numa_node", .type = METRIC_GAUGE,
                .help = "NUMA node the device is attached to (device/numa_node); absent where there is none.",
                .labels = { "device" },
        },
        [DEVICE_VIRTUAL_FUNCTION] = {
                .name = "rdma_canary_device_virtual_function_info", .type = METRIC_GAUGE,
                .help = "The device is a virtual function, of the physical one at this PCI address "
                        "(device/physfn). Always 1; absent for others.",
                .labels = { "device", "physical_function" },
        },
        [PORT_ACTIVE_MTU] = {
                .name = "rdma_canary_port_active_mtu_bytes", .type = METRIC_GAUGE,
                .help = "Active MTU of the port's RDMA traffic, asked by verbs every 30 s.",
                .labels = { "device", "port" },
        },
        [PORT_MAX_MTU] = {
                .name = "rdma_canary_port_max_mtu_bytes", .type = METRIC_GAUGE,
                .help = "Largest MTU the port's RDMA traffic can have, asked by verbs every 30 s.",
                .labels = { "device", "port" },
        },
        [PORT_GIDS] = {
                .name = "rdma_canary_port_gids", .type = METRIC_GAUGE,
                .help = "Entries of the port's GID table that are not zero (gids/), by type "
                        "(gid_attrs/types/), read every 5 minutes; without any no RoCE connection comes up.",
                .labels = { "device", "port", "gid_type" },
        },
};
static_assert(ARRAY_SIZE(families) == N_DEVICE_FAMILIES, "a family for every position");

struct port_gids {
        char port[4], link_layer[32];
        struct gid_table table;
};

struct device_source {
        struct passive passive; /* first: made by its functions */
        struct lookup lookup;
        struct fixed_series series;
        int error;  /* of the last look */
        bool known; /* facts are there */
        struct device_facts facts;
        size_t n_gids;
        struct port_gids *gids; /* of the ports that have a table */
        bool gids_read;
        unsigned gids_generation;
        uint64_t gids_at_ns;
};

static int create(const struct source_environment *env, const struct source_target *target,
        const void *config, void **ret_state)
{
        return passive_new(sizeof(struct device_source), env, target, ret_state);
}

static void destroy(void *state)
{
        struct device_source *d = state;

        fixed_series_done(&d->series);
        free(d->gids);
        free(d);
}

static int refresh_facts(struct device_source *d)
{
        int r;

        if (!d->passive.env->engine)
                return 0;
        r = device_find(d->passive.device, &d->facts);
        d->known = r == 0;
        return r == -ENOSYS ? -ENODEV : r; /* no verbs in this kernel: nothing wrong */
}

static int add_gids(struct device_source *d, int device_dir, const char *port)
{
        char path[16];
        struct port_gids gids, *all;
        int r = text_copy(gids.port, sizeof(gids.port), port);

        if (r == 0)
                r = text_format(path, sizeof(path), "ports/%s", port);
        if (r < 0)
                return r;
        {
                cleanup(close_fdp) int dir = sysfs_open_dir(device_dir, path);

                if (dir < 0 ||
                        sysfs_read_line(dir, "link_layer", gids.link_layer, sizeof(gids.link_layer)) < 0)
                        gids.link_layer[0] = '\0';
                if (dir < 0 || gid_table_read(dir, gids.link_layer, &gids.table) < 0)
                        return 0;
        }
        all = reallocarray(d->gids, d->n_gids + 1, sizeof(*all));
        if (!all)
                return -ENOMEM;
        d->gids = all;
        d->gids[d->n_gids++] = gids;
        return 0;
}

/* Some hundred files a port. */
static int refresh_gids(struct device_source *d, int device_dir)
{
        const struct source_environment *env = d->passive.env;
        cleanup(sysfs_names_done) struct sysfs_names ports = { 0 };
        unsigned generation = env->generation ? atomic_load(env->generation) : 0;
        uint64_t now = clock_monotonic_ns(env->clock);
        int r;

        if (d->gids_read && d->gids_generation == generation && now - d->gids_at_ns < GIDS_AGE_NS)
                return 0;
        d->n_gids = 0;
        r = passive_ports(device_dir, &ports);
        for (size_t i = 0; r == 0 && i < ports.n; i++)
                r = add_gids(d, device_dir, ports.items[i]);
        d->gids_read = r == 0;
        d->gids_generation = generation;
        d->gids_at_ns = now;
        return r;
}

/* "" when there is no such file. */
static void read_label(int dir, const char *file, char *dst, size_t size)
{
        if (sysfs_read_line(dir, file, dst, size) < 0)
                dst[0] = '\0';
}

static void read_link_label(int dir, const char *link, char *dst, size_t size)
{
        if (sysfs_read_link_name(dir, link, dst, size) < 0)
                dst[0] = '\0';
}

/* "1: CA" → "CA" */
static const char *after_number(const char *text)
{
        const char *separator = strstr(text, ": ");

        return separator ? separator + 2 : text;
}

static void add_info(const struct device_source *d, int dir, struct fixed_series *f)
{
        enum { SIZE = 128 };
        char driver[SIZE], firmware[SIZE], board[SIZE], hca[SIZE], type[SIZE], guid[SIZE], pci[SIZE];

        read_link_label(dir, "device/driver", driver, SIZE);
        if (driver[0] == '\0' && d->known)
                (void)text_copy(driver, SIZE, d->facts.driver); /* fits */
        read_link_label(dir, "device", pci, SIZE);
        read_label(dir, "fw_ver", firmware, SIZE);
        read_label(dir, "board_id", board, SIZE);
        read_label(dir, "hca_type", hca, SIZE);
        read_label(dir, "node_type", type, SIZE);
        read_label(dir, "node_guid", guid, SIZE);
        fixed_series_add(f, &families[DEVICE_INFO],
                LABELS(d->passive.device, driver, firmware, board, hca, after_number(type), guid, pci), 1);
}

static void add_place(const struct device_source *d, int dir, struct fixed_series *f, int *error)
{
        char physical[128];
        uint64_t node;
        int r = sysfs_read_u64(dir, "device/numa_node", &node); /* -1, no number here, means none */

        if (r == 0)
                fixed_series_add(f, &families[DEVICE_NUMA_NODE], LABELS(d->passive.device), node);
        sysfs_note_error(error, r);
        read_link_label(dir, "device/physfn", physical, sizeof(physical));
        if (physical[0])
                fixed_series_add(
                        f, &families[DEVICE_VIRTUAL_FUNCTION], LABELS(d->passive.device, physical), 1);
}

static void add_mtus(const struct device_source *d, struct fixed_series *f)
{
        for (size_t i = 0; d->known && i < d->facts.n_ports; i++) {
                const struct port_facts *port = &d->facts.ports[i];
                char number[8];

                (void)text_format(number, sizeof(number), "%u", (unsigned)port->number); /* fits */
                if (port->active_mtu_bytes > 0)
                        fixed_series_add(f, &families[PORT_ACTIVE_MTU], LABELS(d->passive.device, number),
                                port->active_mtu_bytes);
                if (port->max_mtu_bytes > 0)
                        fixed_series_add(f, &families[PORT_MAX_MTU], LABELS(d->passive.device, number),
                                port->max_mtu_bytes);
        }
}

static void add_gid_counts(const struct device_source *d, struct fixed_series *f)
{
        for (size_t i = 0; i < d->n_gids; i++) {
                const struct port_gids *g = &d->gids[i];

                for (size_t k = 0; k < g->table.n_types; k++)
                        fixed_series_add(f, &families[PORT_GIDS],
                                LABELS(d->passive.device, g->port, g->table.types[k].name),
                                g->table.types[k].n);
        }
}

static void find_out(struct device_source *d, int dir, struct fixed_series *f, int *error)
{
        sysfs_note_error(error, refresh_facts(d));
        sysfs_note_error(error, refresh_gids(d, dir));
        add_info(d, dir, f);
        add_place(d, dir, f, error);
        add_mtus(d, f);
        add_gid_counts(d, f);
}

static int look(struct device_source *d)
{
        cleanup(close_fdp) int dir = sysfs_open_device(d->passive.env->sysfs, d->passive.device);
        struct fixed_series found = { 0 };
        int error = 0, r;

        sysfs_note_error(&error, dir);
        if (dir >= 0)
                find_out(d, dir, &found, &error);
        else
                lookup_again(&d->lookup);
        r = fixed_series_become(&d->series, &found);
        return r < 0 ? r : error;
}

static int collect(void *state, uint64_t deadline_ns, struct batch *b)
{
        struct device_source *d = state;

        if (lookup_due(&d->lookup, d->passive.env))
                d->error = look(d);
        fixed_series_show(&d->series, b);
        return d->error;
}

const struct source_class source_device = {
        .name = "device",
        .summary = "What each RDMA device is: driver, firmware, board, identifiers, NUMA node, MTUs, GIDs.",
        .trigger = TRIGGER_SCRAPE,
        .scope = SCOPE_DEVICE,
        .families = families,
        .n_families = ARRAY_SIZE(families),
        .options = passive_options,
        .n_options = N_PASSIVE_OPTIONS,
        .config_size = sizeof(struct passive_config),
        .create = create,
        .collect = collect,
        .destroy = destroy,
};
