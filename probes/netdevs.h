/* SPDX-License-Identifier: Apache-2.0 */
/* The network interfaces behind an RDMA device. */
#ifndef PROBES_NETDEVS_H
#define PROBES_NETDEVS_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NETDEVS_MAX 32

struct netdev {
        char name[IF_NAMESIZE];
        uint64_t index; /* the kernel's, never used twice; 0: not known */
};

struct netdevs {
        size_t n;
        struct netdev items[NETDEVS_MAX];
};

/* The kernel's own rule, so that a name can be part of a path. */
bool netdev_name_is_valid(const char *name);

/* Those of the device's function (not the representors of its virtual functions), of a software device's
 * parent, and of the first GIDs of each port; then whatever these stand on: the links of a bond, the
 * interface below a VLAN. Each once, in the order found; at most NETDEVS_MAX. `sysfs` as in struct
 * source_environment. 0, or the first -errno that does not mean "there is none". */
int netdevs_find(int sysfs, const char *device, struct netdevs *ret);
/* Whether they are the same interfaces, not just of the same names. */
bool netdevs_equal(const struct netdevs *a, const struct netdevs *b);

#endif
