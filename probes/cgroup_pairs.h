/* SPDX-License-Identifier: Apache-2.0 */
/* Queue pairs added up by the cgroup of the process that made them. */
#ifndef PROBES_CGROUP_PAIRS_H
#define PROBES_CGROUP_PAIRS_H

#include <stddef.h>
#include <stdint.h>

#define CGROUP_PAIRS_SHOWN  20 /* those with the most; the rest is one more */
#define CGROUP_PAIRS_KERNEL "(kernel)"
#define CGROUP_PAIRS_HIDDEN "(unknown)" /* of a process that has ended, or may not be seen */
#define CGROUP_PAIRS_OTHER  "(other)"
#define CGROUP_MAX          1024

/* The path in /proc/PID/cgroup: the unified hierarchy's, or the first line's that is not the root. 0; -ENODATA: there
 * is none; -ENAMETOOLONG. */
int cgroup_parse(const char *text, size_t len, char *dst, size_t size);

/* Zeroed: empty. */
struct cgroup_pairs {
        size_t n;
        struct cgroup_count {
                char *cgroup;
                uint64_t pairs;
        } * items;
};

/* One more of this process; looks it up in procfs. 0, -ENOMEM. */
int cgroup_pairs_add_process(struct cgroup_pairs *c, int procfs, uint64_t pid);
int cgroup_pairs_add(struct cgroup_pairs *c, const char *cgroup, uint64_t pairs);
/* Sorts, and makes all after the first CGROUP_PAIRS_SHOWN one. 0, -ENOMEM. */
int cgroup_pairs_cut(struct cgroup_pairs *c);
void cgroup_pairs_done(struct cgroup_pairs *c);

#endif
