/* SPDX-License-Identifier: Apache-2.0 */
/* mlx5: drivers/infiniband/hw/mlx5/counters.c. Queue counters are of one function and wrap at 2^32; those of
 * congestion are of the physical port. A representor's vport_ names count for another function: families of
 * their own. */
#ifndef PROBES_HW_MLX5_H
#define PROBES_HW_MLX5_H

/* clang-format off */
#define HW_MLX5(C, G, W, U)                                                                                  \
        U(rx_write_requests, "rx_write_requests", 32, NONE)                                                  \
        U(rx_read_requests, "rx_read_requests", 32, NONE)                                                    \
        U(rx_atomic_requests, "rx_atomic_requests", 32, NONE)                                                \
        C(rx_dct_connect, "rx_dct_connect", 32, NONE,                                                        \
                "Connection requests received by dynamically connected transport")                           \
        U(out_of_buffer, "out_of_buffer", 32, OUT_OF_BUFFERS)                                                \
        C(out_of_sequence, "out_of_sequence", 32, OUT_OF_SEQUENCE, "Packets received out of sequence")       \
        U(duplicate_request, "duplicate_request", 32, DUPLICATES)                                            \
        C(rnr_nak_retry_err, "rnr_nak_retry_err", 32, RNR_NAKS, "Receiver-not-ready NAKs received")          \
        C(packet_seq_err, "packet_seq_err", 32, SEQUENCE_NAKS, "Sequence-error NAKs received")               \
        C(implied_nak_seq_err, "implied_nak_seq_err", 32, NONE,                                              \
                "Acknowledgements beyond an expected read or atomic response")                               \
        C(local_ack_timeout_err, "local_ack_timeout_err", 32, RETRANSMIT_TIMEOUTS,                           \
                "Expiries of the acknowledgement timer")                                                     \
        C(resp_local_length_error, "resp_local_length_error", 32, NONE, "Local length errors as responder")  \
        C(resp_cqe_error, "resp_cqe_error", 32, NONE, "Completions with error as responder")                 \
        C(req_cqe_error, "req_cqe_error", 32, COMPLETION_ERRORS, "Completions with error as requester")      \
        C(req_remote_invalid_request, "req_remote_invalid_request", 32, NONE,                                \
                "Invalid-request errors the peer answered")                                                  \
        C(req_remote_access_errors, "req_remote_access_errors", 32, REMOTE_ACCESS_ERRORS,                    \
                "Remote access errors the peer answered")                                                    \
        C(resp_remote_access_errors, "resp_remote_access_errors", 32, NONE,                                  \
                "Remote access errors as responder")                                                         \
        C(resp_cqe_flush_error, "resp_cqe_flush_error", 32, NONE, "Completions flushed as responder")        \
        C(req_cqe_flush_error, "req_cqe_flush_error", 32, NONE, "Completions flushed as requester")          \
        C(req_transport_retries_exceeded, "req_transport_retries_exceeded", 32, RETRIES_EXCEEDED,            \
                "Requests given up because no retry was answered")                                           \
        C(req_rnr_retries_exceeded, "req_rnr_retries_exceeded", 32, RNR_RETRIES_EXCEEDED,                    \
                "Requests given up because the peer never became ready to receive")                          \
        C(roce_adp_retrans, "roce_adp_retrans", 32, NONE, "Adaptive retransmissions")                        \
        C(roce_adp_retrans_to, "roce_adp_retrans_to", 32, NONE, "Adaptive retransmission timeouts")          \
        C(roce_slow_restart, "roce_slow_restart", 32, SLOW_RESTARTS, "Slow restarts used")                   \
        C(roce_slow_restart_cnps, "roce_slow_restart_cnps", 32, NONE,                                        \
                "Congestion notifications made by slow restart")                                             \
        C(roce_slow_restart_trans, "roce_slow_restart_trans", 32, NONE, "Transitions to slow restart")       \
        C(rx_icrc_encapsulated, "rx_icrc_encapsulated", 64, NONE,                                            \
                "RoCE packets received with a bad invariant CRC")                                            \
        U(np_ecn_marked_roce_packets, "np_ecn_marked_roce_packets", 64, ECN_MARKED)                          \
        C(np_cnp_sent, "np_cnp_sent", 64, CNPS_SENT, "Congestion notification packets sent")                 \
        U(rp_cnp_handled, "rp_cnp_handled", 64, CNPS_RECEIVED)                                               \
        C(rp_cnp_ignored, "rp_cnp_ignored", 64, NONE,                                                        \
                "Congestion notification packets received and ignored")                                      \
        C(cc_rx_ce_pkts, "cc_rx_ce_pkts", 64, NONE,                                                          \
                "Packets received with a congestion mark, an optional counter")                              \
        C(cc_rx_cnp_pkts, "cc_rx_cnp_pkts", 64, NONE,                                                        \
                "Congestion notification packets received, an optional counter")                             \
        C(cc_tx_cnp_pkts, "cc_tx_cnp_pkts", 64, NONE,                                                        \
                "Congestion notification packets sent, an optional counter")                                 \
        C(rdma_tx_packets, "rdma_tx_packets", 64, NONE, "RDMA packets sent, an optional counter")            \
        C(rdma_tx_bytes, "rdma_tx_bytes", 64, NONE, "RDMA bytes sent, an optional counter")                  \
        C(rdma_rx_packets, "rdma_rx_packets", 64, NONE, "RDMA packets received, an optional counter")        \
        C(rdma_rx_bytes, "rdma_rx_bytes", 64, NONE, "RDMA bytes received, an optional counter")              \
        C(vport_rx_write_requests, "vport_rx_write_requests", 32, NONE,                                      \
                "rx_write_requests of the virtual port behind a switchdev representor")                      \
        C(vport_rx_read_requests, "vport_rx_read_requests", 32, NONE,                                        \
                "rx_read_requests of the virtual port behind a switchdev representor")                       \
        C(vport_rx_atomic_requests, "vport_rx_atomic_requests", 32, NONE,                                    \
                "rx_atomic_requests of the virtual port behind a switchdev representor")                     \
        C(vport_rx_dct_connect, "vport_rx_dct_connect", 32, NONE,                                            \
                "rx_dct_connect of the virtual port behind a switchdev representor")                         \
        C(vport_out_of_buffer, "vport_out_of_buffer", 32, NONE,                                              \
                "out_of_buffer of the virtual port behind a switchdev representor")                          \
        C(vport_out_of_sequence, "vport_out_of_sequence", 32, NONE,                                          \
                "out_of_sequence of the virtual port behind a switchdev representor")                        \
        C(vport_duplicate_request, "vport_duplicate_request", 32, NONE,                                      \
                "duplicate_request of the virtual port behind a switchdev representor")                      \
        C(vport_rnr_nak_retry_err, "vport_rnr_nak_retry_err", 32, NONE,                                      \
                "rnr_nak_retry_err of the virtual port behind a switchdev representor")                      \
        C(vport_packet_seq_err, "vport_packet_seq_err", 32, NONE,                                            \
                "packet_seq_err of the virtual port behind a switchdev representor")                         \
        C(vport_implied_nak_seq_err, "vport_implied_nak_seq_err", 32, NONE,                                  \
                "implied_nak_seq_err of the virtual port behind a switchdev representor")                    \
        C(vport_local_ack_timeout_err, "vport_local_ack_timeout_err", 32, NONE,                              \
                "local_ack_timeout_err of the virtual port behind a switchdev representor")                  \
        C(vport_resp_local_length_error, "vport_resp_local_length_error", 32, NONE,                          \
                "resp_local_length_error of the virtual port behind a switchdev representor")                \
        C(vport_resp_cqe_error, "vport_resp_cqe_error", 32, NONE,                                            \
                "resp_cqe_error of the virtual port behind a switchdev representor")                         \
        C(vport_req_cqe_error, "vport_req_cqe_error", 32, NONE,                                              \
                "req_cqe_error of the virtual port behind a switchdev representor")                          \
        C(vport_req_remote_invalid_request, "vport_req_remote_invalid_request", 32, NONE,                    \
                "req_remote_invalid_request of the virtual port behind a switchdev representor")             \
        C(vport_req_remote_access_errors, "vport_req_remote_access_errors", 32, NONE,                        \
                "req_remote_access_errors of the virtual port behind a switchdev representor")               \
        C(vport_resp_remote_access_errors, "vport_resp_remote_access_errors", 32, NONE,                      \
                "resp_remote_access_errors of the virtual port behind a switchdev representor")              \
        C(vport_resp_cqe_flush_error, "vport_resp_cqe_flush_error", 32, NONE,                                \
                "resp_cqe_flush_error of the virtual port behind a switchdev representor")                   \
        C(vport_req_cqe_flush_error, "vport_req_cqe_flush_error", 32, NONE,                                  \
                "req_cqe_flush_error of the virtual port behind a switchdev representor")                    \
        C(vport_req_transport_retries_exceeded, "vport_req_transport_retries_exceeded", 32, NONE,            \
                "req_transport_retries_exceeded of the virtual port behind a switchdev representor")         \
        C(vport_req_rnr_retries_exceeded, "vport_req_rnr_retries_exceeded", 32, NONE,                        \
                "req_rnr_retries_exceeded of the virtual port behind a switchdev representor")               \
        C(vport_roce_adp_retrans, "vport_roce_adp_retrans", 32, NONE,                                        \
                "roce_adp_retrans of the virtual port behind a switchdev representor")                       \
        C(vport_roce_adp_retrans_to, "vport_roce_adp_retrans_to", 32, NONE,                                  \
                "roce_adp_retrans_to of the virtual port behind a switchdev representor")                    \
        C(vport_roce_slow_restart, "vport_roce_slow_restart", 32, NONE,                                      \
                "roce_slow_restart of the virtual port behind a switchdev representor")                      \
        C(vport_roce_slow_restart_cnps, "vport_roce_slow_restart_cnps", 32, NONE,                            \
                "roce_slow_restart_cnps of the virtual port behind a switchdev representor")                 \
        C(vport_roce_slow_restart_trans, "vport_roce_slow_restart_trans", 32, NONE,                          \
                "roce_slow_restart_trans of the virtual port behind a switchdev representor")
/* clang-format on */

#endif
