/* SPDX-License-Identifier: Apache-2.0 */
/* ionic: names come from the device's firmware. */
#ifndef PROBES_HW_IONIC_H
#define PROBES_HW_IONIC_H

/* clang-format off */
#define HW_IONIC(C, G, W, U)                                                                                 \
        C(tx_unicast_bytes, "tx_rdma_ucast_bytes", 64, NONE, "RDMA bytes sent")                              \
        C(tx_unicast_packets, "tx_rdma_ucast_pkts", 64, NONE, "RDMA packets sent")                           \
        C(tx_multicast_bytes, "tx_rdma_mcast_bytes", 64, NONE, "RDMA bytes of multicast sent")               \
        C(tx_multicast_packets, "tx_rdma_mcast_pkts", 64, NONE, "RDMA multicast packets sent")               \
        C(rx_unicast_bytes, "rx_rdma_ucast_bytes", 64, NONE, "RDMA bytes received")                          \
        C(rx_unicast_packets, "rx_rdma_ucast_pkts", 64, NONE, "RDMA packets received")                       \
        C(rx_multicast_bytes, "rx_rdma_mcast_bytes", 64, NONE, "RDMA bytes of multicast received")           \
        C(rx_multicast_packets, "rx_rdma_mcast_pkts", 64, NONE, "RDMA multicast packets received")           \
        U(tx_cnp_packets, "tx_rdma_cnp_pkts", 64, CNPS_SENT)                                                 \
        U(rx_cnp_packets, "rx_rdma_cnp_pkts", 64, CNPS_RECEIVED)                                             \
        C(rx_ecn_packets, "rx_rdma_ecn_pkts", 64, ECN_MARKED, "Packets received with a congestion mark")     \
        C(tx_ack_timeouts, "tx_rdma_ack_timeout", 64, RETRANSMIT_TIMEOUTS,                                   \
                "Expiries of the acknowledgement timer")                                                     \
        C(tx_retransmitted_packets, "tx_rdma_retx_pkts", 64, NONE, "Packets sent again")                     \
        C(tx_retransmitted_bytes, "tx_rdma_retx_bytes", 64, NONE, "Bytes sent again")                        \
        C(req_rx_pkt_seq_err, "req_rx_pkt_seq_err", 64, SEQUENCE_NAKS, "Sequence-error NAKs received")       \
        C(req_rx_rnr_retry_err, "req_rx_rnr_retry_err", 64, RNR_NAKS, "Receiver-not-ready NAKs received")    \
        C(req_rx_rmt_acc_err, "req_rx_rmt_acc_err", 64, REMOTE_ACCESS_ERRORS,                                \
                "Remote access errors the peer answered")                                                    \
        C(req_rx_rmt_req_err, "req_rx_rmt_req_err", 64, NONE, "Invalid-request errors the peer answered")    \
        C(req_rx_oper_err, "req_rx_oper_err", 64, NONE, "Remote operation errors the peer answered")         \
        C(req_rx_impl_nak_seq_err, "req_rx_impl_nak_seq_err", 64, NONE, "Implied sequence-error NAKs")       \
        C(req_rx_cqe_err, "req_rx_cqe_err", 64, COMPLETION_ERRORS, "Completions with error as requester")    \
        C(req_rx_cqe_flush, "req_rx_cqe_flush", 64, NONE, "Completions flushed as requester")                \
        C(req_rx_dup_response, "req_rx_dup_response", 64, NONE, "Duplicate responses received")              \
        C(req_rx_inval_pkts, "req_rx_inval_pkts", 64, NONE, "Invalid packets received as requester")         \
        C(req_tx_loc_acc_err, "req_tx_loc_acc_err", 64, NONE, "Local access errors as requester")            \
        C(req_tx_loc_oper_err, "req_tx_loc_oper_err", 64, NONE, "Local operation errors as requester")       \
        C(req_tx_memmgmt_err, "req_tx_memmgmt_err", 64, NONE, "Errors of memory management operations")      \
        C(req_tx_retry_excd_err, "req_tx_retry_excd_err", 64, RETRIES_EXCEEDED,                              \
                "Requests given up because no retry was answered")                                           \
        C(req_tx_loc_sgl_inv_err, "req_tx_loc_sgl_inv_err", 64, NONE, "Invalid scatter lists as requester")  \
        C(resp_rx_dup_request, "resp_rx_dup_request", 64, DUPLICATES, "Duplicate requests received")         \
        C(resp_rx_outof_buf, "resp_rx_outof_buf", 64, OUT_OF_BUFFERS,                                        \
                "Packets that found no receive buffer")                                                      \
        C(resp_rx_outouf_seq, "resp_rx_outouf_seq", 64, OUT_OF_SEQUENCE,                                     \
                "Requests received out of sequence")                                                         \
        C(resp_rx_cqe_err, "resp_rx_cqe_err", 64, NONE, "Completions with error as responder")               \
        C(resp_rx_cqe_flush, "resp_rx_cqe_flush", 64, NONE, "Completions flushed as responder")              \
        C(resp_rx_loc_len_err, "resp_rx_loc_len_err", 64, NONE, "Local length errors as responder")          \
        C(resp_rx_inval_request, "resp_rx_inval_request", 64, NONE, "Invalid requests received")             \
        C(resp_rx_loc_oper_err, "resp_rx_loc_oper_err", 64, NONE, "Local operation errors as responder")     \
        C(resp_rx_outof_atomic, "resp_rx_outof_atomic", 64, NONE,                                            \
                "Atomics received for which there were no resources")                                        \
        C(resp_tx_pkt_seq_err, "resp_tx_pkt_seq_err", 64, NONE, "Sequence-error NAKs sent")                  \
        C(resp_tx_rmt_inval_req_err, "resp_tx_rmt_inval_req_err", 64, NONE, "Invalid-request NAKs sent")     \
        C(resp_tx_rmt_acc_err, "resp_tx_rmt_acc_err", 64, NONE, "Remote-access NAKs sent")                   \
        C(resp_tx_rmt_oper_err, "resp_tx_rmt_oper_err", 64, NONE, "Remote-operation NAKs sent")              \
        C(resp_tx_rnr_retry_err, "resp_tx_rnr_retry_err", 64, NONE, "Receiver-not-ready NAKs sent")          \
        C(resp_tx_loc_sgl_inv_err, "resp_tx_loc_sgl_inv_err", 64, NONE,                                      \
                "Invalid scatter lists as responder")                                                        \
        C(resp_rx_s0_table_err, "resp_rx_s0_table_err", 64, NONE, "Errors of the responder's lookup table")  \
        U(req_tx_memmgmt_err, "req_tx_mem_mgmt_err", 64, NONE)
/* clang-format on */

#endif
