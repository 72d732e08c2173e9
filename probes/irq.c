/* SPDX-License-Identifier: Apache-2.0 */
/* Where the interrupts of one RDMA device go: its MSI vectors, from device/msi_irqs, and the CPUs that serve
 * them, from /proc/irq/N. Counts of interrupts are not here: /proc/interrupts is megabytes on a large host.
 * Hundreds of small files, which hardly ever change: read every minute. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpulist.h"
#include "base/parse.h"
#include "base/sysfs.h"
#include "base/text.h"
#include "probes/passive.h"

#define SPREAD_AGE_NS (60 * NS_PER_SEC)

enum irq_family {
        IRQ_VECTORS,
        IRQ_CPUS,
        IRQ_LOCAL,
        IRQ_REMOTE,
        N_IRQ_FAMILIES,
};

#define IRQ_GAUGE(suffix, what)                                                                              \
        {                                                                                                    \
                .name = "rdma_canary_irq_" suffix, .type = METRIC_GAUGE, .labels = { "device" },             \
                .help = what,                                                                                \
        }

static const struct metric_family families[] = {
        [IRQ_VECTORS] = IRQ_GAUGE("vectors",
                "Interrupt vectors of the device (entries of device/msi_irqs), looked at every minute."),
        [IRQ_CPUS] = IRQ_GAUGE("cpus",
                "CPUs that serve them (/proc/irq/N/effective_affinity_list), looked at every minute."),
        [IRQ_LOCAL] = IRQ_GAUGE("vectors_local_node", "Vectors served by CPUs of the device's NUMA node "
                                                      "only, looked at every minute; absent when it has "
                                                      "none."),
        [IRQ_REMOTE] = IRQ_GAUGE("vectors_remote_node", "Vectors that CPUs of another NUMA node serve, "
                                                        "looked at every minute; absent when the device has "
                                                        "none."),
};
static_assert(ARRAY_SIZE(families) == N_IRQ_FAMILIES, "a family for every position");

struct irq_source {
        struct passive passive; /* first: made by its functions */
        struct series_set *set; /* by family */
        uint64_t read_at_ns;    /* 0: never */
        int error;              /* of that reading */
        bool known[N_IRQ_FAMILIES];
        uint64_t values[N_IRQ_FAMILIES];
};

static void destroy(void *state)
{
        struct irq_source *s = state;

        if (s)
                series_set_unref(s->set);
        passive_destroy(s);
}

static int make_set(struct irq_source *s)
{
        int r = 0;

        s->set = series_set_new();
        if (!s->set)
                return -ENOMEM;
        for (size_t i = 0; r >= 0 && i < N_IRQ_FAMILIES; i++)
                r = series_set_add(s->set, &families[i], LABELS(s->passive.device));
        return r < 0 ? r : 0;
}

static int create(const struct source_environment *env, const struct source_target *target,
        const void *config, void **ret_state)
{
        struct irq_source *s = calloc(1, sizeof(*s));
        int r;

        if (!s)
                return -ENOMEM;
        r = passive_init(&s->passive, env, target);
        if (r == 0)
                r = make_set(s);
        if (r < 0) {
                destroy(s);
                return r;
        }
        *ret_state = s;
        return 0;
}

/* -ENODATA: the device has no node. */
static int read_node(const struct irq_source *s, int device, struct cpulist *ret)
{
        char path[64];
        uint64_t node;
        int r = sysfs_read_u64(device, "device/numa_node", &node);

        if (r == 0)
                r = text_format(
                        path, sizeof(path), "devices/system/node/node%llu/cpulist", (unsigned long long)node);
        if (r == 0)
                r = sysfs_read_cpulist(s->passive.env->sysfs, path, ret);
        return r < 0 ? -ENODATA : 0;
}

/* Kernels before 4.15 and some architectures only know what was asked for, not what is. */
static int read_affinity(int procfs, const char *number, struct cpulist *ret)
{
        char path[64];
        uint64_t checked;
        int r = parse_u64(number, strlen(number), &checked);

        if (r == 0)
                r = text_format(path, sizeof(path), "irq/%s/effective_affinity_list", number);
        if (r == 0)
                r = sysfs_read_cpulist(procfs, path, ret);
        if (r != -ENOENT)
                return r;
        r = text_format(path, sizeof(path), "irq/%s/smp_affinity_list", number);
        return r < 0 ? r : sysfs_read_cpulist(procfs, path, ret);
}

static void set(struct irq_source *s, enum irq_family family, uint64_t value)
{
        s->known[family] = true;
        s->values[family] = value;
}

static int read_spread(struct irq_source *s, int device)
{
        cleanup(close_fdp) int dir = sysfs_open_dir(device, "device/msi_irqs");
        cleanup(sysfs_names_done) struct sysfs_names vectors = { 0 };
        struct cpulist node, all = { 0 };
        bool has_node = read_node(s, device, &node) == 0;
        uint64_t local = 0, remote = 0;
        int error = 0, r = dir < 0 ? dir : sysfs_list(dir, &vectors);

        if (r < 0)
                return sysfs_is_absent(r) ? 0 : r;
        for (size_t i = 0; i < vectors.n; i++) {
                struct cpulist cpus;

                r = read_affinity(s->passive.env->procfs, vectors.items[i], &cpus);
                sysfs_note_error(&error, r);
                if (r < 0 || cpulist_is_empty(&cpus)) /* one that nobody has asked for yet */
                        continue;
                cpulist_add(&all, &cpus);
                *(has_node && cpulist_is_within(&cpus, &node) ? &local : &remote) += 1;
        }
        set(s, IRQ_VECTORS, vectors.n);
        set(s, IRQ_CPUS, cpulist_count(&all));
        if (has_node) {
                set(s, IRQ_LOCAL, local);
                set(s, IRQ_REMOTE, remote);
        }
        return error;
}

static int read_anew(struct irq_source *s)
{
        cleanup(close_fdp) int device = sysfs_open_device(s->passive.env->sysfs, s->passive.device);

        memset(s->known, 0, sizeof(s->known));
        if (device < 0)
                return sysfs_is_absent(device) ? 0 : device;
        return read_spread(s, device);
}

static int collect(void *state, uint64_t deadline_ns, struct batch *b)
{
        struct irq_source *s = state;
        uint64_t now = clock_monotonic_ns(s->passive.env->clock);

        if (s->read_at_ns == 0 || now - s->read_at_ns >= SPREAD_AGE_NS) {
                s->read_at_ns = now;
                s->error = read_anew(s);
        }
        batch_prepare(b, s->set);
        for (size_t i = 0; i < N_IRQ_FAMILIES; i++)
                if (s->known[i])
                        batch_set_u64(b, i, s->values[i]);
        return s->error;
}

const struct source_class source_irq = {
        .name = "irq",
        .summary = "How many interrupt vectors each RDMA device has, and whether CPUs near it serve them.",
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
