/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/service.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>

#include "base/clock.h"
#include "daemon/log.h"
#include "daemon/notify.h"
#include "daemon/service_private.h"
#include "daemon/slot.h"

#define TICK_NS      NS_PER_SEC
#define FILES_WANTED 16384

/* ---- called on other threads --------------------------------------------------------------------- */

static void wake(void *context)
{
        struct service *s = context;
        uint64_t one = 1;

        /* Fails only when the counter is full, and then the loop is awake already. */
        if (write(s->wake, &one, sizeof(one)) < 0)
                return;
}

static struct batch *page_batch(void *context)
{
        struct service *s = context;
        const struct view_parts parts = {
                .collectors = s->collectors,
                .http = s->http,
                .responder = s->responder,
                .engine = s->env.engine,
        };

        return view_batch(s->view, &parts);
}

static bool page_ready(void *context)
{
        return view_ready(((struct service *)context)->view);
}

static void page_reload(void *context)
{
        atomic_store(&((struct service *)context)->reload_asked, true);
        wake(context);
}

static void page_status(void *context, struct buf *html)
{
        view_status_page(((struct service *)context)->view, html);
}

static void peers_found(void *context, const char *const *addresses, size_t n)
{
        struct service *s = context;

        if (s->responder && responder_set_peers(s->responder, addresses, n) < 0)
                log_error("no memory for the addresses of %zu peers; those from before stay admitted", n);
}

/* ---- making ------------------------------------------------------------------------------------------ */

int service_fail(int r, const char *what)
{
        log_error("%s: %s", what, strerror(-r));
        return r;
}

/* Counter files of many devices are kept open; systemd's unit allows them by LimitNOFILE=. */
static void raise_file_limit(void)
{
        struct rlimit limit;

        if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= FILES_WANTED)
                return;
        limit.rlim_cur = limit.rlim_max < FILES_WANTED ? limit.rlim_max : FILES_WANTED;
        (void)setrlimit(RLIMIT_NOFILE, &limit); /* the old limit serves smaller hosts */
}

static int open_tree(const char *path, int *ret)
{
        *ret = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
        return *ret < 0 ? service_fail(-errno, path) : 0;
}

static int watch_fd(struct service *s, int fd)
{
        struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

        return epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

static int make_fds(struct service *s)
{
        sigset_t set;
        int r;

        (void)sigemptyset(&set); /* neither these nor the mask can fail with valid signals */
        (void)sigaddset(&set, SIGTERM);
        (void)sigaddset(&set, SIGINT);
        (void)sigaddset(&set, SIGHUP);
        (void)sigprocmask(SIG_BLOCK, &set, NULL);
        (void)signal(SIGPIPE, SIG_IGN);
        s->epoll = epoll_create1(EPOLL_CLOEXEC);
        s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
        s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (s->epoll < 0 || s->signals < 0 || s->wake < 0)
                return -errno;
        r = watch_fd(s, s->signals);
        return r < 0 ? r : watch_fd(s, s->wake);
}

/* Without it devices are looked for every few seconds. */
static void make_device_watch(struct service *s)
{
        int r = device_watch_new(s->options->sysfs, s->env.sysfs, &s->device_watch);

        if (r == 0)
                r = watch_fd(s, device_watch_fd(s->device_watch));
        if (r < 0)
                log_warn("changes of devices are not heard of at once: %s", strerror(-r));
}

static int make_parts(struct service *s)
{
        int r;

        r = engine_new(s->config->node, &s->env.engine);
        if (r == 0)
                r = slots_new(&s->slots);
        if (r == 0)
                r = collectors_new(s->env.clock, s->slots, &s->collectors);
        if (r == 0)
                r = inventory_new(&s->env, s->collectors, &s->inventory);
        if (r == 0)
                r = scheduler_new(&s->env, s->slots, wake, s, &s->scheduler);
        if (r == 0)
                r = view_new(s->config->node, &s->view);
        if (r == 0)
                r = peer_resolver_new(peers_found, s, &s->resolver);
        if (r < 0)
                return service_fail(r, "cannot start");
        collectors_set_wake(s->collectors, wake, s);
        return 0;
}

static int make_responder(struct service *s)
{
        const struct responder_options o = {
                .listen_host = s->config->responder.host,
                .port = (uint16_t)s->config->responder.port,
        };
        char why[ENGINE_REASON_MAX] = "";
        int r;

        if (!s->config->responder.enabled)
                return 0;
        r = responder_new(s->env.engine, &o, &s->responder, why);
        if (r < 0)
                log_error("responder: %s", why);
        return r;
}

static int make_web(struct service *s)
{
        cleanup(buf_done) struct buf problems = { 0 };
        int r;

        if (!s->options->web_config_file)
                return 0;
        r = web_new(s->options->web_config_file, &s->web, &problems);
        if (r < 0 && problems.len == 0)
                return service_fail(r, s->options->web_config_file);
        if (r < 0)
                log_lines(LOG_LEVEL_ERROR, &problems);
        return r;
}

static int make_http(struct service *s)
{
        struct http_options o = {
                .listen_addresses = s->options->listen_addresses,
                .n_listen_addresses = s->options->n_listen_addresses,
                .listen_fd = -1,
                .telemetry_path = s->options->telemetry_path,
                .scrape_timeout_ns = s->config->scrape.timeout_ns,
                .request_timeout_ns = 10 * NS_PER_SEC,
                .per_address_limit = 32,
                .connection_limit = 256,
                .max_requests = s->options->max_requests,
                .max_series = s->config->metrics.max_series,
                .allow_reload = s->options->enable_lifecycle,
                .web = s->web,
        };
        const struct http_callbacks callbacks = {
                .context = s,
                .service_batch = page_batch,
                .ready = page_ready,
                .reload = page_reload,
                .status_page = page_status,
        };
        char why[ENGINE_REASON_MAX] = "";
        struct http *http = NULL;
        int r;

        if (s->options->systemd_socket) {
                o.listen_fd = notify_listen_fd();
                if (o.listen_fd < 0) {
                        log_error("--web.systemd-socket: %s",
                                o.listen_fd == -E2BIG
                                        ? "systemd passed more than one socket; one is served"
                                        : "systemd passed no socket; is there a rdma-canary.socket unit?");
                        return o.listen_fd;
                }
        }
        r = http_new(&o, &callbacks, s->slots, s->collectors, &http, why, sizeof(why));
        if (r < 0)
                log_error("HTTP: %s", why);
        s->http = http;
        return r;
}

int service_new(const struct options *options, struct config *config, struct service **ret)
{
        struct service *s = calloc(1, sizeof(*s));
        int r;

        if (!s)
                return service_fail(-ENOMEM, "cannot start");
        s->options = options;
        s->config = config_ref(config);
        s->env = (struct source_environment){
                .sysfs = -1,
                .procfs = -1,
                .clock = &clock_system,
                .reader = &reader_system,
                .generation = &s->generation,
        };
        s->epoll = s->signals = s->wake = -1;
        raise_file_limit();
        r = make_fds(s);
        if (r < 0)
                (void)service_fail(r, "cannot start");
        if (r == 0)
                r = open_tree(options->sysfs, &s->env.sysfs);
        if (r == 0)
                r = open_tree(options->procfs, &s->env.procfs);
        if (r == 0)
                make_device_watch(s);
        if (r == 0)
                r = make_parts(s);
        if (r == 0)
                r = make_responder(s);
        if (r == 0)
                r = make_web(s);
        if (r == 0)
                r = make_http(s);
        if (r == 0)
                r = service_resolve_peers(s);
        if (r < 0) {
                (void)service_free(s);
                return r;
        }
        s->config_loaded = s->web_loaded = true;
        service_tell_reload(s);
        *ret = s;
        return 0;
}

/* ---- the loop ------------------------------------------------------------------------------------- */

static void take_signals(struct service *s)
{
        struct signalfd_siginfo info;

        while (read(s->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
                if (info.ssi_signo == SIGHUP)
                        service_reload(s);
                else
                        s->stopping = true;
        }
}

static void take_wake(struct service *s)
{
        uint64_t count;

        if (read(s->wake, &count, sizeof(count)) < 0)
                return; /* somebody's wake was taken in before */
        if (atomic_exchange(&s->reload_asked, false))
                service_reload(s);
        if (scheduler_collect(s->scheduler) > 0)
                service_refresh_view(s);
}

static void run_timers(struct service *s)
{
        uint64_t now_ns = clock_now_ns();

        scheduler_run_due(s->scheduler);
        if (collectors_next_deadline(s->collectors) <= now_ns)
                collectors_expire(s->collectors);
        if (s->discover_ns <= now_ns)
                service_discover(s, false);
        if (s->tick_ns <= now_ns) {
                s->tick_ns = now_ns + TICK_NS;
                http_tick(s->http);
                service_tell_dropped(s);
                service_follow_web(s, false);
                if (scheduler_stuck(s->scheduler) > 0) /* nothing comes back that would refresh it */
                        service_refresh_view(s);
        }
        if (s->watchdog_ns <= now_ns) {
                s->watchdog_ns = now_ns + s->watchdog_interval_ns;
                notify_watchdog();
        }
}

static uint64_t next_time_ns(const struct service *s)
{
        uint64_t next_ns = deadline_min(s->tick_ns, s->discover_ns);

        next_ns = deadline_min(next_ns, s->watchdog_ns);
        next_ns = deadline_min(next_ns, scheduler_next_ns(s->scheduler));
        return deadline_min(next_ns, collectors_next_deadline(s->collectors));
}

static void start_timers(struct service *s)
{
        uint64_t now_ns = clock_now_ns();

        s->tick_ns = now_ns + TICK_NS;
        s->watchdog_interval_ns = notify_watchdog_interval_ns();
        s->watchdog_ns = s->watchdog_interval_ns ? now_ns : DEADLINE_NEVER;
}

int service_run(struct service *s)
{
        service_discover(s, true);
        start_timers(s);
        view_set_ready(s->view, true);
        log_info("rdma-canaryd " RDMA_CANARY_VERSION ": node %s, %zu peers, serving on port %u",
                s->config->node, s->config->peers.n, http_port(s->http));
        notify_ready();
        while (!s->stopping) {
                struct epoll_event event;
                int n = epoll_wait(s->epoll, &event, 1, deadline_poll_ms(next_time_ns(s)));

                if (n < 0 && errno != EINTR)
                        return service_fail(-errno, "main loop");
                if (n > 0 && event.data.fd == s->signals)
                        take_signals(s);
                else if (n > 0 && s->device_watch && event.data.fd == device_watch_fd(s->device_watch))
                        service_hear_devices(s);
                else if (n > 0)
                        take_wake(s);
                if (!s->stopping)
                        run_timers(s);
        }
        log_info("stopping");
        notify_stopping();
        return 0;
}

static void close_fds(struct service *s)
{
        device_watch_free(s->device_watch);
        close_fdp(&s->env.sysfs);
        close_fdp(&s->env.procfs);
        close_fdp(&s->epoll);
        close_fdp(&s->signals);
        close_fdp(&s->wake);
}

/* The mirror of making: who calls goes before who is called. */
int service_free(struct service *s)
{
        uint64_t deadline_ns = clock_now_ns() + SERVICE_STOP_NS;

        if (!s)
                return 0;
        peer_resolver_free(s->resolver);
        http_free(s->http);
        s->http = NULL;
        web_free(s->web);
        if (scheduler_free(s->scheduler, deadline_ns) < 0)
                return -ETIMEDOUT;
        responder_free(s->responder);
        inventory_free(s->inventory);
        if (collectors_free(s->collectors, deadline_ns) < 0)
                return -ETIMEDOUT;
        view_free(s->view);
        slots_free(s->slots);
        if (s->env.engine)
                engine_free(s->env.engine);
        close_fds(s);
        config_unref(s->config);
        free(s);
        return 0;
}
