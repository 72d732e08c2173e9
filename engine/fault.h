/* SPDX-License-Identifier: Apache-2.0 */
/* Filling struct fault in one line: `return fault_set(fault, OUTCOME_LOCAL, -ENODEV, "…", …);`. */
#ifndef ENGINE_FAULT_H
#define ENGINE_FAULT_H

#include "engine/engine.h"

/* Sets kind, error and reason, and returns error. The reason is cut off when it is too long. An existing
 * fault is replaced. `f` may be NULL. */
int fault_set(struct fault *f, enum outcome_kind kind, int error, const char *format, ...)
        __attribute__((format(printf, 4, 5)));

#endif
