/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/port_counters.h"

#include <assert.h>

#include "base/scope.h"

#define PORT_LABELS "device", "port"
#define PORT_GAUGE(suffix, what)                                                                             \
        {                                                                                                    \
                .name = "rdma_canary_port_" suffix, .type = METRIC_GAUGE, .labels = { PORT_LABELS },         \
                .help = what,                                                                                \
        }
#define PORT_COUNTER_NAMED(full, what)                                                                       \
        {                                                                                                    \
                .name = full, .type = METRIC_COUNTER, .labels = { PORT_LABELS }, .help = what,               \
        }
#define PORT_COUNTER(suffix, what)                                                                           \
        {                                                                                                    \
                .name = "rdma_canary_port_" suffix "_total", .type = METRIC_COUNTER,                         \
                .labels = { PORT_LABELS }, .help = what,                                                     \
        }

const struct metric_family port_families[] = {
        [PORT_INFO] = {
                .name = "rdma_canary_port_info", .type = METRIC_GAUGE,
                .help = "What does not change of a port: link layer, and the network interface behind it "
                        "(empty on InfiniBand). Always 1.",
                .labels = { PORT_LABELS, "link_layer", "netdev" },
        },
        [PORT_STATE] = PORT_GAUGE("state_id",
                "Logical state of the port (state): 1 down, 2 initialising, 3 armed, 4 active, "
                "5 active deferred."),
        [PORT_PHYSICAL_STATE] = PORT_GAUGE("physical_state_id",
                "Physical state of the port (phys_state): 1 sleep, 2 polling, 3 disabled, 4 training, "
                "5 link up, 6 error recovery, 7 test."),
        [PORT_RATE] = PORT_GAUGE("rate_bytes_per_second",
                "Data rate of the link, width times speed (rate); 0 without a module; Soft-RoCE makes it "
                "up."),
        [PORT_LID] = PORT_GAUGE("lid", "Local identifier on an InfiniBand subnet (lid); 0 for none."),
        [PORT_SM_LID] = PORT_GAUGE("sm_lid", "Local identifier of the subnet manager (sm_lid); 0 for none."),
        [PORT_NETDEV_MTU] = {
                .name = "rdma_canary_port_netdev_mtu_bytes", .type = METRIC_GAUGE,
                .help = "MTU of the network interface behind the port (class/net/NETDEV/mtu); the RDMA path "
                        "MTU is the largest of 256 to 4096 that fits with its headers.",
                .labels = { PORT_LABELS, "netdev" },
        },
        [PORT_TRANSMITTED_BYTES] = PORT_COUNTER("transmitted_bytes",
                "Bytes sent (port_xmit_data, which counts words of 4 bytes)."),
        [PORT_RECEIVED_BYTES] = PORT_COUNTER("received_bytes",
                "Bytes received (port_rcv_data, which counts words of 4 bytes)."),
        [PORT_TRANSMITTED_PACKETS] = PORT_COUNTER("transmitted_packets", "Packets sent (port_xmit_packets)."),
        [PORT_RECEIVED_PACKETS] = PORT_COUNTER("received_packets", "Packets received (port_rcv_packets)."),
        [PORT_UNICAST_TRANSMITTED_PACKETS] = PORT_COUNTER("unicast_transmitted_packets",
                "Unicast packets sent (unicast_xmit_packets)."),
        [PORT_UNICAST_RECEIVED_PACKETS] = PORT_COUNTER("unicast_received_packets",
                "Unicast packets received (unicast_rcv_packets)."),
        [PORT_MULTICAST_TRANSMITTED_PACKETS] = PORT_COUNTER("multicast_transmitted_packets",
                "Multicast packets sent (multicast_xmit_packets)."),
        [PORT_MULTICAST_RECEIVED_PACKETS] = PORT_COUNTER("multicast_received_packets",
                "Multicast packets received (multicast_rcv_packets)."),
        [PORT_TRANSMIT_WAIT] = PORT_COUNTER("transmit_wait_ticks",
                "Ticks during which data waited and could not be sent for want of credits or of the link "
                "(port_xmit_wait); how long a tick is depends on the device. Stops at 2^32-1."),
        [PORT_TRANSMIT_DISCARDS] = PORT_COUNTER("transmit_discards",
                "Packets not sent because the link was down or congested (port_xmit_discards). "
                "Stops at 65535."),
        [PORT_TRANSMIT_CONSTRAINT_ERRORS] = PORT_COUNTER("transmit_constraint_errors",
                "Packets not sent because of partition or raw filters (port_xmit_constraint_errors). "
                "Stops at 255."),
        [PORT_RECEIVE_ERRORS] = PORT_COUNTER("receive_errors",
                "Packets received with an error (port_rcv_errors). Stops at 65535."),
        [PORT_RECEIVE_REMOTE_PHYSICAL_ERRORS] = PORT_COUNTER("receive_remote_physical_errors",
                "Packets received that an earlier hop had marked as bad "
                "(port_rcv_remote_physical_errors). Stops at 65535."),
        [PORT_RECEIVE_SWITCH_RELAY_ERRORS] = PORT_COUNTER("receive_switch_relay_errors",
                "Packets a switch port could not relay (port_rcv_switch_relay_errors). Stops at 65535."),
        [PORT_RECEIVE_CONSTRAINT_ERRORS] = PORT_COUNTER("receive_constraint_errors",
                "Packets received and dropped because of partition or raw filters "
                "(port_rcv_constraint_errors). Stops at 255."),
        [PORT_SYMBOL_ERRORS] = PORT_COUNTER("symbol_errors",
                "Minor link errors (symbol_error). Stops at 65535."),
        [PORT_LINK_ERROR_RECOVERIES] = PORT_COUNTER("link_error_recoveries",
                "Successful retrainings of the link (link_error_recovery). Stops at 255."),
        [PORT_LINK_DOWNED] = PORT_COUNTER("link_downed",
                "Retrainings that failed and took the link down (link_downed). Stops at 255."),
        [PORT_LOCAL_LINK_INTEGRITY_ERRORS] = PORT_COUNTER("local_link_integrity_errors",
                "Times the local physical errors passed their threshold (local_link_integrity_errors). "
                "Stops at 15."),
        [PORT_EXCESSIVE_BUFFER_OVERRUN_ERRORS] = PORT_COUNTER("excessive_buffer_overrun_errors",
                "Flow-control periods in which buffers were overrun (excessive_buffer_overrun_errors). "
                "Stops at 15."),
        [PORT_VL15_DROPPED] = PORT_COUNTER("vl15_dropped",
                "Management packets dropped for want of buffers (VL15_dropped). Stops at 65535."),
        [COUNTER_SATURATED] = {
                .name = "rdma_canary_port_saturated", .type = METRIC_GAUGE,
                .help = "Whether a narrow port counter (counters/) stands at its largest value, where it stays "
                        "until somebody resets it: what happens meanwhile is not counted. Of the wide ones only "
                        "those that do.",
                .labels = { PORT_LABELS, "counter" },
        },
        [COUNTER_RESETS] = PORT_COUNTER_NAMED("rdma_canary_port_resets_total",
                "Times a port counter (counters/) was seen smaller than before: somebody reset it, or the "
                "device started anew."),
};
static_assert(ARRAY_SIZE(port_families) == N_PORT_FAMILIES, "a family for every position");

/* The ABI document of the kernel spells two of them "contraint". */
const struct port_counter port_counters[] = {
        { "counters_ext", "port_xmit_data_64", PORT_TRANSMITTED_BYTES, 4, 64, false },
        { "counters_ext", "port_rcv_data_64", PORT_RECEIVED_BYTES, 4, 64, false },
        { "counters_ext", "port_xmit_packets_64", PORT_TRANSMITTED_PACKETS, 1, 64, false },
        { "counters_ext", "port_rcv_packets_64", PORT_RECEIVED_PACKETS, 1, 64, false },
        { "counters_ext", "port_unicast_xmit_packets", PORT_UNICAST_TRANSMITTED_PACKETS, 1, 64, false },
        { "counters_ext", "port_unicast_rcv_packets", PORT_UNICAST_RECEIVED_PACKETS, 1, 64, false },
        { "counters_ext", "port_multicast_xmit_packets", PORT_MULTICAST_TRANSMITTED_PACKETS, 1, 64, false },
        { "counters_ext", "port_multicast_rcv_packets", PORT_MULTICAST_RECEIVED_PACKETS, 1, 64, false },
        { "counters", "port_xmit_data", PORT_TRANSMITTED_BYTES, 4, 32, true },
        { "counters", "port_rcv_data", PORT_RECEIVED_BYTES, 4, 32, true },
        { "counters", "port_xmit_packets", PORT_TRANSMITTED_PACKETS, 1, 32, true },
        { "counters", "port_rcv_packets", PORT_RECEIVED_PACKETS, 1, 32, true },
        { "counters", "unicast_xmit_packets", PORT_UNICAST_TRANSMITTED_PACKETS, 1, 64, false },
        { "counters", "unicast_rcv_packets", PORT_UNICAST_RECEIVED_PACKETS, 1, 64, false },
        { "counters", "multicast_xmit_packets", PORT_MULTICAST_TRANSMITTED_PACKETS, 1, 64, false },
        { "counters", "multicast_rcv_packets", PORT_MULTICAST_RECEIVED_PACKETS, 1, 64, false },
        { "counters", "port_xmit_wait", PORT_TRANSMIT_WAIT, 1, 32, false },
        { "counters", "port_xmit_discards", PORT_TRANSMIT_DISCARDS, 1, 16, false },
        { "counters", "port_xmit_constraint_errors", PORT_TRANSMIT_CONSTRAINT_ERRORS, 1, 8, false },
        { "counters", "port_xmit_contraint_errors", PORT_TRANSMIT_CONSTRAINT_ERRORS, 1, 8, false },
        { "counters", "port_rcv_errors", PORT_RECEIVE_ERRORS, 1, 16, false },
        { "counters", "port_rcv_remote_physical_errors", PORT_RECEIVE_REMOTE_PHYSICAL_ERRORS, 1, 16, false },
        { "counters", "port_rcv_switch_relay_errors", PORT_RECEIVE_SWITCH_RELAY_ERRORS, 1, 16, false },
        { "counters", "port_rcv_constraint_errors", PORT_RECEIVE_CONSTRAINT_ERRORS, 1, 8, false },
        { "counters", "port_rcv_contraint_errors", PORT_RECEIVE_CONSTRAINT_ERRORS, 1, 8, false },
        { "counters", "symbol_error", PORT_SYMBOL_ERRORS, 1, 16, false },
        { "counters", "link_error_recovery", PORT_LINK_ERROR_RECOVERIES, 1, 8, false },
        { "counters", "link_downed", PORT_LINK_DOWNED, 1, 8, false },
        { "counters", "local_link_integrity_errors", PORT_LOCAL_LINK_INTEGRITY_ERRORS, 1, 4, false },
        { "counters", "excessive_buffer_overrun_errors", PORT_EXCESSIVE_BUFFER_OVERRUN_ERRORS, 1, 4, false },
        { "counters", "VL15_dropped", PORT_VL15_DROPPED, 1, 16, false },
};
const size_t n_port_counters = ARRAY_SIZE(port_counters);
