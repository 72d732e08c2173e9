/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/notify.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <systemd/sd-daemon.h>

#include "base/clock.h"

/* Failing to reach systemd is not a reason to do anything else, so results of sd_notify() are ignored here.
 */

void notify_ready(void)
{
        (void)sd_notify(0, "READY=1");
}

void notify_reloading(void)
{
        (void)sd_notify(0, "RELOADING=1");
}

void notify_stopping(void)
{
        (void)sd_notify(0, "STOPPING=1\nSTATUS=stopping");
}

void notify_status(const char *format, ...)
{
        char text[256];
        va_list args;

        va_start(args, format);
        (void)vsnprintf(text, sizeof(text), format, args); /* a status line may be cut */
        va_end(args);
        (void)sd_notifyf(0, "STATUS=%s", text);
}

void notify_watchdog(void)
{
        (void)sd_notify(0, "WATCHDOG=1");
}

uint64_t notify_watchdog_interval_ns(void)
{
        uint64_t usec = 0;

        return sd_watchdog_enabled(0, &usec) > 0 ? usec * NS_PER_US / 2 : 0;
}

int notify_listen_fd(void)
{
        int n = sd_listen_fds(0);

        if (n < 0)
                return n;
        if (n == 0)
                return -ENOENT;
        return n == 1 ? SD_LISTEN_FDS_START : -E2BIG;
}
