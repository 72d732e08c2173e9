/* SPDX-License-Identifier: Apache-2.0 */
/* hns: drivers/infiniband/hw/hns/hns_roce_main.c. HIP08 and virtual functions have only those that the driver
 * counts itself. */
#ifndef PROBES_HW_HNS_H
#define PROBES_HW_HNS_H

/* clang-format off */
#define HW_HNS(C, G, W, U)                                                                                   \
        C(aeqes, "aeqe", 64, NONE, "Asynchronous events")                                                    \
        C(ceqes, "ceqe", 64, NONE, "Completion events")                                                      \
        C(commands, "cmds", 64, NONE, "Commands given to the device")                                        \
        U(command_errors, "cmds_err", 64, NONE)                                                              \
        C(mailboxes_posted, "posted_mbx", 64, NONE, "Mailbox commands posted")                               \
        C(mailboxes_polled, "polled_mbx", 64, NONE, "Mailbox commands polled for")                           \
        C(mailbox_events, "mbx_event", 64, NONE, "Mailbox commands completed by event")                      \
        U(create_qp_errors, "qp_create_err", 64, NONE)                                                       \
        C(modify_qp_errors, "qp_modify_err", 64, NONE, "Queue pairs that could not be modified")             \
        U(create_cq_errors, "cq_create_err", 64, NONE)                                                       \
        C(modify_cq_errors, "cq_modify_err", 64, NONE, "Completion queues that could not be modified")       \
        C(create_srq_errors, "srq_create_err", 64, NONE, "Shared receive queues that could not be made")     \
        C(modify_srq_errors, "srq_modify_err", 64, NONE,                                                     \
                "Shared receive queues that could not be modified")                                          \
        C(alloc_xrcd_errors, "xrcd_alloc_err", 64, NONE, "XRC domains that could not be made")               \
        U(register_mr_errors, "mr_reg_err", 64, NONE)                                                        \
        C(reregister_mr_errors, "mr_rereg_err", 64, NONE,                                                    \
                "Memory regions that could not be registered again")                                         \
        U(create_ah_errors, "ah_create_err", 64, NONE)                                                       \
        U(mmap_errors, "mmap_err", 64, NONE)                                                                 \
        U(alloc_ucontext_errors, "uctx_alloc_err", 64, NONE)                                                 \
        C(rx_rc_packets, "rx_rc_pkt", 64, NONE, "RC packets received")                                       \
        C(rx_uc_packets, "rx_uc_pkt", 64, NONE, "UC packets received")                                       \
        C(rx_ud_packets, "rx_ud_pkt", 64, NONE, "UD packets received")                                       \
        C(rx_xrc_packets, "rx_xrc_pkt", 64, NONE, "XRC packets received")                                    \
        U(rx_packets, "rx_pkt", 64, NONE)                                                                    \
        C(rx_error_packets, "rx_err_pkt", 64, NONE, "Packets received with an error")                        \
        U(rx_cnp_packets, "rx_cnp_pkt", 64, CNPS_RECEIVED)                                                   \
        C(tx_rc_packets, "tx_rc_pkt", 64, NONE, "RC packets sent")                                           \
        C(tx_uc_packets, "tx_uc_pkt", 64, NONE, "UC packets sent")                                           \
        C(tx_ud_packets, "tx_ud_pkt", 64, NONE, "UD packets sent")                                           \
        C(tx_xrc_packets, "tx_xrc_pkt", 64, NONE, "XRC packets sent")                                        \
        U(tx_packets, "tx_pkt", 64, NONE)                                                                    \
        C(tx_error_packets, "tx_err_pkt", 64, NONE, "Packets sent with an error")                            \
        U(tx_cnp_packets, "tx_cnp_pkt", 64, CNPS_SENT)                                                       \
        C(mpt_error_packets, "trp_get_mpt_err_pkt", 64, NONE,                                                \
                "Packets whose memory protection entry could not be had")                                    \
        C(irrl_error_packets, "trp_get_irrl_err_pkt", 64, NONE,                                              \
                "Packets whose inbound read entry could not be had")                                         \
        C(ecn_doorbells, "ecn_doorbell", 64, NONE, "Doorbells of congestion notification")                   \
        C(rx_buffers, "rx_buffer", 64, NONE, "Packets that went through the receive buffer")                 \
        C(rx_starts_of_frame, "trp_rx_sof", 64, NONE, "Starts of frame received")                            \
        C(cq_cqes, "cq_cqe", 64, NONE, "Completions written")                                                \
        C(cq_poes, "cq_poe", 64, NONE, "Completions reported by POE")                                        \
        C(cq_notifications, "cq_notify", 64, NONE, "Notifications of completion queues")
/* clang-format on */

#endif
