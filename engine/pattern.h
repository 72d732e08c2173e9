/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that can be told from any others, to verify what arrived: the same for a seed on every host, whatever
 * its byte order. Data that is shifted, mixed up or of another seed differs nearly everywhere. Pure. */
#ifndef ENGINE_PATTERN_H
#define ENGINE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The seed's pattern; what is shorter is the beginning of what is longer. */
void pattern_fill(void *data, size_t bytes, uint64_t seed);
/* What differs from it in every byte: so that what has not been written to is found, too. */
void pattern_fill_wrong(void *data, size_t bytes, uint64_t seed);
/* Whether all of it is still what pattern_fill_wrong() has put there. */
bool pattern_is_wrong(const void *data, size_t bytes, uint64_t seed);
/* How many bytes differ from the pattern, and the first one's offset, which is untouched when there is
 * none. */
uint64_t pattern_mismatches(const void *data, size_t bytes, uint64_t seed, size_t *ret_first);

#endif
