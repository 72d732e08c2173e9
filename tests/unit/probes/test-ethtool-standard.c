/* SPDX-License-Identifier: Apache-2.0 */
/* Answers in tests/data/ethtool-netlink have the sequence number 7. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "probes/ethtool_standard.h"
#include "tests/unit/probes/support.h"

#define SEQUENCE 7

struct answer {
        _Alignas(uint64_t) char data[4096];
        size_t len;
};

static void load(struct answer *a, const char *name)
{
        cleanup(close_fdp) int dir = fixture_open("ethtool-netlink");
        cleanup(close_fdp) int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
        ssize_t n = read(fd, a->data, sizeof(a->data));

        assert_true(n > 0);
        a->len = (size_t)n;
}

static void each_answer_adds_what_it_has(void **state)
{
        static const uint64_t wanted[N_ETHTOOL_STANDARD] = {
                [STANDARD_PAUSE_TX] = 11,
                [STANDARD_PAUSE_RX] = 22,
                [STANDARD_FEC_CORRECTED] = 123, /* the sum, not the first lane */
                [STANDARD_FEC_UNCORRECTABLE] = 4,
                [STANDARD_SYMBOL_ERRORS] = 5,
                [STANDARD_CRC_ERRORS] = 6,
        };
        static const char *const names[] = { "pause", "fec", "statistics" };
        struct ethtool_standard_values values = { 0 };

        for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
                struct answer a;

                load(&a, names[i]);
                assert_int_equal(ethtool_standard_read(a.data, a.len, SEQUENCE, &values), 0);
        }
        for (unsigned i = 0; i < N_ETHTOOL_STANDARD; i++) {
                assert_int_equal(values.known >> i & 1, i != STANDARD_CORRECTED_BITS);
                assert_int_equal(values.values[i], wanted[i]);
        }
}

static void the_kernels_error_is_passed_on(void **state)
{
        struct ethtool_standard_values values = { 0 };
        struct answer a;

        load(&a, "unsupported");
        assert_int_equal(ethtool_standard_read(a.data, a.len, SEQUENCE, &values), -EOPNOTSUPP);
        assert_int_equal(values.known, 0);
}

static void answers_to_other_questions_are_none(void **state)
{
        struct ethtool_standard_values values = { 0 };
        struct answer a;

        load(&a, "pause");
        assert_int_equal(ethtool_standard_read(a.data, a.len, SEQUENCE + 1, &values), -EBADMSG);
        assert_int_equal(values.known, 0);
}

static void cut_short_is_refused(void **state)
{
        struct answer a;

        load(&a, "pause");
        for (size_t len = 0; len < a.len; len++) {
                struct ethtool_standard_values values = { 0 };

                assert_int_equal(ethtool_standard_read(a.data, len, SEQUENCE, &values), -EBADMSG);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(each_answer_adds_what_it_has),
                cmocka_unit_test(the_kernels_error_is_passed_on),
                cmocka_unit_test(answers_to_other_questions_are_none),
                cmocka_unit_test(cut_short_is_refused),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
