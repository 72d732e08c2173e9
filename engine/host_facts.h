/* SPDX-License-Identifier: Apache-2.0 */
/* What a later reader of a measurement needs to know of the host to trust it. From /proc and /sys; what cannot
 * be read is empty, 0 or false, never an error. Texts are printable ASCII, cut off when they are too long. */
#ifndef ENGINE_HOST_FACTS_H
#define ENGINE_HOST_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#define HOST_FACT_MAX 64

struct host_facts {
        char kernel[HOST_FACT_MAX]; /* "6.1.0-18-amd64" */
        char cpu_model[HOST_FACT_MAX];
        uint32_t cpus_online;
        uint32_t numa_nodes; /* 0: the kernel knows none */
        uint64_t memory_bytes;
        uint64_t free_huge_pages_2m, free_huge_pages_1g;
        char transparent_huge_pages[16]; /* "always", "madvise", "never" */
        char governor[HOST_FACT_MAX];    /* of CPU frequency: "performance"; "mixed"; "": none */
        bool virtualised;                /* an x86 guest */
        char ofed[HOST_FACT_MAX]; /* version of NVIDIA's (Mellanox') OFED; "": the kernel's own drivers */
};

/* The function behind a port of an RDMA device. Software has neither driver nor PCI here. */
struct nic_facts {
        char driver[HOST_FACT_MAX];         /* "mlx5_core" */
        char driver_version[HOST_FACT_MAX]; /* of one that is not the kernel's own */
        char firmware[HOST_FACT_MAX];       /* "22.36.1010" */
        char pci_address[32];               /* "0000:5e:00.0" */
        /* Of a virtual function the physical one's. "16.0 GT/s PCIe" each lane, and the lanes. */
        char pci_speed[HOST_FACT_MAX], pci_max_speed[HOST_FACT_MAX];
        uint32_t pci_width, pci_max_width;
        bool has_numa_node;
        uint32_t numa_node;
        char netdev[16]; /* of the port, or of the interface Soft-RoCE stands on */
        uint32_t netdev_mtu_bytes;
};

/* root: a descriptor of "/", or of a directory that looks like it. */
void host_facts_read(int root, struct host_facts *ret);
void nic_facts_read(int root, const char *device, uint8_t port, struct nic_facts *ret);

#endif
