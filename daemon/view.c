/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/view.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/scope.h"
#include "daemon/source_series.h"

#define REAPERS_MAX 256

struct lane_copy {
        char device[ENGINE_NAME_MAX], peer[ENGINE_NAME_MAX];
};

struct view {
        char node[ENGINE_NAME_MAX];
        pthread_mutex_t lock; /* guards what follows */
        struct lane_state *lanes;
        struct lane_copy *copies; /* what the strings of lanes point at */
        size_t n_lanes;
        struct source_series *source_series;
        size_t devices, peers, probes, failing;
        bool ready, reload_successful;
        uint64_t reload_success_realtime_ns;
};

int view_new(const char *node, struct view **ret)
{
        cleanup(freep) struct view *v = calloc(1, sizeof(*v));
        int r;

        if (!v)
                return -ENOMEM;
        r = text_copy(v->node, sizeof(v->node), node);
        if (r == 0)
                r = source_series_new(&v->source_series);
        if (r < 0)
                return r;
        (void)pthread_mutex_init(&v->lock, NULL); /* cannot fail without attributes */
        *ret = take_ptr(v);
        return 0;
}

void view_free(struct view *v)
{
        if (!v)
                return;
        (void)pthread_mutex_destroy(&v->lock);
        source_series_free(v->source_series);
        free(v->lanes);
        free(v->copies);
        free(v);
}

static void copy_lane(struct lane_state *to, struct lane_copy *copy, const struct lane_state *from)
{
        /* Both have the size of what they are copied from. */
        (void)text_copy(copy->device, sizeof(copy->device), from->device);
        (void)text_copy(copy->peer, sizeof(copy->peer), from->peer);
        *to = *from;
        to->device = copy->device;
        to->peer = copy->peer;
}

void view_set_lanes(struct view *v, const struct lane_state *lanes, size_t n)
{
        struct lane_state *fresh = calloc(n ? n : 1, sizeof(fresh[0])), *old_lanes = fresh;
        struct lane_copy *copies = calloc(n ? n : 1, sizeof(copies[0])), *old_copies = copies;

        if (fresh && copies) {
                for (size_t i = 0; i < n; i++)
                        copy_lane(&fresh[i], &copies[i], &lanes[i]);
                (void)pthread_mutex_lock(&v->lock);
                old_lanes = v->lanes;
                old_copies = v->copies;
                v->lanes = fresh;
                v->copies = copies;
                v->n_lanes = n;
                (void)pthread_mutex_unlock(&v->lock);
        }
        free(old_lanes);
        free(old_copies);
}

void view_set_counts(struct view *v, size_t devices, size_t peers, size_t probes, size_t failing)
{
        (void)pthread_mutex_lock(&v->lock);
        v->devices = devices;
        v->peers = peers;
        v->probes = probes;
        v->failing = failing;
        (void)pthread_mutex_unlock(&v->lock);
}

void view_set_reload(struct view *v, bool successful, uint64_t realtime_ns)
{
        (void)pthread_mutex_lock(&v->lock);
        v->reload_successful = successful;
        if (successful)
                v->reload_success_realtime_ns = realtime_ns;
        (void)pthread_mutex_unlock(&v->lock);
}

void view_set_ready(struct view *v, bool ready)
{
        (void)pthread_mutex_lock(&v->lock);
        v->ready = ready;
        (void)pthread_mutex_unlock(&v->lock);
}

bool view_ready(struct view *v)
{
        bool ready;

        (void)pthread_mutex_lock(&v->lock);
        ready = v->ready;
        (void)pthread_mutex_unlock(&v->lock);
        return ready;
}

struct batch *view_batch(struct view *v, const struct view_parts *parts)
{
        cleanup(freep) struct collector_state *collectors = NULL;
        cleanup(freep) struct responder_served *served = NULL;
        struct service_state state = { .node = v->node };
        struct http_stats http;
        struct responder_stats responder;
        struct reaper_state reapers[REAPERS_MAX];
        struct batch *b;

        if (collectors_states(parts->collectors, &collectors, &state.n_collectors) == 0)
                state.collectors = collectors;
        state.collector_workers = collectors_workers(parts->collectors);
        if (parts->http) {
                http_stats_get(parts->http, &http);
                state.http = &http;
        }
        if (parts->responder) {
                responder_stats_get(parts->responder, &responder);
                state.responder = &responder;
                served = reallocarray(NULL, RESPONDER_SERVED_MAX, sizeof(served[0]));
                state.served = served;
                state.n_served =
                        served ? responder_served_get(parts->responder, served, RESPONDER_SERVED_MAX) : 0;
                state.now_realtime_ns = clock_realtime_ns(&clock_system);
        }
        state.n_reapers = engine_reapers(parts->engine, reapers, ARRAY_SIZE(reapers));
        state.reapers = reapers;

        (void)pthread_mutex_lock(&v->lock);
        state.reload_successful = v->reload_successful;
        state.reload_success_realtime_ns = v->reload_success_realtime_ns;
        state.lanes = v->lanes;
        state.n_lanes = v->n_lanes;
        state.source_series = v->source_series;
        b = service_batch(&state);
        (void)pthread_mutex_unlock(&v->lock);
        return b;
}

void view_status_page(struct view *v, struct buf *html)
{
        (void)pthread_mutex_lock(&v->lock);
        buf_format(html,
                "<p>%zu RDMA device%s, %zu peer%s, %zu probe%s of which %zu failing.</p>\n"
                "<p>Configuration: %s.</p>\n",
                v->devices, v->devices == 1 ? "" : "s", v->peers, v->peers == 1 ? "" : "s", v->probes,
                v->probes == 1 ? "" : "s", v->failing,
                v->reload_successful ? "loaded"
                                     : "<b>the last reload failed; the one before it is in use</b>");
        (void)pthread_mutex_unlock(&v->lock);
}
