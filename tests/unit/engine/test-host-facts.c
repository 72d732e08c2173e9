/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/text.h"
#include "engine/host_facts.h"
#include "tests/unit/tree.h"

#define PCI  "sys/devices/pci0000:5d/0000:5e:00.0/"
#define HUGE "sys/kernel/mm/hugepages/hugepages-"

struct file {
        const char *path, *text;
};

static const struct file host_files[] = {
        { "proc/sys/kernel/osrelease", "6.1.0-18-amd64\n" },
        { "proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n"
                          "model name\t: Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz\nflags\t\t: fpu vme "
                          "hypervisor lahf_lm\n"
                          "bugs\t\t: spectre_v1\n\nprocessor\t: 1\nmodel name\t: another\n" },
        { "proc/meminfo", "MemTotal:       263856332 kB\nMemFree:        1 kB\n" },
        { "sys/devices/system/cpu/online", "0-3,6\n" },
        { "sys/devices/system/node/online", "0-1\n" },
        { HUGE "2048kB/free_hugepages", "512\n" },
        { HUGE "1048576kB/free_hugepages", "4\n" },
        { "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n" },
        { "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n" },
        { "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n" },
        { "sys/devices/system/cpu/cpu6/cpufreq/scaling_governor", "performance\n" },
        { "sys/module/mlx_compat/version", "23.10-1.1.9\n" },
};

static const struct file nic_files[] = {
        { PCI "current_link_speed", "8.0 GT/s PCIe\n" },
        { PCI "max_link_speed", "16.0 GT/s PCIe\n" },
        { PCI "current_link_width", "8\n" },
        { PCI "max_link_width", "16\n" },
        { PCI "numa_node", "1\n" },
        { PCI "infiniband/mlx5_0/fw_ver", "22.36.1010\n" },
        { PCI "infiniband/mlx5_0/ports/1/gid_attrs/ndevs/1", "ens1f0np0\n" },
        { PCI "net/ens1f0np0/mtu", "9000\n" },
        { "sys/module/mlx5_core/version", "23.10-1.1.9\n" },
};

static int tree_make(void **state)
{
        struct tree *t = calloc(1, sizeof(*t));
        assert_non_null(t);
        *state = t;
        tree_init(t);
        for (size_t i = 0; i < ARRAY_SIZE(host_files); i++)
                tree_text(t, host_files[i].path, host_files[i].text);
        for (size_t i = 0; i < ARRAY_SIZE(nic_files); i++)
                tree_text(t, nic_files[i].path, nic_files[i].text);
        tree_link(
                t, "sys/class/infiniband/mlx5_0", "../../devices/pci0000:5d/0000:5e:00.0/infiniband/mlx5_0");
        tree_link(t, "sys/class/net/ens1f0np0", "../../devices/pci0000:5d/0000:5e:00.0/net/ens1f0np0");
        tree_link(t, PCI "infiniband/mlx5_0/device", "../../../0000:5e:00.0");
        tree_link(t, PCI "driver", "../../../bus/pci/drivers/mlx5_core");
        return 0;
}

static int tree_remove(void **state)
{
        tree_done(*state);
        free(*state);
        return 0;
}

static void a_host_is_described(void **state)
{
        struct tree *t = *state;
        struct host_facts f;
        host_facts_read(t->fd, &f);
        assert_string_equal(f.kernel, "6.1.0-18-amd64");
        assert_string_equal(f.cpu_model, "Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz");
        assert_int_equal(f.cpus_online, 5);
        assert_int_equal(f.numa_nodes, 2);
        assert_int_equal(f.memory_bytes, UINT64_C(263856332) * 1024);
        assert_int_equal(f.free_huge_pages_2m, 512);
        assert_int_equal(f.free_huge_pages_1g, 4);
        assert_string_equal(f.transparent_huge_pages, "madvise");
        assert_string_equal(f.governor, "performance");
        assert_true(f.virtualised);
        assert_string_equal(f.ofed, "23.10-1.1.9");
}

static void a_nic_is_described(void **state)
{
        struct tree *t = *state;
        struct nic_facts f;
        nic_facts_read(t->fd, "mlx5_0", 1, &f);
        assert_string_equal(f.driver, "mlx5_core");
        assert_string_equal(f.driver_version, "23.10-1.1.9");
        assert_string_equal(f.firmware, "22.36.1010");
        assert_string_equal(f.pci_address, "0000:5e:00.0");
        assert_string_equal(f.pci_speed, "8.0 GT/s PCIe");
        assert_string_equal(f.pci_max_speed, "16.0 GT/s PCIe");
        assert_int_equal(f.pci_width, 8);
        assert_int_equal(f.pci_max_width, 16);
        assert_true(f.has_numa_node);
        assert_int_equal(f.numa_node, 1);
        assert_string_equal(f.netdev, "ens1f0np0");
        assert_int_equal(f.netdev_mtu_bytes, 9000);
}

static void assert_nothing(const struct nic_facts *f)
{
        const char *const texts[] = { f->driver, f->driver_version, f->firmware, f->pci_address, f->pci_speed,
                f->pci_max_speed, f->netdev };
        for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
                assert_string_equal(texts[i], "");
        assert_true(f->pci_width == 0 && f->pci_max_width == 0 && f->netdev_mtu_bytes == 0);
        assert_false(f->has_numa_node);
}

static void of_nothing_there_is_nothing_to_say(void **state)
{
        static const char *const names[] = { "mlx5_7", "", "..", "../net/ens1f0np0" };
        struct tree *t = *state, empty;
        struct nic_facts nic;
        tree_init(&empty);
        nic_facts_read(empty.fd, "mlx5_0", 1, &nic);
        assert_nothing(&nic);
        for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
                nic_facts_read(t->fd, names[i], 1, &nic);
                assert_nothing(&nic);
        }
        struct host_facts f;
        host_facts_read(empty.fd, &f);
        const char *const texts[] = { f.kernel, f.cpu_model, f.transparent_huge_pages, f.governor, f.ofed };
        for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
                assert_string_equal(texts[i], "");
        assert_true(f.cpus_online == 0 && f.numa_nodes == 0 && f.memory_bytes == 0);
        assert_true(f.free_huge_pages_2m == 0 && f.free_huge_pages_1g == 0 && !f.virtualised);
        tree_done(&empty);
}

/* Garbage in every file: what a value looks like is kept as text, and nothing else. */
static void garbage_is_harmless(void **state)
{
        static char garbage[100000];
        struct tree *t = *state;
        struct host_facts host;
        struct nic_facts nic;
        memset(garbage, 0xff, sizeof(garbage));
        for (size_t size = 1; size <= sizeof(garbage); size *= 10) {
                for (size_t i = 0; i < ARRAY_SIZE(host_files); i++)
                        tree_write(t, host_files[i].path, garbage, size);
                for (size_t i = 0; i < ARRAY_SIZE(nic_files); i++)
                        tree_write(t, nic_files[i].path, garbage, size);
                host_facts_read(t->fd, &host);
                assert_string_equal(host.cpu_model, "");
                assert_int_equal(host.memory_bytes, 0);
                assert_int_equal(host.cpus_online, 0);
                nic_facts_read(t->fd, "mlx5_0", 1, &nic);
                assert_int_equal(nic.pci_width, 0);
                assert_false(nic.has_numa_node);
                for (const char *s = nic.firmware; *s != '\0'; s++)
                        assert_int_equal(*s, '?');
                assert_true(strlen(host.kernel) < sizeof(host.kernel));
        }
}

static void cpus_of_other_kinds(void **state)
{
        static const struct {
                const char *cpuinfo, *model;
                bool virtualised;
        } rows[] = {
                { "processor\t: 0\nmodel name\t: AMD EPYC\nflags\t\t: fpu\nbugs\t: hypervisor", "AMD EPYC",
                        false },
                { "processor\t: 0\nBogoMIPS\t: 2000.00\nCPU implementer\t: 0x41\nCPU part\t: 0xd4f\n",
                        "implementer 0x41 part 0xd4f", false },
                { "processor\t: 0\ncpu\t\t: POWER9, altivec supported\n", "POWER9, altivec supported",
                        false },
                { "processor\t: 0\nhart\t: 1\nuarch\t: sifive,u74-mc\n", "sifive,u74-mc", false },
                { "model name\t: a\001b\303\274\n", "a?b??", false },
                { "model name\t: 0123456789012345678901234567890123456789012345678901234567890123456789",
                        "012345678901234567890123456789012345678901234567890123456789012", false },
                { "model name", "", false },
                { "model name\t:", "", false },
                { "flags: a hypervisor", "", true },
                { "", "", false },
        };
        struct tree *t = *state;
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                struct host_facts f;
                tree_text(t, "proc/cpuinfo", rows[i].cpuinfo);
                host_facts_read(t->fd, &f);
                check_row(text_equal(f.cpu_model, rows[i].model), rows[i].cpuinfo);
                check_row(f.virtualised == rows[i].virtualised, rows[i].cpuinfo);
        }
}

static void different_governors_are_mixed(void **state)
{
        struct tree *t = *state;
        struct host_facts f;
        tree_text(t, "sys/devices/system/cpu/cpu6/cpufreq/scaling_governor", "powersave\n");
        host_facts_read(t->fd, &f);
        assert_string_equal(f.governor, "mixed");
        tree_text(t, "sys/devices/system/cpu/online", "0-1\n");
        host_facts_read(t->fd, &f);
        assert_string_equal(f.governor, "performance");
}

static void a_link_that_is_down_has_no_speed(void **state)
{
        struct tree *t = *state;
        struct nic_facts f;
        tree_text(t, PCI "current_link_speed", "Unknown\n");
        tree_text(t, PCI "max_link_speed", "Unknown speed\n");
        tree_text(t, PCI "current_link_width", "0\n");
        tree_text(t, PCI "max_link_width", "255\n");
        tree_text(t, PCI "numa_node", "-1\n");
        nic_facts_read(t->fd, "mlx5_0", 1, &f);
        assert_string_equal(f.pci_speed, "");
        assert_string_equal(f.pci_max_speed, "");
        assert_int_equal(f.pci_width, 0);
        assert_int_equal(f.pci_max_width, 0);
        assert_false(f.has_numa_node);
}

static void a_virtual_function_has_the_link_of_its_physical_one(void **state)
{
        struct tree *t = *state;
        struct nic_facts f;
        tree_text(t, "sys/devices/pci0000:5d/0000:5e:00.2/infiniband/mlx5_2/fw_ver", "22.36.1010\n");
        tree_text(t, "sys/devices/pci0000:5d/0000:5e:00.2/current_link_speed", "Unknown\n");
        tree_link(t, "sys/devices/pci0000:5d/0000:5e:00.2/physfn", "../0000:5e:00.0");
        tree_link(t, "sys/devices/pci0000:5d/0000:5e:00.2/infiniband/mlx5_2/device", "../../../0000:5e:00.2");
        tree_link(
                t, "sys/class/infiniband/mlx5_2", "../../devices/pci0000:5d/0000:5e:00.2/infiniband/mlx5_2");
        nic_facts_read(t->fd, "mlx5_2", 1, &f);
        assert_string_equal(f.pci_address, "0000:5e:00.2");
        assert_string_equal(f.pci_speed, "8.0 GT/s PCIe");
        assert_int_equal(f.pci_max_width, 16);
}

/* Two ports of one function, as mlx4 has them; the interfaces are told apart by dev_port. */
static void an_infiniband_port_has_the_interface_of_its_number(void **state)
{
        struct tree *t = *state;
        struct nic_facts f;
        assert_int_equal(unlinkat(t->fd, PCI "infiniband/mlx5_0/ports/1/gid_attrs/ndevs/1", 0), 0);
        tree_text(t, PCI "net/ens1f0np0/dev_port", "5\n");
        tree_text(t, PCI "net/ib0/dev_port", "0\n");
        tree_text(t, PCI "net/ib1/dev_port", "1\n");
        tree_text(t, "sys/class/net/ib1/mtu", "2044\n");
        nic_facts_read(t->fd, "mlx5_0", 1, &f);
        assert_string_equal(f.netdev, "ib0");
        nic_facts_read(t->fd, "mlx5_0", 2, &f);
        assert_string_equal(f.netdev, "ib1");
        assert_int_equal(f.netdev_mtu_bytes, 2044);
        nic_facts_read(t->fd, "mlx5_0", 3, &f);
        assert_string_equal(f.netdev, "");
        assert_int_equal(f.netdev_mtu_bytes, 0);
}

static void soft_roce_stands_on_its_parent(void **state)
{
        struct tree *t = *state;
        struct nic_facts f;
        tree_text(t, "sys/class/infiniband/rxe0/parent", "eth0\n");
        tree_text(t, "sys/class/net/eth0/mtu", "1500\n");
        nic_facts_read(t->fd, "rxe0", 1, &f);
        assert_string_equal(f.netdev, "eth0");
        assert_int_equal(f.netdev_mtu_bytes, 1500);
        assert_string_equal(f.driver, "");
        assert_string_equal(f.pci_address, "");
        tree_text(t, "sys/class/infiniband/rxe0/parent", "../../x\n");
        nic_facts_read(t->fd, "rxe0", 1, &f);
        assert_int_equal(f.netdev_mtu_bytes, 0);
}

static void the_real_host_is_described(void **state)
{
        struct utsname names;
        struct host_facts f;
        int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_true(root >= 0);
        host_facts_read(root, &f);
        close(root);
        assert_int_equal(uname(&names), 0);
        assert_string_equal(f.kernel, names.release);
        assert_int_equal(f.cpus_online, sysconf(_SC_NPROCESSORS_ONLN));
        assert_true(f.memory_bytes > (1 << 20));
}

#define ROW(test) cmocka_unit_test_setup_teardown(test, tree_make, tree_remove)

int main(void)
{
        static const struct CMUnitTest tests[] = {
                ROW(a_host_is_described),
                ROW(a_nic_is_described),
                ROW(of_nothing_there_is_nothing_to_say),
                ROW(garbage_is_harmless),
                ROW(cpus_of_other_kinds),
                ROW(different_governors_are_mixed),
                ROW(a_link_that_is_down_has_no_speed),
                ROW(a_virtual_function_has_the_link_of_its_physical_one),
                ROW(an_infiniband_port_has_the_interface_of_its_number),
                ROW(soft_roce_stands_on_its_parent),
                cmocka_unit_test(the_real_host_is_described),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
