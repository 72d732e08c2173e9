/* SPDX-License-Identifier: Apache-2.0 */
/* RDMA devices and their facts, from libibverbs and, for what it does not tell (driver, NUMA node), from
 * /sys/class/infiniband/DEVICE. */
#include "engine/device.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/scope.h"
#include "base/text.h"

/* Software devices have no PCI function and hence no `device` link; they are known by what they give as
 * vendor (drivers/infiniband/sw/rxe/rxe_param.h, siw/siw.h). */
#define VENDOR_RXE 0xffffff
#define VENDOR_SIW 0x626d74

unsigned mtu_to_bytes(enum ibv_mtu mtu)
{
        return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096 ? 128U << mtu : 0;
}

enum ibv_mtu mtu_from_bytes(unsigned bytes)
{
        for (enum ibv_mtu mtu = IBV_MTU_256; mtu <= IBV_MTU_4096; mtu++)
                if (mtu_to_bytes(mtu) == bytes)
                        return mtu;
        return (enum ibv_mtu)0;
}

/* Some providers fail without setting errno. */
static int errno_or(int fallback)
{
        int error = errno;
        return error > 0 ? -error : fallback;
}

int verbs_error(int returned)
{
        if (returned == -1)
                return errno_or(-EIO);
        return returned > 0 ? -returned : returned;
}

static struct ibv_device *find(struct ibv_device **list, const char *name)
{
        for (; *list; list++)
                if (text_equal(ibv_get_device_name(*list), name))
                        return *list;
        return NULL;
}

int device_open(const char *name, struct ibv_context **ret)
{
        struct ibv_device **list = ibv_get_device_list(NULL);
        if (!list)
                return errno_or(-ENOSYS);
        int r = -ENODEV;
        struct ibv_device *device = find(list, name);
        if (device) {
                errno = 0;
                struct ibv_context *context = ibv_open_device(device);
                r = context ? 0 : errno_or(-EIO);
                if (context)
                        *ret = context;
        }
        ibv_free_device_list(list);
        return r;
}

/* Of one lane; the speeds are powers of two, as the specification encodes them. Data rates, not signalling
 * ones, as the kernel's `rate` file has them. */
static uint64_t lane_bytes_per_second(uint8_t speed)
{
        static const struct {
                uint8_t code;
                uint64_t megabits;
        } speeds[] = {
                { 1, 2500 },     /* SDR */
                { 2, 5000 },     /* DDR */
                { 4, 10000 },    /* QDR */
                { 8, 10000 },    /* FDR10 */
                { 16, 14000 },   /* FDR */
                { 32, 25000 },   /* EDR */
                { 64, 50000 },   /* HDR */
                { 128, 100000 }, /* NDR */
        };
        for (size_t i = 0; i < ARRAY_SIZE(speeds); i++)
                if (speeds[i].code == speed)
                        return speeds[i].megabits * 1000000 / 8;
        return 0;
}

static unsigned lanes(uint8_t width)
{
        switch (width) {
        case 1:
                return 1;
        case 2:
                return 4;
        case 4:
                return 8;
        case 8:
                return 12;
        case 16:
                return 2;
        default:
                return 0;
        }
}

static enum link_layer link_layer_of(uint8_t verbs_link_layer, enum ibv_transport_type transport)
{
        if (verbs_link_layer == IBV_LINK_LAYER_ETHERNET || transport == IBV_TRANSPORT_IWARP)
                return LINK_ETHERNET;
        if (verbs_link_layer == IBV_LINK_LAYER_INFINIBAND || transport == IBV_TRANSPORT_IB)
                return LINK_INFINIBAND; /* unspecified means InfiniBand, says ibv_query_port(3) */
        return LINK_UNKNOWN;
}

static bool is_zero(const uint8_t gid[16])
{
        static const uint8_t zero[16];
        return memcmp(gid, zero, sizeof(zero)) == 0;
}

/* All GIDs of the device in one call; on old kernels the library falls back to reading sysfs. */
static void query_addresses(struct ibv_context *context, struct port_facts *port)
{
        /* Soft-RoCE's table has 1024 entries, but the index in an address vector (ibv_global_route) has 8
         * bits. */
        enum { TABLE_MAX = 1024, INDEX_MAX = 255 };
        cleanup(freep) struct ibv_gid_entry *table = calloc(TABLE_MAX, sizeof(*table));
        if (!table)
                return;
        ssize_t n = ibv_query_gid_table(context, table, TABLE_MAX, 0);
        for (ssize_t i = 0; i < n && port->n_addresses < ENGINE_ADDRESSES_MAX; i++) {
                if (table[i].port_num != port->number || table[i].gid_index > INDEX_MAX ||
                        is_zero(table[i].gid.raw))
                        continue;
                struct rdma_address *a = &port->addresses[port->n_addresses++];
                memcpy(a->gid, table[i].gid.raw, sizeof(a->gid));
                a->index = table[i].gid_index;
                a->ifindex = table[i].ndev_ifindex;
                a->type = table[i].gid_type == IBV_GID_TYPE_ROCE_V2   ? GID_ROCE_V2
                          : table[i].gid_type == IBV_GID_TYPE_ROCE_V1 ? GID_ROCE_V1
                                                                      : GID_INFINIBAND;
        }
}

static int query_port(struct ibv_context *context, uint8_t number, struct port_facts *ret)
{
        struct ibv_port_attr attributes = { 0 };
        int r = verbs_error(ibv_query_port(context, number, &attributes));
        if (r < 0)
                return r;
        *ret = (struct port_facts){
                .number = number,
                .state = (uint8_t)attributes.state,
                .link_layer = link_layer_of(attributes.link_layer, context->device->transport_type),
                .active_mtu_bytes = mtu_to_bytes(attributes.active_mtu),
                .max_mtu_bytes = mtu_to_bytes(attributes.max_mtu),
                .lid = attributes.lid,
                .rate_bytes_per_second =
                        lanes(attributes.active_width) * lane_bytes_per_second(attributes.active_speed),
        };
        query_addresses(context, ret);
        return 0;
}

/* "" when the device has no such link: software has none. */
static void read_driver(const char *ibdev_path, char *dst, size_t size)
{
        char path[PATH_MAX], target[PATH_MAX];
        dst[0] = '\0';
        if (text_format(path, sizeof(path), "%s/device/driver", ibdev_path) < 0)
                return;
        ssize_t n = readlink(path, target, sizeof(target) - 1);
        if (n <= 0)
                return;
        target[n] = '\0';
        const char *slash = strrchr(target, '/');
        (void)text_copy(dst, size, slash ? slash + 1 : target); /* a name to show: cut off is fine */
}

static int read_numa_node(const char *ibdev_path)
{
        char path[PATH_MAX], text[32];
        if (text_format(path, sizeof(path), "%s/device/numa_node", ibdev_path) < 0)
                return -1;
        cleanup(close_fdp) int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t n = fd >= 0 ? read(fd, text, sizeof(text)) : -1;
        uint64_t node;
        /* "-1" is not a number to this parser, and means what -1 means here. */
        if (n <= 0 || parse_sysfs_u64(text, (size_t)n, &node) < 0 || node > INT_MAX)
                return -1;
        return (int)node;
}

static void format_guid(char *dst, size_t size, uint64_t network_order)
{
        uint64_t guid = be64toh(network_order);
        (void)text_format(dst, size, "%04x:%04x:%04x:%04x", (unsigned)(guid >> 48 & 0xffff),
                (unsigned)(guid >> 32 & 0xffff), (unsigned)(guid >> 16 & 0xffff), (unsigned)(guid & 0xffff));
}

/* What is known without opening it. */
static void facts_of_name(const struct ibv_device *device, struct device_facts *ret)
{
        *ret = (struct device_facts){
                .iwarp = device->transport_type == IBV_TRANSPORT_IWARP,
                .numa_node = read_numa_node(device->ibdev_path),
        };
        (void)text_copy(
                ret->name, sizeof(ret->name), device->name); /* same size by the kernel's definition */
        read_driver(device->ibdev_path, ret->driver, sizeof(ret->driver));
        format_guid(ret->node_guid, sizeof(ret->node_guid), ibv_get_device_guid((struct ibv_device *)device));
}

static void classify(struct device_facts *facts, uint32_t vendor_id)
{
        const char *software = vendor_id == VENDOR_RXE ? "rdma_rxe" : vendor_id == VENDOR_SIW ? "siw" : NULL;
        if (!software)
                return;
        facts->class = DEVICE_SOFTWARE;
        (void)text_copy(facts->driver, sizeof(facts->driver), software); /* fits */
}

int device_facts_query(struct ibv_context *context, struct device_facts *ret)
{
        facts_of_name(context->device, ret);
        struct ibv_device_attr attributes = { 0 };
        int r = verbs_error(ibv_query_device(context, &attributes));
        if (r < 0)
                return r;
        classify(ret, attributes.vendor_id);
        (void)text_copy(
                ret->firmware, sizeof(ret->firmware), attributes.fw_ver); /* to show: cut off is fine */
        for (uint8_t number = 1; number <= attributes.phys_port_cnt && ret->n_ports < ENGINE_PORTS_MAX;
                number++)
                if (query_port(context, number, &ret->ports[ret->n_ports]) == 0)
                        ret->n_ports++;
        return 0;
}

/* "mlx5_2" before "mlx5_10", as discovery orders them: a rail is a device's place. */
static int compare_names(const void *a, const void *b)
{
        return strverscmp(((const struct device_facts *)a)->name, ((const struct device_facts *)b)->name);
}

static void query_closed(struct ibv_device *device, struct device_facts *ret)
{
        facts_of_name(device, ret);
        struct ibv_context *context = ibv_open_device(device);
        if (!context)
                return;                         /* listed, with no ports */
        (void)device_facts_query(context, ret); /* what could be read */
        (void)ibv_close_device(context);        /* nothing to be done about an error */
}

int device_list(struct device_facts **ret, size_t *ret_n)
{
        int n = 0;
        struct ibv_device **list = ibv_get_device_list(&n);
        if (!list)
                return errno == ENOMEM ? -ENOMEM : -ENOSYS;
        struct device_facts *facts = calloc((size_t)n + 1, sizeof(*facts));
        for (int i = 0; facts && i < n; i++)
                query_closed(list[i], &facts[i]);
        ibv_free_device_list(list);
        if (!facts)
                return -ENOMEM;
        qsort(facts, (size_t)n, sizeof(*facts), compare_names);
        *ret = facts;
        *ret_n = (size_t)n;
        return 0;
}

int device_find(const char *name, struct device_facts *ret)
{
        struct ibv_context *context = NULL;
        int r = device_open(name, &context);
        if (r < 0)
                return r;
        assert(context); /* the analyser does not see that 0 means so */
        struct device_facts facts;
        r = device_facts_query(context, &facts);
        (void)ibv_close_device(context); /* nothing to be done about an error */
        if (r == 0)
                *ret = facts;
        return r;
}

const char *device_class_name(enum device_class c)
{
        switch (c) {
        case DEVICE_HARDWARE:
                return "hardware";
        case DEVICE_SOFTWARE:
                return "software";
        }
        return "unknown";
}

const char *link_layer_name(enum link_layer l)
{
        switch (l) {
        case LINK_INFINIBAND:
                return "InfiniBand";
        case LINK_ETHERNET:
                return "Ethernet";
        case LINK_UNKNOWN:
                break;
        }
        return "unknown";
}

const char *gid_type_name(enum gid_type t)
{
        switch (t) {
        case GID_INFINIBAND:
                return "InfiniBand";
        case GID_ROCE_V1:
                return "RoCE v1";
        case GID_ROCE_V2:
                return "RoCE v2";
        }
        return "unknown";
}
