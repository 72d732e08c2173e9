/* SPDX-License-Identifier: Apache-2.0 */
/* Soft-RoCE: drivers/infiniband/sw/rxe/rxe_hw_counters.c. 64 bit. */
#ifndef PROBES_HW_RXE_H
#define PROBES_HW_RXE_H

/* clang-format off */
#define HW_RXE(C, G, W, U)                                                                                   \
        C(sent_pkts, "sent_pkts", 64, NONE, "Packets sent")                                                  \
        C(rcvd_pkts, "rcvd_pkts", 64, NONE, "Packets received")                                              \
        C(sent_bytes, "sent_bytes", 64, NONE, "Bytes sent")                                                  \
        C(rcvd_bytes, "rcvd_bytes", 64, NONE, "Bytes received")                                              \
        U(duplicate_request, "duplicate_request", 64, DUPLICATES)                                            \
        C(out_of_seq_request, "out_of_seq_request", 64, OUT_OF_SEQUENCE,                                     \
                "Requests received out of sequence")                                                         \
        C(rcvd_rnr_err, "rcvd_rnr_err", 64, RNR_NAKS, "Receiver-not-ready NAKs received")                    \
        C(send_rnr_err, "send_rnr_err", 64, OUT_OF_BUFFERS,                                                  \
                "Receiver-not-ready NAKs sent for want of a receive buffer")                                 \
        C(rcvd_seq_err, "rcvd_seq_err", 64, SEQUENCE_NAKS, "Sequence-error NAKs received")                   \
        C(ack_deferred, "ack_deferred", 64, NONE, "Acknowledgements that were deferred")                     \
        C(retry_exceeded_err, "retry_exceeded_err", 64, RETRIES_EXCEEDED,                                    \
                "Requests given up because no retry was answered")                                           \
        C(retry_rnr_exceeded_err, "retry_rnr_exceeded_err", 64, RNR_RETRIES_EXCEEDED,                        \
                "Requests given up because the peer never became ready to receive")                          \
        C(completer_retry_err, "completer_retry_err", 64, RETRANSMIT_TIMEOUTS,                               \
                "Times the send queue was retried, after a timeout or a sequence-error NAK")                 \
        C(send_err, "send_err", 64, NONE, "Packets that could not be handed to the network interface")       \
        C(link_downed, "link_downed", 64, NONE, "Times the link went down")                                  \
        C(rdma_sends, "rdma_sends", 64, NONE, "Send operations completed; writes are not in it")             \
        C(rdma_recvs, "rdma_recvs", 64, NONE, "Receive operations completed")
/* clang-format on */

#endif
