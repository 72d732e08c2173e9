/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/http_listen.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/parse.h"
#include "base/scope.h"
#include "base/text.h"

#define BACKLOG 128

union address {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        struct sockaddr_storage storage;
};

static int listen_at(const struct sockaddr *address, socklen_t len, int *ret_fd)
{
        cleanup(close_fdp) int fd =
                socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
        int on = 1, off = 0;

        if (fd < 0)
                return -errno;
        /* Without it a restart waits for the connections of the former process to be forgotten. */
        if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0)
                return -errno;
        if (address->sa_family == AF_INET6 &&
                setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) < 0)
                return -errno;
        if (bind(fd, address, len) < 0 || listen(fd, BACKLOG) < 0)
                return -errno;
        *ret_fd = take_fd(&fd);
        return 0;
}

static int listen_everywhere(uint16_t port, int *ret_fd)
{
        union address v6 = { .v6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) } };
        union address v4 = { .v4 = { .sin_family = AF_INET, .sin_port = htons(port) } };
        int r = listen_at(&v6.any, sizeof(v6.v6), ret_fd);

        /* A kernel without IPv6, or with it switched off. */
        if (r == -EAFNOSUPPORT || r == -EADDRNOTAVAIL)
                r = listen_at(&v4.any, sizeof(v4.v4), ret_fd);
        return r;
}

/* A name may have several addresses: the first that can be listened on. */
static int listen_on_host(const char *host, uint16_t port, int *ret_fd)
{
        struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
        struct addrinfo *found;
        char service[6];
        int r;

        text_message(service, sizeof(service), "%u", port);
        r = getaddrinfo(host, service, &hints, &found);
        if (r != 0)
                return r == EAI_SYSTEM ? -errno : -EADDRNOTAVAIL;
        r = -EADDRNOTAVAIL;
        for (const struct addrinfo *a = found; a && r < 0; a = a->ai_next)
                r = listen_at(a->ai_addr, a->ai_addrlen, ret_fd);
        freeaddrinfo(found);
        return r;
}

/* Port 0 is no address to configure, so parse_host_port() refuses it; tests ask for it. */
static int split(const char *address, char *host, size_t size, uint16_t *ret_port)
{
        size_t len = strlen(address);
        char other[NI_MAXHOST + 8];
        int r;

        if (len < 2 || strcmp(address + len - 2, ":0") != 0)
                return parse_host_port(address, len, host, size, ret_port);
        if (text_format(other, sizeof(other), "%.*s:1", (int)(len - 2), address) < 0)
                return -ERANGE;
        r = parse_host_port(other, strlen(other), host, size, ret_port);
        *ret_port = 0;
        return r;
}

int http_listen(const char *address, int *ret_fd, char *why, size_t why_size)
{
        char host[NI_MAXHOST];
        uint16_t port;
        int r = split(address, host, sizeof(host), &port);

        if (r < 0) {
                text_message(why, why_size,
                        "\"%s\" is no address to listen on: \":14791\", "
                        "\"192.0.2.1:14791\" or \"[2001:db8::1]:14791\" would be",
                        address);
                return r;
        }
        r = host[0] ? listen_on_host(host, port, ret_fd) : listen_everywhere(port, ret_fd);
        if (r < 0)
                text_message(why, why_size, "cannot listen on %s: %s", address, strerror(-r));
        return r;
}

int http_listen_adopt(int fd)
{
        int listening = 0, flags;
        socklen_t len = sizeof(listening);

        if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &len) < 0)
                return -errno;
        if (!listening)
                return -EINVAL;
        flags = fcntl(fd, F_GETFL);
        if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
                return -errno;
        return 0;
}

uint16_t http_listen_port(int fd)
{
        union address a = { 0 };
        socklen_t len = sizeof(a);

        if (getsockname(fd, &a.any, &len) < 0)
                return 0;
        if (a.any.sa_family == AF_INET6)
                return ntohs(a.v6.sin6_port);
        return a.any.sa_family == AF_INET ? ntohs(a.v4.sin_port) : 0;
}
