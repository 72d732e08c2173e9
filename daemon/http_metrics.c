/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/http_metrics.h"

#include <errno.h>
#include <stdlib.h>

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

int http_metrics_render(
        struct slots *slots, const struct http_callbacks *callbacks, struct buf *page, size_t *ret_dropped)
{
        struct batch **batches;
        size_t n;
        int r = gather(slots, callbacks, &batches, &n);

        if (r < 0)
                return r;
        *ret_dropped = exposition_render(page, (const struct batch *const *)batches, n);
        slots_release(batches, n);
        return 0;
}
