/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines on standard error, one each, as Prometheus exporters write them (logfmt or JSON). Under systemd
 * (JOURNAL_STREAM is set) a line carries its priority as "<6>" and no time stamp: the journal has its own.
 * Thread-safe. The level and format are the program's only globals. */
#ifndef DAEMON_LOG_H
#define DAEMON_LOG_H

#include <stdbool.h>

#include "base/text.h"

enum log_level {
        LOG_LEVEL_DEBUG,
        LOG_LEVEL_INFO,
        LOG_LEVEL_WARN,
        LOG_LEVEL_ERROR,
};

enum log_format {
        LOG_FORMAT_LOGFMT,
        LOG_FORMAT_JSON,
};

extern const char *const log_level_names[]; /* NULL-terminated, by enum */
extern const char *const log_format_names[];

void log_setup(enum log_level level, enum log_format format);
void log_message(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Each line of the buffer as a message of its own. */
void log_lines(enum log_level level, const struct buf *lines);

#define log_debug(...) log_message(LOG_LEVEL_DEBUG, __VA_ARGS__)
#define log_info(...)  log_message(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_warn(...)  log_message(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_error(...) log_message(LOG_LEVEL_ERROR, __VA_ARGS__)

#endif
