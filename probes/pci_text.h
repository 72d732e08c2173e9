/* SPDX-License-Identifier: Apache-2.0 */
/* What PCI files of sysfs say. Pure. */
#ifndef PROBES_PCI_TEXT_H
#define PROBES_PCI_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* "32.0 GT/s PCIe", "8 GT/s" → transfers per second. -ENODATA: "Unknown", and "Unknown speed". */
int pci_parse_speed(const char *text, size_t len, uint64_t *ret);
/* A number of lanes; -ENODATA for 0 and 255, which mean there is no link. */
int pci_parse_width(const char *text, size_t len, uint64_t *ret);

#define PCI_AER_NAME_MAX 32

struct pci_aer_line {
        char name[PCI_AER_NAME_MAX];
        uint64_t value;
};

/* The next line ("BadTLP 3") of *text, which moves behind it; empty lines are passed over. -ENODATA: no more;
 * -EINVAL, -ERANGE, -ENAMETOOLONG: not such a line, passed over too. */
int pci_aer_next(const char **text, size_t *len, struct pci_aer_line *ret);

#endif
