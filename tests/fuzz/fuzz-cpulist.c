/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a list of CPUs: refused without a result, or a list within bounds. */
#include <string.h>

#include "base/cpulist.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static char text[8 * CPULIST_MAX]; /* more than every other one takes */
        struct cpulist l, untouched, again;
        int r;

        memset(&l, 0x5a, sizeof(l));
        untouched = l;
        r = cpulist_parse((const char *)data, size, &l);
        require(r <= 0);
        require(r == 0 || memcmp(&l, &untouched, sizeof(l)) == 0);
        if (r == 0) {
                require(cpulist_is_within(&l, &l));
                require(cpulist_is_empty(&l) == (cpulist_count(&l) == 0));
                require(cpulist_first_outside(&l, &l) == -1);
                require(cpulist_format(&l, text, sizeof(text)) == 0);
                require(cpulist_parse(text, strlen(text), &again) == 0);
                require(memcmp(&l, &again, sizeof(l)) == 0);
                require(cpulist_is_empty(&l) == (size == 0 || (size == 1 && data[0] == '\n')));
        }
        return 0;
}
