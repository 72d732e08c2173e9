/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TARGET_H
#define CLI_TARGET_H

#include <stddef.h>
#include <stdint.h>

/* "host", "host:port", "[v6]:port", "[v6]"; an IPv6 address without brackets is a host. *ret_port is 0 when there
 * is none. 0, -EINVAL, -ERANGE; then nothing is written. */
int target_parse(const char *s, size_t len, char *host, size_t size, uint16_t *ret_port);

#endif
