/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/resolve.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/sync.h"
#include "base/text.h"
#include "engine/fault.h"

/* glibc's resolver and NSS modules keep large buffers on the stack. */
#define HELPER_STACK_BYTES (512 * 1024)

struct resolver {
        atomic_uint references; /* of the owner and of each helper */
        atomic_uint helpers;
};

/* One look-up, shared by the asker and its helper; whoever lets go last frees it. */
struct lookup {
        struct resolver *resolver;
        char host[256], service[8];
        pthread_mutex_t lock; /* what follows */
        pthread_cond_t finished;
        bool done;
        unsigned holders;
        int error; /* of getaddrinfo */
        struct addrinfo *answer;
};

uint64_t patience_slice_ns(const struct patience *p, uint64_t now_ns)
{
        uint64_t left = deadline_left_ns(p->deadline_ns, now_ns);
        return p->cancel && left > PATIENCE_SLICE_NS ? PATIENCE_SLICE_NS : left;
}

int patience_check(const struct patience *p, uint64_t now_ns)
{
        if (p->cancel && atomic_load_explicit(p->cancel, memory_order_relaxed))
                return -ECANCELED;
        return now_ns >= p->deadline_ns ? -ETIMEDOUT : 0;
}

int resolver_new(struct resolver **ret)
{
        struct resolver *r = calloc(1, sizeof(*r));
        if (!r)
                return -ENOMEM;
        atomic_init(&r->references, 1);
        atomic_init(&r->helpers, 0);
        *ret = r;
        return 0;
}

void resolver_free(struct resolver *r)
{
        if (r && atomic_fetch_sub(&r->references, 1) == 1)
                free(r);
}

static void lookup_release(struct lookup *l)
{
        pthread_mutex_lock(&l->lock);
        bool last = --l->holders == 0;
        pthread_mutex_unlock(&l->lock);
        if (!last)
                return;
        if (l->answer)
                freeaddrinfo(l->answer);
        pthread_cond_destroy(&l->finished);
        pthread_mutex_destroy(&l->lock);
        free(l);
}

static int lookup_new(struct resolver *r, const char *host, const char *service, struct lookup **ret)
{
        struct lookup *l = calloc(1, sizeof(*l));
        if (!l)
                return -ENOMEM;
        if (text_copy(l->host, sizeof(l->host), host) < 0 ||
                text_copy(l->service, sizeof(l->service), service) < 0) {
                free(l);
                return -ENAMETOOLONG;
        }
        cond_init(&l->finished);
        (void)pthread_mutex_init(&l->lock, NULL); /* does not fail on Linux */
        l->resolver = r;
        l->holders = 1;
        *ret = l;
        return 0;
}

static int ask(const char *host, const char *service, int flags, struct addrinfo **ret)
{
        struct addrinfo hints = {
                .ai_family = AF_UNSPEC,
                .ai_socktype = SOCK_STREAM,
                .ai_flags = flags | AI_NUMERICSERV,
        };
        return getaddrinfo(host, service, &hints, ret);
}

static void *helper(void *argument)
{
        struct lookup *l = argument;
        struct resolver *r = l->resolver;
        struct addrinfo *answer = NULL;
        int error = ask(l->host, l->service, AI_ADDRCONFIG, &answer);
        pthread_mutex_lock(&l->lock);
        l->error = error;
        l->answer = answer;
        l->done = true;
        pthread_cond_signal(&l->finished);
        pthread_mutex_unlock(&l->lock);
        lookup_release(l);
        atomic_fetch_sub(&r->helpers, 1);
        resolver_free(r);
        return NULL;
}

static int helper_start(struct lookup *l)
{
        struct resolver *r = l->resolver;
        if (atomic_fetch_add(&r->helpers, 1) >= RESOLVER_THREADS_MAX) {
                atomic_fetch_sub(&r->helpers, 1);
                return -EAGAIN;
        }
        atomic_fetch_add(&r->references, 1);
        l->holders++;
        pthread_attr_t attributes;
        pthread_t thread;
        (void)pthread_attr_init(&attributes); /* does not fail on Linux */
        (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        (void)pthread_attr_setstacksize(&attributes, HELPER_STACK_BYTES);
        int error = pthread_create(&thread, &attributes, helper, l);
        (void)pthread_attr_destroy(&attributes);
        if (error == 0)
                return 0;
        l->holders--;
        atomic_fetch_sub(&r->helpers, 1);
        resolver_free(r);
        return -error;
}

/* Waits for the helper. 0: done. */
static int lookup_wait(struct lookup *l, const struct patience *p)
{
        int r = 0;
        pthread_mutex_lock(&l->lock);
        while (!l->done && r == 0) {
                uint64_t now = clock_now_ns();
                /* the loop looks at all reasons */
                (void)cond_wait_until(&l->finished, &l->lock, now + patience_slice_ns(p, now));
                if (!l->done)
                        r = patience_check(p, clock_now_ns());
        }
        pthread_mutex_unlock(&l->lock);
        return r;
}

static int lookup_fault(const char *host, int error, struct fault *fault)
{
        if (error == EAI_SYSTEM || error == EAI_MEMORY)
                return fault_set(fault, OUTCOME_LOCAL, -EIO, "cannot look up %s: %s", host,
                        error == EAI_MEMORY ? "no memory" : "the resolver failed");
        if (error == EAI_AGAIN)
                return fault_set(fault, OUTCOME_PEER, -EHOSTUNREACH,
                        "cannot look up %s: no name server answered; is /etc/resolv.conf right?", host);
        return fault_set(fault, OUTCOME_PEER, -EHOSTUNREACH,
                "cannot look up %s: %s; is it in DNS or /etc/hosts?", host, gai_strerror(error));
}

static int wait_fault(const char *host, int r, struct fault *fault)
{
        if (r == -ECANCELED)
                return fault_set(fault, OUTCOME_CANCELLED, r, "cancelled while looking up %s", host);
        return fault_set(
                fault, OUTCOME_PEER, r, "cannot look up %s: the name servers did not answer in time", host);
}

static int lookup_name(struct resolver *r, const char *host, const char *service, const struct patience *p,
        struct addrinfo **ret, struct fault *fault)
{
        struct lookup *l;
        int error = lookup_new(r, host, service, &l);
        if (error < 0)
                return fault_set(
                        fault, OUTCOME_LOCAL, error, "cannot look up %.64s: %s", host, strerror(-error));
        error = helper_start(l);
        if (error < 0) {
                lookup_release(l);
                return fault_set(fault, OUTCOME_LOCAL, error,
                        "cannot look up %s: no thread for it (%s; at most %d look-ups wait at once)", host,
                        strerror(-error), RESOLVER_THREADS_MAX);
        }
        error = lookup_wait(l, p);
        if (error < 0)
                error = wait_fault(host, error, fault);
        else if (l->error != 0)
                error = lookup_fault(host, l->error, fault);
        else
                *ret = take_ptr(l->answer);
        lookup_release(l);
        return error;
}

int resolver_lookup(struct resolver *r, const char *host, uint16_t port, const struct patience *p,
        struct addrinfo **ret, struct fault *fault)
{
        char service[8];
        text_message(service, sizeof(service), "%u", (unsigned)port);
        int error = ask(host, service, AI_NUMERICHOST, ret);
        if (error == 0)
                return 0;
        if (error != EAI_NONAME)
                return lookup_fault(host, error, fault);
        return lookup_name(r, host, service, p, ret, fault);
}
