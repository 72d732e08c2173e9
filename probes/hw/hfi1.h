/* SPDX-License-Identifier: Apache-2.0 */
/* hfi1: drivers/infiniband/hw/hfi1/chip.c has hundreds; these are the ones to look at, others are generic. */
#ifndef PROBES_HW_HFI1_H
#define PROBES_HW_HFI1_H

/* clang-format off */
#define HW_HFI1(C, G, W, U)                                                                                  \
        U(tx_packets, "TxPkt", 64, NONE)                                                                     \
        U(rx_packets, "RxPkt", 64, NONE)                                                                     \
        W(tx_word_bytes, "TxWords", 4, "Bytes sent, counted in words of 4 bytes")                            \
        W(rx_word_bytes, "RxWords", 4, "Bytes received, counted in words of 4 bytes")                        \
        C(tx_waits, "TxWait", 64, NONE, "Ticks during which data waited to be sent")                         \
        C(link_error_recoveries, "LinkErrorRecovery", 64, NONE, "Successful retrainings of the link")        \
        C(link_downs, "LinkDown", 64, NONE, "Times the link went down")                                      \
        C(rx_fecns, "FECN", 64, NONE, "Packets received with a forward congestion mark")                     \
        C(rx_becns, "BECN", 64, NONE, "Packets received with a backward congestion mark")                    \
        C(rx_overflows, "RcvOverflow", 64, NONE, "Packets that overflowed a receive context")                \
        C(rc_resends, "Rc Resends", 64, NONE, "Reliably connected packets sent again")
/* clang-format on */

#endif
