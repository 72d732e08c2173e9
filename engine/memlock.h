/* SPDX-License-Identifier: Apache-2.0 */
/* Why memory could not be registered. */
#ifndef ENGINE_MEMLOCK_H
#define ENGINE_MEMLOCK_H

#include <stddef.h>

/* Registered memory is locked, and what a process without CAP_IPC_LOCK may lock is limited (RLIMIT_MEMLOCK,
 * 8 MiB by default for users). After registering so many bytes failed with `error` (positive or negative
 * errno): how many are needed and allowed, and the settings to change; what the error means when the limit
 * has nothing to do with it. For the end of a sentence; under 220 characters. */
void memlock_explain(char *dst, size_t size, size_t bytes_needed, int error);

#endif
