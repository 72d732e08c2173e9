/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/admission.h"

#include <assert.h>
#include <pthread.h>

#include "base/clock.h"
#include "base/sync.h"
#include "base/text.h"
#include "engine/fault.h"

struct lease {
        struct admission *admission;
        struct lease *next;
        char device[ENGINE_NAME_MAX];
        uint8_t port;
        char holder[128];
        uint64_t since_ns;
};

struct admission {
        pthread_mutex_t lock; /* the list */
        pthread_cond_t released;
        struct lease *leases; /* at most one a port; few, so a list */
};

int admission_new(struct admission **ret)
{
        struct admission *a = calloc(1, sizeof(*a));
        if (!a)
                return -ENOMEM;
        cond_init(&a->released);
        (void)pthread_mutex_init(&a->lock, NULL);
        *ret = a;
        return 0;
}

void admission_free(struct admission *a)
{
        if (!a)
                return;
        assert(!a->leases);
        pthread_cond_destroy(&a->released);
        pthread_mutex_destroy(&a->lock);
        free(a);
}

static const struct lease *holder_of(const struct admission *a, const struct lease *wanted)
{
        for (const struct lease *l = a->leases; l; l = l->next)
                if (l->port == wanted->port && text_equal(l->device, wanted->device))
                        return l;
        return NULL;
}

static int busy(const struct lease *held, struct fault *fault)
{
        return fault_set(fault, OUTCOME_BUSY, -EBUSY, "%s port %u is taken by the %s, since %.1f s",
                held->device, held->port, held->holder,
                (double)(clock_now_ns() - held->since_ns) / (double)NS_PER_SEC);
}

/* Under the lock. */
static int wait_free(
        struct admission *a, const struct lease *wanted, uint64_t deadline_ns, struct fault *fault)
{
        const struct lease *held;
        while ((held = holder_of(a, wanted))) {
                if (clock_now_ns() >= deadline_ns)
                        return busy(held, fault);
                (void)cond_wait_until(&a->released, &a->lock, deadline_ns); /* the loop looks again */
        }
        return 0;
}

int admission_take(struct admission *a, const char *device, uint8_t port, const char *holder,
        uint64_t deadline_ns, struct lease **ret, struct fault *fault)
{
        struct lease *l = calloc(1, sizeof(*l));
        if (!l)
                return fault_set(fault, OUTCOME_LOCAL, -ENOMEM, "%s port %u: no memory", device, port);
        l->admission = a;
        l->port = port;
        text_message(l->device, sizeof(l->device), "%s", device);
        text_message(l->holder, sizeof(l->holder), "%s", holder);

        pthread_mutex_lock(&a->lock);
        int r = wait_free(a, l, deadline_ns, fault);
        if (r == 0) {
                l->since_ns = clock_now_ns();
                l->next = a->leases;
                a->leases = l;
        }
        pthread_mutex_unlock(&a->lock);

        if (r < 0) {
                free(l);
                return r;
        }
        *ret = l;
        return 0;
}

void lease_release(struct lease *l)
{
        if (!l)
                return;
        struct admission *a = l->admission;
        pthread_mutex_lock(&a->lock);
        struct lease **at = &a->leases;
        while (*at != l)
                at = &(*at)->next;
        *at = l->next;
        pthread_cond_broadcast(&a->released);
        pthread_mutex_unlock(&a->lock);
        free(l);
}
