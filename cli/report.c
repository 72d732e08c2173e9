/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/report.h"

#include <errno.h>
#include <time.h>

#include "base/clock.h"
#include "base/scope.h"
#include "cli/fields.h"
#include "cli/names.h"

/* ---- what is known, and what has to be made ----------------------------------------------------------- */

static bool failed(const void *from)
{
        return ((const struct report *)from)->result.fault.kind != OUTCOME_OK;
}

/* A run that broke off in traffic has counted, but measured nothing. */
static bool measured(const void *from)
{
        return ((const struct report *)from)->result.stage >= STAGE_TRAFFIC;
}

static bool judged(const void *from)
{
        const struct report *r = from;
        return r->result.fault.kind == OUTCOME_OK && limits_given(&r->limits, r->measure);
}

static bool reported(const void *from)
{
        return ((const struct report *)from)->result.stage >= STAGE_REPORT;
}

static bool matched(const void *from)
{
        return ((const struct report *)from)->result.stage >= STAGE_ADDRESS;
}

static void make_started(const void *from, char *dst)
{
        time_t seconds = (time_t)(((const struct report *)from)->begun_realtime_ns / NS_PER_SEC);
        struct tm utc;
        if (!gmtime_r(&seconds, &utc) || strftime(dst, FIELD_MADE_MAX, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
                dst[0] = '\0';
}

static void make_address(const void *from, char *dst)
{
        rdma_address_format(&((const struct report *)from)->result.address, dst, FIELD_MADE_MAX);
}

static void make_peer_address(const void *from, char *dst)
{
        rdma_address_format(&((const struct report *)from)->result.peer_address, dst, FIELD_MADE_MAX);
}

static void make_outcome(const void *from, char *dst)
{
        const struct report *r = from;
        text_message(dst, FIELD_MADE_MAX, "%s", outcome_kind_name(r->result.fault.kind));
}

static void make_stage(const void *from, char *dst)
{
        text_message(dst, FIELD_MADE_MAX, "%s", stage_name(((const struct report *)from)->result.stage));
}

static void make_operation(const void *from, char *dst)
{
        text_message(dst, FIELD_MADE_MAX, "%s",
                operation_name(((const struct report *)from)->result.plan.operation));
}

static void make_transport(const void *from, char *dst)
{
        text_message(dst, FIELD_MADE_MAX, "%s",
                transport_name(((const struct report *)from)->result.plan.transport));
}

static bool lost_known(const void *from)
{
        const struct report *r = from;
        return reported(from) && r->result.lost_known;
}

static bool bidirectional(const void *from)
{
        return reported(from) && ((const struct report *)from)->result.plan.bidirectional;
}

static bool verified(const void *from)
{
        return reported(from) && ((const struct report *)from)->result.plan.verify;
}

static double verified_bytes(const void *from)
{
        const struct result *r = &((const struct report *)from)->result;
        return (double)(r->verified.bytes + r->peer_verified.bytes);
}

static double wrong_bytes(const void *from)
{
        const struct result *r = &((const struct report *)from)->result;
        return (double)(r->verified.wrong + r->peer_verified.wrong);
}

static void make_memory(const void *from, char *dst)
{
        text_message(
                dst, FIELD_MADE_MAX, "%s", memory_kind_name(((const struct report *)from)->result.memory));
}

static double message_rate(const void *from)
{
        const struct result *r = &((const struct report *)from)->result;
        return (double)r->messages * (double)NS_PER_SEC / (double)r->traffic_ns; /* 0 by 0 is not a number */
}

/* ---- the fields --------------------------------------------------------------------------------------- */

#define AT(field)     .offset = offsetof(struct report, field)
#define RESULT(field) AT(result.field)
#define PLAN(field)   AT(result.plan.field)

static const struct field fields_before[] = {
        { "format_version", FIELD_U64, AT(format_version) },
        { "command", FIELD_POINTER, AT(command) },
        { "started", FIELD_MADE, .make = make_started },
        { "started_unix_ns", FIELD_U64, AT(begun_realtime_ns) },
        { "note", FIELD_POINTER, AT(note) },
        { "outcome", FIELD_MADE, .make = make_outcome },
        { "fault.kind", FIELD_MADE, .make = make_outcome, .known = failed },
        { "fault.stage", FIELD_MADE, .make = make_stage, .known = failed },
        { "fault.reason", FIELD_TEXT, RESULT(fault.reason), .known = failed },
        { "node", FIELD_TEXT, AT(node) },
        { "device", FIELD_TEXT, RESULT(device) },
        { "port", FIELD_U8, RESULT(port), .positive = true },
        { "address", FIELD_MADE, .make = make_address, .known = matched },
        { "peer", FIELD_TEXT, AT(peer) },
        { "peer_node", FIELD_TEXT, RESULT(peer_node) },
        { "peer_device", FIELD_TEXT, RESULT(peer_device) },
        { "peer_port", FIELD_U8, RESULT(peer_port), .positive = true },
        { "peer_address", FIELD_MADE, .make = make_peer_address, .known = matched },
        { "operation", FIELD_MADE, .make = make_operation },
        { "transport", FIELD_MADE, .make = make_transport },
        { "message_bytes", FIELD_U64, PLAN(message_bytes), .positive = true },
        { "queue_pairs", FIELD_UNSIGNED, PLAN(queue_pairs), .positive = true },
        { "depth", FIELD_UNSIGNED, PLAN(depth), .positive = true },
        { "post_list", FIELD_UNSIGNED, PLAN(post_list), .positive = true },
        { "signal_interval", FIELD_UNSIGNED, PLAN(signal_interval), .positive = true },
        { "receive_depth", FIELD_UNSIGNED, PLAN(receive_depth), .positive = true },
        { "bidirectional", FIELD_BOOL, PLAN(bidirectional) },
        { "inlined", FIELD_BOOL, RESULT(inlined), .known = measured },
        { "memory", FIELD_MADE, .make = make_memory, .known = measured },
        { "completion_queues", FIELD_UNSIGNED, RESULT(completion_queues), .positive = true },
        { "mtu_bytes", FIELD_UNSIGNED, PLAN(mtu_bytes), .positive = true },
        { "budget_bytes", FIELD_U64, PLAN(budget_bytes), .positive = true },
        { "budget_messages", FIELD_U64, PLAN(budget_messages), .positive = true },
        { "budget_ns", FIELD_U64, PLAN(budget_ns), .positive = true },
        { "rate_bytes_per_second", FIELD_U64, PLAN(rate_bps), .positive = true },
        { "warmup_messages", FIELD_U64, PLAN(warmup_messages) },
        { "bytes", FIELD_U64, RESULT(bytes), .known = measured },
        { "messages", FIELD_U64, RESULT(messages), .known = measured },
        { "lost_messages", FIELD_U64, RESULT(lost), .known = lost_known },
        { "verified_bytes", FIELD_RECKONED, .reckon = verified_bytes, .known = verified },
        { "wrong_bytes", FIELD_RECKONED, .reckon = wrong_bytes, .known = verified },
        { "traffic_ns", FIELD_U64, RESULT(traffic_ns), .known = measured },
        { "cut_by_timeout", FIELD_BOOL, RESULT(truncated), .known = measured },
};

static const struct field fields_bandwidth[] = {
        { "average_bytes_per_second", FIELD_DOUBLE, RESULT(average_bps), .known = measured,
                .positive = true },
        { "steady_bytes_per_second", FIELD_DOUBLE, RESULT(steady_bps), .known = measured, .positive = true },
        { "best_window_bytes_per_second", FIELD_DOUBLE, RESULT(best_window_bps), .known = measured,
                .positive = true },
        { "worst_window_bytes_per_second", FIELD_DOUBLE, RESULT(worst_window_bps), .known = measured,
                .positive = true },
        { "peer_bytes", FIELD_U64, RESULT(peer_bytes), .known = bidirectional },
        { "peer_traffic_ns", FIELD_U64, RESULT(peer_traffic_ns), .known = bidirectional },
        { "peer_average_bytes_per_second", FIELD_DOUBLE, RESULT(peer_average_bps), .known = bidirectional },
        { "messages_per_second", FIELD_RECKONED, .reckon = message_rate, .known = measured },
        { "limit_average_bytes_per_second", FIELD_U64, AT(limits.min_bw_bps), .positive = true },
};

static const struct field fields_latency[] = {
        { "samples", FIELD_U64, RESULT(latency.count), .known = measured },
        { "min_ns", FIELD_U64, RESULT(latency.min_ns), .known = measured },
        { "mean_ns", FIELD_DOUBLE, RESULT(latency.mean_ns), .known = measured },
        { "deviation_ns", FIELD_DOUBLE, RESULT(latency.deviation_ns), .known = measured },
        { "p50_ns", FIELD_U64, RESULT(latency.p50_ns), .known = measured },
        { "p90_ns", FIELD_U64, RESULT(latency.p90_ns), .known = measured },
        { "p99_ns", FIELD_U64, RESULT(latency.p99_ns), .known = measured },
        { "p999_ns", FIELD_U64, RESULT(latency.p999_ns), .known = measured },
        { "p9999_ns", FIELD_U64, RESULT(latency.p9999_ns), .known = measured },
        { "max_ns", FIELD_U64, RESULT(latency.max_ns), .known = measured },
        { "limit_p50_ns", FIELD_U64, AT(limits.max_p50_ns), .positive = true },
        { "limit_p99_ns", FIELD_U64, AT(limits.max_p99_ns), .positive = true },
        { "limit_p999_ns", FIELD_U64, AT(limits.max_p999_ns), .positive = true },
};

static const struct field fields_after[] = {
        { "limits_met", FIELD_BOOL, AT(limits_met), .known = judged },
        { "cpu_ns", FIELD_U64, RESULT(cpu_ns), .known = measured },
        { "peer_cpu_ns", FIELD_U64, RESULT(peer_cpu_ns), .known = reported },
};

struct table {
        const struct field *rows;
        size_t n;
};

static const struct table figures[] = {
        [MEASURE_BANDWIDTH] = { fields_bandwidth, ARRAY_SIZE(fields_bandwidth) },
        [MEASURE_LATENCY] = { fields_latency, ARRAY_SIZE(fields_latency) },
};

#define N_TABLES 3

static void tables_of(const struct report *r, struct table *tables)
{
        tables[0] = (struct table){ fields_before, ARRAY_SIZE(fields_before) };
        tables[1] = figures[r->measure];
        tables[2] = (struct table){ fields_after, ARRAY_SIZE(fields_after) };
}

/* ---- the documents ------------------------------------------------------------------------------------ */

static int add_object(json_t *into, const char *key, json_t **ret)
{
        *ret = json_object();
        return json_object_set_new(into, key, *ret) < 0 ? -ENOMEM : 0;
}

static int add_stages(const struct report *r, json_t *into)
{
        json_t *stages;
        int error = add_object(into, "stage_ns", &stages);
        for (unsigned s = 0; s <= r->result.stage && error == 0; s++)
                if (json_object_set_new(
                            stages, stage_name(s), json_integer((json_int_t)r->result.stage_ns[s])) < 0)
                        error = -ENOMEM;
        return error;
}

static int add_counters(const struct counter_deltas *c, const char *key, json_t *into)
{
        json_t *counters;
        int error = add_object(into, key, &counters);
        for (size_t i = 0; i < c->n && error == 0; i++)
                if (json_object_set_new(
                            counters, c->items[i].name, json_integer((json_int_t)c->items[i].delta)) < 0)
                        error = -ENOMEM;
        return error;
}

int report_json(const struct report *r, json_t *into)
{
        struct table tables[N_TABLES];
        int error = 0;
        tables_of(r, tables);
        for (size_t i = 0; i < N_TABLES && error == 0; i++)
                error = fields_json(tables[i].rows, tables[i].n, r, into);
        if (error == 0)
                error = add_stages(r, into);
        if (error == 0)
                error = add_counters(&r->result.counters, "counters", into);
        if (error == 0)
                error = add_counters(&r->result.peer_counters, "peer_counters", into);
        return error;
}

void report_csv(const struct report *r, struct buf *out)
{
        struct table tables[N_TABLES];
        tables_of(r, tables);
        for (size_t i = 0; i < N_TABLES; i++)
                fields_csv_names(tables[i].rows, tables[i].n, out);
        buf_char(out, '\n');
        for (size_t i = 0; i < N_TABLES; i++)
                fields_csv_values(tables[i].rows, tables[i].n, r, out);
        buf_char(out, '\n');
}

void report_init(struct report *r, const char *command, enum measure measure, const char *node)
{
        *r = (struct report){
                .format_version = REPORT_FORMAT_VERSION, .command = command, .measure = measure
        };
        r->begun_realtime_ns = clock_realtime_ns(&clock_system);
        text_message(r->node, sizeof(r->node), "%s", node);
        result_init(&r->result);
}

void report_done(struct report *r)
{
        result_done(&r->result);
}
