/* SPDX-License-Identifier: Apache-2.0 */
/* What bw and lat have in common: nearly all. */
#ifndef CLI_MEASUREMENT_H
#define CLI_MEASUREMENT_H

#include "cli/command.h"
#include "engine/engine.h"

/* Runs one measurement by the command line and prints it. An exit code. */
int measurement_command(const struct command *self, int argc, char **argv, enum measure measure);

#endif
