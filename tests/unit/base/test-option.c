/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>

#include "base/clock.h"
#include "base/option.h"

enum mode {
        MODE_READ,
        MODE_WRITE,
};

struct inner {
        uint64_t size_bytes;
        char *name;
};

struct outer {
        bool on;
        uint64_t number;
        double ratio;
        uint64_t interval_ns, size_bytes, rate_bps;
        char *text;
        unsigned mode;
        struct inner inner;
        struct option_list list, texts, labels;
        char *optional;
};

static const char *const modes[] = { "read", "write", NULL };
static const struct option inner_rows[] = {
        { "size", OPTION_SIZE, offsetof(struct inner, size_bytes), "64K" },
        { "name", OPTION_TEXT, offsetof(struct inner, name), "inner" },
};

enum row {
        ROW_ON,
        ROW_NUMBER,
        ROW_RATIO,
        ROW_INTERVAL,
        ROW_SIZE,
        ROW_RATE,
        ROW_TEXT,
        ROW_MODE,
        ROW_INNER,
        ROW_LIST,
        ROW_TEXTS,
        ROW_LABELS,
        ROW_OPTIONAL,
        N_ROWS,
};

static const struct option rows[N_ROWS] = {
        [ROW_ON] = { "on", OPTION_BOOL, offsetof(struct outer, on), "true" },
        [ROW_NUMBER] = { "number", OPTION_U64, offsetof(struct outer, number), "5", .min = 1, .max = 10 },
        [ROW_RATIO] = { "ratio", OPTION_RATIO, offsetof(struct outer, ratio), "0.25" },
        [ROW_INTERVAL] = { "interval", OPTION_DURATION, offsetof(struct outer, interval_ns), "30s",
                .min = 500 * NS_PER_MS, .max = 3600 * NS_PER_SEC },
        [ROW_SIZE] = { "size", OPTION_SIZE, offsetof(struct outer, size_bytes), "1M", .max = 1 << 30 },
        [ROW_RATE] = { "rate", OPTION_RATE, offsetof(struct outer, rate_bps), "160Mbit/s", .min = 125000 },
        [ROW_TEXT] = { "text", OPTION_TEXT, offsetof(struct outer, text), "default", .min = 1, .max = 8 },
        [ROW_MODE] = { "mode", OPTION_CHOICE, offsetof(struct outer, mode), "write", .choices = modes },
        [ROW_INNER] = { "inner", OPTION_MAP, offsetof(struct outer, inner), .children = inner_rows,
                .n_children = ARRAY_SIZE(inner_rows) },
        [ROW_LIST] = { "list", OPTION_LIST, offsetof(struct outer, list), .children = inner_rows,
                .n_children = ARRAY_SIZE(inner_rows), .item_size = sizeof(struct inner) },
        [ROW_TEXTS] = { "texts", OPTION_TEXTS, offsetof(struct outer, texts) },
        [ROW_LABELS] = { "labels", OPTION_LABELS, offsetof(struct outer, labels) },
        [ROW_OPTIONAL] = { "optional", OPTION_TEXT, offsetof(struct outer, optional), .optional = true },
};

static void defaults_fill_every_field(void **state)
{
        struct outer o = { 0 };

        assert_int_equal(option_defaults(rows, N_ROWS, &o), 0);
        assert_true(o.on);
        assert_int_equal(o.number, 5);
        assert_true(o.ratio == 0.25);
        assert_true(o.interval_ns == 30 * NS_PER_SEC);
        assert_int_equal(o.size_bytes, 1 << 20);
        assert_int_equal(o.rate_bps, 20000000);
        assert_string_equal(o.text, "default");
        assert_int_equal(o.mode, MODE_WRITE);
        assert_int_equal(o.inner.size_bytes, 65536);
        assert_string_equal(o.inner.name, "inner");
        assert_int_equal(o.list.n + o.texts.n + o.labels.n, 0);
        assert_null(o.optional);
        option_free(rows, N_ROWS, &o);
}

static void defaults_find_bugs_of_the_table(void **state)
{
        static const struct option broken[][2] = {
                { { "text", OPTION_TEXT, offsetof(struct outer, text), "kept" },
                        { "number", OPTION_U64, offsetof(struct outer, number), "ten" } },
                { { "text", OPTION_TEXT, offsetof(struct outer, text), "kept" },
                        { "number", OPTION_U64, offsetof(struct outer, number), "11", .max = 10 } },
                { { "text", OPTION_TEXT, offsetof(struct outer, text), "kept" },
                        { "list", OPTION_TEXTS, offsetof(struct outer, texts), "a" } },
        };

        for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
                struct outer o = { 0 };

                assert_int_equal(option_defaults(broken[i], 2, &o), -EINVAL);
                assert_null(o.text);
        }
}

static void parse_says_what_is_allowed(void **state)
{
        static const struct {
                enum row row;
                const char *text;
                int result;
                const char *why;
        } cases[] = {
                { ROW_ON, "false", 0, "" },
                { ROW_ON, "yes", -EINVAL, "\"yes\" is not valid; expected true or false" },
                { ROW_NUMBER, "1", 0, "" },
                { ROW_NUMBER, "10", 0, "" },
                { ROW_NUMBER, "0", -ERANGE, "\"0\" is out of range; expected a whole number, 1 to 10" },
                { ROW_NUMBER, "11", -ERANGE, "\"11\" is out of range; expected a whole number, 1 to 10" },
                { ROW_NUMBER, "010", -EINVAL, "\"010\" is not valid; expected a whole number, 1 to 10" },
                { ROW_NUMBER, "", -EINVAL, "\"\" is not valid; expected a whole number, 1 to 10" },
                { ROW_RATIO, "1", 0, "" },
                { ROW_RATIO, "0", 0, "" },
                { ROW_RATIO, "1.01", -ERANGE, "\"1.01\" is out of range; expected a ratio from 0 to 1" },
                { ROW_RATIO, "-0.1", -ERANGE, "\"-0.1\" is out of range; expected a ratio from 0 to 1" },
                { ROW_RATIO, "10%", -EINVAL, "\"10%\" is not valid; expected a ratio from 0 to 1" },
                { ROW_INTERVAL, "500ms", 0, "" },
                { ROW_INTERVAL, "1h", 0, "" },
                { ROW_INTERVAL, "2h", -ERANGE,
                        "\"2h\" is out of range; expected a duration such as 30s, 250ms, 500ms to 1h" },
                { ROW_INTERVAL, "30", -EINVAL,
                        "\"30\" is not valid; expected a duration such as 30s, 250ms, 500ms to 1h" },
                { ROW_SIZE, "0", 0, "" },
                { ROW_SIZE, "2G", -ERANGE,
                        "\"2G\" is out of range; expected a size such as 64K, 1MiB, 0 to 1G" },
                { ROW_RATE, "1Mbit/s", 0, "" },
                { ROW_RATE, "999kbit/s", -ERANGE,
                        "\"999kbit/s\" is out of range; expected a rate such as 160Mbit/s, 50MB/s, "
                        "at least 1Mbit/s" },
                { ROW_TEXT, "12345678", 0, "" },
                { ROW_TEXT, "", -ERANGE, "\"\" is out of range; expected a text, 1 to 8 bytes long" },
                { ROW_TEXT, "123456789", -ERANGE,
                        "\"123456789\" is out of range; expected a text, 1 to 8 bytes long" },
                { ROW_MODE, "read", 0, "" },
                { ROW_MODE, "rea", -EINVAL, "\"rea\" is not valid; expected one of read, write" },
                { ROW_MODE, "reads", -EINVAL, "\"reads\" is not valid; expected one of read, write" },
                { ROW_NUMBER, "0123456789012345678901234567890123456789x", -EINVAL,
                        "\"0123456789012345678901234567890123456789...\" is not valid; "
                        "expected a whole number, 1 to 10" },
                { ROW_NUMBER, "012345678901234567890123456789012345678\xc3\xbc", -EINVAL,
                        "\"012345678901234567890123456789012345678...\" is not valid; "
                        "expected a whole number, 1 to 10" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct outer o = { 0 };
                char why[256] = "";
                size_t len = strlen(cases[i].text);

                check_row(option_parse(&rows[cases[i].row], cases[i].text, len, &o, why, sizeof(why)) ==
                                  cases[i].result,
                        cases[i].text);
                assert_string_equal(why, cases[i].why);
                option_free(rows, N_ROWS, &o);
        }
}

static void parse_replaces_or_leaves_the_old_value(void **state)
{
        struct outer o = { 0 };
        char why[8];

        assert_int_equal(option_defaults(rows, N_ROWS, &o), 0);
        assert_int_equal(option_parse(&rows[ROW_TEXT], "new!", 3, &o, why, sizeof(why)), 0);
        assert_string_equal(o.text, "new");
        assert_int_equal(option_parse(&rows[ROW_TEXT], "a\0b", 3, &o, why, sizeof(why)), -EINVAL);
        assert_int_equal(strlen(why), sizeof(why) - 1);
        assert_string_equal(o.text, "new");
        assert_int_equal(option_parse(&rows[ROW_NUMBER], "99", 2, &o, why, sizeof(why)), -ERANGE);
        assert_int_equal(o.number, 5);
        assert_int_equal(option_parse(&rows[ROW_MODE], "none", 4, &o, why, sizeof(why)), -EINVAL);
        assert_int_equal(o.mode, MODE_WRITE);
        option_free(rows, N_ROWS, &o);
}

static void describe_covers_collections(void **state)
{
        static const struct {
                enum row row;
                const char *text;
        } cases[] = {
                { ROW_ON, "true or false" },
                { ROW_MODE, "one of read, write" },
                { ROW_INNER, "a mapping" },
                { ROW_LIST, "a sequence of mappings" },
                { ROW_TEXTS, "a sequence of texts" },
                { ROW_LABELS, "a mapping of names to texts" },
                { ROW_OPTIONAL, "a text" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                cleanup(buf_done) struct buf b = { 0 };

                option_describe(&rows[cases[i].row], &b);
                assert_string_equal(buf_cstr(&b), cases[i].text);
        }
}

static char *copy(const char *text)
{
        char *p = strdup(text);

        assert_non_null(p);
        return p;
}

/* LeakSanitizer sees what is not released. */
static void free_releases_lists_and_zeroes(void **state)
{
        struct outer o = { 0 }, zero = { 0 };
        struct inner *items = calloc(2, sizeof(*items));
        char **texts = calloc(2, sizeof(*texts));
        struct option_label *labels = calloc(1, sizeof(*labels));

        assert_true(items && texts && labels);
        assert_int_equal(option_defaults(rows, N_ROWS, &o), 0);
        items[0].name = copy("first");
        texts[1] = copy("text");
        labels[0] = (struct option_label){ copy("rack"), NULL };
        o.list = (struct option_list){ 2, items };
        o.texts = (struct option_list){ 2, texts };
        o.labels = (struct option_list){ 1, labels };
        o.optional = copy("given");
        option_free(rows, N_ROWS, &o);
        assert_memory_equal(&o, &zero, sizeof(o));
        option_free(rows, N_ROWS, &o);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(defaults_fill_every_field),
                cmocka_unit_test(defaults_find_bugs_of_the_table),
                cmocka_unit_test(parse_says_what_is_allowed),
                cmocka_unit_test(parse_replaces_or_leaves_the_old_value),
                cmocka_unit_test(describe_covers_collections),
                cmocka_unit_test(free_releases_lists_and_zeroes),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
