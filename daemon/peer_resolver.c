/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/peer_resolver.h"

#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/scope.h"
#include "base/sync.h"

/* One name with the addresses it had when it last resolved. The thread's once it has taken the list over. */
struct entry {
        char *name;
        char **addresses;
        size_t n;
};

struct names {
        struct entry *entries;
        size_t n;
};

struct peer_resolver {
        void (*found)(void *context, const char *const *addresses, size_t n);
        void *context;
        pthread_mutex_t lock; /* guards what follows */
        pthread_cond_t changed;
        struct names fresh; /* set, not yet taken over */
        bool has_fresh, stopping;
};

static void entry_forget(struct entry *e)
{
        for (size_t i = 0; i < e->n; i++)
                free(e->addresses[i]);
        free(e->addresses);
        e->addresses = NULL;
        e->n = 0;
}

static void names_done(struct names *names)
{
        for (size_t i = 0; i < names->n; i++) {
                entry_forget(&names->entries[i]);
                free(names->entries[i].name);
        }
        free(names->entries);
        *names = (struct names){ 0 };
}

static int names_copy(struct names *to, const char *const *names, size_t n)
{
        *to = (struct names){ .entries = calloc(n ? n : 1, sizeof(to->entries[0])) };
        if (!to->entries)
                return -ENOMEM;
        for (; to->n < n; to->n++) {
                to->entries[to->n].name = strdup(names[to->n]);
                if (!to->entries[to->n].name) {
                        names_done(to);
                        return -ENOMEM;
                }
        }
        return 0;
}

static int entry_add(struct entry *e, const struct addrinfo *a)
{
        char host[NI_MAXHOST];
        char **grown;

        if (getnameinfo(a->ai_addr, a->ai_addrlen, host, sizeof(host), NULL, 0, NI_NUMERICHOST) != 0)
                return 0; /* a family without a textual form is of no use here */
        grown = reallocarray(e->addresses, e->n + 1, sizeof(grown[0]));
        if (!grown)
                return -ENOMEM;
        e->addresses = grown;
        e->addresses[e->n] = strdup(host);
        if (!e->addresses[e->n])
                return -ENOMEM;
        e->n++;
        return 0;
}

static void entry_resolve(struct entry *e)
{
        struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list;

        if (getaddrinfo(e->name, NULL, &hints, &list) != 0)
                return;
        entry_forget(e);
        for (const struct addrinfo *a = list; a; a = a->ai_next)
                if (entry_add(e, a) < 0)
                        break; /* what is there is better than nothing */
        freeaddrinfo(list);
}

/* Under the lock, so that peer_resolver_free() knows that no call comes after it. */
static void report(struct peer_resolver *r, const struct names *names)
{
        const char **all;
        size_t n = 0;

        for (size_t i = 0; i < names->n; i++)
                n += names->entries[i].n;
        all = calloc(n ? n : 1, sizeof(all[0]));
        if (!all)
                return;
        n = 0;
        for (size_t i = 0; i < names->n; i++)
                for (size_t k = 0; k < names->entries[i].n; k++)
                        all[n++] = names->entries[i].addresses[k];
        (void)pthread_mutex_lock(&r->lock);
        if (!r->stopping && !r->has_fresh)
                r->found(r->context, all, n);
        (void)pthread_mutex_unlock(&r->lock);
        free(all);
}

/* Waits for a new list or the next time; takes the list over. */
static bool wait_for_work(struct peer_resolver *r, struct names *names)
{
        uint64_t due_ns = names->n ? clock_now_ns() + PEER_RESOLVER_INTERVAL_S * NS_PER_SEC : DEADLINE_NEVER;
        bool stopping;

        (void)pthread_mutex_lock(&r->lock);
        while (!r->stopping && !r->has_fresh && cond_wait_until(&r->changed, &r->lock, due_ns))
                ;
        if (r->has_fresh) {
                names_done(names);
                *names = r->fresh;
                r->fresh = (struct names){ 0 };
                r->has_fresh = false;
        }
        stopping = r->stopping;
        (void)pthread_mutex_unlock(&r->lock);
        return !stopping;
}

static void *peer_resolver_main(void *arg)
{
        struct peer_resolver *r = arg;
        struct names names = { 0 };

        while (wait_for_work(r, &names)) {
                for (size_t i = 0; i < names.n; i++)
                        entry_resolve(&names.entries[i]);
                report(r, &names);
        }
        names_done(&names);
        names_done(&r->fresh);
        (void)pthread_mutex_destroy(&r->lock);
        (void)pthread_cond_destroy(&r->changed);
        free(r);
        return NULL;
}

int peer_resolver_new(void (*found)(void *context, const char *const *addresses, size_t n), void *context,
        struct peer_resolver **ret)
{
        cleanup(freep) struct peer_resolver *r = calloc(1, sizeof(*r));
        pthread_t thread;
        int e;

        if (!r)
                return -ENOMEM;
        r->found = found;
        r->context = context;
        cond_init(&r->changed);
        (void)pthread_mutex_init(&r->lock, NULL); /* cannot fail on Linux */
        e = -pthread_create(&thread, NULL, peer_resolver_main, r);
        if (e < 0)
                return e;
        (void)pthread_setname_np(thread, "resolver"); /* for ps and gdb only */
        (void)pthread_detach(thread);
        *ret = take_ptr(r);
        return 0;
}

int peer_resolver_set(struct peer_resolver *r, const char *const *names, size_t n)
{
        struct names fresh;
        int e = names_copy(&fresh, names, n);

        if (e < 0)
                return e;
        (void)pthread_mutex_lock(&r->lock);
        names_done(&r->fresh);
        r->fresh = fresh;
        r->has_fresh = true;
        (void)pthread_cond_signal(&r->changed);
        (void)pthread_mutex_unlock(&r->lock);
        return 0;
}

void peer_resolver_free(struct peer_resolver *r)
{
        if (!r)
                return;
        (void)pthread_mutex_lock(&r->lock);
        r->stopping = true;
        (void)pthread_cond_signal(&r->changed);
        (void)pthread_mutex_unlock(&r->lock);
}
