/* SPDX-License-Identifier: Apache-2.0 */
/* Results: what the engine's parts fill in common. */
#ifndef ENGINE_RESULT_H
#define ENGINE_RESULT_H

#include "engine/engine.h"

/* The figures of every sample in the histogram. */
void latency_from_histogram(struct latency *ret, const struct histogram *h);

#endif
