/* SPDX-License-Identifier: Apache-2.0 */
/* What the drivers call their ethtool statistics, in one vocabulary. Pure. */
#ifndef PROBES_ETHTOOL_NAMES_H
#define PROBES_ETHTOOL_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/metric.h"
#include "probes/ethtool_standard.h"

enum ethtool_unit {
        ETHTOOL_ONE,
        ETHTOOL_MICROSECONDS, /* shown as seconds */
        ETHTOOL_PERCENT,      /* shown as a ratio */
};

struct ethtool_meaning {
        const struct metric_family *family;
        enum ethtool_unit unit;
        char number[8]; /* value of the family's third label; "" when it has none */
};

#define N_ETHTOOL_FAMILIES 55
extern const struct metric_family ethtool_families[N_ETHTOOL_FAMILIES];
extern const struct metric_family *const ethtool_other; /* labels device, netdev, statistic */

/* What a standard statistic means. */
void ethtool_standard_meaning(enum ethtool_standard which, struct ethtool_meaning *ret);
/* What a statistic of this driver means. 0; -ENOENT: nothing we know. `name` need not be terminated. */
int ethtool_meaning(const char *driver, const char *name, size_t len, struct ethtool_meaning *ret);

/* Whether a name is the pattern, in which # stands for a number of 1 to 7 digits; these are copied. */
int ethtool_pattern(const char *pattern, const char *name, size_t len, char number[8]);

#endif
