/* SPDX-License-Identifier: Apache-2.0 */
/* What the tool calls things that the engine numbers. */
#ifndef CLI_NAMES_H
#define CLI_NAMES_H

#include "engine/engine.h"

#define PORT_STATE_ACTIVE 4 /* enum ibv_port_state, which only the engine includes */

const char *name_port_state(unsigned state);
/* This host, as it calls itself. */
void name_of_host(char *dst, size_t size);

#endif
