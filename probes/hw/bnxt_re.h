/* SPDX-License-Identifier: Apache-2.0 */
/* bnxt_re: drivers/infiniband/hw/bnxt_re/hw_counters.c. Which are there differs by chip and function; newer
 * drivers name some as mlx5 does. After a firmware failure the values freeze without an error. */
#ifndef PROBES_HW_BNXT_RE_H
#define PROBES_HW_BNXT_RE_H

/* clang-format off */
#define HW_BNXT_RE(C, G, W, U)                                                                               \
        G(active_pds, "active_pds", "Protection domains that exist now")                                     \
        G(watermark_pds, "watermark_pds", "Protection domains that existed at most at once")                 \
        G(active_ahs, "active_ahs", "Address handles that exist now")                                        \
        G(watermark_ahs, "watermark_ahs", "Address handles that existed at most at once")                    \
        G(active_qps, "active_qps", "Queue pairs that exist now")                                            \
        G(watermark_qps, "watermark_qps", "Queue pairs that existed at most at once")                        \
        G(active_rc_qps, "active_rc_qps", "Reliably connected queue pairs that exist now")                   \
        G(watermark_rc_qps, "watermark_rc_qps",                                                              \
                "Reliably connected queue pairs that existed at most at once")                               \
        G(active_ud_qps, "active_ud_qps", "Datagram queue pairs that exist now")                             \
        G(watermark_ud_qps, "watermark_ud_qps", "Datagram queue pairs that existed at most at once")         \
        G(active_srqs, "active_srqs", "Shared receive queues that exist now")                                \
        G(watermark_srqs, "watermark_srqs", "Shared receive queues that existed at most at once")            \
        G(active_cqs, "active_cqs", "Completion queues that exist now")                                      \
        G(watermark_cqs, "watermark_cqs", "Completion queues that existed at most at once")                  \
        G(active_mrs, "active_mrs", "Memory regions that exist now")                                         \
        G(watermark_mrs, "watermark_mrs", "Memory regions that existed at most at once")                     \
        G(active_mws, "active_mws", "Memory windows that exist now")                                         \
        G(watermark_mws, "watermark_mws", "Memory windows that existed at most at once")                     \
        G(db_fifo_register, "db_fifo_register", "Register of the doorbell FIFO, raw")                        \
        C(resize_cq_count, "resize_cq_cnt", 64, NONE, "Completion queues resized")                           \
        U(rx_packets, "rx_pkts", 64, NONE)                                                                   \
        U(rx_bytes, "rx_bytes", 64, NONE)                                                                    \
        U(tx_packets, "tx_pkts", 64, NONE)                                                                   \
        U(tx_bytes, "tx_bytes", 64, NONE)                                                                    \
        C(recoverable_errors, "recoverable_errors", 64, NONE, "Recoverable errors")                          \
        C(rx_roce_errors, "rx_roce_errors", 64, NONE, "RoCE packets received with an error")                 \
        C(rx_roce_discards, "rx_roce_discards", 64, NONE, "RoCE packets received and discarded")             \
        C(to_retransmits, "to_retransmits", 64, RETRANSMIT_TIMEOUTS, "Retransmissions after a timeout")      \
        C(seq_err_naks_rcvd, "seq_err_naks_rcvd", 64, SEQUENCE_NAKS, "Sequence-error NAKs received")         \
        C(max_retry_exceeded, "max_retry_exceeded", 64, RETRIES_EXCEEDED,                                    \
                "Requests given up because no retry was answered")                                           \
        C(rnr_naks_rcvd, "rnr_naks_rcvd", 64, RNR_NAKS, "Receiver-not-ready NAKs received")                  \
        C(missing_resp, "missing_resp", 64, NONE, "Responses that were missing")                             \
        C(unrecoverable_err, "unrecoverable_err", 64, NONE, "Errors that could not be recovered")            \
        C(bad_resp_err, "bad_resp_err", 64, NONE, "Bad responses received")                                  \
        C(local_qp_op_err, "local_qp_op_err", 64, NONE, "Local queue pair operation errors")                 \
        C(local_protection_err, "local_protection_err", 64, NONE, "Local protection errors")                 \
        C(mem_mgmt_op_err, "mem_mgmt_op_err", 64, NONE, "Errors of memory management operations")            \
        C(remote_invalid_req_err, "remote_invalid_req_err", 64, NONE,                                        \
                "Invalid-request errors the peer answered")                                                  \
        C(remote_access_err, "remote_access_err", 64, REMOTE_ACCESS_ERRORS,                                  \
                "Remote access errors the peer answered")                                                    \
        C(remote_op_err, "remote_op_err", 64, NONE, "Remote operation errors the peer answered")             \
        C(dup_req, "dup_req", 64, DUPLICATES, "Duplicate requests received")                                 \
        C(res_exceed_max, "res_exceed_max", 64, NONE, "Messages received that exceed the largest size")      \
        C(res_length_mismatch, "res_length_mismatch", 64, NONE,                                              \
                "Messages received whose length does not match")                                             \
        C(res_exceeds_wqe, "res_exceeds_wqe", 64, NONE,                                                      \
                "Messages received that exceed the receive work request")                                    \
        C(res_opcode_err, "res_opcode_err", 64, NONE, "Wrong opcodes received")                              \
        C(res_rx_invalid_rkey, "res_rx_invalid_rkey", 64, NONE, "Invalid remote keys in writes received")    \
        C(res_rx_domain_err, "res_rx_domain_err", 64, NONE, "Protection domain errors of writes received")   \
        C(res_rx_no_perm, "res_rx_no_perm", 64, NONE, "Writes received without permission")                  \
        C(res_rx_range_err, "res_rx_range_err", 64, NONE, "Writes received out of range")                    \
        C(res_tx_invalid_rkey, "res_tx_invalid_rkey", 64, NONE, "Invalid remote keys in reads received")     \
        C(res_tx_domain_err, "res_tx_domain_err", 64, NONE, "Protection domain errors of reads received")    \
        C(res_tx_no_perm, "res_tx_no_perm", 64, NONE, "Reads received without permission")                   \
        C(res_tx_range_err, "res_tx_range_err", 64, NONE, "Reads received out of range")                     \
        C(res_irrq_oflow, "res_irrq_oflow", 64, NONE, "Overflows of the queue of inbound reads")             \
        C(res_unsup_opcode, "res_unsup_opcode", 64, NONE, "Unsupported opcodes received")                    \
        C(res_unaligned_atomic, "res_unaligned_atomic", 64, NONE, "Atomics received that are not aligned")   \
        C(res_rem_inv_err, "res_rem_inv_err", 64, NONE, "Errors of remote invalidation")                     \
        C(res_mem_err, "res_mem_err", 64, NONE, "Memory errors as responder")                                \
        C(res_srq_err, "res_srq_err", 64, NONE, "Errors of shared receive queues")                           \
        C(res_cmp_err, "res_cmp_err", 64, NONE, "Errors of completion queues as responder")                  \
        C(res_invalid_dup_rkey, "res_invalid_dup_rkey", 64, NONE,                                            \
                "Duplicate requests with an invalid remote key")                                             \
        C(res_wqe_format_err, "res_wqe_format_err", 64, NONE, "Receive work requests of a wrong format")     \
        C(res_cq_load_err, "res_cq_load_err", 64, NONE, "Errors loading a completion queue's context")       \
        C(res_srq_load_err, "res_srq_load_err", 64, NONE,                                                    \
                "Errors loading a shared receive queue's context")                                           \
        C(res_tx_pci_err, "res_tx_pci_err", 64, NONE, "PCI errors on the way out")                           \
        C(res_rx_pci_err, "res_rx_pci_err", 64, NONE, "PCI errors on the way in")                            \
        C(oos_drop_count, "oos_drop_count", 64, OUT_OF_SEQUENCE,                                             \
                "Packets dropped because they came out of sequence")                                         \
        C(tx_atomic_requests, "tx_atomic_req", 64, NONE, "Atomic requests sent")                             \
        C(tx_read_requests, "tx_read_req", 64, NONE, "Read requests sent")                                   \
        C(tx_read_responses, "tx_read_resp", 64, NONE, "Read responses sent")                                \
        C(tx_write_requests, "tx_write_req", 64, NONE, "Write requests sent")                                \
        C(tx_send_requests, "tx_send_req", 64, NONE, "Send requests sent")                                   \
        U(rx_atomic_requests, "rx_atomic_req", 64, NONE)                                                     \
        U(rx_read_requests, "rx_read_req", 64, NONE)                                                         \
        C(rx_read_responses, "rx_read_resp", 64, NONE, "Read responses received")                            \
        U(rx_write_requests, "rx_write_req", 64, NONE)                                                       \
        U(rx_send_requests, "rx_send_req", 64, NONE)                                                         \
        U(rx_read_requests, "rx_read_requests", 64, NONE)                                                    \
        U(rx_write_requests, "rx_write_requests", 64, NONE)                                                  \
        C(tx_roce_only_packets, "tx_roce_only_pkts", 64, NONE, "RoCE packets sent")                          \
        C(tx_roce_only_bytes, "tx_roce_only_bytes", 64, NONE, "RoCE bytes sent")                             \
        C(rx_roce_only_packets, "rx_roce_only_pkts", 64, NONE, "RoCE packets received")                      \
        C(rx_roce_only_bytes, "rx_roce_only_bytes", 64, NONE, "RoCE bytes received")                         \
        C(rx_roce_good_packets, "rx_roce_good_pkts", 64, NONE, "Good RoCE packets received")                 \
        C(rx_roce_good_bytes, "rx_roce_good_bytes", 64, NONE, "Good RoCE bytes received")                    \
        U(out_of_buffer, "rx_out_of_buffer", 64, OUT_OF_BUFFERS)                                             \
        U(out_of_buffer, "out_of_buffer", 64, OUT_OF_BUFFERS)                                                \
        U(tx_cnp_packets, "tx_cnp_pkts", 64, CNPS_SENT)                                                      \
        U(tx_cnp_packets, "np_cnp_pkts", 64, CNPS_SENT)                                                      \
        U(rx_cnp_packets, "rx_cnp_pkts", 64, CNPS_RECEIVED)                                                  \
        U(rp_cnp_handled, "rp_cnp_handled", 64, CNPS_RECEIVED)                                               \
        C(rx_ecn_marked_packets, "rx_ecn_marked_pkts", 64, ECN_MARKED,                                       \
                "Packets received with a congestion mark")                                                   \
        U(np_ecn_marked_roce_packets, "np_ecn_marked_roce_packets", 64, ECN_MARKED)                          \
        C(pacing_reschedule, "pacing_reschedule", 64, NONE, "Times doorbell pacing was rescheduled")         \
        C(pacing_complete, "pacing_complete", 64, NONE, "Times doorbell pacing ended")                       \
        C(pacing_alerts, "pacing_alerts", 64, NONE, "Alerts of doorbell pacing")
/* clang-format on */

#endif
