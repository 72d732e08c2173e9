/* SPDX-License-Identifier: Apache-2.0 */
/* What people read: on a terminal of 80 columns, whatever the names are. */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "cli/devices_report.h"
#include "cli/human.h"
#include "tests/unit/cli/reports.h"

struct page {
        FILE *stream;
        char *text;
        size_t len;
};

static void page_open(struct page *p)
{
        p->stream = open_memstream(&p->text, &p->len);
        assert_non_null(p->stream);
}

static const char *page_read(struct page *p)
{
        assert_int_equal(fclose(p->stream), 0);
        return p->text;
}

static void check_fits(const char *text)
{
        size_t width = 0;
        for (const char *s = text; *s; s++) {
                width = *s == '\n' ? 0 : width + ((*s & 0xc0) != 0x80);
                if (width > HUMAN_COLUMNS)
                        fail_msg("too wide:\n%s", text);
        }
}

static void check_report(const struct report *r, const char *const *parts, size_t n)
{
        struct page p;
        page_open(&p);
        human_report(r, p.stream);
        check_fits(page_read(&p));
        for (size_t i = 0; i < n; i++)
                if (!strstr(p.text, parts[i]))
                        fail_msg("no \"%s\" in\n%s", parts[i], p.text);
        free(p.text);
}

static void bandwidth_has_units_in_its_header(void **state)
{
        static const char *const parts[] = {
                "from       host-a, rxe0 port 1, 198.51.100.1\n",
                "to         host-b, rxe1 port 1, 198.51.100.1\n",
                "with       RC write, ",
                "bandwidth             MiB/s     Mbit/s\n",
                "  average              19.1        160\n",
                "sent       19.1 MiB in 1000 messages, 1 s\n",
                "here       sent_pkts ",
        };
        struct report r;
        report_of_success(&r, MEASURE_BANDWIDTH);
        check_report(&r, parts, ARRAY_SIZE(parts));
        report_done(&r);
}

static void latency_has_its_unit_in_its_header(void **state)
{
        static const char *const parts[] = {
                "latency                  µs  one way, all of 1000 samples\n",
                "  median                  5\n",
                "  maximum              90.0\n",
        };
        struct report r;
        report_of_success(&r, MEASURE_LATENCY);
        r.result.latency.max_ns = 90010;
        check_report(&r, parts, ARRAY_SIZE(parts));
        report_done(&r);
}

static void fill(char *dst, size_t size)
{
        memset(dst, 'n', size - 1);
        dst[size - 1] = '\0';
}

static void the_longest_names_fit(void **state)
{
        struct report r;
        report_of_success(&r, MEASURE_BANDWIDTH);
        struct result *x = &r.result;
        fill(r.node, sizeof(r.node));
        fill(x->device, sizeof(x->device));
        fill(x->peer_device, sizeof(x->peer_device));
        fill(x->peer_node, sizeof(x->peer_node));
        memset(&x->address, 0xfd, sizeof(x->address.gid));
        x->plan.message_bytes = UINT64_MAX;
        x->plan.queue_pairs = x->plan.depth = UINT32_MAX;
        x->bytes = x->messages = x->traffic_ns = x->cpu_ns = UINT64_MAX;
        x->average_bps = x->steady_bps = 1e15;
        x->truncated = true;
        fill(x->counters.items[0].name, sizeof(x->counters.items[0].name));
        x->counters.items[0].delta = UINT64_MAX;
        check_report(&r, NULL, 0);
        report_done(&r);
}

static void lines_break_between_items(void **state)
{
        static const char *const items[] = { "one", "a word of some forty columns, more or less",
                "and another" };
        static const char *const wide[] = {
                "µµµµµµµµµµ µµµµµµµµµµ µµµµµµµµµµ µµµµµµµµµµ µµµµµµµµµµ µµµµµµµµµµ "
                "µµµµµµµµµµ",
                "end"
        };
        struct page p;
        page_open(&p);
        human_line(p.stream, "title", items, ARRAY_SIZE(items));
        human_line(p.stream, "wide", wide, ARRAY_SIZE(wide));
        check_fits(page_read(&p));
        assert_true(text_starts(p.text,
                "title      one, a word of some forty columns, more or less, and another\n"
                "wide       µ"));
        assert_non_null(strstr(p.text, "µ,\n           end\n"));
        free(p.text);
}

static void devices_fit(void **state)
{
        struct device_facts device = {
                .class = DEVICE_HARDWARE,
                .numa_node = 1,
                .iwarp = true,
                .n_ports = 1,
                .ports[0] = { .number = 255,
                        .state = 4,
                        .link_layer = LINK_INFINIBAND,
                        .lid = UINT16_MAX,
                        .active_mtu_bytes = 4096,
                        .rate_bytes_per_second = UINT64_C(50000000000),
                        .n_addresses = 1 },
        };
        struct devices_report report = { .devices = &device, .n_devices = 1 };
        struct page p;
        memset(device.ports[0].addresses[0].gid, 0xfd, 16);
        fill(device.name, sizeof(device.name));
        fill(device.driver, sizeof(device.driver));
        fill(device.firmware, sizeof(device.firmware));
        page_open(&p);
        devices_report_human(&report, p.stream);
        check_fits(page_read(&p));
        free(p.text);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(bandwidth_has_units_in_its_header),
                cmocka_unit_test(latency_has_its_unit_in_its_header),
                cmocka_unit_test(the_longest_names_fit),
                cmocka_unit_test(lines_break_between_items),
                cmocka_unit_test(devices_fit),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
