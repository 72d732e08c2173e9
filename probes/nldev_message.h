/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's answers about RDMA devices (NETLINK_RDMA, RDMA_NL_NLDEV), read out of memory. Pure.
 *
 * An answer is one or more datagrams. Each question has its kind of entry: a name, a number or both. */
#ifndef PROBES_NLDEV_MESSAGE_H
#define PROBES_NLDEV_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum nldev_question {
        NLDEV_DEVICES,         /* all: name and index */
        NLDEV_COUNTERS,        /* of a port: names and values, as of now */
        NLDEV_COUNTERS_STATUS, /* of a port: names, and for the optional ones whether they are enabled */
        NLDEV_RESOURCES,       /* of a device: kinds and how many of each there are */
        NLDEV_QUEUE_PAIRS,     /* of a device: kernel's owner, or process id */
        N_NLDEV_QUESTIONS,
};

struct nldev_entry {
        const char *name; /* NULL: none; lives as long as the message */
        bool has_value;
        uint64_t value;
};

/* 0, or an error that ends the reading. */
typedef int nldev_visit(void *context, const struct nldev_entry *e);

/* Reads one datagram of the answer to the question with this sequence number; messages with others, left from
 * before, are passed over. `data` is aligned for u32. 0: the answer is complete; 1: more is to come; the
 * kernel's -errno; what visit() returned; -EBADMSG: cut short, or no answer to this question. What was
 * visited before an error is not to be used. */
int nldev_read(enum nldev_question q, uint32_t sequence, const void *data, size_t len, nldev_visit *visit,
        void *context);

#define NLDEV_NO_PORT     0
#define NLDEV_REQUEST_MAX 64
/* Writes a question into dst (NLDEV_REQUEST_MAX bytes, aligned for u32): its length. */
size_t nldev_write(enum nldev_question q, uint32_t sequence, uint32_t device, uint32_t port, void *dst);

#endif
