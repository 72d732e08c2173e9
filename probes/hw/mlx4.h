/* SPDX-License-Identifier: Apache-2.0 */
/* mlx4: drivers/infiniband/hw/mlx4/main.c. rq_ counts as responder, sq_ as requester; 32 bit. */
#ifndef PROBES_HW_MLX4_H
#define PROBES_HW_MLX4_H

/* clang-format off */
#define HW_MLX4(C, G, W, U)                                                                                  \
        C(rq_num_lle, "rq_num_lle", 32, NONE, "Local length errors as responder")                            \
        C(sq_num_lle, "sq_num_lle", 32, NONE, "Local length errors as requester")                            \
        C(rq_num_lqpoe, "rq_num_lqpoe", 32, NONE, "Local queue pair operation errors as responder")          \
        C(sq_num_lqpoe, "sq_num_lqpoe", 32, NONE, "Local queue pair operation errors as requester")          \
        C(rq_num_lpe, "rq_num_lpe", 32, NONE, "Local protection errors as responder")                        \
        C(sq_num_lpe, "sq_num_lpe", 32, NONE, "Local protection errors as requester")                        \
        C(rq_num_wrfe, "rq_num_wrfe", 32, NONE, "Completions flushed as responder")                          \
        C(sq_num_wrfe, "sq_num_wrfe", 32, NONE, "Completions flushed as requester")                          \
        C(sq_num_mwbe, "sq_num_mwbe", 32, NONE, "Memory window bind errors")                                 \
        C(sq_num_bre, "sq_num_bre", 32, NONE, "Bad responses received")                                      \
        C(sq_num_rire, "sq_num_rire", 32, NONE, "Invalid-request errors the peer answered")                  \
        C(rq_num_rire, "rq_num_rire", 32, NONE, "Invalid requests received")                                 \
        C(sq_num_rae, "sq_num_rae", 32, REMOTE_ACCESS_ERRORS, "Remote access errors the peer answered")      \
        C(rq_num_rae, "rq_num_rae", 32, NONE, "Remote access errors as responder")                           \
        C(sq_num_roe, "sq_num_roe", 32, NONE, "Remote operation errors the peer answered")                   \
        C(sq_num_tree, "sq_num_tree", 32, RETRIES_EXCEEDED,                                                  \
                "Requests given up because no retry was answered")                                           \
        C(sq_num_rree, "sq_num_rree", 32, RNR_RETRIES_EXCEEDED,                                              \
                "Requests given up because the peer never became ready to receive")                          \
        C(rq_num_rnr, "rq_num_rnr", 32, OUT_OF_BUFFERS, "Receiver-not-ready NAKs sent")                      \
        C(sq_num_rnr, "sq_num_rnr", 32, RNR_NAKS, "Receiver-not-ready NAKs received")                        \
        C(rq_num_oos, "rq_num_oos", 32, OUT_OF_SEQUENCE, "Out-of-sequence requests received")                \
        C(sq_num_oos, "sq_num_oos", 32, SEQUENCE_NAKS, "Out-of-sequence NAKs received")                      \
        C(rq_num_dup, "rq_num_dup", 32, DUPLICATES, "Duplicate requests received")                           \
        C(sq_num_to, "sq_num_to", 32, RETRANSMIT_TIMEOUTS, "Timeouts of the transport timer")                \
        C(num_cqovf, "num_cqovf", 32, NONE, "Overflows of completion queues")                                \
        C(rq_num_udsdprd, "rq_num_udsdprd", 32, NONE,                                                        \
                "Datagrams dropped silently for want of a receive buffer or because they were wrong")
/* clang-format on */

#endif
