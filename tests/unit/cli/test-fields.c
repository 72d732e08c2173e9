/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <math.h>

#include "cli/document.h"
#include "cli/fields.h"

struct thing {
        char text[64];
        const char *pointer;
        uint8_t small;
        uint64_t large;
        int number;
        double ratio;
        bool yes, failed;
};

static bool failed(const void *from)
{
        return ((const struct thing *)from)->failed;
}

static void make(const void *from, char *dst)
{
        text_message(dst, FIELD_MADE_MAX, "made");
}

static double half(const void *from)
{
        return ((const struct thing *)from)->ratio / 2;
}

#define AT(field) .offset = offsetof(struct thing, field)

static const struct field rows[] = {
        { "number", FIELD_INT, AT(number) },
        { "text", FIELD_TEXT, AT(text) },
        { "pointer", FIELD_POINTER, AT(pointer) },
        { "fault.kind", FIELD_MADE, .make = make, .known = failed },
        { "fault.small", FIELD_U8, AT(small), .known = failed },
        { "large", FIELD_U64, AT(large), .positive = true },
        { "ratio", FIELD_DOUBLE, AT(ratio) },
        { "half", FIELD_RECKONED, .reckon = half },
        { "yes", FIELD_BOOL, AT(yes) },
};

static char *json_of(const struct thing *t)
{
        json_t *object = json_object();
        assert_int_equal(fields_json(rows, ARRAY_SIZE(rows), t, object), 0);
        char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(6));
        json_decref(object);
        assert_non_null(text);
        return text;
}

static void known_values_are_json(void **state)
{
        struct thing t = { "a \"b\"", "p", 7, UINT64_C(1) << 40, -3, 0.5, true, true };
        cleanup(freep) char *text = json_of(&t);

        assert_string_equal(text, "{\"number\":-3,\"text\":\"a \\\"b\\\"\",\"pointer\":\"p\","
                                  "\"fault\":{\"kind\":\"made\",\"small\":7},\"large\":1099511627776,"
                                  "\"ratio\":0.5,\"half\":0.25,"
                                  "\"yes\":true}");
}

static void unknown_values_are_null(void **state)
{
        struct thing t = { .ratio = NAN };
        cleanup(freep) char *text = json_of(&t);

        assert_string_equal(text,
                "{\"number\":0,\"text\":null,\"pointer\":null,\"fault\":null,\"large\":null,\"ratio\":null,"
                "\"half\":null,\"yes\":false}");
}

static void bytes_that_are_not_utf8_do_no_harm(void **state)
{
        json_t *good = fields_string("µ"), *bad = fields_string("a\xff");

        assert_string_equal(json_string_value(good), "µ");
        assert_string_equal(json_string_value(bad), "a?");
        json_decref(good);
        json_decref(bad);
}

static void values_are_csv(void **state)
{
        struct thing t = { "a,\"b\"\nc", "", 7, 0, -3, 0.5, true, true }, unknown = { .ratio = NAN };
        cleanup(buf_done) struct buf out = { 0 };

        fields_csv_names(rows, ARRAY_SIZE(rows), &out);
        buf_char(&out, '\n');
        fields_csv_values(rows, ARRAY_SIZE(rows), &t, &out);
        buf_char(&out, '\n');
        fields_csv_values(rows, ARRAY_SIZE(rows), &unknown, &out);
        assert_string_equal(buf_cstr(&out),
                "number,text,pointer,fault_kind,fault_small,large,ratio,half,yes\n"
                "-3,\"a,\"\"b\"\" c\",,made,7,,0.5,0.25,true\n"
                "0,,,,,,,,false");
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(known_values_are_json),
                cmocka_unit_test(unknown_values_are_null),
                cmocka_unit_test(bytes_that_are_not_utf8_do_no_harm),
                cmocka_unit_test(values_are_csv),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
