/* SPDX-License-Identifier: Apache-2.0 */
/* Strict parsers. Each takes memory and a length, accepts the whole of it or refuses it, allocates
 * nothing, and leaves *ret untouched on failure. -EINVAL: not of the form. -ERANGE: of the form, but it
 * does not fit. No locale, no leading or trailing blanks, no leading '+'. A plain number with a leading
 * zero is refused: "010" is eight to some YAML readers and ten to others. */
#ifndef BASE_PARSE_H
#define BASE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int parse_u64(const char *s, size_t len, uint64_t *ret);
int parse_i64(const char *s, size_t len, int64_t *ret);
int parse_double(const char *s, size_t len, double *ret); /* finite; under 128 characters */
int parse_bool(const char *s, size_t len, bool *ret);     /* true, false */
/* Prometheus durations: "30s", "250ms", "1h30m", units y w d h m s ms us ns, each at most once and in
 * falling order, leading zeros as in "1h05m" included; "0" needs no unit. A year is 365 days. */
int parse_duration(const char *s, size_t len, uint64_t *ret_ns);
/* Bytes: "65536", "64K", "64KiB" (both 1024-based), "64kB" (1000-based), up to E; whole
 * numbers only. "64KB" and "64k" are refused: they mean either. */
int parse_size(const char *s, size_t len, uint64_t *ret_bytes);
/* Rates: "160Mbit/s", "12.5Gbit/s" (1000-based bits), "50MiB/s", "6GB/s"; a bare number is refused.
 * Up to 9 decimals, rounded down to a byte; above 0 but below 1 B/s is -ERANGE. */
int parse_rate(const char *s, size_t len, uint64_t *ret_bytes_per_second);
/* "host:port", "[v6]:port", ":port" (host ""). host without brackets; port 1 … 65535.
 * A v6 address may have a zone ("[fe80::1%eth0]:1"); a v6 address without brackets is refused. */
int parse_host_port(const char *s, size_t len, char *host, size_t host_size, uint16_t *ret_port);
/* As sysfs writes them: one trailing newline and blanks around are stripped, leading zeros are fine. Texts
 * that start with N/A ("N/A (no PMA)") give -ENODATA. */
int parse_sysfs_u64(const char *s, size_t len, uint64_t *ret);

#endif
