/* SPDX-License-Identifier: Apache-2.0 */
/* State and counters of the ports of one device, from /sys/class/infiniband/DEVICE/ports/N. The directory
 * counters/ is there only when the driver answers performance management queries: not on Soft-RoCE, on
 * virtual functions of some devices, or inside a container's network namespace. Each of its files costs a
 * query of its own, uncached. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/scope.h"
#include "base/text.h"
#include "probes/link_rate.h"
#include "probes/passive.h"
#include "probes/sysfs.h"

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
        N_PORT_FAMILIES,
};

#define PORT_LABELS "device", "port"
#define PORT_GAUGE(suffix, what)                                                                             \
        {                                                                                                    \
                .name = "rdma_canary_port_" suffix, .type = METRIC_GAUGE, .labels = { PORT_LABELS },         \
                .help = what,                                                                                \
        }
#define PORT_COUNTER(suffix, what)                                                                           \
        {                                                                                                    \
                .name = "rdma_canary_port_" suffix "_total", .type = METRIC_COUNTER,                         \
                .labels = { PORT_LABELS }, .help = what,                                                     \
        }

static const struct metric_family families[] = {
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
};
static_assert(ARRAY_SIZE(families) == N_PORT_FAMILIES, "a family for every position");

/* Files of counters/. */
static const struct {
        const char *file;
        enum port_family family;
        uint64_t scale; /* port data is in words of 4 bytes, whatever the link's width */
} counters[] = {
        { "port_xmit_data", PORT_TRANSMITTED_BYTES, 4 },
        { "port_rcv_data", PORT_RECEIVED_BYTES, 4 },
        { "port_xmit_packets", PORT_TRANSMITTED_PACKETS, 1 },
        { "port_rcv_packets", PORT_RECEIVED_PACKETS, 1 },
        { "unicast_xmit_packets", PORT_UNICAST_TRANSMITTED_PACKETS, 1 },
        { "unicast_rcv_packets", PORT_UNICAST_RECEIVED_PACKETS, 1 },
        { "multicast_xmit_packets", PORT_MULTICAST_TRANSMITTED_PACKETS, 1 },
        { "multicast_rcv_packets", PORT_MULTICAST_RECEIVED_PACKETS, 1 },
        { "port_xmit_wait", PORT_TRANSMIT_WAIT, 1 },
        { "port_xmit_discards", PORT_TRANSMIT_DISCARDS, 1 },
        { "port_xmit_constraint_errors", PORT_TRANSMIT_CONSTRAINT_ERRORS, 1 },
        { "port_rcv_errors", PORT_RECEIVE_ERRORS, 1 },
        { "port_rcv_remote_physical_errors", PORT_RECEIVE_REMOTE_PHYSICAL_ERRORS, 1 },
        { "port_rcv_switch_relay_errors", PORT_RECEIVE_SWITCH_RELAY_ERRORS, 1 },
        { "port_rcv_constraint_errors", PORT_RECEIVE_CONSTRAINT_ERRORS, 1 },
        { "symbol_error", PORT_SYMBOL_ERRORS, 1 },
        { "link_error_recovery", PORT_LINK_ERROR_RECOVERIES, 1 },
        { "link_downed", PORT_LINK_DOWNED, 1 },
        { "local_link_integrity_errors", PORT_LOCAL_LINK_INTEGRITY_ERRORS, 1 },
        { "excessive_buffer_overrun_errors", PORT_EXCESSIVE_BUFFER_OVERRUN_ERRORS, 1 },
        { "VL15_dropped", PORT_VL15_DROPPED, 1 },
};

static void add(const struct passive_port *p, enum port_family family, uint64_t value, struct batch *b)
{
        batch_add_u64(b, &families[family], LABELS(p->device, p->port), value);
}

/* "4: ACTIVE" */
static int parse_state(const char *text, size_t len, uint64_t *ret)
{
        const char *colon = memchr(text, ':', len);

        return colon ? parse_u64(text, (size_t)(colon - text), ret) : -EINVAL;
}

/* "0x1a\n" */
static int parse_lid(const char *text, size_t len, uint64_t *ret)
{
        if (len > 0 && text[len - 1] == '\n')
                len--;
        if (len < 3 || len > 6 || memcmp(text, "0x", 2) != 0 ||
                strspn(text + 2, "0123456789abcdefABCDEF") != len - 2)
                return -EINVAL;
        *ret = strtoul(text + 2, NULL, 16);
        return 0;
}

static const struct {
        const char *file;
        enum port_family family;
        int (*parse)(const char *text, size_t len, uint64_t *ret);
} attributes[] = {
        { "state", PORT_STATE, parse_state },
        { "phys_state", PORT_PHYSICAL_STATE, parse_state },
        { "rate", PORT_RATE, link_rate_parse },
        { "lid", PORT_LID, parse_lid },
        { "sm_lid", PORT_SM_LID, parse_lid },
};

static void collect_attributes(const struct passive_port *p, struct batch *b, int *error)
{
        for (size_t i = 0; i < ARRAY_SIZE(attributes); i++) {
                char text[SYSFS_VALUE_MAX + 1];
                uint64_t value;
                int r = sysfs_read(p->dir, attributes[i].file, text, sizeof(text));

                if (r >= 0)
                        r = attributes[i].parse(text, (size_t)r, &value);
                if (r == 0)
                        add(p, attributes[i].family, value, b);
                sysfs_note_error(error, r);
        }
}

static void collect_counters(const struct passive_port *p, struct batch *b, int *error)
{
        cleanup(close_fdp) int dir = sysfs_open_dir(p->dir, "counters");

        sysfs_note_error(error, dir);
        for (size_t i = 0; dir >= 0 && i < ARRAY_SIZE(counters); i++) {
                uint64_t value;
                int r = sysfs_read_u64(dir, counters[i].file, &value);

                if (r == 0 && __builtin_mul_overflow(value, counters[i].scale, &value))
                        r = -ERANGE;
                if (r == 0)
                        add(p, counters[i].family, value, b);
                sysfs_note_error(error, r);
        }
}

/* The interface of the first GID that has one; entries without answer EINVAL. Real ports have theirs among
 * the first; tables have up to 1024 entries. "" for none. */
static void find_netdev(const struct passive_port *p, char *dst, size_t size)
{
        enum { LOOK_AT = 16 };
        cleanup(close_fdp) int dir = sysfs_open_dir(p->dir, "gid_attrs/ndevs");

        for (unsigned i = 0; dir >= 0 && i < LOOK_AT; i++) {
                char index[16];

                (void)text_format(index, sizeof(index), "%u", i); /* fits */
                if (sysfs_read_line(dir, index, dst, size) == 0)
                        return;
        }
        dst[0] = '\0';
}

static void collect_netdev_mtu(const struct passive_port *p, const char *netdev, struct batch *b, int *error)
{
        char path[128];
        uint64_t mtu;
        int r;

        /* It becomes part of a path. */
        if (netdev[0] == '\0' || netdev[0] == '.' || strchr(netdev, '/'))
                return;
        r = text_format(path, sizeof(path), "class/net/%s/mtu", netdev);
        if (r == 0)
                r = sysfs_read_u64(p->sysfs, path, &mtu);
        if (r == 0)
                batch_add_u64(b, &families[PORT_NETDEV_MTU], LABELS(p->device, p->port, netdev), mtu);
        sysfs_note_error(error, r);
}

static void collect_port(const struct passive_port *p, struct batch *b, int *error)
{
        char link_layer[64], netdev[64];

        find_netdev(p, netdev, sizeof(netdev));
        if (sysfs_read_line(p->dir, "link_layer", link_layer, sizeof(link_layer)) == 0)
                batch_add_u64(b, &families[PORT_INFO], LABELS(p->device, p->port, link_layer, netdev), 1);
        collect_attributes(p, b, error);
        collect_netdev_mtu(p, netdev, b, error);
        collect_counters(p, b, error);
}

static int collect(void *state, uint64_t deadline_ns, struct batch *b)
{
        struct passive *p = state;
        cleanup(close_fdp) int dir = sysfs_open_device(p->env->sysfs, p->device);
        int error = 0;

        sysfs_note_error(&error, dir);
        if (dir >= 0)
                passive_visit_ports(p, dir, collect_port, b, &error);
        return error;
}

const struct source_class source_port = {
        .name = "port",
        .summary = "State, rate and InfiniBand port counters of every port.",
        .trigger = TRIGGER_SCRAPE,
        .scope = SCOPE_DEVICE,
        .families = families,
        .n_families = ARRAY_SIZE(families),
        .options = passive_options,
        .n_options = N_PASSIVE_OPTIONS,
        .config_size = sizeof(struct passive_config),
        .create = passive_create,
        .collect = collect,
        .destroy = passive_destroy,
};
