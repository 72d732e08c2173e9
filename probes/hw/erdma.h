/* SPDX-License-Identifier: Apache-2.0 */
/* erdma: drivers/infiniband/hw/erdma/erdma_verbs.c, and the vendor's own driver, which puts hw_ in front. */
#ifndef PROBES_HW_ERDMA_H
#define PROBES_HW_ERDMA_H

/* clang-format off */
#define HW_ERDMA(C, G, W, U)                                                                                 \
        C(tx_requests, "tx_reqs_cnt", 64, NONE, "Requests sent")                                             \
        U(tx_requests, "hw_tx_reqs_cnt", 64, NONE)                                                           \
        U(tx_packets, "tx_packets_cnt", 64, NONE)                                                            \
        U(tx_packets, "hw_tx_packets_cnt", 64, NONE)                                                         \
        U(tx_bytes, "tx_bytes_cnt", 64, NONE)                                                                \
        U(tx_bytes, "hw_tx_bytes_cnt", 64, NONE)                                                             \
        C(tx_disabled_drops, "tx_disable_drop_cnt", 64, NONE,                                                \
                "Packets not sent because sending is disabled")                                              \
        U(tx_disabled_drops, "hw_disable_drop_cnt", 64, NONE)                                                \
        C(tx_rate_limit_drops, "tx_bps_limit_drop_cnt", 64, NONE,                                            \
                "Packets not sent because of the limit of bytes a second")                                   \
        U(tx_rate_limit_drops, "hw_bps_limit_drop_cnt", 64, NONE)                                            \
        C(tx_packet_limit_drops, "tx_pps_limit_drop_cnt", 64, NONE,                                          \
                "Packets not sent because of the limit of packets a second")                                 \
        U(tx_packet_limit_drops, "hw_pps_limit_drop_cnt", 64, NONE)                                          \
        U(rx_packets, "rx_packets_cnt", 64, NONE)                                                            \
        U(rx_packets, "hw_rx_packets_cnt", 64, NONE)                                                         \
        U(rx_bytes, "rx_bytes_cnt", 64, NONE)                                                                \
        U(rx_bytes, "hw_rx_bytes_cnt", 64, NONE)                                                             \
        C(rx_disabled_drops, "rx_disable_drop_cnt", 64, NONE,                                                \
                "Packets dropped because receiving is disabled")                                             \
        U(rx_disabled_drops, "hw_rx_disable_drop_cnt", 64, NONE)                                             \
        C(rx_rate_limit_drops, "rx_bps_limit_drop_cnt", 64, NONE,                                            \
                "Packets dropped because of the limit of bytes a second")                                    \
        U(rx_rate_limit_drops, "hw_rx_bps_limit_drop_cnt", 64, NONE)                                         \
        C(rx_packet_limit_drops, "rx_pps_limit_drop_cnt", 64, NONE,                                          \
                "Packets dropped because of the limit of packets a second")                                  \
        U(rx_packet_limit_drops, "hw_rx_pps_limit_drop_cnt", 64, NONE)
/* clang-format on */

#endif
