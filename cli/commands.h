/* SPDX-License-Identifier: Apache-2.0 */
/* All commands there are. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/command.h"

extern const struct command command_bw, command_devices, command_lat, command_respond;

extern const struct command *const commands[]; /* NULL-terminated, in the order of the help */

#endif
