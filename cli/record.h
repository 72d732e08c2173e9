/* SPDX-License-Identifier: Apache-2.0 */
/* Dated records of runs, one file each: DIR/YYYYMMDD-HHMMSS-COMMAND-PEER.json, in UTC. */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_NAME_MAX 256

/* The file's name; `number` above 1 is put before the ending. What is not a letter, a digit, a dot or a dash
 * becomes a line below. 0, -ENAMETOOLONG, -EOVERFLOW. */
int record_name(
        char *dst, size_t size, uint64_t realtime_ns, const char *command, const char *peer, unsigned number);
/* Opens the directory and makes sure that a file can be made there, so that nobody measures for an hour and then
 * hears of it. 0, or what the system said. */
int record_open(const char *directory, int *ret_fd);
/* Writes the document whole or not at all, and never over another file: a second run of the same second, command
 * and peer gets a number. The name goes to ret_name[RECORD_NAME_MAX]. */
int record_write(int directory, const json_t *document, uint64_t realtime_ns, const char *command,
        const char *peer, char *ret_name);

#endif
