/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/log.h"

/* What one message writes to standard error. */
static void capture(enum log_format format, bool journal, const char *message, char *ret, size_t size)
{
        int pipes[2], saved = dup(STDERR_FILENO);
        ssize_t n;

        assert_int_equal(pipe(pipes), 0);
        assert_int_equal(dup2(pipes[1], STDERR_FILENO), STDERR_FILENO);
        if (journal)
                (void)setenv("JOURNAL_STREAM", "8:1", 1);
        else
                (void)unsetenv("JOURNAL_STREAM");
        log_setup(LOG_LEVEL_INFO, format);
        log_debug("%s", "below the level");
        log_warn("%s", message);
        assert_int_equal(dup2(saved, STDERR_FILENO), STDERR_FILENO);
        (void)close(pipes[1]);
        n = read(pipes[0], ret, size - 1);
        assert_true(n > 0);
        ret[n] = '\0';
        (void)close(pipes[0]);
        (void)close(saved);
}

static void test_the_journal_gets_a_priority_and_no_time(void **state)
{
        char line[512];

        capture(LOG_FORMAT_LOGFMT, true, "link down", line, sizeof(line));
        assert_string_equal(line, "<4>level=warn msg=\"link down\"\n");
        capture(LOG_FORMAT_JSON, true, "link down", line, sizeof(line));
        assert_string_equal(line, "<4>{\"level\":\"warn\",\"msg\":\"link down\"}\n");
}

static void test_elsewhere_a_time_leads(void **state)
{
        char line[512];

        capture(LOG_FORMAT_LOGFMT, false, "x", line, sizeof(line));
        assert_memory_equal(line, "ts=2", 4);
        assert_string_equal(strchr(line, ' '), " level=warn msg=\"x\"\n");
        capture(LOG_FORMAT_JSON, false, "x", line, sizeof(line));
        assert_memory_equal(line, "{\"ts\":\"2", 8);
        assert_non_null(strstr(line, "Z\",\"level\":\"warn\",\"msg\":\"x\"}\n"));
}

static void test_a_message_is_one_line_whatever_is_in_it(void **state)
{
        char line[512];

        capture(LOG_FORMAT_JSON, true, "a\"b\\c\nd\te\x01", line, sizeof(line));
        assert_string_equal(line, "<4>{\"level\":\"warn\",\"msg\":\"a\\\"b\\\\c\\nd\\u0009e\\u0001\"}\n");
}

static void test_a_long_message_is_cut_not_lost(void **state)
{
        char message[5000], line[8192];

        memset(message, 'm', sizeof(message) - 1);
        message[sizeof(message) - 1] = '\0';
        capture(LOG_FORMAT_LOGFMT, true, message, line, sizeof(line));
        assert_true(strlen(line) > 1000 && strlen(line) < 3000);
        assert_string_equal(line + strlen(line) - 2, "\"\n");
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_the_journal_gets_a_priority_and_no_time),
                cmocka_unit_test(test_elsewhere_a_time_leads),
                cmocka_unit_test(test_a_message_is_one_line_whatever_is_in_it),
                cmocka_unit_test(test_a_long_message_is_cut_not_lost),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
