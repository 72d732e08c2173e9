/* SPDX-License-Identifier: Apache-2.0 */
/* Host names to socket addresses, without ever waiting past a deadline: getaddrinfo() has none (a dead name
 * server holds it for half a minute), so names go to a helper thread that is left behind when late.
 * Thread-safe. */
#ifndef ENGINE_RESOLVE_H
#define ENGINE_RESOLVE_H

#include <netdb.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/scope.h"
#include "engine/engine.h"

/* A step that waits: until when, and what else ends it. */
struct patience {
        uint64_t deadline_ns;
        const atomic_bool *cancel; /* may be NULL; looked at every PATIENCE_SLICE_NS */
};

#define PATIENCE_SLICE_NS UINT64_C(2000000)

/* How long to wait before looking at `cancel` again, at most until the deadline. */
uint64_t patience_slice_ns(const struct patience *p, uint64_t now_ns);
/* 0, -ECANCELED, -ETIMEDOUT. */
int patience_check(const struct patience *p, uint64_t now_ns);

#define RESOLVER_THREADS_MAX 8

struct resolver;

int resolver_new(struct resolver **ret);
void resolver_free(struct resolver *r); /* late helpers keep what they need and end by themselves */

/* Numeric addresses (also "fe80::1%eth0") are parsed at once. *ret is freed with freeaddrinfo(). A failure is
 * OUTCOME_PEER, OUTCOME_CANCELLED, or OUTCOME_LOCAL when no helper can be started. */
int resolver_lookup(struct resolver *r, const char *host, uint16_t port, const struct patience *p,
        struct addrinfo **ret, struct fault *fault);

static inline void addrinfo_freep(struct addrinfo **a)
{
        if (*a)
                freeaddrinfo(*a);
}

#endif
