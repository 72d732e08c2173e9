/* SPDX-License-Identifier: Apache-2.0 */
/* rdma-canary lat: latency to another host, half of the round trip. */
#include <stddef.h>

#include "cli/commands.h"
#include "cli/measure_options.h"
#include "cli/measurement.h"

static const struct option_group *const groups[] = { &group_ends, &group_operation, &group_traffic,
        &group_latency_limits, &group_output, NULL };

static int lat(const struct command *self, int argc, char **argv)
{
        return measurement_command(self, argc, argv, MEASURE_LATENCY);
}

const struct command command_lat = {
        .name = "lat",
        .synopsis = "HOST[:PORT]|--loopback [OPTION...]",
        .summary = "Measures latency to a host that runs rdma-canaryd or respond.",
        .groups = groups,
        .run = lat,
};
