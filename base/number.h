/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as the exposition formats spell them, without printf where that can be. They are written at `at`,
 * without a terminator; what comes back is where they end, at most NUMBER_MAX further. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdint.h>

#define NUMBER_MAX 32

char *number_u64(char *at, uint64_t value);
/* The shortest text that reads back as the same double; "NaN", "+Inf", "-Inf" as Prometheus spells them. */
char *number_double(char *at, double value);

#endif
