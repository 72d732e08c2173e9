/* SPDX-License-Identifier: Apache-2.0 */
/* What is in use of each device, and which optional counters are enabled: by RDMA netlink, which tells it without
 * asking the device. The kernel's netlink is asked only where sysfs is the kernel's as well: a tree of files is
 * of other devices. Kernels without optional counters (before 5.16), and drivers without any, are normal. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/sysfs.h"
#include "base/text.h"
#include "probes/cgroup_pairs.h"
#include "probes/nldev.h"
#include "probes/passive.h"
#include "probes/readings.h"

enum resources_family {
        DEVICE_RESOURCES,
        OPTIONAL_COUNTER_ENABLED,
        CGROUP_QUEUE_PAIRS,
        N_RESOURCES_FAMILIES,
};

static const struct metric_family families[] = {
        [DEVICE_RESOURCES] = {
                .name = "rdma_canary_device_resources", .type = METRIC_GAUGE,
                .help = "Objects in use on the device, of all processes and the kernel, by kind: pd, cq, qp, cm_id, mr, "
                        "ctx, srq (RDMA_NLDEV_CMD_RES_GET, as `rdma resource` shows them).",
                .labels = { "device", "resource" },
        },
        [OPTIONAL_COUNTER_ENABLED] = {
                .name = "rdma_canary_hw_optional_enabled", .type = METRIC_GAUGE,
                .help = "Whether a counter that can be switched off counts now (RDMA_NLDEV_CMD_STAT_GET_STATUS, as "
                        "`rdma statistic mode` shows it).",
                .labels = { "device", "port", "counter" },
        },
        [CGROUP_QUEUE_PAIRS] = {
                .name = "rdma_canary_cgroup_queue_pairs", .type = METRIC_GAUGE,
                .help = "Queue pairs by the cgroup of the process that made them (RDMA_NLDEV_CMD_RES_QP_GET, "
                        "/proc/PID/cgroup): the 20 cgroups with the most, and (other), (kernel), (unknown).",
                .labels = { "device", "cgroup" },
        },
};
static_assert(ARRAY_SIZE(families) == N_RESOURCES_FAMILIES, "a family for every position");

struct resources_config {
        struct source_config base;
        bool cgroups;
};

static const struct option options[] = {
        SOURCE_OPTION_ENABLED(struct resources_config, "true"),
        { .key = "cgroups",
                .kind = OPTION_BOOL,
                .offset = offsetof(struct resources_config, cgroups),
                .fallback = "false",
                .help = "whether queue pairs are added up by cgroup; all of them are listed for that at each "
                        "scrape, "
                        "and /proc must show other users' processes" },
};

struct resources_source {
        struct passive passive; /* first: made by its functions */
        bool cgroups;
        struct lookup lookup;
        struct nldev nldev;
        bool present; /* the device has an index */
        uint32_t index;
        bool has_optional[UINT8_MAX + 1]; /* by port: it says which counters are optional */
};

static int create(const struct source_environment *env, const struct source_target *target,
        const void *config, void **ret_state)
{
        struct resources_source *s;
        void *state;
        int r = passive_new(sizeof(*s), env, target, &state);

        if (r < 0)
                return r;
        s = state;
        s->nldev = NLDEV_INIT;
        s->cgroups = ((const struct resources_config *)config)->cgroups;
        *ret_state = s;
        return 0;
}

static void destroy(void *state)
{
        struct resources_source *s = state;

        if (!s)
                return;
        nldev_close(&s->nldev);
        passive_destroy(s);
}

struct adding {
        const struct resources_source *source;
        struct batch *batch;
        const char *port;
        size_t n;
};

static int add_resource(void *context, const struct nldev_entry *e)
{
        struct adding *a = context;

        if (e->name && e->has_value)
                batch_add_u64(a->batch, &families[DEVICE_RESOURCES],
                        LABELS(a->source->passive.device, e->name), e->value);
        return 0;
}

/* Entries without the state are counters that are always there. */
static int add_optional(void *context, const struct nldev_entry *e)
{
        struct adding *a = context;

        if (!e->name || !e->has_value)
                return 0;
        a->n++;
        if (a->batch)
                batch_add_u64(a->batch, &families[OPTIONAL_COUNTER_ENABLED],
                        LABELS(a->source->passive.device, a->port, e->name), e->value != 0);
        return 0;
}

/* Which ports have optional counters at all. */
static void look_up_ports(struct resources_source *s)
{
        cleanup(close_fdp) int dir = sysfs_open_device(s->passive.env->sysfs, s->passive.device);
        cleanup(close_fdp) int ports = dir < 0 ? dir : sysfs_open_dir(dir, "ports");
        cleanup(sysfs_names_done) struct sysfs_names names = { 0 };

        memset(s->has_optional, 0, sizeof(s->has_optional));
        if (ports < 0 || sysfs_list(ports, &names) < 0)
                return;
        for (size_t i = 0; i < names.n; i++) {
                struct adding a = { .source = s };
                uint64_t port;

                if (parse_u64(names.items[i], strlen(names.items[i]), &port) == 0 && port <= UINT8_MAX &&
                        nldev_ask(&s->nldev, NLDEV_COUNTERS_STATUS, s->index, (uint32_t)port, add_optional,
                                &a) == 0)
                        s->has_optional[port] = a.n > 0;
        }
}

static int look_up(struct resources_source *s)
{
        int r;

        s->present = false;
        if (!sysfs_is_real(s->passive.env->sysfs))
                return 0;
        r = nldev_find(&s->nldev, s->passive.device, &s->index);
        if (r < 0)
                return r;
        s->present = true;
        look_up_ports(s);
        return 0;
}

static int collect_optional(struct resources_source *s, struct batch *b)
{
        int error = 0;

        for (uint32_t port = 0; port < ARRAY_SIZE(s->has_optional); port++) {
                char number[8];
                struct adding a = { .source = s, .batch = b, .port = number };

                if (!s->has_optional[port])
                        continue;
                (void)text_format(number, sizeof(number), "%u", (unsigned)port); /* fits */
                sysfs_note_error(&error,
                        nldev_ask(&s->nldev, NLDEV_COUNTERS_STATUS, s->index, port, add_optional, &a));
        }
        return error;
}

struct counting {
        struct cgroup_pairs pairs;
        int procfs;
};

static int count_pair(void *context, const struct nldev_entry *e)
{
        struct counting *c = context;

        if (!e->has_value)
                return cgroup_pairs_add(&c->pairs, CGROUP_PAIRS_KERNEL, 1);
        return cgroup_pairs_add_process(&c->pairs, c->procfs, e->value);
}

static int collect_cgroups(struct resources_source *s, struct batch *b)
{
        struct counting c = { .procfs = s->passive.env->procfs };
        int r = nldev_ask(&s->nldev, NLDEV_QUEUE_PAIRS, s->index, NLDEV_NO_PORT, count_pair, &c);

        if (r == 0)
                r = cgroup_pairs_cut(&c.pairs);
        for (size_t i = 0; r == 0 && i < c.pairs.n; i++)
                batch_add_u64(b, &families[CGROUP_QUEUE_PAIRS],
                        LABELS(s->passive.device, c.pairs.items[i].cgroup), c.pairs.items[i].pairs);
        cgroup_pairs_done(&c.pairs);
        return r;
}

static int collect(void *state, uint64_t deadline_ns, struct batch *b)
{
        struct resources_source *s = state;
        struct adding a = { .source = s, .batch = b };
        int error = 0, r = 0;

        if (lookup_due(&s->lookup, s->passive.env))
                r = look_up(s);
        if (r == 0 && s->present)
                r = nldev_ask(&s->nldev, NLDEV_RESOURCES, s->index, NLDEV_NO_PORT, add_resource, &a);
        if (r < 0) /* also the index of a device that is gone */
                lookup_again(&s->lookup);
        if (r != -EPROTONOSUPPORT) /* no RDMA in this kernel */
                sysfs_note_error(&error, r);
        if (r == 0 && s->present)
                sysfs_note_error(&error, collect_optional(s, b));
        if (r == 0 && s->present && s->cgroups)
                sysfs_note_error(&error, collect_cgroups(s, b));
        return error;
}

const struct source_class source_resources = {
        .name = "resources",
        .summary = "Objects in use on each device, and its optional counters' state, by netlink.",
        .trigger = TRIGGER_SCRAPE,
        .scope = SCOPE_DEVICE,
        .families = families,
        .n_families = ARRAY_SIZE(families),
        .options = options,
        .n_options = ARRAY_SIZE(options),
        .config_size = sizeof(struct resources_config),
        .create = create,
        .collect = collect,
        .destroy = destroy,
};
