/* SPDX-License-Identifier: Apache-2.0 */
/* Plans as the data path reads them; the public part is in engine.h. */
#ifndef ENGINE_PLAN_H
#define ENGINE_PLAN_H

#include "engine/engine.h"

/* Messages that the byte and message budgets allow; UINT64_MAX when only time ends the run. */
uint64_t plan_messages(const struct plan *p);

#endif
