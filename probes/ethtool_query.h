/* SPDX-License-Identifier: Apache-2.0 */
/* The ethtool requests for a driver's statistics. They take the kernel's network lock (RTNL), and thousands
 * of statistics take tens of milliseconds. Nothing here needs a capability. */
#ifndef PROBES_ETHTOOL_QUERY_H
#define PROBES_ETHTOOL_QUERY_H

#include <stddef.h>
#include <stdint.h>

#include "probes/ethtool_standard.h"

#define ETHTOOL_NAME_SIZE 32    /* of one name, not terminated when it is that long */
#define ETHTOOL_COUNT_MAX 65536 /* statistics of one interface */

/* SIOCETHTOOL; tests answer themselves. `request` is one of the structs of linux/ethtool.h. 0, -errno. */
struct ethtool_caller {
        int (*call)(void *context, const char *netdev, void *request);
        void *context;
        /* ethtool_standard_ask(); NULL: not asked. */
        int (*standard)(void *context, const char *netdev, struct ethtool_standard_values *ret);
        void *standard_context;
};

/* context: pointer to a socket's descriptor. */
int ethtool_ioctl(void *context, const char *netdev, void *request);

int ethtool_driver(const struct ethtool_caller *c, const char *netdev, char driver[ETHTOOL_NAME_SIZE + 1]);
/* How many statistics there are now; 0 for none. */
int ethtool_count(const struct ethtool_caller *c, const char *netdev, uint32_t *ret);
/* *ret_n blocks of ETHTOOL_NAME_SIZE bytes, to be freed. */
int ethtool_names(const struct ethtool_caller *c, const char *netdev, char **ret, uint32_t *ret_n);
/* *ret_n values in the order of the names, to be freed. */
int ethtool_values(const struct ethtool_caller *c, const char *netdev, uint64_t **ret, uint32_t *ret_n);

/* The length of the i-th name. */
size_t ethtool_name_length(const char *names, uint32_t i);

#endif
