/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/device_watch.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/sysfs.h"
#include "base/text.h"

#define UEVENT_MAX         8192 /* the kernel's buffers hold 2 KiB of strings and a path */
#define UEVENT_GROUP       1    /* the kernel's own; udev repeats them in group 2 */
#define UEVENT_QUEUE_BYTES (1024 * 1024)

struct device_watch {
        int fd;
        bool real;     /* sysfs: uevents; otherwise inotify */
        bool heard;    /* an uevent of an RDMA device has come in once */
        int watched;   /* inotify's number of the directory; -1: not watched */
        char *devices; /* its path */
};

static int open_uevents(void)
{
        const struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = UEVENT_GROUP };
        cleanup(close_fdp) int fd =
                socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
        int size = UEVENT_QUEUE_BYTES;

        if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
                return -errno;
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)); /* a lost one is noticed */
        return take_fd(&fd);
}

static void watch_directory(struct device_watch *w)
{
        w->watched = inotify_add_watch(
                w->fd, w->devices, IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR);
}

int device_watch_new(const char *path, int sysfs, struct device_watch **ret)
{
        struct device_watch *w = calloc(1, sizeof(*w));
        int r;

        if (!w)
                return -ENOMEM;
        w->watched = -1;
        w->real = sysfs_is_real(sysfs);
        w->fd = w->real ? open_uevents() : inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
        r = w->fd >= 0 ? 0 : w->real ? w->fd : -errno;
        if (r == 0 && asprintf(&w->devices, "%s/class/infiniband", path) < 0) {
                w->devices = NULL;
                r = -ENOMEM;
        }
        if (r < 0) {
                device_watch_free(w);
                return r;
        }
        if (!w->real)
                watch_directory(w);
        *ret = w;
        return 0;
}

void device_watch_free(struct device_watch *w)
{
        if (!w)
                return;
        close_fdp(&w->fd);
        free(w->devices);
        free(w);
}

int device_watch_fd(const struct device_watch *w)
{
        return w->fd;
}

static enum uevent_concern gravest(enum uevent_concern a, enum uevent_concern b)
{
        return a > b ? a : b;
}

static enum uevent_concern take_uevents(struct device_watch *w)
{
        enum uevent_concern concern = UEVENT_NONE;

        for (;;) {
                char data[UEVENT_MAX];
                struct sockaddr_nl from = { 0 };
                socklen_t from_len = sizeof(from);
                struct uevent e;
                ssize_t n = recvfrom(w->fd, data, sizeof(data), 0, (struct sockaddr *)&from, &from_len);

                if (n < 0 && errno == ENOBUFS) /* some were lost */
                        concern = UEVENT_DEVICE;
                else if (n < 0 && errno != EINTR)
                        break;
                /* Port 0 is the kernel. */
                if (n > 0 && from.nl_pid == 0 && uevent_parse(data, (size_t)n, &e) == 0)
                        concern = gravest(concern, uevent_concern(&e));
        }
        w->heard |= concern == UEVENT_DEVICE;
        return concern;
}

static enum uevent_concern take_inotify(struct device_watch *w)
{
        _Alignas(struct inotify_event) char data[4096];
        enum uevent_concern concern = UEVENT_NONE;
        ssize_t n;

        while ((n = read(w->fd, data, sizeof(data))) > 0) {
                concern = UEVENT_DEVICE;
                for (ssize_t at = 0; at < n;) {
                        const struct inotify_event *e = (const void *)(data + at);

                        if (e->mask & IN_IGNORED) /* the directory itself is gone */
                                w->watched = -1;
                        at += (ssize_t)(sizeof(*e) + e->len);
                }
        }
        return concern;
}

enum uevent_concern device_watch_take(struct device_watch *w)
{
        return w->real ? take_uevents(w) : take_inotify(w);
}

bool device_watch_is_sure(struct device_watch *w)
{
        if (w->real)
                return w->heard;
        if (w->watched < 0)
                watch_directory(w);
        return w->watched >= 0;
}
