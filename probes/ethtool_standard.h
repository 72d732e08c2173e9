/* SPDX-License-Identifier: Apache-2.0 */
/* The statistics that the kernel has standard names for, which a driver may give besides or instead of its
 * own: by generic netlink, family "ethtool". Like the ioctl it takes the kernel's network lock. */
#ifndef PROBES_ETHTOOL_STANDARD_H
#define PROBES_ETHTOOL_STANDARD_H

#include <stddef.h>
#include <stdint.h>

enum ethtool_standard {
        STANDARD_PAUSE_RX,
        STANDARD_PAUSE_TX,
        STANDARD_FEC_CORRECTED,
        STANDARD_FEC_UNCORRECTABLE,
        STANDARD_CORRECTED_BITS,
        STANDARD_SYMBOL_ERRORS,
        STANDARD_CRC_ERRORS,
        N_ETHTOOL_STANDARD,
};

struct ethtool_standard_values {
        unsigned known; /* bit by enum ethtool_standard */
        uint64_t values[N_ETHTOOL_STANDARD];
};

/* Adds what one datagram of an answer says; pure. `data` is aligned for u32. 0; the kernel's -errno; -EBADMSG. */
int ethtool_standard_read(
        const void *data, size_t len, uint32_t sequence, struct ethtool_standard_values *into);

struct ethtool_netlink {
        int fd; /* -1: not open */
        uint16_t family;
        uint32_t sequence;
};

void ethtool_netlink_close(struct ethtool_netlink *n);
/* All there are; context: struct ethtool_netlink, opened when it is not. 0; -EOPNOTSUPP: not in this kernel
 * (before 5.6) or driver; -errno. */
int ethtool_standard_ask(void *context, const char *netdev, struct ethtool_standard_values *ret);

#endif
