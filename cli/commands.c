/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

#include <stddef.h>

const struct command *const commands[] = {
        &command_devices,
        &command_bw,
        &command_lat,
        &command_respond,
        NULL,
};
