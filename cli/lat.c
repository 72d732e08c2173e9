/* SPDX-License-Identifier: Apache-2.0 */
/* rdma-canary lat: write latency to another host, half of the round trip. */
#include <inttypes.h>
#include <stdio.h>

#include "base/scope.h"
#include "cli/command.h"
#include "cli/measurement.h"
#include "cli/units.h"

static void print_latency(const struct result *r)
{
        const struct latency *l = &r->latency;
        const struct {
                const char *name;
                double ns;
        } figures[] = {
                { "minimum", (double)l->min_ns },
                { "median", (double)l->p50_ns },
                { "mean", l->mean_ns },
                { "deviation", l->deviation_ns },
                { "90 %", (double)l->p90_ns },
                { "99 %", (double)l->p99_ns },
                { "99.9 %", (double)l->p999_ns },
                { "99.99 %", (double)l->p9999_ns },
                { "maximum", (double)l->max_ns },
        };
        printf("latency    one way, all of %" PRIu64 " samples\n", l->count);
        for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
                char text[UNITS_MAX];
                printf("  %-14s %12s\n", figures[i].name, units_duration(text, figures[i].ns));
        }
}

static int lat(const struct command *self, int argc, char **argv)
{
        return measurement_command(self, argc, argv, MEASURE_LATENCY, print_latency);
}

const struct command command_lat = {
        .name = "lat",
        .synopsis = "HOST[:PORT] [OPTION...]",
        .summary = "Measures write latency to a host that runs rdma-canaryd.",
        .run = lat,
};
