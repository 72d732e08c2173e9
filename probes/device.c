/* SPDX-License-Identifier: Apache-2.0 */
/* What a device is: from /sys/class/infiniband/DEVICE, and from verbs what sysfs does not tell (driver of a
 * software device, active MTU). Verbs opens the device, which costs milliseconds on hardware, so it is asked
 * seldom; and in a source of its own, so that a device that hangs there still has its counters. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/text.h"
#include "probes/passive.h"
#include "probes/sysfs.h"

#define FACTS_AGE_NS (30 * NS_PER_SEC)

enum device_family {
        DEVICE_INFO,
        DEVICE_NUMA_NODE,
        PORT_ACTIVE_MTU,
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
        [PORT_ACTIVE_MTU] = {
                .name = "rdma_canary_port_active_mtu_bytes", .type = METRIC_GAUGE,
                .help = "Active MTU of the port's RDMA traffic, asked by verbs every 30 s.",
                .labels = { "device", "port" },
        },
};
static_assert(ARRAY_SIZE(families) == N_DEVICE_FAMILIES, "a family for every position");

struct device_source {
        struct passive passive; /* first: made by its functions */
        bool known;             /* facts are there */
        uint64_t facts_at_ns;   /* when they were asked for; 0: never */
        struct device_facts facts;
};

static int create(const struct source_environment *env, const struct source_target *target,
        const void *config, void **ret_state)
{
        struct device_source *d = calloc(1, sizeof(*d));
        int r;

        if (!d)
                return -ENOMEM;
        r = passive_init(&d->passive, env, target);
        if (r < 0) {
                free(d);
                return r;
        }
        *ret_state = d;
        return 0;
}

static int refresh_facts(struct device_source *d)
{
        uint64_t now = clock_monotonic_ns(d->passive.env->clock);
        int r;

        if (!d->passive.env->engine)
                return 0;
        if (d->facts_at_ns > 0 && now - d->facts_at_ns < FACTS_AGE_NS)
                return 0;
        d->facts_at_ns = now;
        r = device_find(d->passive.device, &d->facts);
        d->known = r == 0;
        return r == -ENOSYS ? -ENODEV : r; /* no verbs in this kernel: nothing wrong */
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

static void add_info(const struct device_source *d, int dir, struct batch *b)
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
        batch_add_u64(b, &families[DEVICE_INFO],
                LABELS(d->passive.device, driver, firmware, board, hca, after_number(type), guid, pci), 1);
}

static void add_numa_node(const struct device_source *d, int dir, struct batch *b, int *error)
{
        uint64_t node;
        int r = sysfs_read_u64(dir, "device/numa_node", &node); /* -1, no number here, means none */

        if (r == 0)
                batch_add_u64(b, &families[DEVICE_NUMA_NODE], LABELS(d->passive.device), node);
        sysfs_note_error(error, r);
}

static void add_active_mtus(const struct device_source *d, struct batch *b)
{
        for (size_t i = 0; d->known && i < d->facts.n_ports; i++) {
                const struct port_facts *port = &d->facts.ports[i];
                char number[8];

                (void)text_format(number, sizeof(number), "%u", (unsigned)port->number); /* fits */
                if (port->active_mtu_bytes > 0)
                        batch_add_u64(b, &families[PORT_ACTIVE_MTU], LABELS(d->passive.device, number),
                                port->active_mtu_bytes);
        }
}

static int collect(void *state, uint64_t deadline_ns, struct batch *b)
{
        struct device_source *d = state;
        cleanup(close_fdp) int dir = sysfs_open_device(d->passive.env->sysfs, d->passive.device);
        int error = 0;

        sysfs_note_error(&error, dir);
        if (dir < 0)
                return error;
        sysfs_note_error(&error, refresh_facts(d));
        add_info(d, dir, b);
        add_numa_node(d, dir, b, &error);
        add_active_mtus(d, b);
        return error;
}

const struct source_class source_device = {
        .name = "device",
        .summary = "What each RDMA device is: driver, firmware, board, identifiers, NUMA node, active MTU.",
        .trigger = TRIGGER_SCRAPE,
        .scope = SCOPE_DEVICE,
        .families = families,
        .n_families = ARRAY_SIZE(families),
        .options = passive_options,
        .n_options = N_PASSIVE_OPTIONS,
        .config_size = sizeof(struct passive_config),
        .create = create,
        .collect = collect,
        .destroy = passive_destroy,
};
