/* SPDX-License-Identifier: Apache-2.0 */
/* The route look-ups are real ones, of the loopback interface, which every host has. */
#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "engine/endpoint.h"

static struct rdma_address address(const char *text, enum gid_type type, uint32_t index)
{
        struct rdma_address a = { .type = type, .index = index };
        if (inet_pton(AF_INET6, text, a.gid) != 1)
                fail_msg("not an address: %s", text);
        return a;
}

static struct device_facts device_with(size_t n, const struct rdma_address *addresses)
{
        struct device_facts d = {
                .name = "rxe0",
                .n_ports = 1,
                .ports = { { .number = 1, .state = 4, .link_layer = LINK_ETHERNET, .n_addresses = n } },
        };
        memcpy(d.ports[0].addresses, addresses, n * sizeof(*addresses));
        return d;
}

/* What address_choose() gives. */
struct choice {
        struct rdma_address local;
        uint8_t port;
        size_t remote;
        struct fault fault;
};

static int choose(const struct device_facts *d, uint8_t port, size_t n, const struct rdma_address *remote,
        struct choice *ret)
{
        *ret = (struct choice){ .remote = SIZE_MAX };
        return address_choose(d, port, remote, n, d->ports[0].link_layer, &ret->local, &ret->port,
                &ret->remote, &ret->fault);
}

static void addresses_read_as_people_write_them(void **state)
{
        char text[46];
        struct rdma_address a = address("::ffff:198.51.100.1", GID_ROCE_V2, 0);
        rdma_address_format(&a, text, sizeof(text));
        assert_string_equal(text, "198.51.100.1");
        a = address("2001:db8::1", GID_ROCE_V2, 0);
        rdma_address_format(&a, text, sizeof(text));
        assert_string_equal(text, "2001:db8::1");
        a = address("fe80::5054:ff:fe12:3456", GID_INFINIBAND, 0);
        rdma_address_format(&a, text, sizeof(text));
        assert_string_equal(text, "fe80::5054:ff:fe12:3456");
}

static void the_kernels_source_address_is_taken(void **state)
{
        const struct rdma_address local[] = {
                address("fe80::1", GID_ROCE_V2, 0),
                address("::ffff:198.51.100.77", GID_ROCE_V2, 1),
                address("::ffff:127.0.0.1", GID_ROCE_V1, 2),
                address("::ffff:127.0.0.1", GID_ROCE_V2, 3),
        };
        const struct rdma_address remote[] = {
                address("fe80::2", GID_ROCE_V2, 9),
                address("::ffff:127.0.0.1", GID_ROCE_V1, 8),
                address("::ffff:127.0.0.1", GID_ROCE_V2, 7),
        };
        struct device_facts d = device_with(ARRAY_SIZE(local), local);
        struct choice c;
        assert_int_equal(choose(&d, 0, ARRAY_SIZE(remote), remote, &c), 0);
        assert_int_equal(c.port, 1);
        assert_int_equal(c.remote, 2);
        assert_int_equal(c.local.index, 3);
}

static void roce_v1_serves_when_there_is_no_v2(void **state)
{
        const struct rdma_address a[] = { address("::ffff:127.0.0.1", GID_ROCE_V1, 2) };
        struct device_facts d = device_with(1, a);
        struct choice c;
        assert_int_equal(choose(&d, 1, 1, a, &c), 0);
        assert_int_equal(c.local.type, GID_ROCE_V1);
}

static void ipv6_is_routed_too(void **state)
{
        const struct rdma_address a[] = { address("::1", GID_ROCE_V2, 5) };
        struct device_facts d = device_with(1, a);
        struct choice c;
        if (choose(&d, 0, 1, a, &c) < 0)
                skip(); /* a machine without IPv6 */
        assert_int_equal(c.local.index, 5);
}

static void both_sides_are_named_when_nothing_fits(void **state)
{
        const struct rdma_address local[] = { address("::ffff:198.51.100.77", GID_ROCE_V2, 1) };
        const struct rdma_address remote[] = { address("::ffff:127.0.0.1", GID_ROCE_V2, 7) };
        struct device_facts d = device_with(1, local);
        struct choice c;
        assert_int_equal(choose(&d, 0, 1, remote, &c), -EADDRNOTAVAIL);
        assert_int_equal(c.fault.kind, OUTCOME_LOCAL);
        assert_non_null(strstr(c.fault.reason, "198.51.100.77 (RoCE v2)"));
        assert_non_null(strstr(c.fault.reason, "127.0.0.1 (RoCE v2)"));
        assert_int_equal(choose(&d, 0, 0, remote, &c), -EADDRNOTAVAIL);
        assert_non_null(strstr(c.fault.reason, "there: none"));
}

static void many_addresses_do_not_overrun_the_reason(void **state)
{
        struct rdma_address many[ENGINE_ADDRESSES_MAX];
        for (size_t i = 0; i < ARRAY_SIZE(many); i++)
                many[i] = address("2001:db8:1111:2222:3333:4444:5555:6666", GID_ROCE_V2, (uint32_t)i);
        struct device_facts d = device_with(ARRAY_SIZE(many), many);
        struct choice c;
        assert_int_equal(choose(&d, 0, ARRAY_SIZE(many), many, &c), -EADDRNOTAVAIL);
        assert_true(strlen(c.fault.reason) < ENGINE_REASON_MAX);
}

static void the_port_is_the_active_one(void **state)
{
        const struct rdma_address a[] = { address("::ffff:127.0.0.1", GID_ROCE_V2, 0) };
        struct device_facts d = device_with(1, a);
        d.n_ports = 2;
        d.ports[1] = d.ports[0];
        d.ports[1].number = 2;
        d.ports[0].state = 1;
        struct choice c;
        assert_int_equal(choose(&d, 0, 1, a, &c), 0);
        assert_int_equal(c.port, 2);
        assert_int_equal(choose(&d, 1, 1, a, &c), -ENETDOWN);
        assert_int_equal(choose(&d, 3, 1, a, &c), -ENODEV);
        d.ports[1].state = 1;
        assert_int_equal(choose(&d, 0, 1, a, &c), -ENETDOWN);
        assert_int_equal(c.fault.kind, OUTCOME_LOCAL);
}

static void link_layers_do_not_mix(void **state)
{
        const struct rdma_address a[] = { address("::ffff:127.0.0.1", GID_ROCE_V2, 0) };
        struct device_facts d = device_with(1, a);
        struct choice c = { 0 };
        assert_int_equal(address_choose(&d, 0, a, 1, LINK_INFINIBAND, &c.local, &c.port, &c.remote, &c.fault),
                -EADDRNOTAVAIL);
        assert_non_null(strstr(c.fault.reason, "InfiniBand"));
}

static void infiniband_prefers_the_same_subnet(void **state)
{
        const struct rdma_address local[] = { address("fe80:0:0:1::a", GID_INFINIBAND, 0) };
        const struct rdma_address remote[] = {
                address("fe80:0:0:2::b", GID_INFINIBAND, 0),
                address("fe80:0:0:1::b", GID_INFINIBAND, 1),
        };
        struct device_facts d = device_with(1, local);
        d.ports[0].link_layer = LINK_INFINIBAND;
        struct choice c;
        assert_int_equal(choose(&d, 0, 2, remote, &c), 0);
        assert_int_equal(c.remote, 1);
        assert_int_equal(choose(&d, 0, 1, remote, &c), 0);
        assert_int_equal(c.remote, 0);
}

static void iwarp_is_refused_with_the_reason(void **state)
{
        const struct rdma_address a[] = { address("::ffff:127.0.0.1", GID_ROCE_V2, 0) };
        struct device_facts d = device_with(1, a);
        d.iwarp = true;
        struct choice c;
        assert_int_equal(choose(&d, 0, 1, a, &c), -EOPNOTSUPP);
        assert_non_null(strstr(c.fault.reason, "iWARP"));
}

int main(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(addresses_read_as_people_write_them),
                cmocka_unit_test(the_kernels_source_address_is_taken),
                cmocka_unit_test(roce_v1_serves_when_there_is_no_v2),
                cmocka_unit_test(ipv6_is_routed_too),
                cmocka_unit_test(both_sides_are_named_when_nothing_fits),
                cmocka_unit_test(many_addresses_do_not_overrun_the_reason),
                cmocka_unit_test(the_port_is_the_active_one),
                cmocka_unit_test(link_layers_do_not_mix),
                cmocka_unit_test(infiniband_prefers_the_same_subnet),
                cmocka_unit_test(iwarp_is_refused_with_the_reason),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
