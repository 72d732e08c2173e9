/* SPDX-License-Identifier: Apache-2.0 */
/* The other end of a control connection in a test's hands, and a device that is not there. */
#ifndef TESTS_UNIT_ENGINE_CONTROL_H
#define TESTS_UNIT_ENGINE_CONTROL_H

#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/text.h"
#include "engine/engine.h"

#define FRAME_TEXT_MAX 8192

#define HELLO_V1                                                                                             \
        "{\"type\":\"hello\",\"magic\":\"rdma-canary\",\"version_min\":1,\"version_max\":1,\"node\":\"host-" \
        "a\"}"

/* rxe7 with one active port and one address: 198.51.100.7. */
static inline struct device_facts fake_device(void)
{
        struct device_facts d = {
                .name = "rxe7", .driver = "rdma_rxe", .class = DEVICE_SOFTWARE, .n_ports = 1
        };
        struct port_facts *p = &d.ports[0];
        *p = (struct port_facts){
                .number = 1,
                .state = 4, /* ACTIVE */
                .link_layer = LINK_ETHERNET,
                .active_mtu_bytes = 1024,
                .n_addresses = 1,
        };
        static const uint8_t gid[16] = { [10] = 0xff, 0xff, 198, 51, 100, 7 };
        memcpy(p->addresses[0].gid, gid, sizeof(gid));
        p->addresses[0].type = GID_ROCE_V2;
        return d;
}

static inline void frame_send(int fd, const char *json)
{
        uint32_t len = htonl((uint32_t)strlen(json));
        /* The other end may be gone already: what comes back tells. */
        (void)!send(fd, &len, sizeof(len), MSG_NOSIGNAL);
        (void)!send(fd, json, strlen(json), MSG_NOSIGNAL);
}

static inline bool bytes_receive(int fd, void *into, size_t len, int timeout_ms)
{
        for (char *at = into; len > 0;) {
                struct pollfd p = { .fd = fd, .events = POLLIN };
                ssize_t n = poll(&p, 1, timeout_ms) == 1 ? recv(fd, at, len, 0) : -1;
                if (n <= 0)
                        return false;
                at += n;
                len -= (size_t)n;
        }
        return true;
}

/* The frame's text in a static buffer; "" when the other end hung up or said nothing in time. */
static inline const char *frame_receive(int fd, int timeout_ms)
{
        static _Thread_local char text[FRAME_TEXT_MAX];
        uint32_t len;
        text[0] = '\0';
        if (!bytes_receive(fd, &len, sizeof(len), timeout_ms) || ntohl(len) >= sizeof(text))
                return text;
        bool whole = bytes_receive(fd, text, ntohl(len), timeout_ms);
        text[whole ? ntohl(len) : 0] = '\0';
        return text;
}

/* True when the other end hangs up within the time (whatever it says before). */
static inline bool hangs_up(int fd, int timeout_ms)
{
        char ignored[256];
        uint64_t end = clock_now_ns() + (uint64_t)timeout_ms * NS_PER_MS;
        while (clock_now_ns() < end) {
                struct pollfd p = { .fd = fd, .events = POLLIN };
                if (poll(&p, 1, deadline_poll_ms(end)) == 1 && recv(fd, ignored, sizeof(ignored), 0) <= 0)
                        return true;
        }
        return false;
}

#endif
