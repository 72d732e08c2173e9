/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a datagram about standard statistics: refused, or read within bounds. */
#include <string.h>

#include "probes/ethtool_standard.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct ethtool_standard_values values = { 0 };
        void *aligned = malloc(size ? size : 1);
        int r;

        require(aligned);
        memcpy(aligned, data, size);
        r = ethtool_standard_read(aligned, size, 7, &values);
        require(r <= 0);
        require(values.known < 1U << N_ETHTOOL_STANDARD);
        for (unsigned i = 0; i < N_ETHTOOL_STANDARD; i++)
                require(values.known >> i & 1 || values.values[i] == 0);
        free(aligned);
        return 0;
}
