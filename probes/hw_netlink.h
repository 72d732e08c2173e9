/* SPDX-License-Identifier: Apache-2.0 */
/* The counters of a device's ports by netlink: one question gives what is in thirty files, and the optional
 * counters that are enabled, which have no files. The kernel asks the device each time (`lifespan` is for the
 * files), so questions are HW_NETLINK_AGE_NS apart at least. Used only where sysfs is the kernel's, and for ports
 * that name all the counters that have files. One thread at a time. */
#ifndef PROBES_HW_NETLINK_H
#define PROBES_HW_NETLINK_H

#include "base/sysfs.h"
#include "probes/device_files.h"
#include "probes/nldev.h"

#define HW_NETLINK_AGE_NS    (10 * NS_PER_MS) /* as the kernel's own for files */
#define HW_NETLINK_PORTS_MAX 32               /* those above are read from files */

struct hw_netlink {
        bool wanted; /* by the config */
        struct nldev nldev;
        bool present; /* the device has an index */
        uint32_t index;
        size_t n_ports;
        struct {
                uint32_t number;
                size_t first, n; /* among the source's files, in the order of the answer */
        } ports[HW_NETLINK_PORTS_MAX];
        uint64_t read_at_ns; /* 0: never */
};

void hw_netlink_init(struct hw_netlink *h, bool wanted);
void hw_netlink_done(struct hw_netlink *h);
/* Finds the device. Before everything below; nothing is found where netlink is not to be used. */
void hw_netlink_find(struct hw_netlink *h, int sysfs, const char *device);
/* Names of a port's counters in the order of the answer. 0, -errno: read it from files. */
int hw_netlink_names(struct hw_netlink *h, const char *port, struct sysfs_names *ret);
/* From now on hw_netlink_read() sets the values of these files, which have those names. 0, -ENOSPC. */
int hw_netlink_add(struct hw_netlink *h, const char *port, size_t first, size_t n);
void hw_netlink_forget(struct hw_netlink *h); /* undoes all hw_netlink_add() */
/* Sets values and errors of all those files. false: there is no answer for one of them, or with other names:
 * prepare anew. */
bool hw_netlink_read(struct hw_netlink *h, uint64_t now_ns, struct device_files *files);

#endif
