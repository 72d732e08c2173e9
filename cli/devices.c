/* SPDX-License-Identifier: Apache-2.0 */
/* rdma-canary devices: what there is on this host. */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/units.h"
#include "engine/engine.h"

/* enum ibv_port_state, which only the engine includes. */
static const char *port_state(unsigned state)
{
        static const char *const names[] = { "no state", "down", "init", "armed", "active", "deferred" };
        return state < ARRAY_SIZE(names) ? names[state] : "unknown";
}

static void print_address(const struct rdma_address *a)
{
        char text[64], name[IF_NAMESIZE] = "";
        rdma_address_format(a, text, sizeof(text));
        if (a->ifindex == 0 || !if_indextoname(a->ifindex, name))
                name[0] = '\0';
        printf("    %-39s %-10s %s\n", text, gid_type_name(a->type), name);
}

static void print_port(const struct port_facts *p)
{
        char rate[UNITS_MAX];
        printf("  port %u: %s, %s, %s, MTU %u", p->number, port_state(p->state),
                link_layer_name(p->link_layer), units_bits(rate, (double)p->rate_bytes_per_second),
                p->active_mtu_bytes);
        if (p->link_layer == LINK_INFINIBAND)
                printf(", LID %u", p->lid);
        printf("\n");
        for (size_t i = 0; i < p->n_addresses; i++)
                print_address(&p->addresses[i]);
}

static void print_device(const struct device_facts *d)
{
        printf("%s: %s%s%s", d->name, device_class_name(d->class), *d->driver ? ", " : "", d->driver);
        if (*d->firmware)
                printf(", firmware %s", d->firmware);
        if (d->numa_node >= 0)
                printf(", NUMA node %d", d->numa_node);
        printf("%s\n", d->iwarp ? ", iWARP: counted, never probed" : "");
        if (d->n_ports == 0)
                printf("  cannot be opened: may you read and write /dev/infiniband/uverbs*?\n");
        for (size_t i = 0; i < d->n_ports; i++)
                print_port(&d->ports[i]);
}

static int devices(const struct command *self, int argc, char **argv)
{
        size_t operands, n;
        enum arguments_result parsed = arguments_parse(self, NULL, 0, argc, argv, NULL, NULL, 0, &operands);
        if (parsed != ARGUMENTS_GO)
                return parsed == ARGUMENTS_HELPED ? CLI_OK : CLI_USAGE;
        cleanup(freep) struct device_facts *list = NULL;
        int r = device_list(&list, &n);
        if (r < 0) {
                fprintf(stderr, "rdma-canary: cannot list RDMA devices: %s\n",
                        r == -ENOSYS ? "the kernel has no RDMA support; is ib_uverbs loaded?" : strerror(-r));
                return CLI_LOCAL;
        }
        if (n == 0) {
                fprintf(stderr, "rdma-canary: this host has no RDMA device\n");
                return CLI_LOCAL;
        }
        for (size_t i = 0; i < n; i++)
                print_device(&list[i]);
        return CLI_OK;
}

const struct command command_devices = {
        .name = "devices",
        .synopsis = "[--help]",
        .summary = "Lists this host's RDMA devices, ports and addresses.",
        .run = devices,
};
