/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/measure_options.h"

#include <assert.h>

#include "base/clock.h"
#include "base/scope.h"

#define ROW(name, type, field)                                                                               \
        .key = (name), .kind = (type), .offset = offsetof(struct measure_options, field), .optional = true

static const struct option ends[] = {
        { ROW("loopback", OPTION_BOOL, loopback), .help = "this host with itself: no HOST" },
        { ROW("device", OPTION_TEXT, device), .help = "of this host; else the first with an active port" },
        { ROW("port", OPTION_U64, port), .max = UINT8_MAX,
                .help = "of that device; else the first active one" },
        { ROW("peer-device", OPTION_TEXT, peer_device), .help = "of the peer, by name, or" },
        { ROW("peer-rail", OPTION_U64, peer_rail), .max = 255, .help = "by its place, from 0; else as ours" },
        { ROW("peer-address", OPTION_TEXT, peer_address), .help = "of its RDMA port, where it has several" },
        { ROW("peer-node", OPTION_TEXT, peer_node), .help = "fail when another node answers" },
};

/* In the order of the engine's enums. */
static const char *const operations[] = { "write", "write-immediate", "read", "send", "fetch-add",
        "compare-swap", NULL };
static const char *const transports[] = { "rc", "uc", "ud", NULL };
static const char *const inlinings[] = { "auto", "off", "on", NULL };
static const char *const memories[] = { "auto", "plain", "thp", "hugetlb", NULL };
static const char *const waits[] = { "hybrid", "poll", "event", NULL };
static_assert(ARRAY_SIZE(operations) == N_OPERATIONS + 1, "a word for each operation");
static_assert(ARRAY_SIZE(transports) == N_TRANSPORTS + 1, "a word for each transport");

static const struct option operation[] = {
        { ROW("operation", OPTION_CHOICE, operation), .choices = operations,
                .help = "write, read, send, fetch-add; more: the manual page" },
        { ROW("transport", OPTION_CHOICE, transport), .choices = transports,
                .help = "rc, uc (write, send), ud (send)" },
        { ROW("verify", OPTION_BOOL, verify), .help = "the data that arrived, on both ends" },
};

static const struct option bandwidth_traffic[] = {
        { ROW("bidirectional", OPTION_BOOL, bidirectional), .help = "the peer sends as well" },
        { ROW("rate", OPTION_RATE, rate_bps), .min = 1, .help = "at most, evenly; else as fast as it goes" },
};

static const struct option traffic[] = {
        { ROW("size", OPTION_SIZE, size), .help = "of a message" },
        { ROW("queue-pairs", OPTION_U64, queue_pairs), .max = 1024, .help = "at once" },
        { ROW("depth", OPTION_U64, depth), .max = 16384, .help = "work requests outstanding per queue pair" },
        { ROW("post-list", OPTION_U64, post_list), .max = 8192, .help = "work requests per doorbell" },
        { ROW("signal-interval", OPTION_U64, signal_interval), .max = 8192,
                .help = "one completion per this many work requests" },
        { ROW("receive-depth", OPTION_U64, receive_depth), .max = 16384,
                .help = "receives posted per queue pair" },
        { ROW("inline", OPTION_CHOICE, inlining), .choices = inlinings,
                .help = "messages in the work requests: auto, off, on" },
        { ROW("wait", OPTION_CHOICE, wait), .choices = waits,
                .help = "for completions: hybrid, poll, event" },
        { ROW("memory", OPTION_CHOICE, memory), .choices = memories,
                .help = "of both ends: auto, plain, thp, hugetlb" },
        { ROW("ack-timeout", OPTION_U64, ack_timeout), .max = 22,
                .help = "N: 4.096 us by 2 to the N until a retry" },
        { ROW("retries", OPTION_U64, retries), .max = 6, .help = "until the queue pair gives up" },
        { ROW("service-level", OPTION_U64, service_level), .max = 15,
                .help = "of InfiniBand, and RoCE's priority" },
        { ROW("traffic-class", OPTION_U64, traffic_class), .max = UINT8_MAX,
                .help = "of IP: the DSCP times 4" },
        { ROW("flow-label", OPTION_U64, flow_label), .max = 0xfffff,
                .help = "another path of several, where the device uses it" },
        { ROW("mtu", OPTION_U64, mtu), .max = 4096, .help = "of the path; else the smaller of both ports'" },
        { ROW("bytes", OPTION_SIZE, bytes), .help = "to send, or" },
        { ROW("messages", OPTION_U64, messages), .help = "to send, or" },
        { ROW("duration", OPTION_DURATION, duration_ns), .max = 24 * 3600 * NS_PER_SEC,
                .help = "of the traffic; what is used up first ends it" },
        { ROW("timeout", OPTION_DURATION, timeout_ns), .fallback = "10s", .min = NS_PER_MS,
                .max = 24 * 3600 * NS_PER_SEC, .help = "for all beside the duration; else 10s" },
};

static const struct option bandwidth_limits[] = {
        { ROW("min-bw", OPTION_RATE, limits.min_bw_bps), .min = 1,
                .help = "the average; exit code 1 when it is below" },
};

static const struct option latency_limits[] = {
        { ROW("max-p50", OPTION_DURATION, limits.max_p50_ns), .min = 1,
                .help = "the median; exit code 1 when it is above" },
        { ROW("max-p99", OPTION_DURATION, limits.max_p99_ns), .min = 1, .help = "99 % of the samples" },
        { ROW("max-p999", OPTION_DURATION, limits.max_p999_ns), .min = 1, .help = "99.9 % of the samples" },
};

static const struct option output[] = {
        { ROW("json", OPTION_BOOL, json), .help = "one JSON document, also when it fails" },
        { ROW("csv", OPTION_BOOL, csv), .help = "a line of names and one of values" },
        { ROW("record", OPTION_TEXT, record), .min = 1, .placeholder = "DIR",
                .help = "keeps the JSON document there, in a dated file" },
        { ROW("note", OPTION_TEXT, note), .max = 4096, .placeholder = "TEXT", .help = "for the record" },
};

const struct option_group group_ends = { "the two ends", ends, ARRAY_SIZE(ends) };
const struct option_group group_operation = { "the operation", operation, ARRAY_SIZE(operation) };
const struct option_group group_bandwidth_traffic = { "bandwidth only", bandwidth_traffic,
        ARRAY_SIZE(bandwidth_traffic) };
const struct option_group group_traffic = { "the traffic", traffic, ARRAY_SIZE(traffic) };
const struct option_group group_bandwidth_limits = { "the limits", bandwidth_limits,
        ARRAY_SIZE(bandwidth_limits) };
const struct option_group group_latency_limits = { "the limits", latency_limits, ARRAY_SIZE(latency_limits) };
const struct option_group group_output = { "the result", output, ARRAY_SIZE(output) };

static enum arguments_result check(
        const struct command *self, const struct measure_options *o, struct arguments *a)
{
        if (a->n_operands == 0 && !o->loopback)
                return arguments_wrong(self, a, "which HOST? Or --loopback, for this one with itself");
        if (a->n_operands > 0 && o->loopback)
                return arguments_wrong(self, a, "--loopback needs no HOST: give either of them");
        if (o->json && o->csv)
                return arguments_wrong(self, a, "--json and --csv exclude each other");
        if (o->note && !o->record)
                return arguments_wrong(self, a, "--note is for a record: --record DIR is missing");
        return ARGUMENTS_GO;
}

enum arguments_result measure_options_parse(
        const struct command *self, int argc, char **argv, struct measure_options *o, struct arguments *a)
{
        if (arguments_defaults(self, o) < 0)
                return arguments_wrong(self, a, "out of memory");
        o->peer_rail = RAIL_LIKE_OURS;
        enum arguments_result r = arguments_parse(self, argc, argv, o, a);
        return r == ARGUMENTS_GO ? check(self, o, a) : r;
}
