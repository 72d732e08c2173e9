/* SPDX-License-Identifier: Apache-2.0 */
/* rdma-canary respond: the other end of bw and lat, for hosts without the service. */
#include "cli/respond.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/scope.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/names.h"
#include "cli/units.h"

/* Somebody started it for measurements that somebody else starts: it does not set narrow limits. */
#define MAX_SESSION_NS  (24 * 3600 * NS_PER_SEC)
#define MAX_BYTES       (UINT64_C(1) << 30)
#define MAX_QUEUE_PAIRS 1024

struct respond_options {
        uint64_t port, idle_ns;
        char *listen;
        struct option_list allow;
};

#define ROW(name, type, field)                                                                               \
        .key = (name), .kind = (type), .offset = offsetof(struct respond_options, field), .optional = true

static const struct option rows[] = {
        { ROW("port", OPTION_U64, port), .fallback = "14792", .max = UINT16_MAX,
                .help = "of TCP; else 14792; 0: any free one" },
        { ROW("listen", OPTION_TEXT, listen), .fallback = "", .placeholder = "ADDRESS",
                .help = "of this host to listen on; else all" },
        { ROW("allow", OPTION_TEXTS, allow), .placeholder = "ADDRESS",
                .help = "who may measure, again for more; else anyone" },
        { ROW("idle", OPTION_DURATION, idle_ns), .fallback = "1h",
                .help = "ends after that without a session; else 1h; 0: never" },
};
static const struct option_group group = { "the responder", rows, ARRAY_SIZE(rows) };
static const struct option_group *const groups[] = { &group, NULL };

/* ---- what can be told without a device ---------------------------------------------------------------- */

uint64_t respond_wait_ns(const struct responder_stats *s, uint64_t idle_ns, uint64_t now_ns)
{
        if (s->sessions > 0 || idle_ns == 0)
                return RESPOND_LOOK_NS;
        return deadline_left_ns(s->last_activity_ns + idle_ns, now_ns);
}

const char *respond_bad_address(const struct option_list *allow)
{
        struct in6_addr parsed;
        char **items = allow->items;
        for (size_t i = 0; i < allow->n; i++)
                if (inet_pton(AF_INET, items[i], &parsed) != 1 && inet_pton(AF_INET6, items[i], &parsed) != 1)
                        return items[i];
        return NULL;
}

void respond_describe(const struct option_list *allow, const char *listen, uint16_t port, struct buf *out)
{
        char **items = allow->items;
        buf_text(out, "responding to ");
        for (size_t i = 0; i < allow->n; i++)
                buf_format(out, "%s%s", i > 0 ? ", " : "", items[i]);
        buf_format(out, "%s on port %u%s%s\n", allow->n == 0 ? "anyone" : "", port, *listen ? " of " : "",
                listen);
        if (allow->n == 0)
                buf_text(out, "--allow ADDRESS limits who may measure\n");
}

const char *respond_advice(int error)
{
        switch (error) {
        case -EADDRINUSE:
                return ": is rdma-canaryd running here? Then respond is not needed, for it answers its "
                       "peers; "
                       "else choose another --port";
        case -EACCES:
                return ": ports below 1024 are root's; choose another --port";
        default:
                return "";
        }
}

/* ---- the run ---------------------------------------------------------------------------------------- */

/* Threads that come later inherit the mask, so the signals wait for wait_signal(). */
static void block_signals(sigset_t *set)
{
        sigemptyset(set);
        sigaddset(set, SIGINT);
        sigaddset(set, SIGTERM);
        sigaddset(set, SIGHUP);
        (void)pthread_sigmask(SIG_BLOCK, set, NULL); /* fails for a wrong how only */
}

/* The signal, or 0 when the time was up. */
static int wait_signal(const sigset_t *set, uint64_t ns)
{
        struct timespec t = { .tv_sec = (time_t)(ns / NS_PER_SEC), .tv_nsec = (long)(ns % NS_PER_SEC) };
        int sig = sigtimedwait(set, NULL, &t);
        return sig > 0 ? sig : 0;
}

static void serve(struct responder *r, const sigset_t *set, uint64_t idle_ns)
{
        struct responder_stats s;
        char text[UNITS_MAX];
        uint64_t wait;
        int sig = 0;
        responder_stats_get(r, &s);
        while (sig == 0 && (wait = respond_wait_ns(&s, idle_ns, clock_now_ns())) > 0) {
                sig = wait_signal(set, wait);
                responder_stats_get(r, &s);
        }
        printf("%" PRIu64 " sessions, %" PRIu64 " turned away; ", s.sessions_total, s.refused_total);
        if (sig)
                printf("ended by SIG%s\n", sigabbrev_np(sig));
        else
                printf("ended after %s without a session\n", units_duration(text, (double)idle_ns));
}

static int start(struct engine *e, const struct respond_options *o, struct responder **ret)
{
        char why[ENGINE_REASON_MAX];
        struct responder_options options = {
                .listen_host = o->listen,
                .port = (uint16_t)o->port,
                .max_session_ns = MAX_SESSION_NS,
                .max_bytes = MAX_BYTES,
                .max_queue_pairs = MAX_QUEUE_PAIRS,
                .anyone = o->allow.n == 0,
        };
        int r = responder_new(e, &options, ret, why);
        if (r < 0) {
                fprintf(stderr, "rdma-canary respond: %s%s\n", why, respond_advice(r));
                return r;
        }
        r = responder_set_peers(*ret, (const char *const *)o->allow.items, o->allow.n);
        if (r < 0) {
                fprintf(stderr, "rdma-canary respond: out of memory\n");
                responder_free(*ret);
        }
        return r;
}

static int respond_with(struct engine *e, const struct respond_options *o, const sigset_t *set)
{
        cleanup(buf_done) struct buf text = { 0 };
        struct responder *r;
        if (start(e, o, &r) < 0)
                return CLI_LOCAL;
        respond_describe(&o->allow, o->listen, responder_port(r), &text);
        printf("%s", buf_cstr(&text) ? text.data : "");
        (void)fflush(stdout); /* whoever reads it may have gone: that ends nothing */
        serve(r, set, o->idle_ns);
        responder_free(r);
        return CLI_OK;
}

static bool has_device(void)
{
        cleanup(freep) struct device_facts *list = NULL;
        size_t n = 0;
        if (device_list(&list, &n) == 0 && n > 0)
                return true;
        fprintf(stderr, "rdma-canary respond: this host has no RDMA device; see rdma-canary devices\n");
        return false;
}

static int respond_here(const struct respond_options *o)
{
        char node[ENGINE_NAME_MAX];
        struct engine *e;
        sigset_t set;
        if (!has_device())
                return CLI_LOCAL;
        block_signals(&set);
        name_of_host(node, sizeof(node));
        int r = engine_new(node, &e);
        if (r < 0) {
                fprintf(stderr, "rdma-canary respond: cannot start: %s\n", strerror(-r));
                return CLI_LOCAL;
        }
        int code = respond_with(e, o, &set);
        engine_free(e);
        return code;
}

static int respond(const struct command *self, int argc, char **argv)
{
        struct respond_options o = { 0 };
        struct arguments a = { 0 };
        enum arguments_result parsed = arguments_defaults(self, &o) < 0
                                               ? arguments_wrong(self, &a, "out of memory")
                                               : arguments_parse(self, argc, argv, &o, &a);
        const char *bad = parsed == ARGUMENTS_GO ? respond_bad_address(&o.allow) : NULL;
        if (bad)
                parsed = arguments_wrong(self, &a, "--allow: \"%.100s\" is not an IP address", bad);
        int code = parsed == ARGUMENTS_GO ? respond_here(&o) : arguments_end(parsed, &a);
        arguments_free(self, &o);
        return code;
}

const struct command command_respond = {
        .name = "respond",
        .synopsis = "[OPTION...]",
        .summary = "Answers bw and lat of other hosts where rdma-canaryd does not run.",
        .groups = groups,
        .run = respond,
};
