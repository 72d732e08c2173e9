/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/nldev_message.h"

#include <assert.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <rdma/rdma_netlink.h>
#include <string.h>

#include "base/scope.h"

/* Where the entries of an answer are, and what they hold. */
struct shape {
        uint16_t command;
        bool dump, of_device;
        uint16_t table, entry; /* nested attributes; 0: the message itself is the entry */
        uint16_t name, value;
        size_t value_size;
};

static const struct shape shapes[] = {
        [NLDEV_DEVICES] = {
                .command = RDMA_NLDEV_CMD_GET, .dump = true,
                .name = RDMA_NLDEV_ATTR_DEV_NAME,
                .value = RDMA_NLDEV_ATTR_DEV_INDEX, .value_size = sizeof(uint32_t),
        },
        [NLDEV_COUNTERS] = {
                .command = RDMA_NLDEV_CMD_STAT_GET, .of_device = true,
                .table = RDMA_NLDEV_ATTR_STAT_HWCOUNTERS, .entry = RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY,
                .name = RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME,
                .value = RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE, .value_size = sizeof(uint64_t),
        },
        [NLDEV_COUNTERS_STATUS] = {
                .command = RDMA_NLDEV_CMD_STAT_GET_STATUS, .of_device = true,
                .table = RDMA_NLDEV_ATTR_STAT_HWCOUNTERS, .entry = RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY,
                .name = RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME,
                .value = RDMA_NLDEV_ATTR_STAT_HWCOUNTER_DYNAMIC, .value_size = sizeof(uint8_t),
        },
        [NLDEV_RESOURCES] = {
                .command = RDMA_NLDEV_CMD_RES_GET, .of_device = true,
                .table = RDMA_NLDEV_ATTR_RES_SUMMARY, .entry = RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY,
                .name = RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME,
                .value = RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR, .value_size = sizeof(uint64_t),
        },
        [NLDEV_QUEUE_PAIRS] = {
                .command = RDMA_NLDEV_CMD_RES_QP_GET, .dump = true, .of_device = true,
                .table = RDMA_NLDEV_ATTR_RES_QP, .entry = RDMA_NLDEV_ATTR_RES_QP_ENTRY,
                .name = RDMA_NLDEV_ATTR_RES_KERN_NAME,
                .value = RDMA_NLDEV_ATTR_RES_PID, .value_size = sizeof(uint32_t),
        },
};
static_assert(ARRAY_SIZE(shapes) == N_NLDEV_QUESTIONS, "a shape for every question");

struct reading {
        const struct shape *shape;
        nldev_visit *visit;
        void *context;
};

/* Attributes one after the other that fill the space to its end. */
static int each_attribute(const void *data, size_t len,
        int (*take)(const struct reading *r, const struct nlattr *a, void *into), const struct reading *r,
        void *into)
{
        const char *at = data;

        while (len > 0) {
                const struct nlattr *a = (const void *)at;
                size_t step;
                int error;

                if (len < sizeof(*a) || a->nla_len < sizeof(*a) || a->nla_len > len)
                        return -EBADMSG;
                error = take(r, a, into);
                if (error < 0)
                        return error;
                step = MNL_ALIGN(a->nla_len);
                if (step > len) /* the last may lack its padding */
                        step = len;
                at += step;
                len -= step;
        }
        return 0;
}

static int take_name(const struct nlattr *a, const char **ret)
{
        size_t len = mnl_attr_get_payload_len(a);
        const char *text = mnl_attr_get_payload(a);

        if (len == 0 || memchr(text, '\0', len) != text + len - 1)
                return -EBADMSG;
        *ret = text;
        return 0;
}

static int take_value(const struct nlattr *a, size_t size, uint64_t *ret)
{
        uint32_t word;

        if (mnl_attr_get_payload_len(a) != size)
                return -EBADMSG;
        switch (size) {
        case sizeof(uint8_t):
                *ret = mnl_attr_get_u8(a);
                return 0;
        case sizeof(uint32_t):
                memcpy(&word, mnl_attr_get_payload(a), sizeof(word));
                *ret = word;
                return 0;
        default:
                memcpy(ret, mnl_attr_get_payload(a), sizeof(*ret));
                return 0;
        }
}

static int take_field(const struct reading *r, const struct nlattr *a, void *into)
{
        struct nldev_entry *e = into;
        uint16_t type = mnl_attr_get_type(a);
        int error;

        if (type == r->shape->name)
                return take_name(a, &e->name);
        if (type != r->shape->value)
                return 0;
        error = take_value(a, r->shape->value_size, &e->value);
        e->has_value = error == 0;
        return error;
}

static int visit_fields(const struct reading *r, const void *data, size_t len)
{
        struct nldev_entry e = { 0 };
        int error = each_attribute(data, len, take_field, r, &e);

        return error < 0 ? error : r->visit(r->context, &e);
}

static int take_entry(const struct reading *r, const struct nlattr *a, void *into)
{
        if (mnl_attr_get_type(a) != r->shape->entry)
                return 0;
        return visit_fields(r, mnl_attr_get_payload(a), mnl_attr_get_payload_len(a));
}

static int take_table(const struct reading *r, const struct nlattr *a, void *into)
{
        bool *seen = into;

        if (mnl_attr_get_type(a) != r->shape->table)
                return 0;
        *seen = true;
        return each_attribute(mnl_attr_get_payload(a), mnl_attr_get_payload_len(a), take_entry, r, NULL);
}

static int read_payload(const struct reading *r, const struct nlmsghdr *h)
{
        const void *data = mnl_nlmsg_get_payload(h);
        size_t len = mnl_nlmsg_get_payload_len(h);
        bool seen = false;
        int error;

        if (r->shape->table == 0)
                return visit_fields(r, data, len);
        error = each_attribute(data, len, take_table, r, &seen);
        return error < 0 ? error : seen ? 0 : -EBADMSG;
}

/* An error, an acknowledgement (error 0) or the end of a dump; all carry an int. */
static int read_end(const struct nlmsghdr *h)
{
        int error;

        if (mnl_nlmsg_get_payload_len(h) < sizeof(error))
                return -EBADMSG;
        memcpy(&error, mnl_nlmsg_get_payload(h), sizeof(error));
        return error > 0 || error < -4095 ? -EBADMSG : error;
}

static int read_message(const struct reading *r, const struct nlmsghdr *h)
{
        int error;

        if (h->nlmsg_type == NLMSG_ERROR || h->nlmsg_type == NLMSG_DONE)
                return read_end(h);
        if (h->nlmsg_type != RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, r->shape->command))
                return -EBADMSG;
        error = read_payload(r, h);
        return error < 0 ? error : r->shape->dump;
}

int nldev_read(enum nldev_question q, uint32_t sequence, const void *data, size_t len, nldev_visit *visit,
        void *context)
{
        const struct reading r = { .shape = &shapes[q], .visit = visit, .context = context };
        const char *at = data;
        int more = 1;

        while (len > 0) {
                const struct nlmsghdr *h = (const void *)at;
                size_t step;

                if (len < sizeof(*h) || h->nlmsg_len < sizeof(*h) || h->nlmsg_len > len)
                        return -EBADMSG;
                if (h->nlmsg_seq == sequence) {
                        more = read_message(&r, h);
                        if (more <= 0)
                                return more;
                }
                step = MNL_ALIGN((size_t)h->nlmsg_len);
                if (step > len)
                        step = len;
                at += step;
                len -= step;
        }
        return more;
}

size_t nldev_write(enum nldev_question q, uint32_t sequence, uint32_t device, uint32_t port, void *dst)
{
        const struct shape *s = &shapes[q];
        struct nlmsghdr *h = mnl_nlmsg_put_header(dst);

        h->nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, s->command);
        h->nlmsg_flags = (uint16_t)(NLM_F_REQUEST | (s->dump ? NLM_F_DUMP : 0));
        h->nlmsg_seq = sequence;
        if (s->of_device)
                mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_DEV_INDEX, device);
        if (port != NLDEV_NO_PORT)
                mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_PORT_INDEX, port);
        return h->nlmsg_len;
}
