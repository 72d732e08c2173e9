/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/measurement.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/parse.h"
#include "base/scope.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/units.h"

#define RAIL_LIKE_OURS UINT64_MAX

/* 0, NULL: not given; the engine's default for the device holds. */
struct options {
        char *device, *peer_device, *peer_node;
        uint64_t port, peer_rail;
        uint64_t size, queue_pairs, depth, post_list, signal_interval, mtu;
        uint64_t bytes, messages, duration_ns, timeout_ns;
};

#define ROW(name, type, field)                                                                               \
        .key = (name), .kind = (type), .offset = offsetof(struct options, field), .optional = true

static const struct option rows[] = {
        { ROW("device", OPTION_TEXT, device), .help = "of this host; else the first with an active port" },
        { ROW("port", OPTION_U64, port), .max = UINT8_MAX,
                .help = "of that device; else the first active one" },
        { ROW("peer-device", OPTION_TEXT, peer_device), .help = "of the peer, by name, or" },
        { ROW("peer-rail", OPTION_U64, peer_rail), .max = 255, .help = "by its place, from 0; else as ours" },
        { ROW("peer-node", OPTION_TEXT, peer_node), .help = "fail when another node answers" },
        { ROW("size", OPTION_SIZE, size), .help = "of a message" },
        { ROW("queue-pairs", OPTION_U64, queue_pairs), .max = 64, .help = "at once" },
        { ROW("depth", OPTION_U64, depth), .max = 16384, .help = "work requests outstanding per queue pair" },
        { ROW("post-list", OPTION_U64, post_list), .max = 8192, .help = "work requests per doorbell" },
        { ROW("signal-interval", OPTION_U64, signal_interval), .max = 8192,
                .help = "one completion per this many" },
        { ROW("mtu", OPTION_U64, mtu), .max = 4096, .help = "of the path; else the smaller of both ports'" },
        { ROW("bytes", OPTION_SIZE, bytes), .help = "to send, or" },
        { ROW("messages", OPTION_U64, messages), .help = "to send, or" },
        { ROW("duration", OPTION_DURATION, duration_ns),
                .help = "of the traffic; what is used up first ends it" },
        { ROW("timeout", OPTION_DURATION, timeout_ns), .fallback = "10s", .min = NS_PER_MS,
                .help = "for everything, beside the duration; else 10s" },
};

static void options_free(struct options *o)
{
        option_free(rows, ARRAY_SIZE(rows), o);
}

/* ---- the request ------------------------------------------------------------------------------------ */

static bool usable(const struct device_facts *d)
{
        return !d->iwarp && d->n_ports > 0;
}

static bool active(const struct device_facts *d)
{
        for (size_t i = 0; i < d->n_ports; i++)
                if (d->ports[i].state == 4) /* IBV_PORT_ACTIVE */
                        return true;
        return false;
}

/* The device by name, else the first that can be probed and is up. Its place among those that are not
 * iWARP is its rail. */
static const struct device_facts *pick(
        const struct device_facts *list, size_t n, const char *wanted, unsigned *ret_rail)
{
        unsigned rail = 0;
        for (size_t i = 0; i < n; i++) {
                if (wanted ? text_equal(list[i].name, wanted) : usable(&list[i]) && active(&list[i])) {
                        *ret_rail = rail;
                        return &list[i];
                }
                rail += !list[i].iwarp;
        }
        return NULL;
}

static const struct device_facts *find_device(
        const struct options *o, struct device_facts **list, unsigned *ret_rail)
{
        size_t n = 0;
        int r = device_list(list, &n);
        const struct device_facts *d = r < 0 ? NULL : pick(*list, n, o->device, ret_rail);
        if (r < 0 && r != -ENOSYS)
                fprintf(stderr, "rdma-canary: cannot list RDMA devices: %s\n", strerror(-r));
        else if (!d && o->device)
                fprintf(stderr, "rdma-canary: this host has no RDMA device %s; see rdma-canary devices\n",
                        o->device);
        else if (!d)
                fprintf(stderr,
                        "rdma-canary: this host has no RDMA device with an active port; see rdma-canary "
                        "devices\n");
        return d;
}

static void replace(unsigned *field, uint64_t given)
{
        if (given > 0)
                *field = (unsigned)given;
}

static void fill_plan(struct plan *p, const struct options *o)
{
        replace(&p->queue_pairs, o->queue_pairs);
        replace(&p->depth, o->depth);
        replace(&p->post_list, o->post_list);
        replace(&p->signal_interval, o->signal_interval);
        replace(&p->mtu_bytes, o->mtu);
        if (o->size > 0)
                p->message_bytes = o->size;
        if (o->bytes == 0 && o->messages == 0 && o->duration_ns == 0)
                return;
        p->budget_bytes = o->bytes;
        p->budget_messages = o->messages;
        p->budget_ns = o->duration_ns;
}

/* "host", "host:port", "[v6]:port"; an IPv6 address without brackets is a host. */
static int split_host(const char *text, char *host, size_t size, uint16_t *ret_port)
{
        const char *colon = strchr(text, ':');
        bool with_port = text[0] == '[' || (colon && !strchr(colon + 1, ':'));
        if (with_port)
                return parse_host_port(text, strlen(text), host, size, ret_port);
        *ret_port = 0;
        return text_copy(host, size, text);
}

/* ---- the run ------------------------------------------------------------------------------------------ */

static void print_ends(const struct result *r, const char *node)
{
        char here[64], there[64], size[UNITS_MAX];
        rdma_address_format(&r->address, here, sizeof(here));
        rdma_address_format(&r->peer_address, there, sizeof(there));
        printf("from       %s, %s port %u, %s\n", node, r->device, r->port, here);
        printf("to         %s, %s port %u, %s\n", r->peer_node, r->peer_device, r->peer_port, there);
        printf("with       RC write, %u queue pair%s, messages of %s, depth %u, MTU %u\n",
                r->plan.queue_pairs, r->plan.queue_pairs == 1 ? "" : "s",
                units_bytes(size, r->plan.message_bytes), r->plan.depth, r->plan.mtu_bytes);
}

static void print_counters(const char *title, const struct counter_deltas *c)
{
        for (size_t i = 0; i < c->n; i++)
                printf("%-10s %-44.44s +%" PRIu64 "\n", i == 0 ? title : "", c->items[i].name,
                        c->items[i].delta);
}

static void print_tail(const struct result *r)
{
        char bytes[UNITS_MAX], time[UNITS_MAX], cpu[UNITS_MAX], peer_cpu[UNITS_MAX];
        printf("sent       %s in %" PRIu64 " messages, %s%s\n", units_bytes(bytes, r->bytes), r->messages,
                units_duration(time, (double)r->traffic_ns), r->truncated ? " (cut by --timeout)" : "");
        printf("CPU time   here %s, there %s\n", units_duration(cpu, (double)r->cpu_ns),
                units_duration(peer_cpu, (double)r->peer_cpu_ns));
        print_counters("here", &r->counters);
        print_counters("there", &r->peer_counters);
}

static int print_fault(const struct result *r)
{
        fflush(stdout);
        fprintf(stderr, "rdma-canary: %s (%s; got as far as stage %s)\n", r->fault.reason,
                outcome_kind_name(r->fault.kind), stage_name(r->stage));
        return r->fault.kind == OUTCOME_LOCAL ? CLI_LOCAL : CLI_PEER;
}

static int run(const struct measure_request *request, const char *node, void (*print)(const struct result *r))
{
        struct engine *e;
        struct result result;
        int r = engine_new(node, &e);
        if (r < 0) {
                fprintf(stderr, "rdma-canary: cannot start: %s\n", strerror(-r));
                return CLI_LOCAL;
        }
        result_init(&result);
        int code = CLI_OK;
        r = engine_measure(e, request, &result);
        if (r == 0) {
                print_ends(&result, node);
                print(&result);
                print_tail(&result);
        } else {
                code = print_fault(&result);
        }
        result_done(&result);
        engine_free(e);
        return code;
}

static void host_name(char *dst, size_t size)
{
        if (gethostname(dst, size) < 0 || dst[0] == '\0')
                text_message(dst, size, "localhost");
        dst[size - 1] = '\0';
}

static int measure_host(const struct options *o, const char *target, enum measure measure,
        void (*print)(const struct result *r))
{
        char host[256], node[ENGINE_NAME_MAX];
        uint16_t tcp_port;
        unsigned rail = 0;
        if (split_host(target, host, sizeof(host), &tcp_port) < 0) {
                fprintf(stderr, "rdma-canary: \"%s\" is not a HOST, HOST:PORT or [ADDRESS]:PORT\n", target);
                return CLI_USAGE;
        }
        cleanup(freep) struct device_facts *list = NULL;
        const struct device_facts *d = find_device(o, &list, &rail);
        if (!d)
                return CLI_LOCAL;
        struct measure_request request = {
                .device = d->name,
                .port = (uint8_t)o->port,
                .peer = host,
                .peer_tcp_port = tcp_port,
                .peer_node = o->peer_node,
                .peer_rail = o->peer_rail == RAIL_LIKE_OURS ? rail : (unsigned)o->peer_rail,
                .peer_device = o->peer_device,
                .operator= true,
                .deadline_ns = clock_now_ns() + o->timeout_ns + o->duration_ns,
        };
        plan_defaults(&request.plan, measure, d->class);
        fill_plan(&request.plan, o);
        char why[ENGINE_REASON_MAX];
        if (plan_check(&request.plan, why) < 0) {
                fprintf(stderr, "rdma-canary: %s\n", why);
                return CLI_USAGE;
        }
        host_name(node, sizeof(node));
        return run(&request, node, print);
}

int measurement_command(const struct command *self, int argc, char **argv, enum measure measure,
        void (*print)(const struct result *r))
{
        cleanup(options_free) struct options o = { 0 };
        const char *target;
        size_t operands;
        if (option_defaults(rows, ARRAY_SIZE(rows), &o) < 0) {
                fprintf(stderr, "rdma-canary: no memory\n");
                return CLI_LOCAL;
        }
        o.peer_rail = RAIL_LIKE_OURS;
        enum arguments_result parsed =
                arguments_parse(self, rows, ARRAY_SIZE(rows), argc, argv, &o, &target, 1, &operands);
        if (parsed != ARGUMENTS_GO)
                return parsed == ARGUMENTS_HELPED ? CLI_OK : CLI_USAGE;
        if (operands == 0) {
                fprintf(stderr, "rdma-canary %s: which HOST? See rdma-canary %s --help\n", self->name,
                        self->name);
                return CLI_USAGE;
        }
        return measure_host(&o, target, measure, print);
}
