/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/text.h"
#include "engine/engine.h"
#include "engine/memlock.h"

#define MIB ((rlim_t)1 << 20)

/* What a process of these limits says; in one of its own, since a limit once lowered stays so. */
static void explain(rlim_t soft, rlim_t hard, size_t bytes, int error, char *dst, size_t size)
{
        int ends[2], status = 0;
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
                struct rlimit limit = { .rlim_cur = soft, .rlim_max = hard };
                if (setrlimit(RLIMIT_MEMLOCK, &limit) < 0)
                        _exit(errno == EPERM ? 77 : 1);
                memlock_explain(dst, size, bytes, error);
                _exit(write(ends[1], dst, strlen(dst) + 1) < 0 ? 1 : 0);
        }
        close(ends[1]);
        ssize_t n = read(ends[0], dst, size);
        close(ends[0]);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        if (WEXITSTATUS(status) == 77)
                skip(); /* the limit here is lower already, and we are not root */
        assert_int_equal(WEXITSTATUS(status), 0);
        assert_true(n > 0);
}

static void a_user_of_8_mib_hears_what_is_needed_and_what_to_set(void **state)
{
        char text[ENGINE_REASON_MAX];
        explain(8 * MIB, 8 * MIB, 64 * MIB, ENOMEM, text, sizeof(text));
        assert_string_equal(text,
                "67108864 bytes of locked memory are needed, 8388608 allowed (hard limit 8388608): set at "
                "least "
                "LimitMEMLOCK=65537K in the unit, `ulimit -l 65537`, or memlock in /etc/security/limits.d");
}

static void soft_and_hard_limit_are_told_apart(void **state)
{
        char text[ENGINE_REASON_MAX];
        explain(1 * MIB, 4 * MIB, 2 * MIB, -ENOMEM, text, sizeof(text));
        assert_non_null(strstr(
                text, "2097152 bytes of locked memory are needed, 1048576 allowed (hard limit 4194304)"));
        explain(0, 0, 4096, EPERM, text, sizeof(text));
        assert_non_null(strstr(text, "4096 bytes of locked memory are needed, 0 allowed (hard limit 0)"));
        assert_non_null(strstr(text, "`ulimit -l 5`"));
}

/* It is the sum of all registrations that counts. */
static void what_would_fit_alone_is_said_to_be_not_alone(void **state)
{
        char text[ENGINE_REASON_MAX];
        explain(2 * MIB, 2 * MIB, 1 * MIB, ENOMEM, text, sizeof(text));
        assert_non_null(strstr(
                text, "1048576 bytes of locked memory are needed beside those in use, 2097152 allowed"));
        assert_non_null(strstr(text, "LimitMEMLOCK=3073K"));
}

static void other_failures_are_not_blamed_on_the_limit(void **state)
{
        char text[ENGINE_REASON_MAX];
        explain(1 * MIB, 1 * MIB, 2 * MIB, EFAULT, text, sizeof(text));
        assert_string_equal(text, strerror(EFAULT));
}

static void without_a_limit_it_is_not_the_limit(void **state)
{
        struct rlimit limit = { 0 };
        char text[ENGINE_REASON_MAX];
        if (getrlimit(RLIMIT_MEMLOCK, &limit) < 0 || (limit.rlim_max != RLIM_INFINITY && geteuid() != 0))
                skip();
        explain(RLIM_INFINITY, RLIM_INFINITY, 2 * MIB, ENOMEM, text, sizeof(text));
        assert_string_equal(text, strerror(ENOMEM));
        explain(1 * MIB, RLIM_INFINITY, 2 * MIB, ENOMEM, text, sizeof(text));
        assert_non_null(strstr(text, "(hard limit unlimited)"));
}

/* As long as numbers get: it fits behind the name of a device. */
static void it_fits_a_reason(void **state)
{
        char text[ENGINE_REASON_MAX];
        explain(8 * MIB, 8 * MIB, SIZE_MAX, ENOMEM, text, sizeof(text));
        assert_true(strlen(text) < 220);
}

int main(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_user_of_8_mib_hears_what_is_needed_and_what_to_set),
                cmocka_unit_test(soft_and_hard_limit_are_told_apart),
                cmocka_unit_test(what_would_fit_alone_is_said_to_be_not_alone),
                cmocka_unit_test(other_failures_are_not_blamed_on_the_limit),
                cmocka_unit_test(without_a_limit_it_is_not_the_limit),
                cmocka_unit_test(it_fits_a_reason),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
