/* SPDX-License-Identifier: Apache-2.0 */
/* A responder of this process, for measurements of a host with itself. */
#ifndef CLI_LOOPBACK_H
#define CLI_LOOPBACK_H

#include "engine/engine.h"

#define LOOPBACK_ADDRESS "127.0.0.1"

struct loopback;

/* Listens on a free port of the loopback. It has an engine of its own, for both ends of one engine would want
 * the same lease of the port. 0, or what fault says. */
int loopback_new(const char *node, struct loopback **ret, struct fault *fault);
uint16_t loopback_port(const struct loopback *l);
void loopback_free(struct loopback *l);

#endif
