/* SPDX-License-Identifier: Apache-2.0 */
/* Families and rows of hw counters, made from the drivers' lists. A line of a list is
 *     C(family, "kernel's name", bits, canonical family or NONE, "help")   a counter with a family of its own
 *     G(family, "kernel's name", "help")                                   a gauge
 *     W(family, "kernel's name", scale, "help")                            a counter in another unit
 *     U(family, "kernel's name", bits, canonical family or NONE)           uses a family that is elsewhere
 * where family NAME is rdma_canary_hw_NAME, with _total for counters. */
#include <assert.h>

#include "base/scope.h"
#include "probes/hw/bnxt_re.h"
#include "probes/hw/efa.h"
#include "probes/hw/erdma.h"
#include "probes/hw/hfi1.h"
#include "probes/hw/hns.h"
#include "probes/hw/ionic.h"
#include "probes/hw/irdma.h"
#include "probes/hw/mana.h"
#include "probes/hw/mlx4.h"
#include "probes/hw/mlx5.h"
#include "probes/hw/rxe.h"
#include "probes/hw_rows.h"

/* clang-format off */
/* What several drivers count: family, "help", "the kernel's names". */
#define SHARED(F)                                                                                            \
        F(rx_bytes, "Bytes received", "rx_bytes, rx_bytes_cnt")                                              \
        F(tx_bytes, "Bytes sent", "tx_bytes, tx_bytes_cnt")                                                  \
        F(rx_packets, "Packets received", "rx_pkts, rx_packets, rx_packets_cnt, rx_pkt, RxPkt")              \
        F(tx_packets, "Packets sent", "tx_pkts, tx_packets, tx_packets_cnt, tx_pkt, TxPkt")                  \
        F(rx_write_requests, "Write requests received", "rx_write_requests, rx_write_req")                   \
        F(rx_read_requests, "Read requests received", "rx_read_requests, rx_read_req")                       \
        F(rx_atomic_requests, "Atomic requests received", "rx_atomic_requests, rx_atomic_req")               \
        F(rx_send_requests, "Send requests received", "rx_send_requests, rx_send_req")                       \
        F(duplicate_request, "Requests received that had been received before", "duplicate_request")         \
        F(out_of_buffer, "Packets dropped for want of a receive work request",                               \
                "out_of_buffer, rx_out_of_buffer")                                                           \
        F(np_ecn_marked_roce_packets, "RoCE packets received with a congestion mark",                        \
                "np_ecn_marked_roce_packets")                                                                \
        F(rp_cnp_handled, "Congestion notification packets received and acted on", "rp_cnp_handled")         \
        F(rx_cnp_packets, "Congestion notification packets received",                                        \
                "rx_cnp_pkts, rx_cnp_pkt, rx_rdma_cnp_pkts")                                                 \
        F(tx_cnp_packets, "Congestion notification packets sent",                                            \
                "tx_cnp_pkts, tx_cnp_pkt, tx_rdma_cnp_pkts, np_cnp_pkts")                                    \
        F(command_errors, "Commands that failed", "cmds_err")                                                \
        F(create_qp_errors, "Queue pairs that could not be made", "create_qp_err, qp_create_err")            \
        F(create_cq_errors, "Completion queues that could not be made", "create_cq_err, cq_create_err")      \
        F(create_ah_errors, "Address handles that could not be made", "create_ah_err, ah_create_err")        \
        F(register_mr_errors, "Memory regions that could not be registered", "reg_mr_err, mr_reg_err")       \
        F(alloc_ucontext_errors, "User contexts that could not be made",                                     \
                "alloc_ucontext_err, uctx_alloc_err")                                                        \
        F(mmap_errors, "Mappings that failed", "mmap_err")

#define DRIVERS(D)                                                                                           \
        D(bnxt_re, HW_BNXT_RE, "bnxt_en")                                                                    \
        D(efa, HW_EFA, "efa")                                                                                \
        D(erdma, HW_ERDMA, "erdma")                                                                          \
        D(hfi1, HW_HFI1, "hfi1")                                                                             \
        D(hns, HW_HNS, "hns3", "hns_roce", "hns_roce_hw_v2")                                                 \
        D(ionic, HW_IONIC, "ionic_rdma")                                                                     \
        D(irdma, HW_IRDMA, "ice", "i40e", "idpf", "i40iw")                                                   \
        D(mana, HW_MANA, "mana_ib")                                                                          \
        D(mlx4, HW_MLX4, "mlx4_core", "mlx4_ib")                                                             \
        D(mlx5, HW_MLX5, "mlx5_core", "mlx5_ib")                                                             \
        D(rxe, HW_RXE, "rdma_rxe")

#define NOTHING(...)
#define ID_F(id, help, names)            FAMILY_##id,
#define ID_C(id, name, bits, canon, help) FAMILY_##id,
#define ID_G(id, name, help)             FAMILY_##id,
#define ID_W(id, name, scale, help)      FAMILY_##id,
#define IDS(driver, list, ...)           list(ID_C, ID_G, ID_W, NOTHING)

enum {
        NONE, /* as a canonical family; else the generic one */
        GENERIC = NONE,
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
        SHARED(ID_F)
        DRIVERS(IDS)
        N_FAMILIES,
};

#define SET_LABELS "device", "port"
#define CANONICAL(suffix, what)                                                                              \
        {                                                                                                    \
                .name = "rdma_canary_" suffix "_total", .type = METRIC_COUNTER, .labels = { SET_LABELS },    \
                .help = what,                                                                                \
        }
#define COUNTER(id, text)                                                                                    \
        [FAMILY_##id] = {                                                                                    \
                .name = "rdma_canary_hw_" #id "_total", .type = METRIC_COUNTER, .labels = { SET_LABELS },    \
                .help = text ".",                                                                            \
        },
#define FAMILY_F(id, what, names)             COUNTER(id, what " (" names ")")
#define FAMILY_C(id, name, bits, canon, what) COUNTER(id, what " (" name ")")
#define FAMILY_W(id, name, scale, what)       COUNTER(id, what " (" name ")")
#define FAMILY_G(id, file, what)                                                                             \
        [FAMILY_##id] = {                                                                                    \
                .name = "rdma_canary_hw_" #id, .type = METRIC_GAUGE, .labels = { SET_LABELS },               \
                .help = what " (" file ").",                                                                 \
        },
#define FAMILIES(driver, list, ...)           list(FAMILY_C, FAMILY_G, FAMILY_W, NOTHING)

const struct metric_family hw_families[] = {
        [GENERIC] = {
                .name = "rdma_canary_hw_value", .type = METRIC_UNTYPED,
                .help = "A counter or gauge of the driver that has no family of its own, under the kernel's "
                        "name; port is empty for those of the whole device.",
                .labels = { SET_LABELS, "counter" },
        },
        [RETRANSMIT_TIMEOUTS] = CANONICAL("retransmit_timeouts",
                "Retransmissions because an acknowledgement did not come in time, such as mlx5 "
                "local_ack_timeout_err; rxe's completer_retry_err counts retries after a sequence NAK too."),
        [SEQUENCE_NAKS] = CANONICAL("sequence_naks",
                "Sequence-error NAKs received, for packets lost on the way, such as mlx5 packet_seq_err."),
        [RNR_NAKS] = CANONICAL("receiver_not_ready_naks",
                "Receiver-not-ready NAKs received, such as mlx5 rnr_nak_retry_err."),
        [OUT_OF_SEQUENCE] = CANONICAL("out_of_sequence_packets",
                "Packets received out of sequence, as responder, such as mlx5 out_of_sequence."),
        [DUPLICATES] = CANONICAL("duplicate_requests",
                "Requests received that had been received before, such as mlx5 duplicate_request."),
        [OUT_OF_BUFFERS] = CANONICAL("out_of_receive_buffers",
                "Packets that found no receive buffer, such as mlx5 out_of_buffer."),
        [RETRIES_EXCEEDED] = CANONICAL("transport_retries_exceeded",
                "Requests given up because no retry was answered, such as mlx5 "
                "req_transport_retries_exceeded."),
        [RNR_RETRIES_EXCEEDED] = CANONICAL("receiver_not_ready_retries_exceeded",
                "Requests given up because the peer never became ready to receive, such as mlx5 "
                "req_rnr_retries_exceeded."),
        [REMOTE_ACCESS_ERRORS] = CANONICAL("remote_access_errors",
                "Remote access errors the peer answered, such as mlx5 req_remote_access_errors."),
        [COMPLETION_ERRORS] = CANONICAL("completion_errors",
                "Completions with error as requester, such as mlx5 req_cqe_error."),
        [SLOW_RESTARTS] = CANONICAL("slow_restarts", "Slow restarts after loss: mlx5 roce_slow_restart."),
        [ECN_MARKED] = CANONICAL("ecn_marked_packets",
                "Packets received with a congestion mark, such as mlx5 np_ecn_marked_roce_packets."),
        [CNPS_SENT] = CANONICAL("congestion_notifications_sent",
                "Congestion notification packets sent, such as mlx5 np_cnp_sent."),
        [CNPS_RECEIVED] = CANONICAL("congestion_notifications_received",
                "Congestion notification packets received, such as mlx5 rp_cnp_handled, those acted on."),
        SHARED(FAMILY_F)
        DRIVERS(FAMILIES)
};
static_assert(N_FAMILIES == N_HW_FAMILIES, "the header says how many");
static_assert(ARRAY_SIZE(hw_families) == N_FAMILIES, "a family for every position");

#define ROW(id, file, canon, width, worth)                                                                   \
        {                                                                                                    \
                .name = file, .family = &hw_families[FAMILY_##id],                                           \
                .canonical = (canon) == NONE ? NULL : &hw_families[canon], .bits = width, .scale = worth,    \
        },
#define ROW_C(id, name, bits, canon, help) ROW(id, name, canon, bits, 1)
#define ROW_G(id, name, help)              ROW(id, name, NONE, 64, 1)
#define ROW_W(id, name, scale, help)       ROW(id, name, NONE, 64, scale)
#define ROW_U(id, name, bits, canon)       ROW(id, name, canon, bits, 1)
#define TABLE(driver, list, ...)                                                                             \
        static const struct hw_counter driver##_counters[] = { list(ROW_C, ROW_G, ROW_W, ROW_U) };           \
        static const char *const driver##_modules[] = { __VA_ARGS__, NULL };
#define DRIVER(driver, list, ...)                                                                            \
        { #driver, driver##_modules, driver##_counters, ARRAY_SIZE(driver##_counters) },

DRIVERS(TABLE)

const struct hw_driver hw_drivers[] = { DRIVERS(DRIVER) };
const size_t n_hw_drivers = ARRAY_SIZE(hw_drivers);
/* clang-format on */
