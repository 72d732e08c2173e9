/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "engine/pattern.h"

#define SEED  UINT64_C(0x1234567890abcdef)
#define BYTES 4096

static const size_t sizes[] = { 0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 63, 64, 65, 1000, 1023, 4095, 4096 };

/* As other hosts have it, and other versions: bytes, not words. Computed apart, by Python's integers. */
static void the_bytes_are_the_same_everywhere(void **state)
{
        static const uint8_t of_0[] = { 0xaf, 0xcd, 0x1d, 0x7b, 0x39, 0xa8, 0x20, 0xe2, 0xf4, 0x65, 0xb9,
                0xa1, 0x6a, 0x9e, 0x78, 0x6e, 0x4f, 0x45, 0x09, 0x80 };
        static const uint8_t of_seed[] = { 0xce, 0x95, 0x3d, 0x5e, 0x1b, 0x36, 0x8f, 0xc3, 0x60, 0xec, 0xb3,
                0xc8, 0x18, 0xed, 0xbd, 0xc8, 0xdd, 0x68, 0x26, 0xb1 };
        uint8_t data[sizeof(of_0)];
        pattern_fill(data, sizeof(data), 0);
        assert_memory_equal(data, of_0, sizeof(data));
        pattern_fill(data, sizeof(data), SEED);
        assert_memory_equal(data, of_seed, sizeof(data));
}

/* At odd addresses too, and not a byte beyond. */
static void any_size_is_filled_and_found_right(void **state)
{
        for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
                for (size_t shift = 0; shift < 9; shift++) {
                        size_t first = 4711;
                        /* On the heap and no larger than needed: the sanitizer sees what goes beyond. */
                        uint8_t *data = malloc(shift + sizes[i] + 1);
                        assert_non_null(data);
                        data[shift + sizes[i]] = 0xa5;
                        pattern_fill(data + shift, sizes[i], SEED);
                        assert_int_equal(pattern_mismatches(data + shift, sizes[i], SEED, &first), 0);
                        assert_int_equal(first, 4711);
                        assert_int_equal(data[shift + sizes[i]], 0xa5);
                        pattern_fill_wrong(data + shift, sizes[i], SEED);
                        assert_int_equal(pattern_mismatches(data + shift, sizes[i], SEED, &first), sizes[i]);
                        assert_int_equal(first, sizes[i] > 0 ? 0 : 4711);
                        assert_int_equal(data[shift + sizes[i]], 0xa5);
                        free(data);
                }
}

static void every_flipped_bit_is_found_where_it_is(void **state)
{
        static const size_t lengths[] = { 1, 3, 8, 13, 64, 67 };
        uint8_t data[67];
        for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
                for (size_t bit = 0; bit < lengths[i] * 8; bit++) {
                        size_t first = 4711;
                        pattern_fill(data, lengths[i], SEED);
                        data[bit / 8] ^= (uint8_t)(1U << bit % 8);
                        assert_int_equal(pattern_mismatches(data, lengths[i], SEED, &first), 1);
                        assert_int_equal(first, bit / 8);
                }
}

static void all_that_differs_is_counted_and_the_first_is_named(void **state)
{
        uint8_t data[BYTES];
        size_t first = 0;
        pattern_fill(data, sizeof(data), SEED);
        data[9] ^= 0xff;
        data[10] ^= 0x80;
        data[15] ^= 0x01;
        data[16] ^= 0x10;
        data[4095] ^= 0x02;
        assert_int_equal(pattern_mismatches(data, sizeof(data), SEED, &first), 5);
        assert_int_equal(first, 9);
}

/* Chance makes one byte of 256 the same. */
static void mostly_wrong(const uint8_t *data, size_t bytes, uint64_t seed)
{
        size_t first = 4711;
        assert_true(pattern_mismatches(data, bytes, seed, &first) > bytes * 97 / 100);
        assert_true(first < 3);
}

static void shifted_data_is_wrong(void **state)
{
        static uint8_t data[2 * BYTES];
        pattern_fill(data, sizeof(data), SEED);
        for (size_t shift = 1; shift < BYTES; shift++)
                mostly_wrong(data + shift, BYTES, SEED);
}

static void another_seed_is_wrong(void **state)
{
        static const uint64_t near[] = { 1, 2, 8, 256, UINT64_C(1) << 32, UINT64_C(1) << 63,
                UINT64_C(0x9e3779b97f4a7c15), UINT64_MAX };
        uint8_t data[BYTES];
        pattern_fill(data, sizeof(data), SEED);
        for (size_t i = 0; i < ARRAY_SIZE(near); i++)
                mostly_wrong(data, sizeof(data), SEED + near[i]);
        memset(data, 0, sizeof(data));
        for (uint64_t seed = 0; seed < 100; seed++)
                mostly_wrong(data, sizeof(data), seed);
}

static void what_is_still_wrong_is_told_from_what_was_written(void **state)
{
        static const size_t lengths[] = { 1, 7, 8, 9, 4096 };
        uint8_t data[4096];
        for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
                pattern_fill_wrong(data, lengths[i], 3);
                assert_true(pattern_is_wrong(data, lengths[i], 3));
                data[lengths[i] - 1] ^= 4;
                assert_false(pattern_is_wrong(data, lengths[i], 3));
        }
}

int main(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(what_is_still_wrong_is_told_from_what_was_written),
                cmocka_unit_test(the_bytes_are_the_same_everywhere),
                cmocka_unit_test(any_size_is_filled_and_found_right),
                cmocka_unit_test(every_flipped_bit_is_found_where_it_is),
                cmocka_unit_test(all_that_differs_is_counted_and_the_first_is_named),
                cmocka_unit_test(shifted_data_is_wrong),
                cmocka_unit_test(another_seed_is_wrong),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
