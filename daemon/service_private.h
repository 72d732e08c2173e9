/* SPDX-License-Identifier: Apache-2.0 */
/* What service.c (making, the loop, ending) and service_follow.c (config and devices that change) share. */
#ifndef DAEMON_SERVICE_PRIVATE_H
#define DAEMON_SERVICE_PRIVATE_H

#include <stdatomic.h>

#include "daemon/collector.h"
#include "daemon/device_watch.h"
#include "daemon/http.h"
#include "daemon/inventory.h"
#include "daemon/peer_resolver.h"
#include "daemon/scheduler.h"
#include "daemon/service.h"
#include "daemon/view.h"
#include "daemon/web.h"

/* The main thread's, but for what says otherwise. */
struct service {
        const struct options *options;
        struct config *config;
        struct source_environment env;
        int epoll, signals, wake;

        struct slots *slots;
        struct collectors *collectors;
        struct inventory *inventory;
        struct scheduler *scheduler;
        struct responder *responder;
        struct peer_resolver *resolver;
        struct device_watch *device_watch; /* NULL: none can be had */
        struct view *view;
        struct web *web;             /* NULL: no web config file */
        _Atomic(struct http *) http; /* its own thread asks for it, before http_new() has returned too */

        uint64_t tick_ns, discover_ns, watchdog_ns, watchdog_interval_ns; /* next times, monotonic */
        uint64_t discovered_ns;                                           /* when it was done last */
        atomic_uint generation;                                           /* env's, read by workers */
        bool devices_changed;                                             /* heard since then */
        atomic_bool reload_asked;                                         /* by HTTP */
        bool config_loaded, web_loaded;                                   /* whether the last try went well */
        bool stopping;
};

/* Logs what failed and why; returns r. */
int service_fail(int r, const char *what);
/* Copies for the HTTP thread and systemd what has changed. */
void service_refresh_view(struct service *s);
/* Looks for devices again; force: sets up collectors and probes although they are the same. */
void service_discover(struct service *s, bool force);
/* Takes in what the device watch has heard; looks for devices again soon, when it concerns them. */
void service_hear_devices(struct service *s);
int service_resolve_peers(struct service *s);
/* Takes in a changed config, or says what is wrong with it and keeps the old one. */
void service_reload(struct service *s);
/* The same for the web config and its files; anyway: also when none has changed. */
void service_follow_web(struct service *s, bool anyway);
/* Logs which families pages leave out for want of series, when they have changed. */
void service_tell_dropped(struct service *s);
/* Shows on the page whether what is in use is what the files say. */
void service_tell_reload(struct service *s);

#endif
