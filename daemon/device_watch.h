/* SPDX-License-Identifier: Apache-2.0 */
/* Hears of RDMA devices and network interfaces that come, go or are renamed: from the kernel's uevents where
 * sysfs is the real one, by inotify where it is a plain tree (sysfs itself raises no inotify events for its
 * directories). Neither need be there: uevents of RDMA devices do not reach network namespaces other than the
 * first. The main thread's. */
#ifndef DAEMON_DEVICE_WATCH_H
#define DAEMON_DEVICE_WATCH_H

#include <stdbool.h>

#include "daemon/uevent.h"

struct device_watch;

/* `path` and `sysfs`: the same directory. 0, -errno. */
int device_watch_new(const char *path, int sysfs, struct device_watch **ret);
void device_watch_free(struct device_watch *w);    /* NULL is fine */
int device_watch_fd(const struct device_watch *w); /* readable when there is something to take */
/* Takes all that has come in: the gravest concern of it. */
enum uevent_concern device_watch_take(struct device_watch *w);
/* Watches anew what could not be watched before (a directory that was not there); whether changes are known to
 * be heard of, so that looking is needed only as a precaution. */
bool device_watch_is_sure(struct device_watch *w);

#endif
