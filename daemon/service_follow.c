/* SPDX-License-Identifier: Apache-2.0 */
/* Following what changes under a running service: its config files and the host's devices. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "daemon/log.h"
#include "daemon/notify.h"
#include "daemon/service_private.h"

#define DISCOVER_NS      (5 * NS_PER_SEC)
#define DISCOVER_SURE_NS (60 * NS_PER_SEC) /* where changes are heard of */
#define SETTLE_NS        (100 * NS_PER_MS) /* events come in groups */
/* Containers make and remove network interfaces all the time. */
#define INTERFACES_NS NS_PER_SEC

void service_refresh_view(struct service *s)
{
        cleanup(freep) struct lane_state *lanes = NULL;
        size_t n = 0, n_devices, probes = scheduler_probes(s->scheduler),
               failing = scheduler_failing(s->scheduler);

        (void)inventory_devices(s->inventory, &n_devices);
        if (scheduler_lane_states(s->scheduler, &lanes, &n) == 0)
                view_set_lanes(s->view, lanes, n);
        view_set_counts(s->view, n_devices, s->config->peers.n, probes, failing);
        notify_status("%zu devices, %zu peers, %zu probes, %zu of them failing", n_devices,
                s->config->peers.n, probes, failing);
}

/* The same rails for our own probes and for those of peers. */
static int reconcile_rails(struct service *s)
{
        cleanup(freep) struct rail *rails = NULL;
        cleanup(freep) const char **devices = NULL;
        size_t n;
        int r = inventory_rails(s->inventory, s->config, &rails, &n);

        if (r < 0)
                return r;
        devices = calloc(n ? n : 1, sizeof(devices[0]));
        if (!devices)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++)
                devices[i] = rails[i].device;
        r = engine_set_rails(s->env.engine, devices, n);
        return r < 0 ? r : scheduler_reconcile(s->scheduler, s->config, rails, n);
}

static void reconcile(struct service *s)
{
        int r = inventory_reconcile(s->inventory, s->config);

        if (r < 0)
                (void)service_fail(r, "cannot set up all collectors");
        r = reconcile_rails(s);
        if (r < 0)
                (void)service_fail(r, "cannot set up all probes");
        service_refresh_view(s);
}

void service_discover(struct service *s, bool force)
{
        bool sure = s->device_watch && device_watch_is_sure(s->device_watch);
        int r;

        /* Before the look: whoever is made by it has no need to look once more. */
        if (s->devices_changed)
                atomic_fetch_add(&s->generation, 1);
        s->devices_changed = false;
        r = inventory_discover(s->inventory, s->config);
        s->discovered_ns = clock_now_ns();
        s->discover_ns = s->discovered_ns + (sure ? DISCOVER_SURE_NS : DISCOVER_NS);
        if (r < 0)
                (void)service_fail(r, "cannot list the RDMA devices");
        if (r > 0)
                atomic_fetch_add(&s->generation, 1);
        if (r > 0 || force)
                reconcile(s);
}

void service_hear_devices(struct service *s)
{
        enum uevent_concern concern = device_watch_take(s->device_watch);
        uint64_t at_ns = clock_now_ns() + SETTLE_NS;

        if (concern == UEVENT_NONE)
                return;
        if (concern == UEVENT_INTERFACE && at_ns < s->discovered_ns + INTERFACES_NS)
                at_ns = s->discovered_ns + INTERFACES_NS;
        s->devices_changed = true;
        s->discover_ns = deadline_min(s->discover_ns, at_ns);
}

int service_resolve_peers(struct service *s)
{
        size_t n = s->config->peers.n;
        cleanup(freep) const char **names = calloc(n ? n : 1, sizeof(names[0]));

        if (!names)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++)
                names[i] = config_peer(s->config, i)->address;
        return peer_resolver_set(s->resolver, names, n);
}

/* What the sockets and the hello were made from. */
static void warn_of_restart(const struct config *old, const struct config *new)
{
        if (strcmp(old->node, new->node) != 0)
                log_warn("config: a changed node takes effect at the next restart");
        if (old->responder.enabled != new->responder.enabled || old->responder.port != new->responder.port ||
                strcmp(old->responder.host, new->responder.host) != 0)
                log_warn("config: a changed responder takes effect at the next restart");
        if (old->scrape.timeout_ns != new->scrape.timeout_ns)
                log_warn("config: a changed scrape.timeout takes effect at the next restart");
}

void service_tell_reload(struct service *s)
{
        view_set_reload(s->view, s->config_loaded && s->web_loaded, clock_realtime_ns(s->env.clock));
}

void service_tell_dropped(struct service *s)
{
        cleanup(buf_done) struct buf names = { 0 };

        if (!http_dropped(s->http, &names))
                return;
        if (names.len > 0)
                log_warn("metrics.max_series: pages leave out families, rdma_canary_dropped_series names "
                         "all: %s",
                        names.data);
        else
                log_info("metrics.max_series: pages show all families again");
}

void service_follow_web(struct service *s, bool anyway)
{
        cleanup(buf_done) struct buf problems = { 0 };
        int r = s->web ? web_follow(s->web, anyway, &problems) : 0;

        if (r == 0)
                return;
        if (r < 0) {
                log_lines(LOG_LEVEL_ERROR, &problems);
                log_error("web config: not reloaded (%s); the one from before stays in use", strerror(-r));
        } else {
                log_info("web config: reloaded from %s", s->options->web_config_file);
        }
        s->web_loaded = r > 0;
        service_tell_reload(s);
}

void service_reload(struct service *s)
{
        cleanup(buf_done) struct buf problems = { 0 };
        struct config *config;
        int r;

        notify_reloading();
        r = config_load(s->options->config_file, &config, &problems);
        if (r < 0) {
                log_lines(LOG_LEVEL_ERROR, &problems);
                log_error("config: not reloaded (%s); the one from before stays in use", strerror(-r));
        } else {
                warn_of_restart(s->config, config);
                config_unref(s->config);
                s->config = config;
                http_set_max_series(s->http, config->metrics.max_series);
                service_discover(s, true);
                if (service_resolve_peers(s) < 0)
                        log_error("no memory to resolve the peers");
                log_info("config: reloaded from %s: %zu peers", s->options->config_file, config->peers.n);
        }
        s->config_loaded = r == 0;
        service_follow_web(s, true);
        service_tell_reload(s);
        notify_ready();
}
