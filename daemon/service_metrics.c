/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/service_metrics.h"

#include "base/clock.h"
#include "base/scope.h"
#include "daemon/service_families.h"
#include "daemon/source_series.h"

static void add_u64(struct batch *b, enum service_family family, const char *const *values, uint64_t value)
{
        batch_add_u64(b, &service_families[family], values, value);
}

static void add_seconds(struct batch *b, enum service_family family, const char *const *values, uint64_t ns)
{
        batch_add_double(b, &service_families[family], values, (double)ns / (double)NS_PER_SEC);
}

static void add_config(struct batch *b, const struct service_state *s)
{
        add_u64(b, FAMILY_NODE_INFO, LABELS(s->node), 1);
        add_u64(b, FAMILY_CONFIG_RELOAD_SUCCESSFUL, NO_LABELS, s->reload_successful);
        if (s->reload_success_realtime_ns > 0)
                add_seconds(b, FAMILY_CONFIG_RELOAD_TIMESTAMP, NO_LABELS, s->reload_success_realtime_ns);
}

static void set_seconds(struct batch *b, size_t i, uint64_t ns)
{
        batch_set_double(b, i, (double)ns / (double)NS_PER_SEC);
}

/* The batch is empty. */
static int prepare_collectors(struct batch *b, const struct service_state *s)
{
        cleanup(series_set_unrefp) struct series_set *set = NULL;
        int r = source_series_set(s->source_series, s->collectors, s->n_collectors, &set);

        if (r == 0)
                batch_prepare(b, set);
        return r < 0 ? r : batch_error(b);
}

static void set_collectors(struct batch *b, const struct service_state *s)
{
        for (size_t i = 0; i < s->n_collectors; i++) {
                const struct collector_state *state = &s->collectors[i];
                size_t first = i * N_SOURCE_POSITIONS;

                /* A source that was added after the pass began has nothing to say yet. */
                if (state->ran || state->failures_total > 0 || state->overdue_ns > 0)
                        batch_set_u64(b, first + SOURCE_SUCCESS, state->success);
                if (state->ran)
                        set_seconds(b, first + SOURCE_DURATION, state->duration_ns);
                set_seconds(b, first + SOURCE_OVERDUE, state->overdue_ns);
                batch_set_u64(b, first + SOURCE_FAILURES, state->failures_total);
        }
}

static void add_lanes(struct batch *b, const struct service_state *s)
{
        for (size_t i = 0; i < s->n_lanes; i++) {
                const struct lane_state *lane = &s->lanes[i];
                const char *const *values = LABELS(lane->source, lane->device, lane->peer);

                if (lane->turns_total > 0)
                        add_seconds(b, FAMILY_PROBE_LATENESS, values, lane->lateness_ns);
                add_u64(b, FAMILY_PROBE_TURNS, values, lane->turns_total);
                batch_add_double(b, &service_families[FAMILY_PROBE_STUCK], values, lane->stuck_seconds);
        }
}

static void add_http(struct batch *b, const struct http_stats *h)
{
        static const char *const classes[ARRAY_SIZE(h->requests_total)] = {
                [2] = "2xx",
                [3] = "3xx",
                [4] = "4xx",
                [5] = "5xx",
        };

        for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
                if (classes[i])
                        add_u64(b, FAMILY_HTTP_REQUESTS, LABELS(classes[i]), h->requests_total[i]);
        }
        add_u64(b, FAMILY_HTTP_SCRAPES, NO_LABELS, h->scrapes_total);
        add_u64(b, FAMILY_HTTP_LATE_SCRAPES, NO_LABELS, h->scrapes_late_total);
        add_u64(b, FAMILY_HTTP_REFUSED_SCRAPES, NO_LABELS, h->scrapes_refused_total);
        add_u64(b, FAMILY_HTTP_TIMED_OUT, NO_LABELS, h->timed_out_total);
        add_u64(b, FAMILY_HTTP_CONNECTIONS, NO_LABELS, h->connections);
        add_u64(b, FAMILY_DUPLICATE_SAMPLES, NO_LABELS, h->duplicate_samples_total);
}

static void add_responder(struct batch *b, const struct responder_stats *r)
{
        add_u64(b, FAMILY_RESPONDER_CONNECTIONS, NO_LABELS, r->connections_total);
        add_u64(b, FAMILY_RESPONDER_SESSIONS, NO_LABELS, r->sessions_total);
        add_u64(b, FAMILY_RESPONDER_REFUSALS, NO_LABELS, r->refused_total);
        add_u64(b, FAMILY_RESPONDER_MALFORMED, NO_LABELS, r->malformed_total);
        add_u64(b, FAMILY_RESPONDER_RECEIVED, NO_LABELS, r->received_bytes_total);
        add_u64(b, FAMILY_RESPONDER_ACTIVE_SESSIONS, NO_LABELS, r->sessions);
}

/* Ten intervals of the default: the peer has stopped probing, or cannot. */
#define INBOUND_SHOWN_NS (300 * NS_PER_SEC)

static void add_inbound_values(struct batch *b, const struct responder_served *served)
{
        const char *const *values = LABELS(served->device, served->peer);

        if (served->average_bps > 0 && served->measure == MEASURE_BANDWIDTH)
                add_u64(b, FAMILY_INBOUND_BANDWIDTH, values, served->average_bps);
        if (served->p50_ns > 0 && served->measure == MEASURE_LATENCY)
                add_seconds(b, FAMILY_INBOUND_LATENCY_P50, values, served->p50_ns);
        if (served->p99_ns > 0 && served->measure == MEASURE_LATENCY)
                add_seconds(b, FAMILY_INBOUND_LATENCY_P99, values, served->p99_ns);
}

static void add_inbound(struct batch *b, const struct service_state *s)
{
        for (size_t i = 0; i < s->n_served; i++) {
                const struct responder_served *served = &s->served[i];
                const char *measure = served->measure == MEASURE_LATENCY ? "latency" : "bandwidth";
                const char *const *values = LABELS(served->device, served->peer, measure);

                add_u64(b, FAMILY_INBOUND_MEASUREMENTS, values, served->completed_total);
                add_seconds(b, FAMILY_INBOUND_TIMESTAMP, values, served->last_realtime_ns);
                if (deadline_left_ns(s->now_realtime_ns, served->last_realtime_ns) < INBOUND_SHOWN_NS)
                        add_inbound_values(b, served);
        }
}

static void add_reapers(struct batch *b, const struct service_state *s)
{
        for (size_t i = 0; i < s->n_reapers; i++) {
                const struct reaper_state *state = &s->reapers[i];
                const char *const *values = LABELS(state->device);

                add_u64(b, FAMILY_TEARDOWN_PENDING, values, state->pending);
                add_seconds(b, FAMILY_TEARDOWN_OLDEST, values, state->oldest_ns);
                add_u64(b, FAMILY_TEARDOWN_STUCK, values, state->stuck);
                add_u64(b, FAMILY_TEARDOWNS, values, state->done_total);
        }
}

struct batch *service_batch(const struct service_state *s)
{
        cleanup(batch_unrefp) struct batch *b = batch_new();

        if (!b)
                return NULL;
        if (prepare_collectors(b, s) < 0)
                return NULL;
        set_collectors(b, s);
        add_u64(b, FAMILY_COLLECTOR_WORKERS, NO_LABELS, s->collector_workers);
        add_config(b, s);
        add_lanes(b, s);
        if (s->http)
                add_http(b, s->http);
        if (s->responder)
                add_responder(b, s->responder);
        add_inbound(b, s);
        add_reapers(b, s);
        return batch_error(b) < 0 ? NULL : take_ptr(b);
}
