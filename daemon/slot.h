/* SPDX-License-Identifier: Apache-2.0 */
/* Slots: where a source's latest batch is for everyone to read. Thread-safe; the lock is held for a pointer
 * swap only, never while reading or rendering. */
#ifndef DAEMON_SLOT_H
#define DAEMON_SLOT_H

#include "base/batch.h"

struct slots; /* the registry of all slots */
struct slot;

int slots_new(struct slots **ret);
void slots_free(struct slots *s); /* and every slot left in it */
int slot_add(struct slots *s, struct slot **ret);
void slot_remove(struct slot *slot); /* its samples are gone from the next page on; NULL is fine */
/* Takes the reference; drops the old batch. NULL: nothing to show (a vanished device). */
void slot_publish(struct slot *slot, struct batch *b);
/* Takes b away if it is still what the slot holds; something newer stays. */
void slot_withdraw(struct slot *slot, const struct batch *b);
/* References to all batches there are, in no order: *ret (NULL for none) freed with slots_release(). */
int slots_collect(struct slots *s, struct batch ***ret, size_t *ret_n);
void slots_release(struct batch **batches, size_t n);

#endif
