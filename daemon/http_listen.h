/* SPDX-License-Identifier: Apache-2.0 */
/* Listening TCP sockets. */
#ifndef DAEMON_HTTP_LISTEN_H
#define DAEMON_HTTP_LISTEN_H

#include <stddef.h>
#include <stdint.h>

/* Listens on "host:port", "[v6]:port" or ":port" (all addresses of both families, by one socket). Port 0: any
 * free one. *ret_fd: non-blocking, closed on exec, the caller's. 0; -errno with a sentence in why. */
int http_listen(const char *address, int *ret_fd, char *why, size_t why_size);
/* Makes an inherited socket fit for the server. -ENOTSOCK, -EINVAL (not listening), -errno. */
int http_listen_adopt(int fd);
/* The port a socket is bound to; 0: none. */
uint16_t http_listen_port(int fd);

#endif
