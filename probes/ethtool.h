/* SPDX-License-Identifier: Apache-2.0 */
/* For tests: another kernel to ask. */
#ifndef PROBES_ETHTOOL_H
#define PROBES_ETHTOOL_H

#include "probes/ethtool_query.h"

/* Of a state made by the class "ethtool"; before its first turn. */
void ethtool_ask(void *state, struct ethtool_caller caller);

#endif
