/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROBES_LINK_RATE_H
#define PROBES_LINK_RATE_H

#include <stddef.h>
#include <stdint.h>

/* A port's `rate` file: "100 Gb/sec (4X EDR)", "2.5 Gb/sec", and "0 GB/sec" of a port without a module.
 * Takes the whole text, a trailing newline included. 0, -EINVAL, -ERANGE. */
int link_rate_parse(const char *text, size_t len, uint64_t *ret_bytes_per_second);

#endif
