/* SPDX-License-Identifier: Apache-2.0 */
/* Families of the port collector, and which file of counters/ or counters_ext/ feeds which. */
#ifndef PROBES_PORT_COUNTERS_H
#define PROBES_PORT_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/metric.h"

enum port_family {
        PORT_INFO,
        PORT_STATE,
        PORT_PHYSICAL_STATE,
        PORT_RATE,
        PORT_LID,
        PORT_SM_LID,
        PORT_NETDEV_MTU,
        PORT_TRANSMITTED_BYTES,
        PORT_RECEIVED_BYTES,
        PORT_TRANSMITTED_PACKETS,
        PORT_RECEIVED_PACKETS,
        PORT_UNICAST_TRANSMITTED_PACKETS,
        PORT_UNICAST_RECEIVED_PACKETS,
        PORT_MULTICAST_TRANSMITTED_PACKETS,
        PORT_MULTICAST_RECEIVED_PACKETS,
        PORT_TRANSMIT_WAIT,
        PORT_TRANSMIT_DISCARDS,
        PORT_TRANSMIT_CONSTRAINT_ERRORS,
        PORT_RECEIVE_ERRORS,
        PORT_RECEIVE_REMOTE_PHYSICAL_ERRORS,
        PORT_RECEIVE_SWITCH_RELAY_ERRORS,
        PORT_RECEIVE_CONSTRAINT_ERRORS,
        PORT_SYMBOL_ERRORS,
        PORT_LINK_ERROR_RECOVERIES,
        PORT_LINK_DOWNED,
        PORT_LOCAL_LINK_INTEGRITY_ERRORS,
        PORT_EXCESSIVE_BUFFER_OVERRUN_ERRORS,
        PORT_VL15_DROPPED,
        COUNTER_SATURATED,
        COUNTER_RESETS,
        N_PORT_FAMILIES,
};

extern const struct metric_family port_families[N_PORT_FAMILIES];

struct port_counter {
        const char *directory; /* below the port's */
        const char *file;
        enum port_family family; /* of several files that are there, the first row's feeds it */
        uint64_t scale;          /* port data is in words of 4 bytes, whatever the link's width */
        unsigned bits;           /* it stops at 2^bits - 1 … */
        bool maybe;              /* … on devices without the 64-bit form */
};

extern const struct port_counter port_counters[];
extern const size_t n_port_counters;

#endif
