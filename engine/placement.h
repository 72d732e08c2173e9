/* SPDX-License-Identifier: Apache-2.0 */
/* Where the calling thread runs while it measures. */
#ifndef ENGINE_PLACEMENT_H
#define ENGINE_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cpulist.h"

struct fault;

#define PLACEMENT_CPUS_MAX 128

/* What is asked for; all zero: nothing is. With both, the CPUs count. */
struct placement {
        char cpus[PLACEMENT_CPUS_MAX]; /* "0-3,8"; "": not asked for */
        bool on_node;
        unsigned node;
};

struct placement_saved {
        bool changed;
        struct cpulist cpus; /* where the thread could run before */
};

/* Pins the thread to the CPUs or to the NUMA node's CPUs that are asked for; to nothing outside of what it
 * may use now. When nothing is asked for, hardware is measured from the CPUs of its own node
 * (device_numa_node, -1: none), unless somebody has restricted the thread already; software is left where it
 * is, since the kernel's work for it is done anywhere. 0; -EINVAL for what does not exist, -EPERM for what
 * this process may not use, or what the kernel said, with a reason; the thread is where it was then. */
int placement_apply(const struct placement *wanted, int device_numa_node, bool hardware,
        struct placement_saved *ret_saved, struct fault *fault);
/* … with nodes and CPUs as the directory says, which is like /sys. */
int placement_apply_at(int sysfs, const struct placement *wanted, int device_numa_node, bool hardware,
        struct placement_saved *ret_saved, struct fault *fault);
/* Back, as far as that is still allowed; by the same thread. Nothing happens for a zeroed one. */
void placement_restore(const struct placement_saved *saved);

/* Where the thread may run now: "0-3,8". "" if the kernel does not say. Cut between numbers when too long. */
void placement_describe(char *dst, size_t size);

#endif
