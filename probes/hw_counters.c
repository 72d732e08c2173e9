/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's own counters, from hw_counters/ of each port and of the device. Names, meanings and even types
 * are each driver's: those we know have families of their own, all others share a generic one. What several
 * drivers count under different names also feeds a canonical family, on which alerts can stand.
 *
 * The kernel reads the whole set from the device at once and keeps it for `lifespan` (10 ms), so the files
 * are read back to back: one firmware command a pass. Drivers without the directory (siw) are normal. */
#include <assert.h>
#include <string.h>

#include "base/scope.h"
#include "probes/hw_counters_known.h"
#include "probes/passive.h"
#include "probes/sysfs.h"

#define ENUMERATE(id, file, canonical, help) HW_##id,

enum hw_family {
        NONE, /* as a canonical family; the generic one otherwise */
        HW_GENERIC = NONE,
        RETRANSMIT_TIMEOUTS,
        SEQUENCE_NAKS,
        RNR_NAKS,
        OUT_OF_SEQUENCE,
        DUPLICATES,
        OUT_OF_BUFFERS,
        RETRIES_EXCEEDED,
        RNR_RETRIES_EXCEEDED,
        REMOTE_ACCESS_ERRORS,
        COMPLETION_ERRORS,
        SLOW_RESTARTS,
        ECN_MARKED,
        CNPS_SENT,
        CNPS_RECEIVED,
        HW_COUNTERS(ENUMERATE) N_HW_FAMILIES,
};

#define SET_LABELS "device", "port"
#define CANONICAL(suffix, what)                                                                              \
        {                                                                                                    \
                .name = "rdma_canary_" suffix "_total", .type = METRIC_COUNTER, .labels = { SET_LABELS },    \
                .help = what,                                                                                \
        }
#define KNOWN(id, file, canonical, what)                                                                     \
        [HW_##id] = {                                                                                        \
                .name = "rdma_canary_hw_" #id "_total",                                                      \
                .type = METRIC_COUNTER,                                                                      \
                .labels = { SET_LABELS },                                                                    \
                .help = what " (" file ").",                                                                 \
        },

static const struct metric_family families[] = {
        [HW_GENERIC] = {
                .name = "rdma_canary_hw_counter", .type = METRIC_UNTYPED,
                .help = "A counter or gauge of the driver that has no family of its own, under the kernel's "
                        "name; port is empty for those of the whole device.",
                .labels = { SET_LABELS, "counter" },
        },
        [RETRANSMIT_TIMEOUTS] = CANONICAL("retransmit_timeouts",
                "Retransmissions because an acknowledgement did not come in time: mlx5 "
                "local_ack_timeout_err; rxe completer_retry_err, which counts retries after a sequence NAK "
                "too."),
        [SEQUENCE_NAKS] = CANONICAL("sequence_naks",
                "Sequence-error NAKs received, for packets lost on the way: mlx5 packet_seq_err; rxe "
                "rcvd_seq_err."),
        [RNR_NAKS] = CANONICAL("receiver_not_ready_naks",
                "Receiver-not-ready NAKs received: mlx5 rnr_nak_retry_err; rxe rcvd_rnr_err."),
        [OUT_OF_SEQUENCE] = CANONICAL("out_of_sequence_packets",
                "Packets received out of sequence, as responder: mlx5 out_of_sequence; rxe "
                "out_of_seq_request."),
        [DUPLICATES] = CANONICAL("duplicate_requests",
                "Requests received that had been received before: mlx5 and rxe duplicate_request."),
        [OUT_OF_BUFFERS] = CANONICAL("out_of_receive_buffers",
                "Packets that found no receive buffer: mlx5 out_of_buffer; rxe send_rnr_err."),
        [RETRIES_EXCEEDED] = CANONICAL("transport_retries_exceeded",
                "Requests given up because no retry was answered: mlx5 req_transport_retries_exceeded; rxe "
                "retry_exceeded_err."),
        [RNR_RETRIES_EXCEEDED] = CANONICAL("receiver_not_ready_retries_exceeded",
                "Requests given up because the peer never became ready to receive: mlx5 "
                "req_rnr_retries_exceeded; rxe retry_rnr_exceeded_err."),
        [REMOTE_ACCESS_ERRORS] = CANONICAL("remote_access_errors",
                "Remote access errors the peer answered: mlx5 req_remote_access_errors."),
        [COMPLETION_ERRORS] = CANONICAL("completion_errors",
                "Completions with error as requester: mlx5 req_cqe_error."),
        [SLOW_RESTARTS] = CANONICAL("slow_restarts",
                "Slow restarts after loss: mlx5 roce_slow_restart."),
        [ECN_MARKED] = CANONICAL("ecn_marked_packets",
                "Packets received with a congestion mark: mlx5 np_ecn_marked_roce_packets."),
        [CNPS_SENT] = CANONICAL("congestion_notifications_sent",
                "Congestion notification packets sent: mlx5 np_cnp_sent."),
        [CNPS_RECEIVED] = CANONICAL("congestion_notifications_received",
                "Congestion notification packets received and acted on: mlx5 rp_cnp_handled."),
        HW_COUNTERS(KNOWN)
};
static_assert(ARRAY_SIZE(families) == N_HW_FAMILIES, "a family for every position");

struct hw_row {
        const char *file;
        enum hw_family family, canonical;
};

#define ROW(id, file_name, canonical_family, help)                                                           \
        { .file = file_name, .family = HW_##id, .canonical = canonical_family },

static const struct hw_row rows[] = { HW_COUNTERS(ROW) };

static const struct hw_row *find_row(const char *file)
{
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
                if (strcmp(rows[i].file, file) == 0)
                        return &rows[i];
        return NULL;
}

static void add(const char *device, const char *port, const char *file, uint64_t value, struct batch *b)
{
        const struct hw_row *row = find_row(file);

        if (!row) {
                batch_add_u64(b, &families[HW_GENERIC], LABELS(device, port, file), value);
                return;
        }
        batch_add_u64(b, &families[row->family], LABELS(device, port), value);
        if (row->canonical != NONE)
                batch_add_u64(b, &families[row->canonical], LABELS(device, port), value);
}

/* The cache time of the set, and a switch: not counters. */
static bool is_control(const char *file)
{
        return strcmp(file, "lifespan") == 0 || strcmp(file, "clear_counters") == 0;
}

static void collect_set(int parent, const char *device, const char *port, struct batch *b, int *error)
{
        cleanup(close_fdp) int dir = sysfs_open_dir(parent, "hw_counters");
        cleanup(sysfs_names_done) struct sysfs_names names = { 0 };
        int r = dir < 0 ? dir : sysfs_list(dir, &names);

        sysfs_note_error(error, r);
        for (size_t i = 0; i < names.n; i++) {
                uint64_t value;

                if (is_control(names.items[i]))
                        continue;
                r = sysfs_read_u64(dir, names.items[i], &value);
                if (r == 0)
                        add(device, port, names.items[i], value, b);
                sysfs_note_error(error, r);
        }
}

static void collect_port(const struct passive_port *p, struct batch *b, int *error)
{
        collect_set(p->dir, p->device, p->port, b, error);
}

static int collect(void *state, uint64_t deadline_ns, struct batch *b)
{
        struct passive *p = state;
        cleanup(close_fdp) int dir = sysfs_open_device(p->env->sysfs, p->device);
        int error = 0;

        sysfs_note_error(&error, dir);
        if (dir < 0)
                return error;
        collect_set(dir, p->device, "", b, &error);
        passive_visit_ports(p, dir, collect_port, b, &error);
        return error;
}

const struct source_class source_hw_counters = {
        .name = "hw_counters",
        .summary = "The driver's own counters of every device and port, typed where they are known.",
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
