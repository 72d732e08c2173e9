/* SPDX-License-Identifier: Apache-2.0 */
/* The counters whose meaning is known, one line each:
 *     X(exported name, "kernel's name", canonical family or NONE, "help")
 * exported as rdma_canary_hw_NAME_total. All of them only rise. Names that two drivers share mean the same
 * for both. mlx5: 32-bit ones of the queue counters wrap, which Prometheus takes for a reset. */
#ifndef PROBES_HW_COUNTERS_KNOWN_H
#define PROBES_HW_COUNTERS_KNOWN_H

/* clang-format off */
#define HW_COUNTERS(X)                                                                                       \
        /* rxe: drivers/infiniband/sw/rxe/rxe_hw_counters.c */                                               \
        X(sent_pkts, "sent_pkts", NONE, "Packets sent")                                                      \
        X(rcvd_pkts, "rcvd_pkts", NONE, "Packets received")                                                  \
        X(sent_bytes, "sent_bytes", NONE, "Bytes sent")                                                      \
        X(rcvd_bytes, "rcvd_bytes", NONE, "Bytes received")                                                  \
        X(out_of_seq_request, "out_of_seq_request", OUT_OF_SEQUENCE, "Requests received out of sequence")    \
        X(rcvd_rnr_err, "rcvd_rnr_err", RNR_NAKS, "Receiver-not-ready NAKs received")                        \
        X(send_rnr_err, "send_rnr_err", OUT_OF_BUFFERS,                                                      \
                "Receiver-not-ready NAKs sent for want of a receive buffer")                                 \
        X(rcvd_seq_err, "rcvd_seq_err", SEQUENCE_NAKS, "Sequence-error NAKs received")                       \
        X(ack_deferred, "ack_deferred", NONE, "Acknowledgements that were deferred")                         \
        X(retry_exceeded_err, "retry_exceeded_err", RETRIES_EXCEEDED,                                        \
                "Requests given up because no retry was answered")                                           \
        X(retry_rnr_exceeded_err, "retry_rnr_exceeded_err", RNR_RETRIES_EXCEEDED,                            \
                "Requests given up because the peer never became ready to receive")                          \
        X(completer_retry_err, "completer_retry_err", RETRANSMIT_TIMEOUTS,                                   \
                "Times the send queue was retried, after a timeout or a sequence-error NAK")                 \
        X(send_err, "send_err", NONE, "Packets that could not be handed to the network interface")           \
        X(link_downed, "link_downed", NONE, "Times the link went down")                                      \
        X(rdma_sends, "rdma_sends", NONE, "Send operations completed; writes are not in it")                 \
        X(rdma_recvs, "rdma_recvs", NONE, "Receive operations completed")                                    \
        /* both */                                                                                           \
        X(duplicate_request, "duplicate_request", DUPLICATES,                                                \
                "Requests received that had been received before")                                           \
        /* mlx5, as requester */                                                                             \
        X(local_ack_timeout_err, "local_ack_timeout_err", RETRANSMIT_TIMEOUTS,                               \
                "Expiries of the acknowledgement timer")                                                     \
        X(packet_seq_err, "packet_seq_err", SEQUENCE_NAKS, "Sequence-error NAKs received")                   \
        X(implied_nak_seq_err, "implied_nak_seq_err", NONE,                                                  \
                "Acknowledgements beyond an expected read or atomic response")                               \
        X(rnr_nak_retry_err, "rnr_nak_retry_err", RNR_NAKS, "Receiver-not-ready NAKs received")              \
        X(req_cqe_error, "req_cqe_error", COMPLETION_ERRORS, "Completions with error as requester")          \
        X(req_cqe_flush_error, "req_cqe_flush_error", NONE, "Completions flushed as requester")              \
        X(req_remote_invalid_request, "req_remote_invalid_request", NONE,                                    \
                "Invalid-request errors the peer answered")                                                  \
        X(req_remote_access_errors, "req_remote_access_errors", REMOTE_ACCESS_ERRORS,                        \
                "Remote access errors the peer answered")                                                    \
        X(req_transport_retries_exceeded, "req_transport_retries_exceeded", RETRIES_EXCEEDED,                \
                "Requests given up because no retry was answered")                                           \
        X(req_rnr_retries_exceeded, "req_rnr_retries_exceeded", RNR_RETRIES_EXCEEDED,                        \
                "Requests given up because the peer never became ready to receive")                          \
        X(roce_adp_retrans, "roce_adp_retrans", NONE, "Adaptive retransmissions")                            \
        X(roce_adp_retrans_to, "roce_adp_retrans_to", NONE, "Adaptive retransmission timeouts")              \
        X(roce_slow_restart, "roce_slow_restart", SLOW_RESTARTS, "Slow restarts used")                       \
        X(roce_slow_restart_cnps, "roce_slow_restart_cnps", NONE,                                            \
                "Congestion notifications made by slow restart")                                             \
        X(roce_slow_restart_trans, "roce_slow_restart_trans", NONE, "Transitions to slow restart")           \
        /* mlx5, as responder */                                                                             \
        X(out_of_sequence, "out_of_sequence", OUT_OF_SEQUENCE, "Packets received out of sequence")           \
        X(out_of_buffer, "out_of_buffer", OUT_OF_BUFFERS,                                                    \
                "Packets dropped for want of a receive work request")                                        \
        X(resp_local_length_error, "resp_local_length_error", NONE, "Local length errors as responder")      \
        X(resp_cqe_error, "resp_cqe_error", NONE, "Completions with error as responder")                     \
        X(resp_cqe_flush_error, "resp_cqe_flush_error", NONE, "Completions flushed as responder")            \
        X(resp_remote_access_errors, "resp_remote_access_errors", NONE, "Remote access errors as responder") \
        X(rx_write_requests, "rx_write_requests", NONE, "Write requests received")                           \
        X(rx_read_requests, "rx_read_requests", NONE, "Read requests received")                              \
        X(rx_atomic_requests, "rx_atomic_requests", NONE, "Atomic requests received")                        \
        X(rx_dct_connect, "rx_dct_connect", NONE,                                                            \
                "Connection requests received by dynamically connected transport")                           \
        X(rx_icrc_encapsulated, "rx_icrc_encapsulated", NONE,                                                \
                "RoCE packets received with a bad invariant CRC")                                            \
        /* mlx5, congestion control */                                                                       \
        X(np_ecn_marked_roce_packets, "np_ecn_marked_roce_packets", ECN_MARKED,                              \
                "RoCE packets received with a congestion mark")                                              \
        X(np_cnp_sent, "np_cnp_sent", CNPS_SENT, "Congestion notification packets sent")                     \
        X(rp_cnp_handled, "rp_cnp_handled", CNPS_RECEIVED,                                                   \
                "Congestion notification packets received and acted on")                                     \
        X(rp_cnp_ignored, "rp_cnp_ignored", NONE, "Congestion notification packets received and ignored")
/* clang-format on */

#endif
