/* SPDX-License-Identifier: Apache-2.0 */
/* What the measuring commands have in common: options, the run, and the parts of the output that do not
 * depend on what was measured. */
#ifndef CLI_MEASUREMENT_H
#define CLI_MEASUREMENT_H

#include "cli/command.h"
#include "engine/engine.h"

/* Runs one measurement by the command line and prints it; `print` prints the figures. An exit code. */
int measurement_command(const struct command *self, int argc, char **argv, enum measure measure,
        void (*print)(const struct result *r));

#endif
