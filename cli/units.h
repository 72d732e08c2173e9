/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers for people, three or four digits and a unit. dst: UNITS_MAX bytes. */
#ifndef CLI_UNITS_H
#define CLI_UNITS_H

#include <stdint.h>

#define UNITS_MAX 32

enum quantity {
        QUANTITY_BYTES,
        QUANTITY_RATE, /* bytes per second, as MiB/s */
        QUANTITY_BITS, /* bytes per second, as Mbit/s */
        QUANTITY_TIME, /* nanoseconds */
};

struct unit {
        double size; /* in bytes, bytes per second or nanoseconds */
        const char *name;
};

/* The largest unit that the value reaches, for a column's header. */
const struct unit *units_for(enum quantity q, double value);
/* "19.1", in that unit. */
const char *units_in(char *dst, double value, const struct unit *unit);

const char *units_bytes(char *dst, uint64_t bytes);         /* "64 KiB", "1.50 MiB" */
const char *units_rate(char *dst, double bytes_per_second); /* "19.1 MiB/s" */
const char *units_bits(char *dst, double bytes_per_second); /* "160 Mbit/s" */
const char *units_duration(char *dst, double ns);           /* "123 µs" */

#endif
