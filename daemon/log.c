/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/text.h"

#define LINE_MAX_BYTES 2048

const char *const log_level_names[] = { "debug", "info", "warn", "error", NULL };
const char *const log_format_names[] = { "logfmt", "json", NULL };

/* Syslog priorities by level, which the journal reads from the head of a line. */
static const char journal_priority[] = { '7', '6', '4', '3' };

static struct {
        enum log_level level;
        enum log_format format;
        bool journal;
} settings = { .level = LOG_LEVEL_INFO };

void log_setup(enum log_level level, enum log_format format)
{
        settings.level = level;
        settings.format = format;
        settings.journal = getenv("JOURNAL_STREAM") != NULL;
}

static void add_time(struct buf *b)
{
        struct timespec now;
        struct tm utc;
        char text[32];

        (void)clock_gettime(CLOCK_REALTIME, &now); /* cannot fail for this clock */
        (void)gmtime_r(&now.tv_sec, &utc);
        (void)strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &utc);
        buf_format(b, "%s.%03ldZ", text, now.tv_nsec / 1000000);
}

/* Quoted so that one message is one line whatever is in it; the same rules serve logfmt and JSON. */
static void add_quoted(struct buf *b, const char *s)
{
        buf_char(b, '"');
        for (; *s; s++) {
                unsigned char c = (unsigned char)*s;
                if (c == '"' || c == '\\') {
                        buf_char(b, '\\');
                        buf_char(b, *s);
                } else if (c == '\n') {
                        buf_text(b, "\\n");
                } else if (c < 0x20 || c == 0x7f) {
                        buf_format(b, "\\u%04x", c);
                } else {
                        buf_char(b, *s);
                }
        }
        buf_char(b, '"');
}

static void add_line(struct buf *b, enum log_level level, const char *message)
{
        bool json = settings.format == LOG_FORMAT_JSON;

        if (settings.journal)
                buf_format(b, "<%c>", journal_priority[level]);
        buf_text(b, json ? "{" : "");
        if (!settings.journal) {
                buf_text(b, json ? "\"ts\":\"" : "ts=");
                add_time(b);
                buf_text(b, json ? "\"," : " ");
        }
        buf_text(b, json ? "\"level\":\"" : "level=");
        buf_text(b, log_level_names[level]);
        buf_text(b, json ? "\",\"msg\":" : " msg=");
        add_quoted(b, message);
        buf_text(b, json ? "}\n" : "\n");
}

void log_message(enum log_level level, const char *format, ...)
{
        cleanup(buf_done) struct buf line = { 0 };
        char message[LINE_MAX_BYTES];
        va_list args;

        if (level < settings.level)
                return;
        va_start(args, format);
        (void)vsnprintf(
                message, sizeof(message), format, args); /* a cut-off message is still worth its line */
        va_end(args);

        add_line(&line, level, message);
        if (line.error)
                return;
        /* One write, so that lines of several threads do not mix. Nowhere to report a failure to. */
        if (write(STDERR_FILENO, line.data, line.len) < 0)
                return;
}

void log_lines(enum log_level level, const struct buf *lines)
{
        char *line = lines->data;

        while (line && *line) {
                char *end = strchr(line, '\n');
                log_message(level, "%.*s", end ? (int)(end - line) : (int)strlen(line), line);
                line = end ? end + 1 : NULL;
        }
}
