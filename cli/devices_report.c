/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/devices_report.h"

#include <errno.h>
#include <net/if.h>

#include "base/scope.h"
#include "cli/fields.h"
#include "cli/human.h"
#include "cli/names.h"
#include "cli/report.h"
#include "cli/units.h"

static void netdev_name(const struct rdma_address *a, char *dst, size_t size)
{
        char name[IF_NAMESIZE] = "";
        if (a->ifindex == 0 || !if_indextoname(a->ifindex, name))
                name[0] = '\0';
        text_message(dst, size, "%s", name);
}

/* ---- for programs ----------------------------------------------------------------------------------- */

static void make_class(const void *from, char *dst)
{
        text_message(
                dst, FIELD_MADE_MAX, "%s", device_class_name(((const struct device_facts *)from)->class));
}

static bool has_numa_node(const void *from)
{
        return ((const struct device_facts *)from)->numa_node >= 0;
}

static void make_state(const void *from, char *dst)
{
        text_message(dst, FIELD_MADE_MAX, "%s", name_port_state(((const struct port_facts *)from)->state));
}

static void make_link_layer(const void *from, char *dst)
{
        text_message(
                dst, FIELD_MADE_MAX, "%s", link_layer_name(((const struct port_facts *)from)->link_layer));
}

static bool has_lid(const void *from)
{
        return ((const struct port_facts *)from)->link_layer == LINK_INFINIBAND;
}

static void make_address(const void *from, char *dst)
{
        rdma_address_format(from, dst, FIELD_MADE_MAX);
}

static void make_type(const void *from, char *dst)
{
        text_message(dst, FIELD_MADE_MAX, "%s", gid_type_name(((const struct rdma_address *)from)->type));
}

static void make_netdev(const void *from, char *dst)
{
        netdev_name(from, dst, FIELD_MADE_MAX);
}

static bool failed(const void *from)
{
        return ((const struct devices_report *)from)->fault.kind != OUTCOME_OK;
}

static void make_fault_kind(const void *from, char *dst)
{
        text_message(dst, FIELD_MADE_MAX, "%s",
                outcome_kind_name(((const struct devices_report *)from)->fault.kind));
}

#define REPORT(field)  .offset = offsetof(struct devices_report, field)
#define DEVICE(field)  .offset = offsetof(struct device_facts, field)
#define PORT(field)    .offset = offsetof(struct port_facts, field)
#define ADDRESS(field) .offset = offsetof(struct rdma_address, field)

static const struct field report_fields[] = {
        { "format_version", FIELD_U64, REPORT(format_version) },
        { "command", FIELD_POINTER, REPORT(command) },
        { "node", FIELD_TEXT, REPORT(node) },
        { "fault.kind", FIELD_MADE, .make = make_fault_kind, .known = failed },
        { "fault.reason", FIELD_TEXT, REPORT(fault.reason), .known = failed },
};

static const struct field device_fields[] = {
        { "name", FIELD_TEXT, DEVICE(name) },
        { "class", FIELD_MADE, .make = make_class },
        { "driver", FIELD_TEXT, DEVICE(driver) },
        { "firmware", FIELD_TEXT, DEVICE(firmware) },
        { "node_guid", FIELD_TEXT, DEVICE(node_guid) },
        { "iwarp", FIELD_BOOL, DEVICE(iwarp) },
        { "numa_node", FIELD_INT, DEVICE(numa_node), .known = has_numa_node },
};

static const struct field port_fields[] = {
        { "number", FIELD_U8, PORT(number) },
        { "state", FIELD_MADE, .make = make_state },
        { "link_layer", FIELD_MADE, .make = make_link_layer },
        { "rate_bytes_per_second", FIELD_U64, PORT(rate_bytes_per_second), .positive = true },
        { "active_mtu_bytes", FIELD_UNSIGNED, PORT(active_mtu_bytes), .positive = true },
        { "max_mtu_bytes", FIELD_UNSIGNED, PORT(max_mtu_bytes), .positive = true },
        { "lid", FIELD_U16, PORT(lid), .known = has_lid },
};

static const struct field address_fields[] = {
        { "address", FIELD_MADE, .make = make_address },
        { "type", FIELD_MADE, .make = make_type },
        { "index", FIELD_UNSIGNED, ADDRESS(index) },
        { "netdev", FIELD_MADE, .make = make_netdev },
};

/* Appends an object of these fields to an array; *ret is borrowed from it. */
static int append(json_t *array, const struct field *rows, size_t n, const void *from, json_t **ret)
{
        *ret = json_object();
        if (json_array_append_new(array, *ret) < 0)
                return -ENOMEM;
        return fields_json(rows, n, from, *ret);
}

static int new_array(json_t *into, const char *key, json_t **ret)
{
        *ret = json_array();
        return json_object_set_new(into, key, *ret) < 0 ? -ENOMEM : 0;
}

static int port_json(const struct port_facts *p, json_t *ports)
{
        json_t *port, *addresses, *unused;
        int r = append(ports, port_fields, ARRAY_SIZE(port_fields), p, &port);
        if (r == 0)
                r = new_array(port, "addresses", &addresses);
        for (size_t i = 0; i < p->n_addresses && r == 0; i++)
                r = append(addresses, address_fields, ARRAY_SIZE(address_fields), &p->addresses[i], &unused);
        return r;
}

static int device_json(const struct device_facts *d, json_t *devices)
{
        json_t *device, *ports;
        int r = append(devices, device_fields, ARRAY_SIZE(device_fields), d, &device);
        if (r == 0)
                r = new_array(device, "ports", &ports);
        for (size_t i = 0; i < d->n_ports && r == 0; i++)
                r = port_json(&d->ports[i], ports);
        return r;
}

int devices_report_json(const struct devices_report *report, json_t *into)
{
        json_t *devices;
        int r = fields_json(report_fields, ARRAY_SIZE(report_fields), report, into);
        if (r == 0)
                r = new_array(into, "devices", &devices);
        for (size_t i = 0; i < report->n_devices && r == 0; i++)
                r = device_json(&report->devices[i], devices);
        return r;
}

/* ---- for people ------------------------------------------------------------------------------------- */

static void print_address(FILE *to, const struct rdma_address *a)
{
        char text[64], name[IF_NAMESIZE];
        rdma_address_format(a, text, sizeof(text));
        netdev_name(a, name, sizeof(name));
        fprintf(to, "    %-39s %-10s%s%s\n", text, gid_type_name(a->type), *name ? " " : "", name);
}

static void print_port(FILE *to, const struct port_facts *p)
{
        char rate[UNITS_MAX];
        fprintf(to, "  port %u: %s, %s, %s, MTU %u", p->number, name_port_state(p->state),
                link_layer_name(p->link_layer), units_bits(rate, (double)p->rate_bytes_per_second),
                p->active_mtu_bytes);
        if (p->link_layer == LINK_INFINIBAND)
                fprintf(to, ", LID %u", p->lid);
        fprintf(to, "\n");
        for (size_t i = 0; i < p->n_addresses; i++)
                print_address(to, &p->addresses[i]);
}

static void print_device(FILE *to, const struct device_facts *d)
{
        char firmware[ENGINE_NAME_MAX + 16], numa[32];
        const char *items[6] = { device_class_name(d->class) };
        size_t n = 1;
        text_message(firmware, sizeof(firmware), "firmware %s", d->firmware);
        text_message(numa, sizeof(numa), "NUMA node %d", d->numa_node);
        if (*d->driver)
                items[n++] = d->driver;
        if (*d->firmware)
                items[n++] = firmware;
        if (d->numa_node >= 0)
                items[n++] = numa;
        if (d->iwarp)
                items[n++] = "iWARP: counted, never probed";
        fprintf(to, "%s:\n", d->name);
        human_line(to, " ", items, n);
        if (d->n_ports == 0)
                fprintf(to, "  cannot be opened: may you read and write /dev/infiniband/uverbs*?\n");
        for (size_t i = 0; i < d->n_ports; i++)
                print_port(to, &d->ports[i]);
}

void devices_report_human(const struct devices_report *r, FILE *to)
{
        for (size_t i = 0; i < r->n_devices; i++)
                print_device(to, &r->devices[i]);
}

void devices_report_init(struct devices_report *r)
{
        *r = (struct devices_report){ .format_version = REPORT_FORMAT_VERSION, .command = "devices" };
}

void devices_report_done(struct devices_report *r)
{
        free(r->devices);
        r->devices = NULL;
        r->n_devices = 0;
}
