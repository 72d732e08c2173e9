/* SPDX-License-Identifier: Apache-2.0 */
/* Host names to textual addresses, in a thread of its own: getaddrinfo() can block for as long as the
 * system's resolver likes. */
#ifndef DAEMON_RESOLVER_H
#define DAEMON_RESOLVER_H

#include <stddef.h>

struct resolver;

/* `found` is called on the resolver's thread with every address of every name that could be resolved; a name
 * that could not be keeps the addresses it had before. */
int resolver_new(void (*found)(void *context, const char *const *addresses, size_t n), void *context,
        struct resolver **ret);
/* Replaces the names and resolves them now, and again every RESOLVER_INTERVAL_S. 0, -ENOMEM. */
int resolver_set(struct resolver *r, const char *const *names, size_t n);
/* Does not wait for a look-up under way: found() will not be called again, the thread frees what is left. */
void resolver_free(struct resolver *r);

#define RESOLVER_INTERVAL_S 60

#endif
