/* SPDX-License-Identifier: Apache-2.0 */
/* rdma-canary bw: bandwidth to another host. */
#include <stddef.h>

#include "cli/commands.h"
#include "cli/measure_options.h"
#include "cli/measurement.h"

static const struct option_group *const groups[] = { &group_ends, &group_operation, &group_traffic,
        &group_bandwidth_traffic, &group_bandwidth_limits, &group_output, NULL };

static int bw(const struct command *self, int argc, char **argv)
{
        return measurement_command(self, argc, argv, MEASURE_BANDWIDTH);
}

const struct command command_bw = {
        .name = "bw",
        .synopsis = "HOST[:PORT]|--loopback [OPTION...]",
        .summary = "Measures bandwidth to a host that runs rdma-canaryd or respond.",
        .groups = groups,
        .run = bw,
};
