/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include "base/clock.h"
#include "cli/arguments.h"
#include "cli/commands.h"

struct choices {
        bool loud;
        uint64_t rate_bps, wait_ns;
        char *name;
        struct option_list texts;
};

#define ROW(name, type, field) .key = (name), .kind = (type), .offset = offsetof(struct choices, field)

static const struct option rows[] = {
        { ROW("loud", OPTION_BOOL, loud), .help = "says more" },
        { ROW("rate", OPTION_RATE, rate_bps), .help = "at least" },
        { ROW("wait", OPTION_DURATION, wait_ns), .fallback = "2s", .help = "at most" },
};
static const struct option more[] = {
        { ROW("name", OPTION_TEXT, name), .optional = true, .help = "of it" },
        { ROW("allow", OPTION_TEXTS, texts), .placeholder = "ADDRESS", .help = "who may" },
};
static const struct option_group first = { "the first", rows, ARRAY_SIZE(rows) };
static const struct option_group second = { "the second", more, ARRAY_SIZE(more) };
static const struct option_group *const groups[] = { &first, &second, NULL };
static const struct command command = { "try", "[OPTION...]", "Tries.", groups, NULL };

struct attempt {
        struct choices into;
        const char *operands[2];
        struct arguments a;
        enum arguments_result result;
};

static void parse(struct attempt *t, const char *line)
{
        char words[256], *argv[16] = { (char *)"try" }, *rest;
        int argc = 1;

        *t = (struct attempt){ .a = { .operands = t->operands, .max = ARRAY_SIZE(t->operands) } };
        assert_true(strlen(line) < sizeof(words));
        strcpy(words, line);
        for (char *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
                argv[argc++] = w;
        assert_int_equal(arguments_defaults(&command, &t->into), 0);
        t->result = arguments_parse(&command, argc, argv, &t->into, &t->a);
        for (size_t i = 0; i < t->a.n_operands; i++)
                t->operands[i] = line + (t->operands[i] - words); /* words ends here */
}

static void done(struct attempt *t)
{
        arguments_free(&command, &t->into);
        buf_done(&t->a.text);
}

static void options_and_operands_come_in_any_order(void **state)
{
        struct attempt t;

        parse(&t, "a --rate 90Gbit/s --loud b --name=c --allow 1,2 --allow=3");
        assert_int_equal(t.result, ARGUMENTS_GO);
        assert_true(t.into.loud);
        assert_int_equal(t.into.rate_bps, UINT64_C(90000000000) / 8);
        assert_int_equal(t.into.wait_ns, 2 * NS_PER_SEC);
        assert_string_equal(t.into.name, "c");
        assert_int_equal(t.into.texts.n, 3);
        assert_string_equal(((char **)t.into.texts.items)[1], "2");
        assert_int_equal(t.a.n_operands, 2);
        assert_int_equal(t.a.operands[1][0], 'b');
        done(&t);
}

static void what_is_wrong_names_the_option(void **state)
{
        static const struct {
                const char *line, *says;
        } wrongs[] = {
                { "--speed 5", "no option --speed; see rdma-canary try --help\n" },
                { "-v", "no option -v" },
                { "--rate", "--rate needs a value" },
                { "--rate --loud", "--rate needs a value" },
                { "--loud=true", "--loud takes no value" },
                { "--loud=", "--loud takes no value" },
                { "a b c", "\"c\" is one argument too many" },
                { "--allow 1,,2", "--allow: \"1,,2\" has an empty part" },
                { "--allow 1,", "has an empty part" },
                { "--allow=", "has an empty part" },
                { "--rate 10G", "--rate: \"10G\" is not valid" },
                { "--rate 10G", "kbit/s Mbit/s Gbit/s, kB/s MB/s GB/s, KiB/s MiB/s GiB/s" },
                { "--rate 90", "a unit is needed" },
                { "--rate 90Gb/s", "a unit is needed" },
                { "--wait 5", "--wait: \"5\" is not valid; expected a duration" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(wrongs); i++) {
                struct attempt t;

                parse(&t, wrongs[i].line);
                check_row(t.result == ARGUMENTS_WRONG, wrongs[i].line);
                check_row(text_starts(buf_cstr(&t.a.text), "rdma-canary try: "), wrongs[i].line);
                if (!strstr(buf_cstr(&t.a.text), wrongs[i].says))
                        fail_msg("%s: %s", wrongs[i].line, buf_cstr(&t.a.text));
                done(&t);
        }
}

static size_t widest(const char *text)
{
        size_t max = 0;

        for (size_t width = 0; *text; text++) {
                width = *text == '\n' ? 0 : width + ((*text & 0xc0) != 0x80);
                max = width > max ? width : max;
        }
        return max;
}

static void help_shows_every_option(void **state)
{
        struct attempt t;

        parse(&t, "--wait 5s --help --nonsense");
        assert_int_equal(t.result, ARGUMENTS_HELPED);
        assert_non_null(strstr(buf_cstr(&t.a.text), "the second:\n  --name NAME "));
        assert_non_null(strstr(buf_cstr(&t.a.text), "  --allow ADDRESS "));
        assert_non_null(strstr(buf_cstr(&t.a.text), "  --loud  "));
        assert_non_null(strstr(buf_cstr(&t.a.text), "\nRATE: "));
        assert_null(strstr(buf_cstr(&t.a.text), "\nSIZE: "));
        done(&t);
}

static void all_help_fits_80_columns(void **state)
{
        for (size_t i = 0; commands[i]; i++) {
                cleanup(buf_done) struct buf help = { 0 };

                arguments_help(commands[i], &help);
                if (widest(buf_cstr(&help)) > 80)
                        fail_msg("%s --help is %zu wide", commands[i]->name, widest(help.data));
        }
}

static void keys_of_a_command_differ(void **state)
{
        for (size_t i = 0; commands[i]; i++) {
                const char *keys[128];
                size_t n = 0;

                for (size_t g = 0; commands[i]->groups && commands[i]->groups[g]; g++)
                        for (size_t k = 0; k < commands[i]->groups[g]->n; k++)
                                keys[n++] = commands[i]->groups[g]->rows[k].key;
                for (size_t a = 0; a < n; a++)
                        for (size_t b = 0; b < a; b++)
                                check_row(!text_equal(keys[a], keys[b]), keys[a]);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(options_and_operands_come_in_any_order),
                cmocka_unit_test(what_is_wrong_names_the_option),
                cmocka_unit_test(help_shows_every_option),
                cmocka_unit_test(all_help_fits_80_columns),
                cmocka_unit_test(keys_of_a_command_differ),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
