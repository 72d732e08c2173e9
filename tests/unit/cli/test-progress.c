/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/progress.h"

static void the_bar_fills_with_time(void **state)
{
        char line[PROGRESS_MAX], full[41];

        memset(full, '#', 40);
        full[40] = '\0';
        progress_line(line, 0, 10 * NS_PER_SEC);
        assert_true(text_starts(line, "[   "));
        assert_non_null(strstr(line, "] 0 of 10 s"));
        progress_line(line, 5 * NS_PER_SEC, 10 * NS_PER_SEC);
        assert_non_null(strstr(line, "####                    ] 5 of 10 s"));
        progress_line(line, 99 * NS_PER_SEC, 10 * NS_PER_SEC);
        assert_non_null(strstr(line, full));
        assert_non_null(strstr(line, "] 10 of 10 s"));
        assert_true(strlen(progress_line(line, UINT64_MAX, UINT64_MAX)) < PROGRESS_MAX);
        assert_non_null(strstr(progress_line(line, 1, 0), "] 0 of 0 s"));
}

/* What a terminal would show in the end: nothing. */
static void it_is_erased(void **state)
{
        char drawn[4096];
        int pipe_fds[2], saved = dup(STDERR_FILENO);

        assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
        assert_true(dup2(pipe_fds[1], STDERR_FILENO) >= 0);
        progress_free(progress_new(10 * NS_PER_SEC));
        struct progress *p = progress_new(10 * NS_PER_SEC);
        (void)usleep(50000);
        progress_free(p);
        fflush(stderr);
        assert_true(dup2(saved, STDERR_FILENO) >= 0);
        (void)close(saved);
        (void)close(pipe_fds[1]);
        ssize_t n = read(pipe_fds[0], drawn, sizeof(drawn) - 1);
        (void)close(pipe_fds[0]);
        assert_true(n > 4);
        drawn[n] = '\0';
        assert_non_null(strstr(drawn, "\r["));
        assert_string_equal(drawn + n - 4, "\r\033[K");
        assert_null(strchr(drawn, '\n'));
}

static void short_runs_and_pipes_have_none(void **state)
{
        assert_false(progress_is_wanted(2 * NS_PER_SEC));
        if (!isatty(STDOUT_FILENO) || !isatty(STDERR_FILENO))
                assert_false(progress_is_wanted(60 * NS_PER_SEC));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_bar_fills_with_time),
                cmocka_unit_test(it_is_erased),
                cmocka_unit_test(short_runs_and_pipes_have_none),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
