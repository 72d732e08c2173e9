/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a port's rate: refused without a result, or a number of units within bounds. */
#include "probes/link_rate.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        uint64_t rate = UINT64_MAX;
        int r = link_rate_parse((const char *)data, size, &rate);

        require(r <= 0);
        require((r < 0) == (rate == UINT64_MAX));
        require(r < 0 || rate <= UINT64_C(1000001) * 1000 * 1000 * 1000 * 1000);
        return 0;
}
