/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/nldev.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/scope.h"

/* The kernel makes messages of at most 8 KiB. */
#define ANSWER_MAX 16384

void nldev_close(struct nldev *n)
{
        close_fdp(&n->fd);
        n->fd = -1;
}

/* Connected to the kernel: nobody else's messages come in. */
static int make_socket(void)
{
        const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
        const struct timeval limit = { .tv_sec = 1 };
        cleanup(close_fdp) int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);

        if (fd < 0 || connect(fd, (const struct sockaddr *)&kernel, sizeof(kernel)) < 0 ||
                setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) < 0)
                return -errno;
        return take_fd(&fd);
}

static int send_question(struct nldev *n, enum nldev_question q, uint32_t device, uint32_t port)
{
        _Alignas(uint64_t) char request[NLDEV_REQUEST_MAX];
        size_t len;

        if (n->fd < 0) {
                int fd = make_socket();

                if (fd < 0)
                        return fd;
                n->fd = fd;
        }
        len = nldev_write(q, ++n->sequence, device, port, request);
        return send(n->fd, request, len, 0) < 0 ? -errno : 0;
}

static int receive(struct nldev *n, enum nldev_question q, nldev_visit *visit, void *context)
{
        _Alignas(uint64_t) char answer[ANSWER_MAX];
        ssize_t len;

        do
                len = recv(n->fd, answer, sizeof(answer), MSG_TRUNC);
        while (len < 0 && errno == EINTR);
        if (len < 0)
                return -errno;
        if ((size_t)len > sizeof(answer))
                return -EMSGSIZE;
        return nldev_read(q, n->sequence, answer, (size_t)len, visit, context);
}

int nldev_ask(struct nldev *n, enum nldev_question q, uint32_t device, uint32_t port, nldev_visit *visit,
        void *context)
{
        int r = send_question(n, q, device, port);

        if (r == 0)
                do
                        r = receive(n, q, visit, context);
                while (r > 0);
        if (r < 0) /* with whatever is still under way */
                nldev_close(n);
        return r;
}

struct search {
        const char *name;
        bool found;
        uint32_t index;
};

static int match(void *context, const struct nldev_entry *e)
{
        struct search *s = context;

        if (e->name && e->has_value && strcmp(e->name, s->name) == 0) {
                s->found = true;
                s->index = (uint32_t)e->value;
        }
        return 0;
}

int nldev_find(struct nldev *n, const char *device, uint32_t *ret_index)
{
        struct search s = { .name = device };
        int r = nldev_ask(n, NLDEV_DEVICES, 0, NLDEV_NO_PORT, match, &s);

        if (r < 0)
                return r;
        if (!s.found)
                return -ENODEV;
        *ret_index = s.index;
        return 0;
}
