/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/host_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/parse.h"
#include "base/sysfs.h"
#include "base/text.h"

#define HEAD_MAX 16384 /* of /proc/cpuinfo: the first CPU is enough, and its flags alone are 2 KiB */

/* What a record may hold. */
static void make_printable(char *s)
{
        for (; *s != '\0'; s++)
                if (*s < 0x20 || *s > 0x7e)
                        *s = '?';
}

/* Stays empty when there is nothing to read, and is cut off when it is too long. */
static void read_text(int dir, const char *path, char *dst, size_t size)
{
        (void)sysfs_read_line(dir, path, dst, size);
        make_printable(dst);
}

static uint32_t read_u32(int dir, const char *path)
{
        uint64_t value = 0;
        (void)sysfs_read_u64(dir, path, &value); /* 0 then */
        return value <= UINT32_MAX ? (uint32_t)value : 0;
}

/* ---- lines of /proc ----------------------------------------------------------------------------- */

/* The beginning of a file, NUL-terminated; "" if it cannot be read. */
static void read_head(int dir, const char *path, char *dst, size_t size)
{
        cleanup(close_fdp) int fd = openat(dir, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        size_t len = 0;
        ssize_t n = fd;
        while (n >= 0 && len < size - 1 && (n = read(fd, dst + len, size - 1 - len)) > 0)
                len += (size_t)n;
        dst[len] = '\0';
}

/* What follows "KEY : " on the first such line, to the line's end; NULL: there is none. */
static const char *find_value(const char *text, const char *key, size_t *ret_len)
{
        for (const char *line = text; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
                if (!text_starts(line, key))
                        continue;
                const char *p = line + strlen(key);
                p += strspn(p, " \t");
                if (*p != ':')
                        continue;
                p++;
                p += strspn(p, " \t");
                *ret_len = strcspn(p, "\n");
                return p;
        }
        return NULL;
}

static void copy_value(const char *text, const char *key, char *dst, size_t size)
{
        size_t len;
        const char *value = find_value(text, key, &len);
        if (value)
                text_message(dst, size, "%.*s", (int)len, value);
}

/* Arm's kernels give numbers only: "implementer 0x41 part 0xd40". */
static void copy_arm_model(const char *text, char *dst, size_t size)
{
        char implementer[16] = "", part[16] = "";
        copy_value(text, "CPU implementer", implementer, sizeof(implementer));
        copy_value(text, "CPU part", part, sizeof(part));
        if (implementer[0] != '\0' && part[0] != '\0')
                text_message(dst, size, "implementer %s part %s", implementer, part);
}

static void read_cpu(int root, struct host_facts *f)
{
        static const char *const keys[] = { "model name", "cpu" /* POWER */, "uarch" /* RISC-V */ };
        cleanup(freep) char *text = malloc(HEAD_MAX);
        if (!text)
                return;
        read_head(root, "proc/cpuinfo", text, HEAD_MAX);
        for (size_t i = 0; i < ARRAY_SIZE(keys) && f->cpu_model[0] == '\0'; i++)
                copy_value(text, keys[i], f->cpu_model, sizeof(f->cpu_model));
        if (f->cpu_model[0] == '\0')
                copy_arm_model(text, f->cpu_model, sizeof(f->cpu_model));
        make_printable(f->cpu_model);
        size_t len = 0;
        const char *flags = find_value(text, "flags", &len),
                   *flag = flags ? strstr(flags, " hypervisor") : NULL;
        f->virtualised = flag && flag < flags + len;
}

static uint64_t read_memory(int root)
{
        char text[SYSFS_VALUE_MAX];
        uint64_t kib;
        size_t len;
        read_head(root, "proc/meminfo", text, sizeof(text));
        const char *value = find_value(text, "MemTotal", &len);
        if (!value || parse_u64(value, strcspn(value, " \n"), &kib) < 0 || kib > UINT64_MAX / 1024)
                return 0;
        return kib * 1024;
}

/* ---- the host ----------------------------------------------------------------------------------- */

/* The choice in brackets: "always [madvise] never". */
static void read_choice(int root, const char *path, char *dst, size_t size)
{
        char text[128] = "";
        read_text(root, path, text, sizeof(text));
        const char *open = strchr(text, '[');
        if (open)
                text_message(dst, size, "%.*s", (int)strcspn(open + 1, "]"), open + 1);
}

static void read_governor(int cpus, const struct cpulist *online, char *dst, size_t size)
{
        struct cpulist none = { 0 }, left = *online;
        for (int cpu; (cpu = cpulist_first_outside(&left, &none)) >= 0;) {
                char path[64], governor[HOST_FACT_MAX] = "";
                left.bits[cpu / 64] &= ~(UINT64_C(1) << cpu % 64);
                text_message(path, sizeof(path), "cpu%d/cpufreq/scaling_governor", cpu);
                read_text(cpus, path, governor, sizeof(governor));
                if (dst[0] == '\0')
                        text_message(dst, size, "%s", governor);
                if (governor[0] == '\0' || text_equal(governor, dst))
                        continue;
                text_message(dst, size, "mixed");
                return;
        }
}

static void read_cpus(int root, struct host_facts *f)
{
        struct cpulist list = { 0 };
        cleanup(close_fdp) int cpus = sysfs_open_dir(root, "sys/devices/system/cpu");
        if (cpus >= 0 && sysfs_read_cpulist(cpus, "online", &list) == 0) {
                f->cpus_online = (uint32_t)cpulist_count(&list);
                read_governor(cpus, &list, f->governor, sizeof(f->governor));
        }
        if (sysfs_read_cpulist(root, "sys/devices/system/node/online", &list) == 0)
                f->numa_nodes = (uint32_t)cpulist_count(&list);
}

void host_facts_read(int root, struct host_facts *ret)
{
        *ret = (struct host_facts){ .memory_bytes = read_memory(root) };
        read_text(root, "proc/sys/kernel/osrelease", ret->kernel, sizeof(ret->kernel));
        read_text(root, "sys/module/mlx_compat/version", ret->ofed, sizeof(ret->ofed));
        read_choice(root, "sys/kernel/mm/transparent_hugepage/enabled", ret->transparent_huge_pages,
                sizeof(ret->transparent_huge_pages));
        (void)sysfs_read_u64(root, "sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages",
                &ret->free_huge_pages_2m); /* 0 then */
        (void)sysfs_read_u64(
                root, "sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages", &ret->free_huge_pages_1g);
        read_cpu(root, ret);
        read_cpus(root, ret);
}

/* ---- a device ----------------------------------------------------------------------------------- */

static void read_driver(int root, int device, struct nic_facts *f)
{
        char path[128];
        (void)sysfs_read_link_name(device, "device/driver", f->driver, sizeof(f->driver)); /* "" then */
        make_printable(f->driver);
        text_message(path, sizeof(path), "sys/module/%s/version", f->driver);
        if (f->driver[0] != '\0')
                read_text(root, path, f->driver_version, sizeof(f->driver_version));
}

/* Of a link that has been down or is none, the kernel says "Unknown" and 0 or 255 lanes. */
static uint32_t read_lanes(int function, const char *name)
{
        uint32_t lanes = read_u32(function, name);
        return lanes < UINT8_MAX ? lanes : 0;
}

static void read_speed(int function, const char *name, char *dst, size_t size)
{
        read_text(function, name, dst, size);
        if (text_starts(dst, "Unknown"))
                dst[0] = '\0';
}

static void read_pci(int device, struct nic_facts *f)
{
        char name[HOST_FACT_MAX] = "";
        uint64_t node;
        (void)sysfs_read_link_name(device, "device", name, sizeof(name));
        if (strchr(name, ':') && name[strspn(name, "0123456789abcdef:.")] == '\0') /* or some other bus's */
                (void)text_copy(f->pci_address, sizeof(f->pci_address), name);
        f->has_numa_node =
                sysfs_read_u64(device, "device/numa_node", &node) == 0 && node <= UINT32_MAX; /* not -1 */
        f->numa_node = f->has_numa_node ? (uint32_t)node : 0;
        cleanup(close_fdp) int physical = sysfs_open_dir(device, "device/physfn");
        cleanup(close_fdp) int own = sysfs_open_dir(device, "device");
        int function = physical >= 0 ? physical : own;
        if (function < 0)
                return;
        read_speed(function, "current_link_speed", f->pci_speed, sizeof(f->pci_speed));
        read_speed(function, "max_link_speed", f->pci_max_speed, sizeof(f->pci_max_speed));
        f->pci_width = read_lanes(function, "current_link_width");
        f->pci_max_width = read_lanes(function, "max_link_width");
}

/* RoCE: the first GID's; entries without one answer EINVAL. */
static bool netdev_of_gids(int device, uint8_t port, char *dst, size_t size)
{
        enum { LOOK_AT = 16 };
        for (unsigned i = 0; i < LOOK_AT; i++) {
                char path[64];
                text_message(path, sizeof(path), "ports/%u/gid_attrs/ndevs/%u", port, i);
                if (sysfs_read_line(device, path, dst, size) == 0)
                        return true;
        }
        return false;
}

/* InfiniBand: the function's interface of that port; dev_port counts from 0. */
static bool netdev_of_function(int device, uint8_t port, char *dst, size_t size)
{
        cleanup(sysfs_names_done) struct sysfs_names names = { 0 };
        cleanup(close_fdp) int net = sysfs_open_dir(device, "device/net");
        if (net < 0 || sysfs_list(net, &names) < 0)
                return false;
        for (size_t i = 0; i < names.n; i++) {
                char path[320];
                uint64_t number = 0;
                text_message(path, sizeof(path), "%s/dev_port", names.items[i]);
                (void)sysfs_read_u64(net, path, &number); /* none: there is one port */
                if (number + 1 == port && text_copy(dst, size, names.items[i]) == 0)
                        return true;
        }
        return false;
}

static void read_netdev(int root, int device, uint8_t port, struct nic_facts *f)
{
        char path[64];
        if (!netdev_of_gids(device, port, f->netdev, sizeof(f->netdev)) &&
                !netdev_of_function(device, port, f->netdev, sizeof(f->netdev)))
                read_text(device, "parent", f->netdev, sizeof(f->netdev)); /* Soft-RoCE's */
        make_printable(f->netdev);
        text_message(path, sizeof(path), "sys/class/net/%s/mtu", f->netdev);
        if (f->netdev[0] != '\0' && !strchr(f->netdev, '/'))
                f->netdev_mtu_bytes = read_u32(root, path);
}

void nic_facts_read(int root, const char *device, uint8_t port, struct nic_facts *ret)
{
        *ret = (struct nic_facts){ 0 };
        cleanup(close_fdp) int sysfs = sysfs_open_dir(root, "sys");
        cleanup(close_fdp) int dir = sysfs < 0 ? sysfs : sysfs_open_device(sysfs, device);
        if (dir < 0)
                return;
        read_text(dir, "fw_ver", ret->firmware, sizeof(ret->firmware));
        read_driver(root, dir, ret);
        read_pci(dir, ret);
        read_netdev(root, dir, port, ret);
}
