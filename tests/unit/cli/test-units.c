/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include "cli/units.h"

static void values_have_three_or_four_digits(void **state)
{
        char text[UNITS_MAX];

        assert_string_equal(units_bytes(text, 0), "0 B");
        assert_string_equal(units_bytes(text, 65536), "64 KiB");
        assert_string_equal(units_bytes(text, 1572864), "1.50 MiB");
        assert_string_equal(units_rate(text, 20e6), "19.1 MiB/s");
        assert_string_equal(units_bits(text, 20e6), "160 Mbit/s");
        assert_string_equal(units_bits(text, 12.5e9), "100 Gbit/s");
        assert_string_equal(units_duration(text, 999), "999 ns");
        assert_string_equal(units_duration(text, 1234), "1.23 µs");
        assert_string_equal(units_duration(text, 99.96e9), "100 s");
}

static void columns_share_a_unit(void **state)
{
        char text[UNITS_MAX];
        const struct unit *unit = units_for(QUANTITY_TIME, 5e3);

        assert_string_equal(unit->name, "µs");
        assert_string_equal(units_in(text, 250, unit), "0.25");
        assert_string_equal(units_in(text, 5e6, unit), "5000");
        assert_string_equal(units_for(QUANTITY_RATE, 3 << 20)->name, "MiB/s");
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(values_have_three_or_four_digits),
                cmocka_unit_test(columns_share_a_unit),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
