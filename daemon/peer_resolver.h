/* SPDX-License-Identifier: Apache-2.0 */
/* Host names to textual addresses, in a thread of its own: getaddrinfo() can block for as long as the
 * system's resolver likes. */
#ifndef DAEMON_PEER_RESOLVER_H
#define DAEMON_PEER_RESOLVER_H

#include <stddef.h>

struct peer_resolver;

/* `found` is called on the resolver's thread with every address of every name that could be resolved; a name
 * that could not be keeps the addresses it had before. */
int peer_resolver_new(void (*found)(void *context, const char *const *addresses, size_t n), void *context,
        struct peer_resolver **ret);
/* Replaces the names and resolves them now, and again every PEER_RESOLVER_INTERVAL_S. 0, -ENOMEM. */
int peer_resolver_set(struct peer_resolver *r, const char *const *names, size_t n);
/* Does not wait for a look-up under way: found() will not be called again, the thread frees what is left. */
void peer_resolver_free(struct peer_resolver *r);

#define PEER_RESOLVER_INTERVAL_S 60

#endif
