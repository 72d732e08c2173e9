/* SPDX-License-Identifier: Apache-2.0 */
/* The options of bw and lat. */
#ifndef CLI_MEASURE_OPTIONS_H
#define CLI_MEASURE_OPTIONS_H

#include "cli/arguments.h"
#include "cli/limits.h"

#define RAIL_LIKE_OURS UINT64_MAX

/* 0, NULL, false: not given; the engine's default for the device holds. */
struct measure_options {
        char *device, *peer_device, *peer_address, *peer_node;
        uint64_t port, peer_rail;
        uint64_t size, queue_pairs, depth, post_list, signal_interval, mtu;
        uint64_t bytes, messages, duration_ns, timeout_ns;
        unsigned operation, transport, inlining, wait, memory; /* the engine's enums */
        uint64_t rate_bps, receive_depth, ack_timeout, retries, service_level, traffic_class, flow_label;
        bool bidirectional, verify;
        struct limits limits;
        char *record, *note;
        bool loopback, json, csv;
};

extern const struct option_group group_ends, group_operation, group_bandwidth_traffic, group_traffic,
        group_bandwidth_limits, group_latency_limits, group_output;

/* Defaults, the command line, and what no single option can tell. What is wrong is in a->text. */
enum arguments_result measure_options_parse(
        const struct command *self, int argc, char **argv, struct measure_options *o, struct arguments *a);

#endif
