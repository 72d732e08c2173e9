/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers for people, three or four digits and a unit. dst: UNITS_MAX bytes. */
#ifndef CLI_UNITS_H
#define CLI_UNITS_H

#include <stdint.h>

#define UNITS_MAX 24

const char *units_bytes(char *dst, uint64_t bytes);         /* "64 KiB", "1.5 MiB" */
const char *units_rate(char *dst, double bytes_per_second); /* "19.1 MiB/s" */
const char *units_bits(char *dst, double bytes_per_second); /* "160 Mbit/s" */
const char *units_duration(char *dst, double ns);           /* "123 µs" */

#endif
