/* SPDX-License-Identifier: Apache-2.0 */
/* Which port and which pair of GIDs two hosts should use. On RoCE a GID is an IP address, and what the
 * kernel's routing would use to reach the peer's is the one that works; a table index never says that. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/scope.h"
#include "base/text.h"
#include "engine/endpoint.h"
#include "engine/fault.h"

#define PORT_ACTIVE 4
#define ANY_PORT    htons(9) /* discard: nothing is ever sent */

static bool is_ipv4(const struct rdma_address *a)
{
        return IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)(const void *)a->gid);
}

static bool is_link_local(const struct rdma_address *a)
{
        return IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)(const void *)a->gid);
}

void rdma_address_format(const struct rdma_address *a, char *dst, size_t size)
{
        const char *text = is_ipv4(a) ? inet_ntop(AF_INET, a->gid + 12, dst, (socklen_t)size)
                                      : inet_ntop(AF_INET6, a->gid, dst, (socklen_t)size);
        if (!text && size > 0)
                dst[0] = '\0';
}

/* The peer's GID as a socket address; scope is the interface of a link-local one. */
static socklen_t socket_address(const struct rdma_address *a, uint32_t scope, struct sockaddr_storage *ret)
{
        *ret = (struct sockaddr_storage){ 0 };
        if (is_ipv4(a)) {
                struct sockaddr_in *in = (struct sockaddr_in *)ret;
                in->sin_family = AF_INET;
                in->sin_port = ANY_PORT;
                memcpy(&in->sin_addr, a->gid + 12, sizeof(in->sin_addr));
                return sizeof(*in);
        }
        struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ret;
        in6->sin6_family = AF_INET6;
        in6->sin6_port = ANY_PORT;
        in6->sin6_scope_id = scope;
        memcpy(&in6->sin6_addr, a->gid, sizeof(in6->sin6_addr));
        return sizeof(*in6);
}

static void gid_of(const struct sockaddr_storage *address, uint8_t ret[16])
{
        if (address->ss_family == AF_INET6) {
                memcpy(ret, &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
                return;
        }
        static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
        memcpy(ret, mapped, sizeof(mapped));
        memcpy(ret + 12, &((const struct sockaddr_in *)address)->sin_addr, 4);
}

/* The source address the kernel would use towards `remote`, as a GID. ifindex 0: by the routing table alone;
 * else as if only that interface existed. Sends nothing. */
static int route_source(const struct rdma_address *remote, uint32_t ifindex, uint8_t ret[16])
{
        struct sockaddr_storage address;
        socklen_t size = socket_address(remote, ifindex, &address);
        cleanup(close_fdp) int fd = socket(address.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (fd < 0)
                return -errno;
        int interface = (int)ifindex;
        if (ifindex && setsockopt(fd, SOL_SOCKET, SO_BINDTOIFINDEX, &interface, sizeof(interface)) < 0)
                return -errno;
        if (connect(fd, (struct sockaddr *)&address, size) < 0)
                return -errno;
        size = sizeof(address);
        if (getsockname(fd, (struct sockaddr *)&address, &size) < 0)
                return -errno;
        gid_of(&address, ret);
        return 0;
}

/* RoCE v2 before v1, routable before link-local, IPv4 before IPv6: 0 is the best. */
static unsigned rank(const struct rdma_address *a)
{
        return (a->type == GID_ROCE_V2 ? 0U : 4U) + (is_link_local(a) ? 2U : 0U) + (is_ipv4(a) ? 0U : 1U);
}

#define RANKS 8

/* A local address that the kernel would use towards `remote`. With several rails in one subnet the routing
 * table names only one of them for all; the others reach the peer all the same, when asked for by their
 * interface, which is how the RDMA stack asks. */
static const struct rdma_address *local_for(const struct port_facts *port, const struct rdma_address *remote)
{
        uint8_t source[16];
        for (size_t i = 0; i < port->n_addresses; i++) {
                const struct rdma_address *local = &port->addresses[i];
                if (local->type != remote->type || is_ipv4(local) != is_ipv4(remote))
                        continue;
                if (!is_link_local(remote) && route_source(remote, 0, source) == 0 &&
                        memcmp(source, local->gid, sizeof(source)) == 0)
                        return local;
                if (local->ifindex && route_source(remote, local->ifindex, source) == 0 &&
                        memcmp(source, local->gid, sizeof(source)) == 0)
                        return local;
        }
        return NULL;
}

/* "198.51.100.1 (RoCE v2), fe80::… (RoCE v2)", as many as fit. */
static void list_addresses(const struct rdma_address *addresses, size_t n, char *dst, size_t size)
{
        size_t used = 0;
        dst[0] = '\0';
        for (size_t i = 0; i < n; i++) {
                char text[INET6_ADDRSTRLEN];
                rdma_address_format(&addresses[i], text, sizeof(text));
                if (text_format(dst + used, size - used, "%s%s (%s)", i > 0 ? ", " : "", text,
                            gid_type_name(addresses[i].type)) < 0) {
                        dst[used] = '\0';
                        return;
                }
                used = strlen(dst);
        }
        if (n == 0)
                text_message(dst, size, "none");
}

static int no_pair(const struct device_facts *device, const struct port_facts *port,
        const struct rdma_address *remote, size_t n, struct fault *fault)
{
        char here[80], there[80];
        list_addresses(port->addresses, port->n_addresses, here, sizeof(here));
        list_addresses(remote, n, there, sizeof(there));
        return fault_set(fault, OUTCOME_LOCAL, -EADDRNOTAVAIL,
                "no address of %s port %u is routed to the peer's; here: %s; there: %s", device->name,
                port->number, here, there);
}

static const struct port_facts *choose_port(
        const struct device_facts *device, uint8_t number, struct fault *fault)
{
        for (size_t i = 0; i < device->n_ports; i++) {
                const struct port_facts *port = &device->ports[i];
                if (number != 0 && port->number != number)
                        continue;
                if (port->state == PORT_ACTIVE)
                        return port;
                if (number != 0) {
                        (void)fault_set(fault, OUTCOME_LOCAL, -ENETDOWN,
                                "port %u of %s is not active (state %u)", number, device->name, port->state);
                        return NULL;
                }
        }
        if (number != 0)
                (void)fault_set(fault, OUTCOME_LOCAL, -ENODEV, "%s has no port %u", device->name, number);
        else
                (void)fault_set(fault, OUTCOME_LOCAL, -ENETDOWN, "%s has no active port: is its link up?",
                        device->name);
        return NULL;
}

/* Both ends of one subnet, if there is such a pair: its prefix is the GID's first half. */
static void choose_infiniband(const struct port_facts *port, const struct rdma_address *remote, size_t n,
        struct rdma_address *ret_local, size_t *ret_remote)
{
        *ret_local = port->addresses[0];
        *ret_remote = 0;
        for (size_t r = 0; r < n; r++)
                if (memcmp(remote[r].gid, port->addresses[0].gid, 8) == 0) {
                        *ret_remote = r;
                        return;
                }
}

static bool choose_roce(const struct port_facts *port, const struct rdma_address *remote, size_t n,
        struct rdma_address *ret_local, size_t *ret_remote)
{
        for (unsigned wanted = 0; wanted < RANKS; wanted++)
                for (size_t r = 0; r < n; r++) {
                        if (remote[r].type == GID_INFINIBAND || rank(&remote[r]) != wanted)
                                continue;
                        const struct rdma_address *local = local_for(port, &remote[r]);
                        if (!local)
                                continue;
                        *ret_local = *local;
                        *ret_remote = r;
                        return true;
                }
        return false;
}

int address_choose(const struct device_facts *local, uint8_t port_number, const struct rdma_address *remote,
        size_t n, enum link_layer remote_layer, struct rdma_address *ret_local, uint8_t *ret_port,
        size_t *ret_remote, struct fault *fault)
{
        if (local->iwarp)
                return fault_set(fault, OUTCOME_LOCAL, -EOPNOTSUPP,
                        "%s is an iWARP device: counted, but not probed, since that needs the connection "
                        "manager",
                        local->name);
        const struct port_facts *port = choose_port(local, port_number, fault);
        if (!port)
                return fault ? fault->error : -ENETDOWN;
        if (port->link_layer != remote_layer)
                return fault_set(fault, OUTCOME_LOCAL, -EADDRNOTAVAIL,
                        "port %u of %s is on %s, the peer's on %s: they cannot reach each other",
                        port->number, local->name, link_layer_name(port->link_layer),
                        link_layer_name(remote_layer));
        bool found = port->n_addresses > 0 && n > 0;
        if (found && port->link_layer == LINK_INFINIBAND)
                choose_infiniband(port, remote, n, ret_local, ret_remote);
        else if (found)
                found = choose_roce(port, remote, n, ret_local, ret_remote);
        if (!found)
                return no_pair(local, port, remote, n, fault);
        *ret_port = port->number;
        return 0;
}
