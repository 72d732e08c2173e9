/* SPDX-License-Identifier: Apache-2.0 */
/* State and statistics of the network interfaces behind one RDMA device, from /sys/class/net/NETDEV. RDMA
 * traffic bypasses the interface: most drivers count it here not at all, but errors of the wire are both's.
 *
 * Speed and carrier are the only files here that wait for the kernel's global network lock (RTNL), which
 * somebody's slow ethtool call may hold for long: they are read when the link's state has changed, and every
 * 30 s. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/sysfs.h"
#include "base/text.h"
#include "probes/netdevs.h"
#include "probes/passive.h"
#include "probes/readings.h"

/* X(exported name, file of statistics/, "help"): counters, all of them. */
/* clang-format off */
#define STATISTICS(X)                                                                                        \
        X(received_bytes, rx_bytes, "Bytes received; RDMA traffic is in it on some drivers only")            \
        X(transmitted_bytes, tx_bytes, "Bytes sent; RDMA traffic is in it on some drivers only")             \
        X(received_packets, rx_packets, "Packets received; RDMA traffic is in it on some drivers only")      \
        X(transmitted_packets, tx_packets, "Packets sent; RDMA traffic is in it on some drivers only")       \
        X(received_errors, rx_errors, "Bad packets received, of all kinds")                                  \
        X(transmitted_errors, tx_errors, "Packets that could not be sent, for all reasons")                  \
        X(received_drops, rx_dropped,                                                                        \
                "Good packets received but not processed, for want of resources or of a use")                \
        X(transmitted_drops, tx_dropped, "Packets dropped on their way out for want of resources")           \
        X(received_multicast_packets, multicast, "Multicast packets received")                               \
        X(received_crc_errors, rx_crc_errors, "Packets received with a wrong checksum")                      \
        X(received_frame_errors, rx_frame_errors, "Packets received with an alignment error")                \
        X(received_length_errors, rx_length_errors, "Packets received with an invalid length")               \
        X(received_over_errors, rx_over_errors, "Packets received that overflowed the receiver")             \
        X(received_fifo_errors, rx_fifo_errors, "Overflows of the receive FIFO")                             \
        X(received_missed_errors, rx_missed_errors,                                                          \
                "Packets missed because the host gave the device no buffers")                                \
        X(received_no_handler, rx_nohandler,                                                                 \
                "Packets received on an inactive device, such as a bond's backup link")                      \
        X(received_compressed_packets, rx_compressed, "Compressed packets received")                         \
        X(transmitted_aborted_errors, tx_aborted_errors, "Sending given up, as after too many collisions")   \
        X(transmitted_carrier_errors, tx_carrier_errors, "Packets not sent because the link was lost")       \
        X(transmitted_fifo_errors, tx_fifo_errors, "Underruns of the transmit FIFO")                         \
        X(transmitted_heartbeat_errors, tx_heartbeat_errors, "Heartbeat errors of half-duplex links")        \
        X(transmitted_window_errors, tx_window_errors, "Late collisions of half-duplex links")               \
        X(transmitted_compressed_packets, tx_compressed, "Compressed packets sent")                          \
        X(collisions, collisions, "Collisions of half-duplex links")
/* clang-format on */

#define ENUMERATE(name, file, what) STATISTIC_##name,

enum netdev_family {
        NETDEV_UP,
        NETDEV_CARRIER_CHANGES,
        NETDEV_CARRIER,
        NETDEV_SPEED,
        NETDEV_MTU,
        STATISTICS(ENUMERATE) N_NETDEV_FAMILIES,
};

#define NETDEV_LABELS .labels = { "device", "netdev" }
#define STATISTIC(name_part, file, what)                                                                     \
        [STATISTIC_##name_part] = {                                                                          \
                .name = "rdma_canary_netdev_" #name_part "_total",                                           \
                .type = METRIC_COUNTER,                                                                      \
                NETDEV_LABELS,                                                                               \
                .help = what " (statistics/" #file ").",                                                     \
        },

static const struct metric_family families[] = {
        [NETDEV_UP] = {
                .name = "rdma_canary_netdev_up", .type = METRIC_GAUGE, NETDEV_LABELS,
                .help = "Whether the interface passes traffic (operstate up, or unknown where the driver does not say).",
        },
        [NETDEV_CARRIER_CHANGES] = {
                .name = "rdma_canary_netdev_carrier_changes_total", .type = METRIC_COUNTER, NETDEV_LABELS,
                .help = "Times the link was lost or came back (carrier_changes).",
        },
        [NETDEV_CARRIER] = {
                .name = "rdma_canary_netdev_carrier", .type = METRIC_GAUGE, NETDEV_LABELS,
                .help = "Whether there is a link (carrier), read when its state has changed and every 30 s; absent "
                        "while the interface is set down.",
        },
        [NETDEV_SPEED] = {
                .name = "rdma_canary_netdev_speed_bytes_per_second", .type = METRIC_GAUGE, NETDEV_LABELS,
                .help = "Speed of the link (speed, in Mbit/s there), read when its state has changed and every 30 s; "
                        "absent without a link.",
        },
        [NETDEV_MTU] = {
                .name = "rdma_canary_netdev_mtu_bytes", .type = METRIC_GAUGE, NETDEV_LABELS,
                .help = "Largest packet without the Ethernet header (mtu).",
        },
        STATISTICS(STATISTIC)
};
static_assert(ARRAY_SIZE(families) == N_NETDEV_FAMILIES, "a family for every position");

static int parse_operstate(const char *text, size_t len, uint64_t *ret)
{
        if (len > 0 && text[len - 1] == '\n')
                len--;
        if (len == 0)
                return -EINVAL;
        *ret = (len == 2 && memcmp(text, "up", len) == 0) || (len == 7 && memcmp(text, "unknown", len) == 0);
        return 0;
}

/* Mbit/s; -1, which is no number here, when it is not known. */
static int parse_speed(const char *text, size_t len, uint64_t *ret)
{
        static const uint64_t bytes_per_mbit = 125000, none = UINT32_MAX; /* as old kernels print -1 */
        uint64_t mbit;
        int r = parse_sysfs_u64(text, len, &mbit);

        if (r < 0)
                return r;
        if (mbit == none)
                return -ENODATA;
        return __builtin_mul_overflow(mbit, bytes_per_mbit, ret) ? -ERANGE : 0;
}

#define STATISTIC_ROW(name, file, what) { STATISTIC_##name, false, "statistics/" #file, parse_sysfs_u64 },

static const struct {
        enum netdev_family family;
        bool locked; /* takes RTNL */
        const char *file;
        int (*parse)(const char *text, size_t len, uint64_t *ret);
} rows[] = { { NETDEV_UP, false, "operstate", parse_operstate },
        { NETDEV_CARRIER_CHANGES, false, "carrier_changes", parse_sysfs_u64 },
        { NETDEV_CARRIER, true, "carrier", parse_sysfs_u64 }, { NETDEV_SPEED, true, "speed", parse_speed },
        { NETDEV_MTU, false, "mtu", parse_sysfs_u64 }, STATISTICS(STATISTIC_ROW) };

/* What is kept of one interface. */
struct interface {
        int positions[ARRAY_SIZE(rows)]; /* of the rows' readings; negative: there is no such file */
        uint64_t link_state;             /* what up and carrier_changes said at the last locked read */
        uint64_t locked_at_ns;           /* of that read; 0: none yet */
};

struct netdev_source {
        struct passive passive; /* first: made by its functions */
        struct lookup lookup;
        struct netdevs netdevs;
        struct readings readings;
        struct interface interfaces[NETDEVS_MAX];
};

static int create(const struct source_environment *env, const struct source_target *target,
        const void *config, void **ret_state)
{
        return passive_new(sizeof(struct netdev_source), env, target, ret_state);
}

static void destroy(void *state)
{
        struct netdev_source *s = state;

        if (s)
                readings_done(&s->readings);
        passive_destroy(s);
}

static void prepare_interface(struct netdev_source *s, size_t which, int *error)
{
        const struct source_environment *env = s->passive.env;
        const char *name = s->netdevs.items[which].name;
        struct interface *interface = &s->interfaces[which];
        cleanup(close_fdp) int dir = -1;
        char path[64];
        int r = text_format(path, sizeof(path), "class/net/%s", name);

        if (r == 0)
                r = dir = sysfs_open_dir(env->sysfs, path);
        sysfs_note_error(error, r);
        *interface = (struct interface){ 0 };
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                r = interface->positions[i] =
                        dir < 0 ? -ENOENT
                                : readings_add(&s->readings, env->reader, dir, rows[i].file, rows[i].parse,
                                          &families[rows[i].family], LABELS(s->passive.device, name));
                sysfs_note_error(error, r);
        }
}

static int prepare(struct netdev_source *s)
{
        int error = 0;

        readings_done(&s->readings);
        error = readings_init(&s->readings);
        for (size_t i = 0; error != -ENOMEM && i < s->netdevs.n; i++)
                prepare_interface(s, i, &error);
        return error;
}

/* Prepares anew when there are others now, or one that is not the same any more. */
static int look_up(struct netdev_source *s)
{
        struct netdevs found;
        int r;

        if (!lookup_due(&s->lookup, s->passive.env))
                return 0;
        r = netdevs_find(s->passive.env->sysfs, s->passive.device, &found);
        if (!s->readings.set || !netdevs_equal(&found, &s->netdevs)) {
                s->netdevs = found;
                sysfs_note_error(&r, prepare(s));
        }
        return r;
}

static bool link_may_have_changed(
        const struct netdev_source *s, const struct interface *interface, uint64_t *ret_state)
{
        uint64_t state = 0;

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
                if ((rows[i].family == NETDEV_UP || rows[i].family == NETDEV_CARRIER_CHANGES) &&
                        interface->positions[i] >= 0)
                        state = 2 * state + s->readings.items[interface->positions[i]].value;
        *ret_state = state;
        return interface->locked_at_ns == 0 || state != interface->link_state ||
               clock_monotonic_ns(s->passive.env->clock) - interface->locked_at_ns >= LOOKUP_AGE_NS;
}

static int read_rows(struct netdev_source *s, const struct interface *interface, bool locked)
{
        int error = 0;

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                int position = interface->positions[i];
                int r = 0;

                if (position < 0 || rows[i].locked != locked)
                        continue;
                /* Errors of these come and go with the link. */
                r = locked ? readings_read_awake(&s->readings, (size_t)position, s->passive.env)
                           : readings_read(&s->readings, (size_t)position, s->passive.env);
                if (r == -ENODEV)
                        lookup_again(&s->lookup);
                sysfs_note_error(&error, r);
        }
        return error;
}

static int read_interface(struct netdev_source *s, struct interface *interface)
{
        uint64_t link_state;
        int error = read_rows(s, interface, false);

        if (link_may_have_changed(s, interface, &link_state)) {
                sysfs_note_error(&error, read_rows(s, interface, true));
                interface->link_state = link_state;
                interface->locked_at_ns = clock_monotonic_ns(s->passive.env->clock);
        }
        return error;
}

static int read_all(struct netdev_source *s)
{
        int error = look_up(s);

        for (size_t i = 0; s->readings.set && i < s->netdevs.n; i++)
                sysfs_note_error(&error, read_interface(s, &s->interfaces[i]));
        return error;
}

static int collect(void *state, uint64_t deadline_ns, struct batch *b)
{
        struct netdev_source *s = state;
        int error = read_all(s);

        if (!s->lookup.done) { /* one was gone: perhaps it is there again already */
                readings_done(&s->readings);
                error = read_all(s);
        }
        readings_show(&s->readings, b);
        return error;
}

const struct source_class source_netdev = {
        .name = "netdev",
        .summary = "State and statistics of the network interfaces behind each RDMA device.",
        .trigger = TRIGGER_SCRAPE,
        .scope = SCOPE_DEVICE,
        .families = families,
        .n_families = ARRAY_SIZE(families),
        .options = passive_options,
        .n_options = N_PASSIVE_OPTIONS,
        .config_size = sizeof(struct passive_config),
        .create = create,
        .collect = collect,
        .destroy = destroy,
};
