/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a speed, a width, and a report of errors: refused without a result, or within bounds; a report
 * comes to its end. */
#include <errno.h>
#include <string.h>

#include "probes/pci_text.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        const char *text = (const char *)data;
        uint64_t value = UINT64_MAX;
        size_t left = size;
        struct pci_aer_line line;
        int r = pci_parse_speed(text, size, &value);

        require((r < 0) == (value == UINT64_MAX));
        require(r < 0 || value <= UINT64_C(10001) * 1000 * 1000 * 1000);
        value = UINT64_MAX;
        r = pci_parse_width(text, size, &value);
        require(r < 0 || value != 0);
        for (size_t before = left + 1; (r = pci_aer_next(&text, &left, &line)) != -ENODATA; before = left) {
                require(left < before);
                require(text + left == (const char *)data + size);
                require(r < 0 || (line.name[0] != '\0' && strlen(line.name) < PCI_AER_NAME_MAX));
        }
        return 0;
}
