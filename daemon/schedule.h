/* SPDX-License-Identifier: Apache-2.0 */
/* When turns are due. Pure: times come in as numbers, so tests run it on a virtual clock.
 *
 * Turns lie on a grid in wall-clock time that both ends of a pair compute alike without talking to each
 * other: an interval is cut in two halves, the smaller node name probes in the first, the larger in the
 * second; within its half a pair's offset is a hash of both names, and each probe kind has a part of its own.
 */
#ifndef DAEMON_SCHEDULE_H
#define DAEMON_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

/* Offset of a turn in its interval. kind < n_kinds: which of the node's probes. */
uint64_t schedule_offset_ns(const char *node, const char *peer, const char *device, unsigned kind,
        unsigned n_kinds, uint64_t interval_ns);
/* The first time of the grid after `now` (all in realtime nanoseconds). */
uint64_t schedule_next_ns(uint64_t now_ns, uint64_t interval_ns, uint64_t offset_ns);

/* A queue of entries by due time (binary heap). Entries are embedded in their owners. */
struct schedule_entry {
        uint64_t due_ns;
        size_t place; /* the queue's: index + 1; 0: not queued */
};

struct schedule {
        struct schedule_entry **heap;
        size_t n, cap;
};

void schedule_init(struct schedule *s);
void schedule_done(struct schedule *s);
/* Queues it, or moves it when it is queued already. 0, -ENOMEM. */
int schedule_set(struct schedule *s, struct schedule_entry *e, uint64_t due_ns);
void schedule_remove(struct schedule *s, struct schedule_entry *e); /* fine when not queued */
uint64_t schedule_first_due_ns(const struct schedule *s);           /* DEADLINE_NEVER when empty */
/* Takes out the first entry that is due at `now`; NULL: none. Entries due at the same time come in the order
 * of nothing in particular. */
struct schedule_entry *schedule_take_due(struct schedule *s, uint64_t now_ns);

#endif
