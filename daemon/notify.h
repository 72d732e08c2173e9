/* SPDX-License-Identifier: Apache-2.0 */
/* What we tell systemd, and what it hands us. All of it is a no-op without systemd. */
#ifndef DAEMON_NOTIFY_H
#define DAEMON_NOTIFY_H

#include <stdint.h>

void notify_ready(void);
void notify_reloading(void); /* followed by notify_ready() */
void notify_stopping(void);
void notify_status(const char *format, ...) __attribute__((format(printf, 1, 2)));
void notify_watchdog(void);
/* How often to call notify_watchdog(): half of what the unit's WatchdogSec= allows; 0: not asked for. */
uint64_t notify_watchdog_interval_ns(void);
/* The listening socket passed by socket activation. -ENOENT when there is none, -E2BIG for more than one. */
int notify_listen_fd(void);

#endif
