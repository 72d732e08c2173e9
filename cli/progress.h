/* SPDX-License-Identifier: Apache-2.0 */
/* A bar on a terminal while a long run is under way. A thread of its own draws it and looks at nothing but the
 * clock, so that the traffic does not notice. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRESS_MAX 80

/* For runs of over two seconds whose output goes to a terminal. */
bool progress_is_wanted(uint64_t duration_ns);

struct progress;

/* Draws on stderr until progress_free(), which erases it. NULL when there is no memory: a run without a bar. */
struct progress *progress_new(uint64_t duration_ns);
void progress_free(struct progress *p);

/* "[#####               ] 3 of 12 s", in dst[PROGRESS_MAX]. */
const char *progress_line(char *dst, uint64_t elapsed_ns, uint64_t duration_ns);

#endif
