/* SPDX-License-Identifier: Apache-2.0 */
/* irdma: drivers/infiniband/hw/irdma/verbs.c, its older names (tcp…, iw…) and those of the third generation,
 * with spaces. Some registers have 32 bits; the driver adds up what they gained. */
#ifndef PROBES_HW_IRDMA_H
#define PROBES_HW_IRDMA_H

/* clang-format off */
#define HW_IRDMA(C, G, W, U)                                                                                 \
        C(ip4_rx_bytes, "ip4InOctets", 64, NONE, "Bytes received over IPv4")                                 \
        C(ip4_rx_packets, "ip4InPkts", 64, NONE, "Packets received over IPv4")                               \
        C(ip4_rx_multicast_bytes, "ip4InMcastOctets", 64, NONE, "Bytes of multicast received over IPv4")     \
        C(ip4_rx_multicast_packets, "ip4InMcastPkts", 64, NONE, "Multicast packets received over IPv4")      \
        C(ip4_tx_bytes, "ip4OutOctets", 64, NONE, "Bytes sent over IPv4")                                    \
        C(ip4_tx_packets, "ip4OutPkts", 64, NONE, "Packets sent over IPv4")                                  \
        C(ip4_tx_multicast_bytes, "ip4OutMcastOctets", 64, NONE, "Bytes of multicast sent over IPv4")        \
        C(ip4_tx_multicast_packets, "ip4OutMcastPkts", 64, NONE, "Multicast packets sent over IPv4")         \
        C(ip4_rx_fragments, "ip4InReasmRqd", 64, NONE, "IPv4 fragments received")                            \
        C(ip4_tx_fragments, "ip4OutSegRqd", 64, NONE, "IPv4 fragments sent")                                 \
        C(ip4_rx_discards, "ip4InDiscards", 32, NONE, "IPv4 packets received and discarded")                 \
        C(ip4_rx_truncated_packets, "ip4InTruncatedPkts", 32, NONE, "IPv4 packets received cut off")         \
        C(ip4_tx_no_routes, "ip4OutNoRoutes", 32, NONE, "IPv4 packets not sent for want of a route")         \
        C(ip6_rx_bytes, "ip6InOctets", 64, NONE, "Bytes received over IPv6")                                 \
        C(ip6_rx_packets, "ip6InPkts", 64, NONE, "Packets received over IPv6")                               \
        C(ip6_rx_multicast_bytes, "ip6InMcastOctets", 64, NONE, "Bytes of multicast received over IPv6")     \
        C(ip6_rx_multicast_packets, "ip6InMcastPkts", 64, NONE, "Multicast packets received over IPv6")      \
        C(ip6_tx_bytes, "ip6OutOctets", 64, NONE, "Bytes sent over IPv6")                                    \
        C(ip6_tx_packets, "ip6OutPkts", 64, NONE, "Packets sent over IPv6")                                  \
        C(ip6_tx_multicast_bytes, "ip6OutMcastOctets", 64, NONE, "Bytes of multicast sent over IPv6")        \
        C(ip6_tx_multicast_packets, "ip6OutMcastPkts", 64, NONE, "Multicast packets sent over IPv6")         \
        C(ip6_rx_fragments, "ip6InReasmRqd", 64, NONE, "IPv6 fragments received")                            \
        C(ip6_tx_fragments, "ip6OutSegRqd", 64, NONE, "IPv6 fragments sent")                                 \
        C(ip6_rx_discards, "ip6InDiscards", 32, NONE, "IPv6 packets received and discarded")                 \
        C(ip6_rx_truncated_packets, "ip6InTruncatedPkts", 32, NONE, "IPv6 packets received cut off")         \
        C(ip6_tx_no_routes, "ip6OutNoRoutes", 32, NONE, "IPv6 packets not sent for want of a route")         \
        C(rx_vlan_errors, "rxVlanErrors", 32, NONE, "Packets received with a VLAN error")                    \
        C(udp_rx_packets, "RxUDP", 64, NONE, "UDP packets received")                                         \
        C(udp_tx_packets, "TxUDP", 64, NONE, "UDP packets sent")                                             \
        C(rx_ecn_marked, "RxECNMrkd", 64, ECN_MARKED, "Packets received with a congestion mark")             \
        C(cnp_handled, "cnpHandled", 32, CNPS_RECEIVED,                                                      \
                "Congestion notification packets received and acted on")                                     \
        C(cnp_ignored, "cnpIgnored", 32, NONE, "Congestion notification packets received and ignored")       \
        C(cnp_sent, "cnpSent", 32, CNPS_SENT, "Congestion notification packets sent")                        \
        C(retransmitted_segments, "RetransSegs", 32, NONE, "Segments or packets sent again")                 \
        U(retransmitted_segments, "tcpRetransSegs", 32, NONE)                                                \
        C(rx_option_errors, "InOptErrors", 32, NONE, "Segments received with wrong options")                 \
        U(rx_option_errors, "tcpInOptErrors", 32, NONE)                                                      \
        C(rx_protocol_errors, "InProtoErrors", 32, NONE, "Segments received with a protocol error")          \
        U(rx_protocol_errors, "tcpInProtoErrors", 32, NONE)                                                  \
        C(rx_segments, "InSegs", 64, NONE, "Segments received")                                              \
        U(rx_segments, "tcpInSegs", 64, NONE)                                                                \
        C(tx_segments, "OutSegs", 64, NONE, "Segments sent")                                                 \
        U(tx_segments, "tcpOutSegs", 64, NONE)                                                               \
        C(rx_rdma_reads, "InRdmaReads", 64, NONE, "RDMA reads received")                                     \
        U(rx_rdma_reads, "iwInRdmaReads", 64, NONE)                                                          \
        C(rx_rdma_sends, "InRdmaSends", 64, NONE, "Sends received")                                          \
        U(rx_rdma_sends, "iwInRdmaSends", 64, NONE)                                                          \
        C(rx_rdma_writes, "InRdmaWrites", 64, NONE, "RDMA writes received")                                  \
        U(rx_rdma_writes, "iwInRdmaWrites", 64, NONE)                                                        \
        C(tx_rdma_reads, "OutRdmaReads", 64, NONE, "RDMA reads sent")                                        \
        U(tx_rdma_reads, "iwOutRdmaReads", 64, NONE)                                                         \
        C(tx_rdma_sends, "OutRdmaSends", 64, NONE, "Sends sent")                                             \
        U(tx_rdma_sends, "iwOutRdmaSends", 64, NONE)                                                         \
        C(tx_rdma_writes, "OutRdmaWrites", 64, NONE, "RDMA writes sent")                                     \
        U(tx_rdma_writes, "iwOutRdmaWrites", 64, NONE)                                                       \
        C(memory_window_binds, "RdmaBnd", 64, NONE, "Memory windows bound")                                  \
        U(memory_window_binds, "iwRdmaBnd", 64, NONE)                                                        \
        C(invalidates, "RdmaInv", 64, NONE, "Memory keys invalidated")                                       \
        U(invalidates, "iwRdmaInv", 64, NONE)                                                                \
        C(rnr_sent, "RNR sent", 32, OUT_OF_BUFFERS, "Receiver-not-ready NAKs sent")                          \
        C(rnr_received, "RNR received", 32, RNR_NAKS, "Receiver-not-ready NAKs received")                    \
        C(ord_limit_count, "ord limit count", 32, NONE, "Times the limit of outbound reads was reached")     \
        C(ird_limit_count, "ird limit count", 32, NONE, "Times the limit of inbound reads was reached")      \
        C(rx_atomics, "Rx atomics", 64, NONE, "Atomics received")                                            \
        C(tx_atomics, "Tx atomics", 64, NONE, "Atomics sent")                                                \
        U(rx_atomics, "Rx ATS", 64, NONE)                                                                    \
        U(tx_atomics, "Tx ATS", 64, NONE)                                                                    \
        C(nak_sequence_errors, "Nak Sequence Error", 32, SEQUENCE_NAKS, "Sequence-error NAKs received")      \
        C(nak_sequence_errors_implied, "Nak Sequence Error Implied", 32, NONE,                               \
                "Implied sequence-error NAKs")                                                               \
        C(retransmission_timeouts, "RTO", 32, RETRANSMIT_TIMEOUTS, "Retransmission timeouts")                \
        C(rx_out_of_order_packets, "Rcvd Out of order packets", 32, OUT_OF_SEQUENCE,                         \
                "Packets received out of order")                                                             \
        C(crc_errors, "CRC errors", 32, NONE, "Packets received with a wrong CRC")
/* clang-format on */

#endif
