/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/channel.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <inttypes.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "engine/fault.h"
#include "engine/protocol.h"

struct channel {
        int fd;
        char name[192];
};

/* ---- addresses ------------------------------------------------------------------------------------ */

void socket_address_format(const struct sockaddr *a, char *dst, size_t size)
{
        char text[INET6_ADDRSTRLEN] = "unknown", scope[IF_NAMESIZE + 1] = "";
        if (a->sa_family == AF_INET)
                (void)inet_ntop(AF_INET, &((const struct sockaddr_in *)a)->sin_addr, text, sizeof(text));
        if (a->sa_family == AF_INET6) {
                const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)a;
                if (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr))
                        (void)inet_ntop(AF_INET, &six->sin6_addr.s6_addr[12], text, sizeof(text));
                else
                        (void)inet_ntop(AF_INET6, &six->sin6_addr, text, sizeof(text));
                char interface[IF_NAMESIZE];
                if (six->sin6_scope_id != 0 && if_indextoname(six->sin6_scope_id, interface))
                        text_message(scope, sizeof(scope), "%%%s", interface);
        }
        text_message(dst, size, "%s%s", text, scope);
}

static unsigned socket_address_port(const struct sockaddr *a)
{
        if (a->sa_family == AF_INET6)
                return ntohs(((const struct sockaddr_in6 *)a)->sin6_port);
        return ntohs(((const struct sockaddr_in *)a)->sin_port);
}

/* "host-b (198.51.100.2:14792)", or the address alone when that is what the user calls it. */
static void peer_name(const char *host, const struct sockaddr *a, char *dst, size_t size)
{
        char address[SOCKET_ADDRESS_TEXT_MAX], whole[SOCKET_ADDRESS_TEXT_MAX + 16];
        socket_address_format(a, address, sizeof(address));
        text_message(whole, sizeof(whole), strchr(address, ':') ? "[%s]:%u" : "%s:%u", address,
                socket_address_port(a));
        if (text_equal(host, address))
                text_message(dst, size, "%s", whole);
        else
                text_message(dst, size, "%.80s (%s)", host, whole);
}

/* ---- sockets -------------------------------------------------------------------------------------- */

/* A peer that vanished without a word (power, cable) is noticed by the kernel within about five seconds, also
 * while this end only listens. Deadlines do not depend on it. */
#define DEAD_PEER_MS         5000
#define KEEPALIVE_IDLE_S     2
#define KEEPALIVE_INTERVAL_S 1
#define KEEPALIVE_PROBES     3

static void socket_tune(int fd)
{
        static const struct {
                int level, option, value;
        } options[] = {
                { IPPROTO_TCP, TCP_NODELAY, 1 },
                { IPPROTO_TCP, TCP_USER_TIMEOUT, DEAD_PEER_MS },
                { SOL_SOCKET, SO_KEEPALIVE, 1 },
                { IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_IDLE_S },
                { IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_INTERVAL_S },
                { IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_PROBES },
        };
        for (size_t i = 0; i < ARRAY_SIZE(options);
                i++) /* helpful, not needed: a socketpair has none of them */
                (void)setsockopt(fd, options[i].level, options[i].option, &options[i].value, sizeof(int));
}

/* Waits until the socket is ready for `events` or has something to say. */
static int socket_wait(int fd, short events, const struct patience *p)
{
        for (;;) {
                uint64_t now = clock_now_ns();
                int r = patience_check(p, now);
                if (r < 0)
                        return r;
                struct pollfd pfd = { .fd = fd, .events = events };
                r = poll(&pfd, 1, deadline_poll_ms(now + patience_slice_ns(p, now)));
                if (r > 0)
                        return 0;
                if (r < 0 && errno != EINTR)
                        return -errno;
        }
}

static int socket_connect(const struct addrinfo *a, const struct patience *p, int *ret)
{
        cleanup(close_fdp) int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (fd < 0)
                return -errno;
        socket_tune(fd);
        if (connect(fd, a->ai_addr, a->ai_addrlen) < 0 && errno != EINPROGRESS)
                return -errno;
        int r = socket_wait(fd, POLLOUT, p);
        if (r < 0)
                return r;
        int error = 0;
        socklen_t len = sizeof(error);
        if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
                return -errno;
        if (error != 0)
                return -error;
        *ret = take_fd(&fd);
        return 0;
}

static int connect_fault(
        const char *name, const struct sockaddr *a, int r, uint64_t spent_ns, struct fault *f)
{
        double seconds = (double)spent_ns / (double)NS_PER_SEC;
        switch (r) {
        case -ECANCELED:
                return fault_set(f, OUTCOME_CANCELLED, r, "%s: cancelled while connecting", name);
        case -ECONNREFUSED:
                return fault_set(
                        f, OUTCOME_PEER, r, "%s: connection refused; is rdma-canaryd running there?", name);
        case -ETIMEDOUT:
                return fault_set(f, OUTCOME_PEER, r,
                        "%s: no answer within %.1f s; is the host up, and does its firewall let TCP port %u "
                        "in?",
                        name, seconds, socket_address_port(a));
        case -EHOSTUNREACH:
        case -ENETUNREACH:
                return fault_set(f, OUTCOME_PEER, r, "%s: %s; is the host up and the route to it right?",
                        name, strerror(-r));
        case -EMFILE:
        case -ENFILE:
        case -ENOBUFS:
        case -ENOMEM:
                return fault_set(f, OUTCOME_LOCAL, r, "%s: no socket on this host: %s (LimitNOFILE?)", name,
                        strerror(-r));
        default:
                return fault_set(f, OUTCOME_PEER, r, "%s: cannot connect: %s", name, strerror(-r));
        }
}

int channel_connect(const char *host, const struct addrinfo *addresses, const struct patience *p,
        struct channel **ret, struct fault *fault)
{
        unsigned left = 0;
        int r = fault_set(fault, OUTCOME_PEER, -EHOSTUNREACH, "%s has no address", host);
        for (const struct addrinfo *a = addresses; a; a = a->ai_next)
                left++;
        for (const struct addrinfo *a = addresses; a; a = a->ai_next, left--) {
                uint64_t start = clock_now_ns();
                struct patience share = { start + deadline_left_ns(p->deadline_ns, start) / left, p->cancel };
                char name[sizeof(((struct channel *)0)->name)];
                int fd = -1;
                peer_name(host, a->ai_addr, name, sizeof(name));
                r = socket_connect(a, &share, &fd);
                if (r == 0 && (r = channel_adopt(fd, name, ret)) == 0)
                        return 0;
                r = connect_fault(name, a->ai_addr, r, clock_now_ns() - start, fault);
                if (r == -ECANCELED)
                        return r;
        }
        return r;
}

int channel_adopt(int fd, const char *name, struct channel **ret)
{
        struct channel *c = calloc(1, sizeof(*c));
        if (!c) {
                close_fdp(&fd);
                return -ENOMEM;
        }
        socket_tune(fd);
        c->fd = fd;
        text_message(c->name, sizeof(c->name), "%s", name);
        *ret = c;
        return 0;
}

void channel_close(struct channel *c)
{
        if (!c)
                return;
        close_fdp(&c->fd);
        free(c);
}

int channel_fd(const struct channel *c)
{
        return c->fd;
}

const char *channel_name(const struct channel *c)
{
        return c->name;
}

/* ---- frames --------------------------------------------------------------------------------------- */

/* True when the call should be tried again after a wait. */
static bool would_block(ssize_t n)
{
        return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

static int send_all(int fd, const char *data, size_t len, int flags, const struct patience *p)
{
        while (len > 0) {
                ssize_t n = send(fd, data, len, flags | MSG_NOSIGNAL | MSG_DONTWAIT);
                if (n < 0 && !would_block(n))
                        return -errno;
                if (n > 0) {
                        data += n;
                        len -= (size_t)n;
                        continue;
                }
                int r = socket_wait(fd, POLLOUT, p);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int receive_all(int fd, char *data, size_t len, const struct patience *p)
{
        while (len > 0) {
                ssize_t n = recv(fd, data, len, MSG_DONTWAIT);
                if (n == 0)
                        return -EPIPE;
                if (n < 0 && !would_block(n))
                        return -errno;
                if (n > 0) {
                        data += n;
                        len -= (size_t)n;
                }
                /* Looked at also after progress: who drips a byte a second gets no more time for it. */
                int r = len > 0 ? socket_wait(fd, POLLIN, p) : 0;
                if (r < 0)
                        return r;
        }
        return 0;
}

int channel_send(struct channel *c, const void *data, size_t len, const struct patience *p)
{
        uint8_t header[PROTOCOL_HEADER_BYTES];
        frame_header_encode((uint32_t)len, header);
        int r = send_all(c->fd, (const char *)header, sizeof(header), MSG_MORE, p);
        return r < 0 ? r : send_all(c->fd, data, len, 0, p);
}

int channel_receive(struct channel *c, struct buf *into, const struct patience *p, char *why)
{
        uint8_t header[PROTOCOL_HEADER_BYTES];
        int r = receive_all(c->fd, (char *)header, sizeof(header), p);
        if (r < 0)
                return r;
        uint32_t len;
        r = frame_header_decode(header, &len, why);
        if (r < 0)
                return r;
        char *data = malloc(len);
        if (!data)
                return -ENOMEM;
        r = receive_all(c->fd, data, len, p);
        buf_clear(into);
        if (r == 0)
                buf_bytes(into, data, len);
        free(data);
        return r < 0 ? r : into->error;
}
