/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a driver's table of names: every block has a length within bounds, and a meaning is a family
 * with a number exactly when its labels want one. */
#include <string.h>

#include "probes/ethtool_names.h"
#include "probes/ethtool_query.h"
#include "tests/fuzz/fuzz.h"

static const char *const drivers[] = { "mlx5_core", "bnxt_en", "ice", "i40e", "hns3", "ionic", "" };

static void try_name(const char *driver, const char *name, size_t len)
{
        struct ethtool_meaning meaning;

        if (ethtool_meaning(driver, name, len, &meaning) < 0)
                return;
        require(meaning.family != ethtool_other);
        require(strlen(meaning.number) < sizeof(meaning.number));
        require((meaning.number[0] != '\0') == (meaning.family->labels[2] != NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        const char *names = (const char *)data;
        uint32_t n = (uint32_t)(size / ETHTOOL_NAME_SIZE);

        for (uint32_t i = 0; i < n; i++) {
                size_t len = ethtool_name_length(names, i);

                require(len <= ETHTOOL_NAME_SIZE);
                for (size_t k = 0; k < sizeof(drivers) / sizeof(drivers[0]); k++)
                        try_name(drivers[k], names + (size_t)i * ETHTOOL_NAME_SIZE, len);
        }
        for (size_t k = 0; k < sizeof(drivers) / sizeof(drivers[0]); k++)
                try_name(drivers[k], names, size);
        return 0;
}
