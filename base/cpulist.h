/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of CPUs as the kernel writes them: "0-3,8,10-11". Pure. */
#ifndef BASE_CPULIST_H
#define BASE_CPULIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPULIST_MAX 8192 /* the largest number of CPUs a kernel is built for */

struct cpulist {
        uint64_t bits[CPULIST_MAX / 64];
};

/* An empty text is an empty list. 0, -EINVAL, -ERANGE for a CPU beyond. */
int cpulist_parse(const char *text, size_t len, struct cpulist *ret);
bool cpulist_is_empty(const struct cpulist *l);
bool cpulist_is_within(const struct cpulist *l, const struct cpulist *outer);
void cpulist_add(struct cpulist *l, const struct cpulist *more);
/* Keeps those that are in the other list, too. */
void cpulist_keep(struct cpulist *l, const struct cpulist *others);
/* The first one that is not in `outer`; -1: there is none. */
int cpulist_first_outside(const struct cpulist *l, const struct cpulist *outer);
size_t cpulist_count(const struct cpulist *l);
/* As it is parsed: "0-3,8". -ENAMETOOLONG (dst holds what fits, cut after a number or a range, terminated)
 * when it does not fit. */
int cpulist_format(const struct cpulist *l, char *dst, size_t size);

#endif
