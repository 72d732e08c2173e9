/* SPDX-License-Identifier: Apache-2.0 */
/* mana: drivers/infiniband/hw/mana/counters.c. 64 bit. */
#ifndef PROBES_HW_MANA_H
#define PROBES_HW_MANA_H

/* clang-format off */
#define HW_MANA(C, G, W, U)                                                                                  \
        C(requester_timeout, "requester_timeout", 64, RETRANSMIT_TIMEOUTS, "Timeouts as requester")          \
        C(requester_oos_nak, "requester_oos_nak", 64, SEQUENCE_NAKS, "Out-of-sequence NAKs received")        \
        C(requester_rnr_nak, "requester_rnr_nak", 64, RNR_NAKS, "Receiver-not-ready NAKs received")          \
        C(responder_rnr_nak, "responder_rnr_nak", 64, OUT_OF_BUFFERS, "Receiver-not-ready NAKs sent")        \
        C(responder_oos, "responder_oos", 64, OUT_OF_SEQUENCE, "Requests received out of sequence")          \
        C(responder_dup_request, "responder_dup_request", 64, DUPLICATES, "Duplicate requests received")     \
        C(requester_implicit_nak, "requester_implicit_nak", 64, NONE, "Implicit NAKs received")              \
        C(requester_readresp_psn_mismatch, "requester_readresp_psn_mismatch", 64, NONE,                      \
                "Read responses with a wrong sequence number")                                               \
        C(nak_inv_req, "nak_inv_req", 64, NONE, "NAKs for an invalid request")                               \
        C(nak_access_error, "nak_access_error", 64, REMOTE_ACCESS_ERRORS, "NAKs for a remote access error")  \
        C(nak_opp_error, "nak_opp_error", 64, NONE, "NAKs for a remote operation error")                     \
        C(nak_inv_read, "nak_inv_read", 64, NONE, "NAKs for an invalid read")                                \
        C(responder_local_len_error, "responder_local_len_error", 64, NONE,                                  \
                "Local length errors as responder")                                                          \
        C(requestor_local_prot_error, "requestor_local_prot_error", 64, NONE,                                \
                "Local protection errors as requester")                                                      \
        C(responder_rem_access_error, "responder_rem_access_error", 64, NONE,                                \
                "Remote access errors as responder")                                                         \
        C(responder_local_qp_error, "responder_local_qp_error", 64, NONE,                                    \
                "Local queue pair errors as responder")                                                      \
        C(responder_malformed_wqe, "responder_malformed_wqe", 64, NONE,                                      \
                "Malformed work requests as responder")                                                      \
        C(general_hw_error, "general_hw_error", 64, NONE, "Errors of the hardware")                          \
        C(requester_rnr_nak_retries_exceeded, "requester_rnr_nak_retries_exceeded", 64, RNR_RETRIES_EXCEEDED,\
                "Requests given up because the peer never became ready to receive")                          \
        C(requester_retries_exceeded, "requester_retries_exceeded", 64, RETRIES_EXCEEDED,                    \
                "Requests given up because no retry was answered")                                           \
        C(total_fatal_error, "total_fatal_error", 64, NONE, "Fatal errors")                                  \
        C(received_cnps, "received_cnps", 64, CNPS_RECEIVED, "Congestion notification packets received")     \
        C(congested_qps, "num_qps_congested", 64, NONE, "Times a queue pair became congested, by port")      \
        C(rate_increases, "rate_inc_events", 64, NONE, "Times a rate was raised after congestion")           \
        C(recovered_qps, "num_qps_recovered", 64, NONE,                                                      \
                "Times a queue pair recovered from congestion, by port")                                     \
        G(current_rate, "current_rate", "Present rate as the device says it, without a documented unit")     \
        C(dup_rx_requests, "dup_rx_requests", 64, NONE, "Requests received twice")                           \
        U(tx_bytes, "tx_bytes", 64, NONE)                                                                    \
        U(rx_bytes, "rx_bytes", 64, NONE)                                                                    \
        U(rx_send_requests, "rx_send_requests", 64, NONE)                                                    \
        U(rx_write_requests, "rx_write_requests", 64, NONE)                                                  \
        U(rx_read_requests, "rx_read_requests", 64, NONE)                                                    \
        U(tx_packets, "tx_packets", 64, NONE)                                                                \
        U(rx_packets, "rx_packets", 64, NONE)                                                                \
        C(sent_cnps, "sent_cnps", 64, CNPS_SENT, "Congestion notification packets sent")                     \
        C(received_ecns, "received_ecns", 64, ECN_MARKED, "Packets received with a congestion mark")         \
        C(received_cnp_count, "received_cnp_count", 64, CNPS_RECEIVED,                                       \
                "Congestion notification packets received by the device")                                    \
        C(qp_congested_events, "qp_congested_events", 64, NONE, "Times a queue pair became congested")       \
        C(qp_recovered_events, "qp_recovered_events", 64, NONE,                                              \
                "Times a queue pair recovered from congestion")
/* clang-format on */

#endif
