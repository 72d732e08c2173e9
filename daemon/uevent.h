/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel says when a device comes, goes or is renamed (NETLINK_KOBJECT_UEVENT, group 1). Pure. */
#ifndef DAEMON_UEVENT_H
#define DAEMON_UEVENT_H

#include <stddef.h>

struct uevent {
        const char *action, *devpath, *subsystem; /* within the message; subsystem "" when it names none */
};

/* "add@/devices/…", then KEY=VALUE strings, each ended by a NUL. 0; -EBADMSG: no message of the kernel, or cut
 * short; *ret is untouched then. */
int uevent_parse(const char *data, size_t len, struct uevent *ret);

enum uevent_concern {
        UEVENT_NONE,
        UEVENT_INTERFACE, /* a network interface */
        UEVENT_DEVICE,    /* an RDMA device */
};

/* Which of them came, went or was renamed. */
enum uevent_concern uevent_concern(const struct uevent *e);

#endif
