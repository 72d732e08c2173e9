/* SPDX-License-Identifier: Apache-2.0 */
/* A run for people: no line is wider than 80 columns. */
#ifndef CLI_HUMAN_H
#define CLI_HUMAN_H

#include <stdio.h>

#include "cli/report.h"

#define HUMAN_COLUMNS 80

void human_report(const struct report *r, FILE *to);
/* "from       host-a, rxe0 port 1, 198.51.100.1": items with commas between them, broken where the line would
 * become too wide. An item that is wider than a line is cut. */
void human_line(FILE *to, const char *title, const char *const *items, size_t n);

#endif
