/* SPDX-License-Identifier: Apache-2.0 */
/* Results: what the engine's parts fill in common. */
#ifndef ENGINE_RESULT_H
#define ENGINE_RESULT_H

#include "engine/engine.h"
#include "engine/protocol.h"

/* The figures of every sample in the histogram. */
void latency_from_histogram(struct latency *ret, const struct histogram *h);

/* What the other end saw, into the result; the average becomes that of what arrived. Once. */
void result_take_report(struct result *r, const struct report *report);
/* Whether both ends' words fit together: 0, or -EBADMSG with the fault that names `host`. */
int result_judge(const struct result *r, const char *host, struct fault *fault);

#endif
