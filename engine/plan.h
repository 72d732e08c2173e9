/* SPDX-License-Identifier: Apache-2.0 */
/* Plans as the data path reads them; the public part is in engine.h. */
#ifndef ENGINE_PLAN_H
#define ENGINE_PLAN_H

#include "engine/engine.h"

/* Messages that the byte and message budgets allow; UINT64_MAX when only time ends the run. */
uint64_t plan_messages(const struct plan *p);
/* Chooses what the plan leaves to the engine and both ends must agree on: the receive depth. The plan has passed
 * the check. */
void plan_resolve(struct plan *p);
/* Both ends send: each has slots for what it sends and for what lands. */
bool plan_is_mutual(const struct plan *p);
/* Of an end's memory: as many slots as this for each queue pair, each of so many bytes. */
unsigned plan_slots(const struct plan *p);
uint64_t plan_slot_bytes(const struct plan *p);
/* What an end pins. */
uint64_t plan_memory_bytes(const struct plan *p);
/* Beyond what the first release, which ignores fields it does not know, would run as asked: RC writes in one
 * direction over at most 64 queue pairs, the rest left to the engine. */
bool plan_is_extended(const struct plan *p);

#endif
