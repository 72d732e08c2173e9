/* SPDX-License-Identifier: Apache-2.0 */
/* What there is once per device: its lane, and per probe class what is kept over all peers. The main
 * thread's. */
#ifndef DAEMON_DEVICE_LANE_H
#define DAEMON_DEVICE_LANE_H

#include "daemon/lane.h"
#include "daemon/slot.h"

struct device_lane {
        struct device_lane *next;
        char device[ENGINE_NAME_MAX];
        struct lane *lane;
        /* By index in source_classes; made when the first turn of the class ends. */
        struct probe_aggregate **aggregates;
        struct slot **slots;
        char local_fault[ENGINE_REASON_MAX]; /* what was last said to be wrong with the device */
};

/* The device's entry in the list; made, with its thread, when there is none. done() is the lane's. 0, -errno.
 */
int device_lane_of(struct device_lane **list, const char *device,
        void (*done)(void *context, struct job *job), void *context, struct device_lane **ret);
/* Takes one outcome into what is kept over all peers, and publishes that. Without memory it is left out: the
 * turn's own samples are there all the same. */
void device_lane_aggregate(struct device_lane *l, struct slots *slots, const struct source_class *class,
        const struct outcome *o);
/* Whether this fault of the device is another than the last; remembers it. "": there is none. */
bool device_lane_news(struct device_lane *l, const char *fault);
/* Forgets what is kept over all peers; the thread stays for when the device comes back. */
void device_lane_clear(struct device_lane *l);
/* Ends all threads by the deadline. 0; -ETIMEDOUT: some are stuck in the kernel and stay behind. */
int device_lanes_stop(struct device_lane *list, uint64_t deadline_ns);
/* After device_lanes_stop() returned 0. */
void device_lanes_free(struct device_lane *list);

#endif
