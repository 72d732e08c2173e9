/* SPDX-License-Identifier: Apache-2.0 */
/* Bandwidth over windows of equal time, of a run whose length is not known beforehand, in constant memory:
 * stamps of time and progress that are thinned out when they become too many. Pure. */
#ifndef ENGINE_WINDOWS_H
#define ENGINE_WINDOWS_H

#include <stddef.h>
#include <stdint.h>

#define WINDOWS        16
#define WINDOWS_STAMPS 1024 /* at least half of them are in use after the first thinning: 32 a window */

struct windows_stamp {
        uint64_t ns; /* since the start */
        uint64_t messages;
};

struct windows {
        uint64_t start_ns, spacing_ns;
        size_t n;
        struct windows_stamp stamps[WINDOWS_STAMPS];
};

struct windows_rates { /* messages per second; all 0 when there were too few stamps */
        double steady, best, worst;
};

void windows_start(struct windows *w, uint64_t now_ns);
/* messages: all since the start; neither argument ever falls. */
void windows_add(struct windows *w, uint64_t now_ns, uint64_t messages);
/* The run ended at end_ns with so many messages. */
void windows_rates(const struct windows *w, uint64_t end_ns, uint64_t messages, struct windows_rates *ret);

#endif
