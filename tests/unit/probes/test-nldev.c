/* SPDX-License-Identifier: Apache-2.0 */
/* On answers recorded from Linux 6.1 with one Soft-RoCE device, to questions of sequence number 1. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <libmnl/libmnl.h>
#include <rdma/rdma_netlink.h>
#include <unistd.h>

#include "base/scope.h"
#include "probes/nldev.h"
#include "tests/unit/probes/support.h"

struct answer {
        _Alignas(uint64_t) char data[8192];
        size_t len;
};

struct seen {
        size_t n;
        struct {
                char name[64];
                bool has_value;
                uint64_t value;
        } entries[64];
        int error; /* to answer */
};

static struct answer recorded(const char *name)
{
        cleanup(close_fdp) int dir = fixture_open("nldev-rxe");
        cleanup(close_fdp) int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
        struct answer a = { 0 };
        ssize_t n = read(fd, a.data, sizeof(a.data));

        assert_true(n > 0);
        a.len = (size_t)n;
        return a;
}

static int note(void *context, const struct nldev_entry *e)
{
        struct seen *s = context;

        assert_true(s->n < ARRAY_SIZE(s->entries));
        assert_int_equal(text_copy(s->entries[s->n].name, 64, e->name ? e->name : ""), 0);
        s->entries[s->n].has_value = e->has_value;
        s->entries[s->n++].value = e->value;
        return s->error;
}

static int take(enum nldev_question q, const struct answer *a, struct seen *s)
{
        *s = (struct seen){ .error = s->error };
        return nldev_read(q, 1, a->data, a->len, note, s);
}

static void assert_entry(const struct seen *s, size_t i, const char *name, uint64_t value)
{
        assert_true(i < s->n);
        assert_string_equal(s->entries[i].name, name);
        assert_true(s->entries[i].has_value);
        assert_int_equal(s->entries[i].value, value);
}

static void counters_of_a_port(void **state)
{
        struct answer a = recorded("statistics");
        struct seen s = { 0 };

        assert_int_equal(take(NLDEV_COUNTERS, &a, &s), 0);
        assert_int_equal(s.n, 15);
        assert_entry(&s, 0, "sent_pkts", 2002);
        assert_entry(&s, 1, "rcvd_pkts", 2002);
        assert_entry(&s, 2, "duplicate_request", 1);
        assert_entry(&s, 14, "rdma_recvs", 0);
}

static void devices_come_in_several_messages(void **state)
{
        struct answer first = recorded("devices"), end = recorded("devices-end");
        struct seen s = { 0 };

        assert_int_equal(take(NLDEV_DEVICES, &first, &s), 1);
        assert_int_equal(s.n, 1);
        assert_entry(&s, 0, "rxe0", 0);
        assert_int_equal(take(NLDEV_DEVICES, &end, &s), 0);
        assert_int_equal(s.n, 0);
        /* In one datagram too. */
        memcpy(first.data + first.len, end.data, end.len);
        first.len += end.len;
        assert_int_equal(take(NLDEV_DEVICES, &first, &s), 0);
        assert_int_equal(s.n, 1);
}

static void resources_and_queue_pairs(void **state)
{
        struct answer resources = recorded("resources"), pairs = recorded("queue-pairs");
        struct seen s = { 0 };

        assert_int_equal(take(NLDEV_RESOURCES, &resources, &s), 0);
        assert_int_equal(s.n, 7);
        assert_entry(&s, 0, "pd", 1);
        assert_entry(&s, 2, "qp", 1);
        assert_entry(&s, 6, "srq", 0);
        assert_int_equal(take(NLDEV_QUEUE_PAIRS, &pairs, &s), 1);
        assert_int_equal(s.n, 1);
        assert_string_equal(s.entries[0].name, "ib_core"); /* the kernel's own: no process */
        assert_false(s.entries[0].has_value);
}

static void the_kernels_refusals(void **state)
{
        struct answer no_port = recorded("statistics-no-port"), no_device = recorded("statistics-no-device"),
                      unsupported = recorded("status-unsupported");
        struct seen s = { 0 };

        assert_int_equal(take(NLDEV_COUNTERS, &no_port, &s), -EINVAL);
        assert_int_equal(take(NLDEV_COUNTERS, &no_device, &s), -EINVAL);
        assert_int_equal(take(NLDEV_COUNTERS_STATUS, &unsupported, &s), -EINVAL);
        assert_int_equal(s.n, 0);
}

/* Soft-RoCE has no optional counters: made as ib_core makes it, one always there, one enabled, one not. */
static void optional_counters(void **state)
{
        static const struct {
                const char *name;
                int enabled; /* negative: not optional */
        } rows[] = { { "out_of_buffer", -1 }, { "cc_rx_ce_pkts", 1 }, { "cc_tx_cnp_pkts", 0 } };
        struct answer a = { 0 };
        struct nlmsghdr *h = mnl_nlmsg_put_header(a.data);
        struct nlattr *table, *entry;
        struct seen s = { 0 };

        h->nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_STAT_GET_STATUS);
        h->nlmsg_seq = 1;
        mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_DEV_INDEX, 3);
        table = mnl_attr_nest_start(h, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                entry = mnl_attr_nest_start(h, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY);
                mnl_attr_put_strz(h, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME, rows[i].name);
                mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_INDEX, (uint32_t)i);
                if (rows[i].enabled >= 0)
                        mnl_attr_put_u8(h, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_DYNAMIC, (uint8_t)rows[i].enabled);
                mnl_attr_nest_end(h, entry);
        }
        mnl_attr_nest_end(h, table);
        a.len = h->nlmsg_len;
        assert_int_equal(take(NLDEV_COUNTERS_STATUS, &a, &s), 0);
        assert_int_equal(s.n, 3);
        assert_false(s.entries[0].has_value);
        assert_entry(&s, 1, "cc_rx_ce_pkts", 1);
        assert_entry(&s, 2, "cc_tx_cnp_pkts", 0);
}

static void what_is_cut_short_or_odd_is_refused(void **state)
{
        const struct answer whole = recorded("statistics");
        struct answer a;
        struct seen s = { 0 };

        for (size_t len = 1; len < whole.len; len++) {
                a = whole;
                a.len = len;
                assert_int_equal(take(NLDEV_COUNTERS, &a, &s), -EBADMSG);
                a.len = whole.len; /* and with a header that agrees */
                ((struct nlmsghdr *)(void *)a.data)->nlmsg_len = (uint32_t)len;
                if (len > sizeof(struct nlmsghdr))
                        assert_true(take(NLDEV_COUNTERS, &a, &s) < 0);
        }
        a = whole;
        assert_int_equal(take(NLDEV_RESOURCES, &a, &s), -EBADMSG); /* another question's answer */
        a.data[0x38] = 0;                                          /* a name with a NUL in it */
        assert_int_equal(take(NLDEV_COUNTERS, &a, &s), -EBADMSG);
        a = recorded("resources");
        a.data[12] = 0;
        s.error = -ENOSPC;
        assert_int_equal(take(NLDEV_RESOURCES, &a, &s), -ENOSPC);
}

static void other_sequence_numbers_are_passed_over(void **state)
{
        struct answer a = recorded("statistics-no-port"), b = recorded("statistics");
        struct seen s = { 0 };

        ((struct nlmsghdr *)(void *)a.data)->nlmsg_seq = 7;
        assert_int_equal(take(NLDEV_COUNTERS, &a, &s), 1);
        memcpy(a.data + a.len, b.data, b.len);
        a.len += b.len;
        assert_int_equal(take(NLDEV_COUNTERS, &a, &s), 0);
        assert_int_equal(s.n, 15);
}

static void questions(void **state)
{
        _Alignas(uint64_t) char request[NLDEV_REQUEST_MAX];
        const struct nlmsghdr *h = (const void *)request;

        assert_int_equal(nldev_write(NLDEV_DEVICES, 5, 9, NLDEV_NO_PORT, request), 16);
        assert_int_equal(h->nlmsg_type, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET));
        assert_int_equal(h->nlmsg_flags, NLM_F_REQUEST | NLM_F_DUMP);
        assert_int_equal(h->nlmsg_seq, 5);
        assert_int_equal(nldev_write(NLDEV_COUNTERS, 6, 9, 2, request), 32);
        assert_int_equal(h->nlmsg_flags, NLM_F_REQUEST);
        assert_memory_equal(request + 16, "\x08\0\x01\0\x09\0\0\0\x08\0\x03\0\x02\0\0\0", 16);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(counters_of_a_port),
                cmocka_unit_test(devices_come_in_several_messages),
                cmocka_unit_test(resources_and_queue_pairs),
                cmocka_unit_test(the_kernels_refusals),
                cmocka_unit_test(optional_counters),
                cmocka_unit_test(what_is_cut_short_or_odd_is_refused),
                cmocka_unit_test(other_sequence_numbers_are_passed_over),
                cmocka_unit_test(questions),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
