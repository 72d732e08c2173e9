/* SPDX-License-Identifier: Apache-2.0 */
/* rdma-canary bw: write bandwidth to another host. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/measurement.h"
#include "cli/units.h"

static void print_rate(const char *name, double bps)
{
        char bytes[UNITS_MAX], bits[UNITS_MAX];
        if (bps > 0)
                printf("  %-14s %12s %14s\n", name, units_rate(bytes, bps), units_bits(bits, bps));
}

static void print_bandwidth(const struct result *r)
{
        printf("bandwidth\n");
        print_rate("average", r->average_bps);
        print_rate("steady", r->steady_bps);
        print_rate("worst window", r->worst_window_bps);
        print_rate("best window", r->best_window_bps);
}

static int bw(const struct command *self, int argc, char **argv)
{
        return measurement_command(self, argc, argv, MEASURE_BANDWIDTH, print_bandwidth);
}

const struct command command_bw = {
        .name = "bw",
        .synopsis = "HOST[:PORT] [OPTION...]",
        .summary = "Measures write bandwidth to a host that runs rdma-canaryd.",
        .run = bw,
};
