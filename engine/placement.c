/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/placement.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>

#include "base/sysfs.h"
#include "base/text.h"
#include "engine/fault.h"

#define LIST_TEXT_MAX 64 /* of a list in a message */
#define WIDEN         "widen what it may use (taskset, CPUAffinity= of the unit, its cgroup's cpuset)"

/* Both are bits counted from the lowest of a word; the kernel's words are longs. */
static_assert(sizeof(unsigned long) == sizeof(uint64_t), "a list of CPUs is a mask of the kernel's");

static int mask_get(struct cpulist *ret)
{
        return sched_getaffinity(0, sizeof(ret->bits), (cpu_set_t *)ret->bits) < 0 ? -errno : 0;
}

static int mask_set(const struct cpulist *l)
{
        return sched_setaffinity(0, sizeof(l->bits), (const cpu_set_t *)l->bits) < 0 ? -errno : 0;
}

static int read_node(int sysfs, unsigned node, struct cpulist *ret)
{
        char path[64];
        int r = text_format(path, sizeof(path), "devices/system/node/node%u/cpulist", node);
        return r < 0 ? r : sysfs_read_cpulist(sysfs, path, ret);
}

/* For messages; "none" when it is empty. */
static const char *list_text(const struct cpulist *l, char dst[LIST_TEXT_MAX])
{
        static const char more[] = ",…";
        if (cpulist_format(l, dst, LIST_TEXT_MAX - sizeof(more)) < 0) {
                size_t len = strlen(dst);
                text_message(dst + len, LIST_TEXT_MAX - len, "%s", more);
        }
        return dst[0] == '\0' ? "none" : dst;
}

static int cpu_fault(
        int sysfs, int cpu, const char *asked, const struct cpulist *allowed, struct fault *fault)
{
        struct cpulist online, one = { 0 };
        char list[LIST_TEXT_MAX];
        one.bits[cpu / 64] = UINT64_C(1) << cpu % 64;
        if (sysfs_read_cpulist(sysfs, "devices/system/cpu/online", &online) == 0 &&
                !cpulist_is_within(&one, &online))
                return fault_set(fault, OUTCOME_LOCAL, -EINVAL,
                        "CPU %d of \"%.40s\" is not there or offline: online are %s", cpu, asked,
                        list_text(&online, list));
        return fault_set(fault, OUTCOME_LOCAL, -EPERM,
                "CPU %d of \"%.40s\": this process may run on %s; ask for these, or " WIDEN, cpu, asked,
                list_text(allowed, list));
}

static int choose_cpus(int sysfs, const char *asked, struct cpulist *cpus, struct fault *fault)
{
        struct cpulist allowed = *cpus;
        int r = cpulist_parse(asked, strlen(asked), cpus);
        if (r == -ERANGE)
                return fault_set(fault, OUTCOME_LOCAL, -EINVAL, "CPUs \"%.40s\": there are none above %d",
                        asked, CPULIST_MAX - 1);
        if (r < 0 || cpulist_is_empty(cpus))
                return fault_set(fault, OUTCOME_LOCAL, -EINVAL,
                        "CPUs \"%.40s\": write numbers and ranges, as in 0-3,8", asked);
        int outside = cpulist_first_outside(cpus, &allowed);
        return outside < 0 ? 0 : cpu_fault(sysfs, outside, asked, &allowed, fault);
}

static int no_node_fault(int sysfs, unsigned node, struct fault *fault)
{
        struct cpulist nodes;
        char list[LIST_TEXT_MAX];
        if (sysfs_read_cpulist(sysfs, "devices/system/node/online", &nodes) < 0)
                return fault_set(fault, OUTCOME_LOCAL, -EINVAL,
                        "NUMA node %u: this host has no NUMA nodes; ask for CPUs", node);
        return fault_set(fault, OUTCOME_LOCAL, -EINVAL, "NUMA node %u is not there: this host has %s", node,
                list_text(&nodes, list));
}

static int choose_node(int sysfs, unsigned node, struct cpulist *cpus, struct fault *fault)
{
        struct cpulist allowed = *cpus, of_node;
        char list[LIST_TEXT_MAX], may[LIST_TEXT_MAX];
        if (read_node(sysfs, node, &of_node) < 0)
                return no_node_fault(sysfs, node, fault);
        if (cpulist_is_empty(&of_node))
                return fault_set(fault, OUTCOME_LOCAL, -EINVAL,
                        "NUMA node %u has memory only and no CPUs; ask for another, or for CPUs", node);
        cpulist_keep(cpus, &of_node);
        if (cpulist_is_empty(cpus))
                return fault_set(fault, OUTCOME_LOCAL, -EPERM,
                        "NUMA node %u has CPUs %s and this process may run on %s; ask for another, or " WIDEN,
                        node, list_text(&of_node, list), list_text(&allowed, may));
        return 0;
}

/* The device's node, when that is a choice at all. */
static void choose_default(int sysfs, int node, struct cpulist *cpus)
{
        struct cpulist online, of_node;
        if (node < 0 || sysfs_read_cpulist(sysfs, "devices/system/cpu/online", &online) < 0 ||
                !cpulist_is_within(&online, cpus) || read_node(sysfs, (unsigned)node, &of_node) < 0)
                return;
        cpulist_keep(&of_node, cpus);
        if (!cpulist_is_empty(&of_node))
                *cpus = of_node;
}

/* cpus: what is allowed, and then what is chosen of it. */
static int choose(int sysfs, const struct placement *wanted, int device_numa_node, bool hardware,
        struct cpulist *cpus, struct fault *fault)
{
        if (wanted->cpus[0] != '\0')
                return choose_cpus(sysfs, wanted->cpus, cpus, fault);
        if (wanted->on_node)
                return choose_node(sysfs, wanted->node, cpus, fault);
        if (hardware)
                choose_default(sysfs, device_numa_node, cpus);
        return 0;
}

int placement_apply_at(int sysfs, const struct placement *wanted, int device_numa_node, bool hardware,
        struct placement_saved *ret_saved, struct fault *fault)
{
        struct placement_saved saved = { 0 };
        int r = mask_get(&saved.cpus);
        if (r < 0)
                return fault_set(fault, OUTCOME_LOCAL, r,
                        "cannot tell on which CPUs this process may run: %s", strerror(-r));
        struct cpulist cpus = saved.cpus;
        r = choose(sysfs, wanted, device_numa_node, hardware, &cpus, fault);
        if (r < 0)
                return r;
        saved.changed = memcmp(&cpus, &saved.cpus, sizeof(cpus)) != 0;
        r = saved.changed ? mask_set(&cpus) : 0;
        char list[LIST_TEXT_MAX];
        if (r < 0)
                return fault_set(fault, OUTCOME_LOCAL, r, "cannot move to CPUs %s: %s",
                        list_text(&cpus, list), strerror(-r));
        *ret_saved = saved;
        return 0;
}

int placement_apply(const struct placement *wanted, int device_numa_node, bool hardware,
        struct placement_saved *ret_saved, struct fault *fault)
{
        /* Without /sys there are no nodes: what is asked for by them is refused, CPUs are as the kernel says. */
        cleanup(close_fdp) int sysfs = sysfs_open_dir(AT_FDCWD, "/sys");
        return placement_apply_at(sysfs, wanted, device_numa_node, hardware, ret_saved, fault);
}

void placement_restore(const struct placement_saved *saved)
{
        if (saved->changed)
                (void)mask_set(
                        &saved->cpus); /* a cpuset may have changed meanwhile: then its CPUs are in use */
}

void placement_describe(char *dst, size_t size)
{
        struct cpulist cpus = { 0 };
        (void)mask_get(&cpus);                  /* empty then */
        (void)cpulist_format(&cpus, dst, size); /* to show: cut off is fine */
}
