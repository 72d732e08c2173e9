/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/human.h"

#include <inttypes.h>
#include <string.h>

#include "base/scope.h"
#include "cli/names.h"
#include "cli/units.h"

#define TITLE_COLUMNS 11
#define ITEM_COLUMNS  (HUMAN_COLUMNS - TITLE_COLUMNS - 1) /* and a comma */

/* ---- lines ------------------------------------------------------------------------------------------ */

/* UTF-8 characters, each taken for a column; and the bytes of the first `max` of them. */
static size_t columns(const char *text, size_t max, size_t *ret_bytes)
{
        size_t n = 0, i = 0;
        for (; text[i]; i++) {
                bool begins = (text[i] & 0xc0) != 0x80;
                if (begins && n == max)
                        break;
                n += begins;
        }
        *ret_bytes = i;
        return n;
}

void human_line(FILE *to, const char *title, const char *const *items, size_t n)
{
        size_t at = TITLE_COLUMNS;
        fprintf(to, "%-*s", TITLE_COLUMNS, title);
        for (size_t i = 0; i < n; i++) {
                size_t bytes, width = columns(items[i], ITEM_COLUMNS, &bytes);
                bool breaks = i > 0 && at + 2 + width + 1 > HUMAN_COLUMNS;
                if (breaks)
                        fprintf(to, ",\n%-*s", TITLE_COLUMNS, "");
                else if (i > 0)
                        fprintf(to, ", ");
                fprintf(to, "%.*s", (int)bytes, items[i]);
                at = breaks ? TITLE_COLUMNS + width : at + width + (i > 0 ? 2 : 0);
        }
        fprintf(to, "\n");
}

static void print_end(FILE *to, const char *title, const char *node, const char *device, unsigned port,
        const struct rdma_address *a)
{
        char where[ENGINE_NAME_MAX + 16], address[64];
        text_message(where, sizeof(where), "%s port %u", device, port);
        rdma_address_format(a, address, sizeof(address));
        human_line(to, title, (const char *const[]){ node, where, address }, 3);
}

static void print_plan(FILE *to, const struct plan *p)
{
        char what[48], pairs[32], size[UNITS_MAX], messages[UNITS_MAX + 16], depth[24], mtu[24];
        text_message(what, sizeof(what), "%s %s", transport_name(p->transport), operation_name(p->operation));
        text_message(pairs, sizeof(pairs), "%u queue pair%s", p->queue_pairs, p->queue_pairs == 1 ? "" : "s");
        text_message(messages, sizeof(messages), "messages of %s", units_bytes(size, p->message_bytes));
        text_message(depth, sizeof(depth), "depth %u", p->depth);
        text_message(mtu, sizeof(mtu), "MTU %u", p->mtu_bytes);
        human_line(to, "with", (const char *const[]){ what, pairs, messages, depth, mtu }, 5);
}

/* ---- figures ---------------------------------------------------------------------------------------- */

static void print_bandwidth(FILE *to, const struct result *r)
{
        const struct {
                const char *name;
                double bps;
        } figures[] = {
                { "average", r->average_bps },
                { "steady", r->steady_bps },
                { "worst window", r->worst_window_bps },
                { "best window", r->best_window_bps },
                { "back, average", r->peer_average_bps },
        };
        const struct unit *bytes = units_for(QUANTITY_RATE, r->average_bps);
        const struct unit *bits = units_for(QUANTITY_BITS, r->average_bps);
        fprintf(to, "bandwidth  %16s %10s\n", bytes->name, bits->name);
        for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
                char left[UNITS_MAX], right[UNITS_MAX];
                if (figures[i].bps > 0)
                        fprintf(to, "  %-14s %10s %10s\n", figures[i].name,
                                units_in(left, figures[i].bps, bytes), units_in(right, figures[i].bps, bits));
        }
}

/* µ is one column, but two bytes. */
static void print_latency(FILE *to, const struct result *r)
{
        const struct latency *l = &r->latency;
        const struct {
                const char *name;
                double ns;
        } figures[] = {
                { "minimum", (double)l->min_ns },
                { "median", (double)l->p50_ns },
                { "mean", l->mean_ns },
                { "deviation", l->deviation_ns },
                { "90 %", (double)l->p90_ns },
                { "99 %", (double)l->p99_ns },
                { "99.9 %", (double)l->p999_ns },
                { "99.99 %", (double)l->p9999_ns },
                { "maximum", (double)l->max_ns },
        };
        const struct unit *unit = units_for(QUANTITY_TIME, (double)l->p50_ns);
        size_t bytes, width = columns(unit->name, SIZE_MAX, &bytes);
        fprintf(to, "latency    %*s%s  %s, all of %" PRIu64 " samples\n", (int)(16 - width), "", unit->name,
                operation_is_halved(r->plan.operation) ? "one way" : "there and back", l->count);
        for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
                char text[UNITS_MAX];
                fprintf(to, "  %-14s %10s\n", figures[i].name, units_in(text, figures[i].ns, unit));
        }
}

/* ---- the rest --------------------------------------------------------------------------------------- */

static void print_counters(FILE *to, const char *title, const struct counter_deltas *c)
{
        for (size_t i = 0; i < c->n; i++)
                fprintf(to, "%-10s %-46.46s +%" PRIu64 "\n", i == 0 ? title : "", c->items[i].name,
                        c->items[i].delta);
}

/* What only some runs have to say. */
static void print_findings(FILE *to, const struct result *r)
{
        char lost[40], bytes[UNITS_MAX], verified[UNITS_MAX + 32];
        uint64_t compared = r->verified.bytes + r->peer_verified.bytes;
        if (r->plan.transport != TRANSPORT_RC) {
                text_message(lost, sizeof(lost), "%" PRIu64 " messages", r->lost);
                human_line(to, "lost",
                        (const char *const[]){ r->lost_known ? lost : "not known: the receiver is not told" },
                        1);
        }
        if (r->plan.verify) {
                text_message(
                        verified, sizeof(verified), "%s of memory, as sent", units_bytes(bytes, compared));
                human_line(to, "verified", (const char *const[]){ verified }, 1);
        }
}

static void print_tail(FILE *to, const struct result *r)
{
        char bytes[UNITS_MAX], sent[UNITS_MAX + 40], time[UNITS_MAX], here[UNITS_MAX + 8],
                there[UNITS_MAX + 8];
        char cpu[UNITS_MAX];
        text_message(
                sent, sizeof(sent), "%s in %" PRIu64 " messages", units_bytes(bytes, r->bytes), r->messages);
        units_duration(time, (double)r->traffic_ns);
        human_line(to, "sent", (const char *const[]){ sent, time, "cut by --timeout" }, r->truncated ? 3 : 2);
        print_findings(to, r);
        text_message(here, sizeof(here), "here %s", units_duration(cpu, (double)r->cpu_ns));
        text_message(there, sizeof(there), "there %s", units_duration(cpu, (double)r->peer_cpu_ns));
        human_line(to, "CPU time", (const char *const[]){ here, there }, 2);
        print_counters(to, "here", &r->counters);
        print_counters(to, "there", &r->peer_counters);
}

void human_report(const struct report *report, FILE *to)
{
        const struct result *r = &report->result;
        print_end(to, "from", report->node, r->device, r->port, &r->address);
        print_end(to, "to", r->peer_node, r->peer_device, r->peer_port, &r->peer_address);
        print_plan(to, &r->plan);
        if (report->measure == MEASURE_BANDWIDTH)
                print_bandwidth(to, r);
        else
                print_latency(to, r);
        print_tail(to, r);
}
