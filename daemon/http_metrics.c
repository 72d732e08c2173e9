/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/http_metrics.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "daemon/gzip.h"
#include "daemon/service_families.h"
#include "probes/probe.h"

struct http_metrics {
        struct slots *slots;
        const struct http_callbacks *callbacks;

        pthread_mutex_t lock; /* all below */
        struct exposition *exposition;
        struct gzip *gzip;
        struct buf plain; /* what is compressed */
        uint64_t max_series;
        struct buf dropped; /* the families left out of the last page */
        bool dropped_changed;
};

int http_metrics_new(struct slots *slots, const struct http_callbacks *callbacks, struct http_metrics **ret)
{
        struct http_metrics *m = calloc(1, sizeof(*m));

        if (!m)
                return -ENOMEM;
        *m = (struct http_metrics){ .slots = slots, .callbacks = callbacks };
        (void)pthread_mutex_init(&m->lock, NULL); /* cannot fail without attributes */
        if (exposition_new(&m->exposition) < 0 || gzip_new(&m->gzip) < 0) {
                http_metrics_free(m);
                return -ENOMEM;
        }
        *ret = m;
        return 0;
}

void http_metrics_free(struct http_metrics *m)
{
        if (!m)
                return;
        exposition_free(m->exposition);
        gzip_free(m->gzip);
        buf_done(&m->plain);
        buf_done(&m->dropped);
        (void)pthread_mutex_destroy(&m->lock);
        free(m);
}

void http_metrics_set_max_series(struct http_metrics *m, uint64_t max)
{
        (void)pthread_mutex_lock(&m->lock);
        m->max_series = max;
        (void)pthread_mutex_unlock(&m->lock);
}

/* Into one array, as slots_release() takes it. */
static int gather(
        struct slots *slots, const struct http_callbacks *callbacks, struct batch ***ret, size_t *ret_n)
{
        struct batch **batches, **more, *own = NULL;
        size_t n;
        int r = slots_collect(slots, &batches, &n);

        if (r < 0)
                return r;
        if (callbacks->service_batch)
                own = callbacks->service_batch(callbacks->context);
        if (own) {
                more = reallocarray(batches, n + 1, sizeof(struct batch *));
                if (!more) {
                        batch_unref(own);
                        slots_release(batches, n);
                        return -ENOMEM;
                }
                batches = more;
                batches[n++] = own;
        }
        *ret = batches;
        *ret_n = n;
        return 0;
}

static void note_dropped(struct http_metrics *m, const char *names)
{
        const char *before = m->dropped.len > 0 ? m->dropped.data : "";

        if (text_equal(before, names))
                return;
        buf_clear(&m->dropped);
        buf_text(&m->dropped, names);
        m->dropped_changed = true;
}

/* Locked. What tells of the service itself stays whatever the limit. */
static void render(struct http_metrics *m, enum exposition_format format, const struct batch *const *batches,
        size_t n, struct buf *out, size_t *ret_duplicates)
{
        const struct source_class *self = source_class_find("self");
        const struct exposition_kept kept[] = {
                { service_families, n_service_families },
                { self ? self->families : NULL, self ? self->n_families : 0 },
        };
        const struct exposition_limit limit = {
                .max = m->max_series,
                .first = "rdma_canary_hw_value",
                .dropped = &service_families[FAMILY_DROPPED_SERIES],
                .kept = kept,
                .n_kept = ARRAY_SIZE(kept),
        };
        struct exposition_result result;

        exposition_page(m->exposition, out, batches, n, format, &limit, &result);
        note_dropped(m, result.dropped);
        *ret_duplicates = result.duplicates;
}

int http_metrics_render(struct http_metrics *m, enum exposition_format format, bool gzip, struct buf *page,
        size_t *ret_duplicates)
{
        struct batch **batches;
        size_t n;
        int r = gather(m->slots, m->callbacks, &batches, &n);

        if (r < 0)
                return r;
        (void)pthread_mutex_lock(&m->lock);
        buf_clear(&m->plain);
        render(m, format, (const struct batch *const *)batches, n, gzip ? &m->plain : page, ret_duplicates);
        if (gzip)
                r = m->plain.error < 0 ? m->plain.error : gzip_compress(m->gzip, &m->plain, page);
        (void)pthread_mutex_unlock(&m->lock);
        slots_release(batches, n);
        return r;
}

bool http_metrics_dropped(struct http_metrics *m, struct buf *ret)
{
        bool changed;

        (void)pthread_mutex_lock(&m->lock);
        changed = m->dropped_changed;
        m->dropped_changed = false;
        if (changed && m->dropped.len > 0)
                buf_bytes(ret, m->dropped.data, m->dropped.len);
        (void)pthread_mutex_unlock(&m->lock);
        return changed;
}
