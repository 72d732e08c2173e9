/* SPDX-License-Identifier: Apache-2.0 */
/* The names are those of the drivers in drivers/net/ethernet of Linux. */
#include "probes/ethtool_names.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/scope.h"
#include "base/text.h"

/* X(identifier, suffix of rdma_canary_netdev_, counter or gauge, third label or NULL, "help") */
/* clang-format off */
#define FAMILIES(X)                                                                                          \
        X(PFC_RX, "pfc_pause_frames_received_total", METRIC_COUNTER, "priority",                             \
                "Priority pause frames received: the other end told this one to stop")                       \
        X(PFC_TX, "pfc_pause_frames_transmitted_total", METRIC_COUNTER, "priority",                          \
                "Priority pause frames sent: this end told the other one to stop")                           \
        X(PFC_RESUME_RX, "pfc_resume_frames_received_total", METRIC_COUNTER, "priority",                     \
                "Priority pause frames received that end a pause (XON), where counted apart")                \
        X(PFC_RESUME_TX, "pfc_resume_frames_transmitted_total", METRIC_COUNTER, "priority",                  \
                "Priority pause frames sent that end a pause (XON), where counted apart")                    \
        X(PFC_TIME_RX, "pfc_pause_received_seconds_total", METRIC_COUNTER, "priority",                       \
                "Time this end was paused by priority")                                                      \
        X(PFC_TIME_TX, "pfc_pause_transmitted_seconds_total", METRIC_COUNTER, "priority",                    \
                "Time the other end was paused by priority")                                                 \
        X(PFC_TURNS_RX, "pfc_pause_transitions_received_total", METRIC_COUNTER, "priority",                  \
                "Changes from running to paused of this end")                                                \
        X(PFC_TURNS_TX, "pfc_pause_transitions_transmitted_total", METRIC_COUNTER, "priority",               \
                "Changes from running to paused of the other end")                                           \
        X(PRIO_RX_BYTES, "priority_received_bytes_total", METRIC_COUNTER, "priority",                        \
                "Bytes received on the wire by priority")                                                    \
        X(PRIO_TX_BYTES, "priority_transmitted_bytes_total", METRIC_COUNTER, "priority",                     \
                "Bytes sent on the wire by priority")                                                        \
        X(PRIO_RX_PACKETS, "priority_received_packets_total", METRIC_COUNTER, "priority",                    \
                "Packets received on the wire by priority")                                                  \
        X(PRIO_TX_PACKETS, "priority_transmitted_packets_total", METRIC_COUNTER, "priority",                 \
                "Packets sent on the wire by priority")                                                      \
        X(PRIO_DISCARDS, "priority_discards_total", METRIC_COUNTER, "priority",                              \
                "Packets received and discarded by priority")                                                \
        X(PRIO_BUFFER_DISCARDS, "priority_buffer_discards_total", METRIC_COUNTER, "priority",                \
                "Packets discarded for want of room in the receive buffer by priority")                      \
        X(PRIO_CONGESTION_DISCARDS, "priority_congestion_discards_total", METRIC_COUNTER, "priority",        \
                "Packets discarded for congestion in the device by priority")                                \
        X(PRIO_ECN, "priority_ecn_marked_packets_total", METRIC_COUNTER, "priority",                         \
                "Packets the device marked for congestion by priority")                                      \
        X(PAUSE_RX, "pause_frames_received_total", METRIC_COUNTER, NULL, "Global pause frames received")     \
        X(PAUSE_TX, "pause_frames_transmitted_total", METRIC_COUNTER, NULL, "Global pause frames sent")      \
        X(RESUME_RX, "resume_frames_received_total", METRIC_COUNTER, NULL,                                   \
                "Global pause frames received that end a pause (XON), where counted apart")                  \
        X(RESUME_TX, "resume_frames_transmitted_total", METRIC_COUNTER, NULL,                                \
                "Global pause frames sent that end a pause (XON), where counted apart")                      \
        X(PAUSE_TIME_RX, "pause_received_seconds_total", METRIC_COUNTER, NULL,                               \
                "Time this end was paused by global pause")                                                  \
        X(PAUSE_TIME_TX, "pause_transmitted_seconds_total", METRIC_COUNTER, NULL,                            \
                "Time the other end was paused by global pause")                                             \
        X(PAUSE_TURNS_RX, "pause_transitions_received_total", METRIC_COUNTER, NULL,                          \
                "Changes from running to paused of this end by global pause")                                \
        X(STORM_WARNINGS, "pause_storm_warnings_total", METRIC_COUNTER, NULL,                                \
                "Times the device sent pause frames for longer than its warning limit")                      \
        X(STORM_ERRORS, "pause_storm_errors_total", METRIC_COUNTER, NULL,                                    \
                "Times the device sent pause frames for so long that it gave up pausing")                    \
        X(CRC_ERRORS, "physical_crc_errors_total", METRIC_COUNTER, NULL,                                     \
                "Frames received on the wire with a wrong checksum")                                         \
        X(SYMBOL_ERRORS, "physical_symbol_errors_total", METRIC_COUNTER, NULL,                               \
                "Frames received with a symbol error")                                                       \
        X(PCS_SYMBOL_ERRORS, "physical_pcs_symbol_errors_total", METRIC_COUNTER, NULL,                       \
                "Symbol errors that forward error correction did not correct")                               \
        X(CORRECTED_BITS, "physical_corrected_bits_total", METRIC_COUNTER, NULL,                             \
                "Bits corrected by forward error correction")                                                \
        X(LANE_ERRORS, "physical_lane_errors_total", METRIC_COUNTER, "lane",                                 \
                "Bit errors of a lane, before forward error correction")                                     \
        X(FEC_CORRECTED, "fec_corrected_blocks_total", METRIC_COUNTER, NULL,                                 \
                "Blocks corrected by forward error correction")                                              \
        X(FEC_UNCORRECTABLE, "fec_uncorrectable_blocks_total", METRIC_COUNTER, NULL,                         \
                "Blocks that forward error correction could not correct")                                    \
        X(LOCAL_FAULTS, "physical_local_faults_total", METRIC_COUNTER, NULL,                                 \
                "Faults of the receiving side of the link")                                                  \
        X(REMOTE_FAULTS, "physical_remote_faults_total", METRIC_COUNTER, NULL,                               \
                "Faults of the link that the other end told of")                                             \
        X(LINK_DOWNS, "link_down_events_total", METRIC_COUNTER, NULL,                                        \
                "Times the link went down for an error of the wire or the other end")                        \
        X(OUT_OF_BUFFER, "received_out_of_buffer_total", METRIC_COUNTER, NULL,                               \
                "Packets that found no buffer in the interface's rings; RDMA's are elsewhere")               \
        X(RX_DISCARDS, "physical_received_discards_total", METRIC_COUNTER, NULL,                             \
                "Packets discarded for want of buffers at the port")                                         \
        X(TX_DISCARDS, "physical_transmitted_discards_total", METRIC_COUNTER, NULL,                          \
                "Packets discarded on their way out, as without a link")                                     \
        X(BUFFER_FULL, "received_buffer_nearly_full_total", METRIC_COUNTER, NULL,                            \
                "Times the port's receive buffer was more than 85 % full")                                   \
        X(STALLED_READ, "pci_stalled_read_ratio", METRIC_GAUGE, NULL,                                        \
                "Share of the last second the device had reads to do but no PCIe credits for them")          \
        X(STALLED_WRITE, "pci_stalled_write_ratio", METRIC_GAUGE, NULL,                                      \
                "Share of the last second the device had writes to do but no PCIe credits for them")         \
        X(STALLED_READ_TIME, "pci_stalled_read_seconds_total", METRIC_COUNTER, NULL,                         \
                "Seconds with more than 30 % of read stalls")                                                \
        X(STALLED_WRITE_TIME, "pci_stalled_write_seconds_total", METRIC_COUNTER, NULL,                       \
                "Seconds with more than 30 % of write stalls")                                               \
        X(PCI_OVERFLOWS, "pci_buffer_overflows_total", METRIC_COUNTER, NULL,                                 \
                "Packets dropped because the buffer towards PCIe was full")                                  \
        X(PCI_SIGNAL_RX, "pci_signal_integrity_errors_received_total", METRIC_COUNTER, NULL,                 \
                "Errors of the physical layer that made the device's PCIe link recover")                     \
        X(PCI_SIGNAL_TX, "pci_signal_integrity_errors_transmitted_total", METRIC_COUNTER, NULL,              \
                "Errors of the physical layer that made the host's PCIe link recover")                       \
        X(RDMA_UNI_RX_BYTES, "rdma_unicast_received_bytes_total", METRIC_COUNTER, NULL,                      \
                "Bytes of RDMA unicast traffic received by this function")                                   \
        X(RDMA_UNI_TX_BYTES, "rdma_unicast_transmitted_bytes_total", METRIC_COUNTER, NULL,                   \
                "Bytes of RDMA unicast traffic sent by this function")                                       \
        X(RDMA_UNI_RX_PACKETS, "rdma_unicast_received_packets_total", METRIC_COUNTER, NULL,                  \
                "Packets of RDMA unicast traffic received by this function")                                 \
        X(RDMA_UNI_TX_PACKETS, "rdma_unicast_transmitted_packets_total", METRIC_COUNTER, NULL,               \
                "Packets of RDMA unicast traffic sent by this function")                                     \
        X(RDMA_MULTI_RX_BYTES, "rdma_multicast_received_bytes_total", METRIC_COUNTER, NULL,                  \
                "Bytes of RDMA multicast traffic received by this function")                                 \
        X(RDMA_MULTI_TX_BYTES, "rdma_multicast_transmitted_bytes_total", METRIC_COUNTER, NULL,               \
                "Bytes of RDMA multicast traffic sent by this function")                                     \
        X(RDMA_MULTI_RX_PACKETS, "rdma_multicast_received_packets_total", METRIC_COUNTER, NULL,              \
                "Packets of RDMA multicast traffic received by this function")                               \
        X(RDMA_MULTI_TX_PACKETS, "rdma_multicast_transmitted_packets_total", METRIC_COUNTER, NULL,           \
                "Packets of RDMA multicast traffic sent by this function")
/* clang-format on */

#define ENUMERATE(id, suffix, kind, label, what) id,
#define FAMILY(id, suffix, kind, label, what)                                                                \
        [id] = {                                                                                             \
                .name = "rdma_canary_netdev_" suffix,                                                        \
                .type = kind,                                                                                \
                .labels = { "device", "netdev", label },                                                     \
                .help = what " (ethtool; see the source's page for the drivers' names).",                    \
        },

enum family { FAMILIES(ENUMERATE) OTHER, N_FAMILIES };

const struct metric_family ethtool_families[] = {
        FAMILIES(FAMILY)
        [OTHER] = {
                .name = "rdma_canary_netdev_ethtool", .type = METRIC_UNTYPED,
                .help = "A statistic of the driver (ethtool) that has no family of its own, under the driver's "
                        "name; only those that collectors.ethtool.include asks for.",
                .labels = { "device", "netdev", "statistic" },
        },
};
static_assert(N_FAMILIES == N_ETHTOOL_FAMILIES, "the header says how many");
const struct metric_family *const ethtool_other = &ethtool_families[OTHER];

static const struct {
        const char *driver, *pattern;
        enum family family;
        enum ethtool_unit unit;
} rows[] = {
        { "mlx5", "rx_prio#_pause", PFC_RX, ETHTOOL_ONE },
        { "mlx5", "tx_prio#_pause", PFC_TX, ETHTOOL_ONE },
        { "mlx5", "rx_prio#_pause_duration", PFC_TIME_RX, ETHTOOL_MICROSECONDS },
        { "mlx5", "tx_prio#_pause_duration", PFC_TIME_TX, ETHTOOL_MICROSECONDS },
        { "mlx5", "rx_prio#_pause_transition", PFC_TURNS_RX, ETHTOOL_ONE },
        { "mlx5", "rx_prio#_bytes", PRIO_RX_BYTES, ETHTOOL_ONE },
        { "mlx5", "tx_prio#_bytes", PRIO_TX_BYTES, ETHTOOL_ONE },
        { "mlx5", "rx_prio#_packets", PRIO_RX_PACKETS, ETHTOOL_ONE },
        { "mlx5", "tx_prio#_packets", PRIO_TX_PACKETS, ETHTOOL_ONE },
        { "mlx5", "rx_prio#_discards", PRIO_DISCARDS, ETHTOOL_ONE },
        { "mlx5", "rx_prio#_buf_discard", PRIO_BUFFER_DISCARDS, ETHTOOL_ONE },
        { "mlx5", "rx_prio#_cong_discard", PRIO_CONGESTION_DISCARDS, ETHTOOL_ONE },
        { "mlx5", "rx_prio#_marked", PRIO_ECN, ETHTOOL_ONE },
        /* Not rx_global_pause, which is there only while global pause is in force. */
        { "mlx5", "rx_pause_ctrl_phy", PAUSE_RX, ETHTOOL_ONE },
        { "mlx5", "tx_pause_ctrl_phy", PAUSE_TX, ETHTOOL_ONE },
        { "mlx5", "rx_global_pause_duration", PAUSE_TIME_RX, ETHTOOL_MICROSECONDS },
        { "mlx5", "tx_global_pause_duration", PAUSE_TIME_TX, ETHTOOL_MICROSECONDS },
        { "mlx5", "rx_global_pause_transition", PAUSE_TURNS_RX, ETHTOOL_ONE },
        { "mlx5", "tx_pause_storm_warning_events", STORM_WARNINGS, ETHTOOL_ONE },
        { "mlx5", "tx_pause_storm_error_events", STORM_ERRORS, ETHTOOL_ONE },
        { "mlx5", "rx_crc_errors_phy", CRC_ERRORS, ETHTOOL_ONE },
        { "mlx5", "rx_symbol_err_phy", SYMBOL_ERRORS, ETHTOOL_ONE },
        { "mlx5", "rx_pcs_symbol_err_phy", PCS_SYMBOL_ERRORS, ETHTOOL_ONE },
        { "mlx5", "rx_corrected_bits_phy", CORRECTED_BITS, ETHTOOL_ONE },
        { "mlx5", "rx_err_lane_#_phy", LANE_ERRORS, ETHTOOL_ONE },
        { "mlx5", "link_down_events_phy", LINK_DOWNS, ETHTOOL_ONE },
        { "mlx5", "rx_out_of_buffer", OUT_OF_BUFFER, ETHTOOL_ONE },
        { "mlx5", "rx_discards_phy", RX_DISCARDS, ETHTOOL_ONE },
        { "mlx5", "tx_discards_phy", TX_DISCARDS, ETHTOOL_ONE },
        { "mlx5", "rx_buffer_passed_thres_phy", BUFFER_FULL, ETHTOOL_ONE },
        { "mlx5", "outbound_pci_stalled_rd", STALLED_READ, ETHTOOL_PERCENT },
        { "mlx5", "outbound_pci_stalled_wr", STALLED_WRITE, ETHTOOL_PERCENT },
        { "mlx5", "outbound_pci_stalled_rd_events", STALLED_READ_TIME, ETHTOOL_ONE },
        { "mlx5", "outbound_pci_stalled_wr_events", STALLED_WRITE_TIME, ETHTOOL_ONE },
        { "mlx5", "outbound_pci_buffer_overflow", PCI_OVERFLOWS, ETHTOOL_ONE },
        { "mlx5", "rx_pci_signal_integrity", PCI_SIGNAL_RX, ETHTOOL_ONE },
        { "mlx5", "tx_pci_signal_integrity", PCI_SIGNAL_TX, ETHTOOL_ONE },
        { "mlx5", "rx_vport_rdma_unicast_bytes", RDMA_UNI_RX_BYTES, ETHTOOL_ONE },
        { "mlx5", "tx_vport_rdma_unicast_bytes", RDMA_UNI_TX_BYTES, ETHTOOL_ONE },
        { "mlx5", "rx_vport_rdma_unicast_packets", RDMA_UNI_RX_PACKETS, ETHTOOL_ONE },
        { "mlx5", "tx_vport_rdma_unicast_packets", RDMA_UNI_TX_PACKETS, ETHTOOL_ONE },
        { "mlx5", "rx_vport_rdma_multicast_bytes", RDMA_MULTI_RX_BYTES, ETHTOOL_ONE },
        { "mlx5", "tx_vport_rdma_multicast_bytes", RDMA_MULTI_TX_BYTES, ETHTOOL_ONE },
        { "mlx5", "rx_vport_rdma_multicast_packets", RDMA_MULTI_RX_PACKETS, ETHTOOL_ONE },
        { "mlx5", "tx_vport_rdma_multicast_packets", RDMA_MULTI_TX_PACKETS, ETHTOOL_ONE },
        { "bnxt_en", "rx_pfc_ena_frames_pri#", PFC_RX, ETHTOOL_ONE },
        { "bnxt_en", "tx_pfc_ena_frames_pri#", PFC_TX, ETHTOOL_ONE },
        { "bnxt_en", "pfc_pri#_rx_duration_us", PFC_TIME_RX, ETHTOOL_MICROSECONDS },
        { "bnxt_en", "pfc_pri#_tx_duration_us", PFC_TIME_TX, ETHTOOL_MICROSECONDS },
        { "bnxt_en", "pfc_pri#_rx_transitions", PFC_TURNS_RX, ETHTOOL_ONE },
        { "bnxt_en", "pfc_pri#_tx_transitions", PFC_TURNS_TX, ETHTOOL_ONE },
        { "bnxt_en", "rx_bytes_pri#", PRIO_RX_BYTES, ETHTOOL_ONE },
        { "bnxt_en", "tx_bytes_pri#", PRIO_TX_BYTES, ETHTOOL_ONE },
        { "bnxt_en", "rx_packets_pri#", PRIO_RX_PACKETS, ETHTOOL_ONE },
        { "bnxt_en", "tx_packets_pri#", PRIO_TX_PACKETS, ETHTOOL_ONE },
        { "bnxt_en", "rx_pause_frames", PAUSE_RX, ETHTOOL_ONE },
        { "bnxt_en", "tx_pause_frames", PAUSE_TX, ETHTOOL_ONE },
        { "bnxt_en", "rx_fcs_err_frames", CRC_ERRORS, ETHTOOL_ONE },
        { "bnxt_en", "rx_pcs_symbol_err", PCS_SYMBOL_ERRORS, ETHTOOL_ONE },
        { "bnxt_en", "rx_corrected_bits", CORRECTED_BITS, ETHTOOL_ONE },
        { "bnxt_en", "rx_fec_corrected_blocks", FEC_CORRECTED, ETHTOOL_ONE },
        { "bnxt_en", "rx_fec_uncorrectable_blocks", FEC_UNCORRECTABLE, ETHTOOL_ONE },
        { "bnxt_en", "link_down_events", LINK_DOWNS, ETHTOOL_ONE },
        { "bnxt_en", "rx_stat_discard", RX_DISCARDS, ETHTOOL_ONE },
        { "ice", "rx_priority_#_xoff.nic", PFC_RX, ETHTOOL_ONE },
        { "ice", "tx_priority_#_xoff.nic", PFC_TX, ETHTOOL_ONE },
        { "ice", "rx_priority_#_xon.nic", PFC_RESUME_RX, ETHTOOL_ONE },
        { "ice", "tx_priority_#_xon.nic", PFC_RESUME_TX, ETHTOOL_ONE },
        { "ice", "link_xoff_rx.nic", PAUSE_RX, ETHTOOL_ONE },
        { "ice", "link_xoff_tx.nic", PAUSE_TX, ETHTOOL_ONE },
        { "ice", "link_xon_rx.nic", RESUME_RX, ETHTOOL_ONE },
        { "ice", "link_xon_tx.nic", RESUME_TX, ETHTOOL_ONE },
        { "ice", "rx_crc_errors.nic", CRC_ERRORS, ETHTOOL_ONE },
        { "ice", "mac_local_faults.nic", LOCAL_FAULTS, ETHTOOL_ONE },
        { "ice", "mac_remote_faults.nic", REMOTE_FAULTS, ETHTOOL_ONE },
        { "ice", "tx_dropped_link_down.nic", TX_DISCARDS, ETHTOOL_ONE },
        { "i40e", "port.rx_priority_#_xoff", PFC_RX, ETHTOOL_ONE },
        { "i40e", "port.tx_priority_#_xoff", PFC_TX, ETHTOOL_ONE },
        { "i40e", "port.rx_priority_#_xon", PFC_RESUME_RX, ETHTOOL_ONE },
        { "i40e", "port.tx_priority_#_xon", PFC_RESUME_TX, ETHTOOL_ONE },
        { "i40e", "port.rx_priority_#_xoff_rx", PFC_RX, ETHTOOL_ONE }, /* from Linux 5.0 on */
        { "i40e", "port.tx_priority_#_xoff_tx", PFC_TX, ETHTOOL_ONE },
        { "i40e", "port.rx_priority_#_xon_rx", PFC_RESUME_RX, ETHTOOL_ONE },
        { "i40e", "port.tx_priority_#_xon_tx", PFC_RESUME_TX, ETHTOOL_ONE },
        { "i40e", "port.rx_priority_#_xon_2_xoff", PFC_TURNS_RX, ETHTOOL_ONE },
        { "i40e", "port.link_xoff_rx", PAUSE_RX, ETHTOOL_ONE },
        { "i40e", "port.link_xoff_tx", PAUSE_TX, ETHTOOL_ONE },
        { "i40e", "port.link_xon_rx", RESUME_RX, ETHTOOL_ONE },
        { "i40e", "port.link_xon_tx", RESUME_TX, ETHTOOL_ONE },
        { "i40e", "port.rx_crc_errors", CRC_ERRORS, ETHTOOL_ONE },
        { "i40e", "port.mac_local_faults", LOCAL_FAULTS, ETHTOOL_ONE },
        { "i40e", "port.mac_remote_faults", REMOTE_FAULTS, ETHTOOL_ONE },
        { "hns3", "mac_rx_pfc_pri#_pkt_num", PFC_RX, ETHTOOL_ONE },
        { "hns3", "mac_tx_pfc_pri#_pkt_num", PFC_TX, ETHTOOL_ONE },
        { "hns3", "mac_rx_mac_pause_num", PAUSE_RX, ETHTOOL_ONE },
        { "hns3", "mac_tx_mac_pause_num", PAUSE_TX, ETHTOOL_ONE },
        { "hns3", "mac_rx_fcs_err_pkt_num", CRC_ERRORS, ETHTOOL_ONE },
        { "ionic", "frames_rx_pause", PAUSE_RX, ETHTOOL_ONE },
        { "ionic", "frames_tx_pause", PAUSE_TX, ETHTOOL_ONE },
        { "ionic", "frames_rx_bad_fcs", CRC_ERRORS, ETHTOOL_ONE },
        { "ionic", "frames_rx_dropped", RX_DISCARDS, ETHTOOL_ONE },
};

int ethtool_pattern(const char *pattern, const char *name, size_t len, char number[8])
{
        const char *hash = strchr(pattern, '#');
        size_t before = hash ? (size_t)(hash - pattern) : strlen(pattern);
        size_t after = hash ? strlen(hash + 1) : 0, digits;

        number[0] = '\0';
        if (!hash)
                return len == before && memcmp(pattern, name, len) == 0 ? 0 : -ENOENT;
        if (len <= before + after || len - before - after >= 8)
                return -ENOENT;
        digits = len - before - after;
        for (size_t i = 0; i < digits; i++)
                if (name[before + i] < '0' || name[before + i] > '9')
                        return -ENOENT;
        if (memcmp(pattern, name, before) != 0 || memcmp(hash + 1, name + len - after, after) != 0)
                return -ENOENT;
        memcpy(number, name + before, digits);
        number[digits] = '\0';
        return 0;
}

int ethtool_meaning(const char *driver, const char *name, size_t len, struct ethtool_meaning *ret)
{
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                if (!text_starts(driver, rows[i].driver) ||
                        ethtool_pattern(rows[i].pattern, name, len, ret->number) < 0)
                        continue;
                ret->family = &ethtool_families[rows[i].family];
                ret->unit = rows[i].unit;
                return 0;
        }
        return -ENOENT;
}

void ethtool_standard_meaning(enum ethtool_standard which, struct ethtool_meaning *ret)
{
        static const enum family meanings[N_ETHTOOL_STANDARD] = {
                [STANDARD_PAUSE_RX] = PAUSE_RX,
                [STANDARD_PAUSE_TX] = PAUSE_TX,
                [STANDARD_FEC_CORRECTED] = FEC_CORRECTED,
                [STANDARD_FEC_UNCORRECTABLE] = FEC_UNCORRECTABLE,
                [STANDARD_CORRECTED_BITS] = CORRECTED_BITS,
                [STANDARD_SYMBOL_ERRORS] = SYMBOL_ERRORS,
                [STANDARD_CRC_ERRORS] = CRC_ERRORS,
        };

        *ret = (struct ethtool_meaning){ .family = &ethtool_families[meanings[which]] };
}
