/* SPDX-License-Identifier: Apache-2.0 */
/* efa: drivers/infiniband/hw/efa/efa_verbs.c. 64 bit. */
#ifndef PROBES_HW_EFA_H
#define PROBES_HW_EFA_H

/* clang-format off */
#define HW_EFA(C, G, W, U)                                                                                   \
        U(tx_bytes, "tx_bytes", 64, NONE)                                                                    \
        U(tx_packets, "tx_pkts", 64, NONE)                                                                   \
        U(rx_bytes, "rx_bytes", 64, NONE)                                                                    \
        U(rx_packets, "rx_pkts", 64, NONE)                                                                   \
        C(rx_drops, "rx_drops", 64, NONE, "Packets received and dropped")                                    \
        C(send_bytes, "send_bytes", 64, NONE, "Bytes sent by send requests")                                 \
        C(send_requests, "send_wrs", 64, NONE, "Send requests completed")                                    \
        C(receive_bytes, "recv_bytes", 64, NONE, "Bytes received by receive requests")                       \
        C(receive_requests, "recv_wrs", 64, NONE, "Receive requests completed")                              \
        C(rdma_read_requests, "rdma_read_wrs", 64, NONE, "RDMA read requests completed")                     \
        C(rdma_read_bytes, "rdma_read_bytes", 64, NONE, "Bytes read by RDMA reads")                          \
        C(rdma_read_errors, "rdma_read_wr_err", 64, NONE, "RDMA read requests that failed")                  \
        C(rdma_read_response_bytes, "rdma_read_resp_bytes", 64, NONE, "Bytes sent in answer to RDMA reads")  \
        C(rdma_write_requests, "rdma_write_wrs", 64, NONE, "RDMA write requests completed")                  \
        C(rdma_write_bytes, "rdma_write_bytes", 64, NONE, "Bytes written by RDMA writes")                    \
        C(rdma_write_errors, "rdma_write_wr_err", 64, NONE, "RDMA write requests that failed")               \
        C(rdma_write_received_bytes, "rdma_write_recv_bytes", 64, NONE, "Bytes received by RDMA writes")     \
        C(retransmitted_bytes, "retrans_bytes", 64, NONE, "Bytes sent again")                                \
        C(retransmitted_packets, "retrans_pkts", 64, NONE, "Packets sent again")                             \
        C(retransmit_timeout_events, "retrans_timeout_events", 64, RETRANSMIT_TIMEOUTS,                      \
                "Timeouts that changed the network path")                                                    \
        C(impaired_remote_connection_events, "impaired_remote_conn_events", 64, NONE,                        \
                "Connections that became impaired and were slowed down")                                     \
        C(unresponsive_remote_events, "unresponsive_remote_events", 64, NONE, "Peers that did not answer")   \
        C(submitted_commands, "submitted_cmds", 64, NONE, "Commands given to the device")                    \
        C(completed_commands, "completed_cmds", 64, NONE, "Commands the device completed")                   \
        U(command_errors, "cmds_err", 64, NONE)                                                              \
        C(commands_without_completion, "no_completion_cmds", 64, NONE,                                       \
                "Commands that were never completed")                                                        \
        C(keep_alives_received, "keep_alive_rcvd", 64, NONE, "Keep-alive events received")                   \
        C(alloc_pd_errors, "alloc_pd_err", 64, NONE, "Protection domains that could not be made")            \
        U(create_qp_errors, "create_qp_err", 64, NONE)                                                       \
        U(create_cq_errors, "create_cq_err", 64, NONE)                                                       \
        U(register_mr_errors, "reg_mr_err", 64, NONE)                                                        \
        U(alloc_ucontext_errors, "alloc_ucontext_err", 64, NONE)                                             \
        U(create_ah_errors, "create_ah_err", 64, NONE)                                                       \
        U(mmap_errors, "mmap_err", 64, NONE)
/* clang-format on */

#endif
