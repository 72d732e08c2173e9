/* SPDX-License-Identifier: Apache-2.0 */
/* The control connection: whole frames over TCP, each step with a deadline. Keys and TLS would slot in here.
 * Used by one thread at a time. */
#ifndef ENGINE_CHANNEL_H
#define ENGINE_CHANNEL_H

#include <netdb.h>
#include <sys/socket.h>

#include "base/scope.h"
#include "base/text.h"
#include "engine/engine.h"
#include "engine/resolve.h"

struct channel;

/* "198.51.100.2" or "2001:db8::2", IPv4-mapped addresses as IPv4; size ≥ INET6_ADDRSTRLEN + 16 for a scope.
 */
#define SOCKET_ADDRESS_TEXT_MAX 64
void socket_address_format(const struct sockaddr *a, char *dst, size_t size);

/* Tries the addresses in turn, an equal share of the time each. `host` is what the user calls the peer, for
 * messages. A failure is OUTCOME_PEER, OUTCOME_LOCAL (no socket) or OUTCOME_CANCELLED; the reason is that of
 * the last address. */
int channel_connect(const char *host, const struct addrinfo *addresses, const struct patience *p,
        struct channel **ret, struct fault *fault);
/* Takes a connected socket, also on failure. -ENOMEM. */
int channel_adopt(int fd, const char *name, struct channel **ret);
void channel_close(struct channel *c); /* NULL is fine */
DEFINE_SCOPE_FREE(struct channel *, channel_close);

int channel_fd(const struct channel *c);
/* How messages call the other end: "host-b (198.51.100.2:14792)". */
const char *channel_name(const struct channel *c);

/* Whole frames. 0; -ETIMEDOUT, -ECANCELED; -EPIPE: the other end closed; -ECONNRESET and other errors of the
 * network; -ENOMEM; from receive also -EPROTO with the reason in why[ENGINE_REASON_MAX]. Receiving takes
 * nothing beyond the frame. After a failure the connection is good for nothing, except that a peer's parting
 * word can still be received when sending failed. */
int channel_send(struct channel *c, const void *data, size_t len, const struct patience *p);
int channel_receive(struct channel *c, struct buf *into, const struct patience *p, char *why);

#endif
