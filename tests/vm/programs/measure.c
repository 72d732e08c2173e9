/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements one after the other, for scenarios: measure HOST bandwidth|latency TRAFFIC_MS DEADLINE_MS
 * [COUNT]. A line for each: stage, kind, seconds it took, seconds beyond its deadline (negative: before it),
 * MiB/s, messages, reason; "begin" before the first, and a last one with what this process holds. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/engine.h"

static unsigned entries(const char *path)
{
        unsigned n = 0;
        DIR *d = opendir(path);
        for (; d && readdir(d); n++)
                ;
        if (d)
                closedir(d);
        return n;
}

static double seconds(uint64_t later, uint64_t earlier)
{
        return ((double)later - (double)earlier) / (double)NS_PER_SEC;
}

static void measure(struct engine *e, char **argv, bool latency)
{
        uint64_t start = clock_now_ns();
        struct measure_request request = {
                .device = "rxe0",
                .peer = argv[1],
                .deadline_ns = start + strtoull(argv[4], NULL, 10) * NS_PER_MS,
        };
        struct result r;
        plan_defaults(&request.plan, latency ? MEASURE_LATENCY : MEASURE_BANDWIDTH, DEVICE_SOFTWARE);
        request.plan.budget_bytes = request.plan.budget_messages = 0;
        request.plan.budget_ns = strtoull(argv[3], NULL, 10) * NS_PER_MS;
        result_init(&r);
        (void)engine_measure(e, &request, &r); /* the result says it */
        uint64_t end = clock_now_ns();
        printf("%s %s %.3f %.3f %.2f %" PRIu64 " %s\n", stage_name(r.stage), outcome_kind_name(r.fault.kind),
                seconds(end, start), seconds(end, request.deadline_ns), r.average_bps / (1 << 20), r.messages,
                r.fault.reason);
        fflush(stdout);
        result_done(&r);
}

int main(int argc, char **argv)
{
        struct engine *e;
        if (argc < 5 || engine_new("measure", &e) < 0)
                return 2;
        printf("begin\n");
        fflush(stdout);
        for (int i = 0; i < (argc > 5 ? atoi(argv[5]) : 1); i++)
                measure(e, argv, strcmp(argv[2], "latency") == 0);
        engine_free(e);
        printf("fds %u threads %u\n", entries("/proc/self/fd"), entries("/proc/self/task"));
        return 0;
}
