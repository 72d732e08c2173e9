/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>

#include "probes/pci_text.h"
#include "probes/probe.h"
#include "tests/unit/probes/support.h"

#define ADDRESS    "0000:5e:00.0"
#define PCI        "devices/" ADDRESS "/"
#define LABELS_PCI "device=\"d\",pci_address=\"" ADDRESS "\""

static void speeds_are_transfers_per_second(void **state)
{
        static const struct {
                const char *text;
                int r;
                uint64_t speed;
        } rows[] = {
                { "32.0 GT/s PCIe\n", 0, UINT64_C(32000000000) },
                { "2.5 GT/s PCIe\n", 0, UINT64_C(2500000000) },
                { "8 GT/s\n", 0, UINT64_C(8000000000) },
                { "Unknown\n", -ENODATA, 0 },
                { "Unknown speed\n", -ENODATA, 0 },
                { "8.0 GT/s PCI-X\n", -EINVAL, 0 },
                { "8.25 GT/s\n", -ERANGE, 0 },
                { "-8 GT/s\n", -EINVAL, 0 },
                { " GT/s\n", -EINVAL, 0 },
                { "", -EINVAL, 0 },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                uint64_t speed = 0;

                check_row(pci_parse_speed(rows[i].text, strlen(rows[i].text), &speed) == rows[i].r,
                        rows[i].text);
                check_row(speed == rows[i].speed, rows[i].text);
        }
}

static void bad_lines_of_a_report_are_passed_over(void **state)
{
        static const char report[] = "\nRxErr 1\nnothing\n 2\nBad -1\n"
                                     "a_name_that_is_longer_than_any_error_has 1\nLast 3";
        const char *text = report;
        size_t len = strlen(report);
        struct pci_aer_line line;

        assert_int_equal(pci_aer_next(&text, &len, &line), 0);
        assert_string_equal(line.name, "RxErr");
        assert_int_equal(line.value, 1);
        assert_int_equal(pci_aer_next(&text, &len, &line), -EINVAL);
        assert_int_equal(pci_aer_next(&text, &len, &line), -EINVAL);
        assert_int_equal(pci_aer_next(&text, &len, &line), -EINVAL);
        assert_int_equal(pci_aer_next(&text, &len, &line), -ENAMETOOLONG);
        assert_int_equal(pci_aer_next(&text, &len, &line), 0);
        assert_string_equal(line.name, "Last");
        assert_int_equal(pci_aer_next(&text, &len, &line), -ENODATA);
}

static void make_tree(struct tree *t)
{
        tree_init(t);
        tree_link(t, "class/infiniband/d/device", "../../../devices/" ADDRESS);
        tree_text(t, PCI "current_link_speed", "16.0 GT/s PCIe\n");
        tree_text(t, PCI "max_link_speed", "32.0 GT/s PCIe\n");
        tree_text(t, PCI "current_link_width", "8\n");
        tree_text(t, PCI "max_link_width", "16\n");
        tree_text(t, PCI "aer_dev_correctable", "RxErr 4\nBadTLP 2\nRxErr 9\nTOTAL_ERR_COR 5\n");
        tree_text(t, PCI "aer_dev_fatal", "DLP 0\nTOTAL_ERR_FATAL 0\n");
}

static void link_and_errors(void **state)
{
        struct tree t;
        struct batch *b;
        int r;

        make_tree(&t);
        b = collect_once(source_class_find("pci"), t.fd, -1, "d", &r);
        assert_int_equal(r, 0);
        assert_sample_u64(b, "rdma_canary_pci_link_current_speed_transfers_per_second", LABELS_PCI,
                UINT64_C(16000000000));
        assert_sample_u64(
                b, "rdma_canary_pci_link_max_speed_transfers_per_second", LABELS_PCI, UINT64_C(32000000000));
        assert_sample_u64(b, "rdma_canary_pci_link_current_width_lanes", LABELS_PCI, 8);
        assert_sample_u64(b, "rdma_canary_pci_link_max_width_lanes", LABELS_PCI, 16);
        assert_sample_u64(b, "rdma_canary_pci_correctable_errors_total", LABELS_PCI ",error=\"RxErr\"", 4);
        assert_sample_u64(b, "rdma_canary_pci_correctable_errors_total", LABELS_PCI ",error=\"BadTLP\"", 2);
        assert_sample_u64(b, "rdma_canary_pci_correctable_error_messages_total", LABELS_PCI, 5);
        assert_sample_u64(b, "rdma_canary_pci_fatal_errors_total", LABELS_PCI ",error=\"DLP\"", 0);
        assert_sample_u64(b, "rdma_canary_pci_fatal_error_messages_total", LABELS_PCI, 0);
        assert_int_equal(batch_size(b), 9);
        batch_unref(b);
        tree_done(&t);
}

static void a_virtual_function_has_the_link_of_its_physical_one(void **state)
{
        static const char labels[] = "device=\"vf\",pci_address=\"0000:5e:00.2\"";
        struct tree t;
        struct batch *b;
        int r;

        make_tree(&t);
        tree_link(&t, "class/infiniband/vf/device", "../../../devices/0000:5e:00.2");
        tree_text(&t, "devices/0000:5e:00.2/current_link_speed", "Unknown\n");
        tree_text(&t, "devices/0000:5e:00.2/current_link_width", "0\n");
        tree_link(&t, "devices/0000:5e:00.2/physfn", "../" ADDRESS);
        b = collect_once(source_class_find("pci"), t.fd, -1, "vf", &r);
        assert_int_equal(r, 0);
        assert_sample_u64(
                b, "rdma_canary_pci_link_current_speed_transfers_per_second", labels, UINT64_C(16000000000));
        assert_sample_u64(b, "rdma_canary_pci_link_current_width_lanes", labels, 8);
        assert_int_equal(batch_size(b), 4);
        batch_unref(b);
        tree_done(&t);
}

static void a_report_may_get_another_line(void **state)
{
        struct source_environment env = { .procfs = -1, .clock = &clock_system, .reader = &reader_system };
        struct source_config config = { .enabled = true };
        const struct source_class *class = source_class_find("pci");
        struct batch *b = batch_new(), *later = batch_new();
        struct tree t;
        void *source = NULL;

        tree_init(&t);
        env.sysfs = t.fd;
        tree_link(&t, "class/infiniband/d/device", "../../../devices/" ADDRESS);
        tree_text(&t, PCI "aer_dev_nonfatal", "DLP 1\nTOTAL_ERR_NONFATAL 1\n");
        assert_int_equal(class->create(&env, &(struct source_target){ .device = "d" }, &config, &source), 0);
        assert_int_equal(class->collect(source, DEADLINE_NEVER, b), 0);
        assert_int_equal(batch_size(b), 2);
        tree_text(&t, PCI "aer_dev_nonfatal", "DLP 1\nTLP 2\nTOTAL_ERR_NONFATAL 3\n");
        assert_int_equal(class->collect(source, DEADLINE_NEVER, later), 0);
        assert_sample_u64(later, "rdma_canary_pci_nonfatal_errors_total", LABELS_PCI ",error=\"TLP\"", 2);
        assert_sample_u64(later, "rdma_canary_pci_nonfatal_error_messages_total", LABELS_PCI, 3);
        class->destroy(source);
        batch_unref(b);
        batch_unref(later);
        tree_done(&t);
}

static void a_software_device_has_none_of_it(void **state)
{
        cleanup(close_fdp) int sysfs = fixture_open("sysfs-rxe");
        struct batch *b;
        int r;

        b = collect_once(source_class_find("pci"), sysfs, -1, "rxe0", &r);
        assert_int_equal(r, 0);
        assert_int_equal(batch_size(b), 0);
        batch_unref(b);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(speeds_are_transfers_per_second),
                cmocka_unit_test(bad_lines_of_a_report_are_passed_over),
                cmocka_unit_test(link_and_errors),
                cmocka_unit_test(a_virtual_function_has_the_link_of_its_physical_one),
                cmocka_unit_test(a_report_may_get_another_line),
                cmocka_unit_test(a_software_device_has_none_of_it),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
