/* SPDX-License-Identifier: Apache-2.0 */
/* Asking the kernel about RDMA devices by netlink. One question at a time, by one thread; a question may wait in
 * the kernel for the device's firmware like the reading of a counter's file. */
#ifndef PROBES_NLDEV_H
#define PROBES_NLDEV_H

#include "probes/nldev_message.h"

struct nldev {
        int fd; /* -1: opened by the next question */
        uint32_t sequence;
};

#define NLDEV_INIT ((struct nldev){ .fd = -1 })

void nldev_close(struct nldev *n); /* harmless when not open; the next question opens it again */
/* 0; the kernel's -errno: -EINVAL, -EOPNOTSUPP and -ENOENT of what this kernel or device does not tell,
 * -EMSGSIZE of an answer too long for one message; -EPROTONOSUPPORT: no RDMA in this kernel; -EAGAIN: no
 * answer within a second; -EBADMSG; what visit() returned. */
int nldev_ask(struct nldev *n, enum nldev_question q, uint32_t device, uint32_t port, nldev_visit *visit,
        void *context);
/* The index by which questions name a device. -ENODEV: none of that name here. Others as above. */
int nldev_find(struct nldev *n, const char *device, uint32_t *ret_index);

#endif
