/* SPDX-License-Identifier: Apache-2.0 */
/* The manual page has every command and option there is, and docs/from-perftest.md none that is not. */
#include "tests/unit/unit.h"

#include <ctype.h>
#include <stdio.h>

#include "base/text.h"
#include "cli/commands.h"

/* roff's \- is a dash; its font changes are left out. */
static void read_page(const char *path, struct buf *out)
{
        FILE *f = fopen(path, "re");

        if (!f)
                fail_msg("%s is missing", path);
        for (int c = fgetc(f); c != EOF; c = fgetc(f)) {
                if (c == '\\')
                        c = fgetc(f);
                buf_char(out, (char)c);
        }
        assert_int_equal(fclose(f), 0);
        assert_non_null(buf_cstr(out));
}

static bool is_part(char c)
{
        return isalnum((unsigned char)c) || c == '-';
}

static bool has_word(const char *page, const char *word)
{
        size_t len = strlen(word);

        for (const char *at = page; (at = strstr(at, word)); at += len)
                if (!is_part(at[len]) && (at == page || !is_part(at[-1])))
                        return true;
        return false;
}

static bool is_option(const char *key, size_t len)
{
        for (size_t i = 0; commands[i]; i++)
                for (size_t g = 0; commands[i]->groups[g]; g++)
                        for (size_t k = 0; k < commands[i]->groups[g]->n; k++) {
                                const char *known = commands[i]->groups[g]->rows[k].key;
                                if (strlen(known) == len && strncmp(known, key, len) == 0)
                                        return true;
                        }
        return len == 4 && (strncmp(key, "help", len) == 0);
}

static void every_option_is_in_the_manual(void **state)
{
        cleanup(buf_done) struct buf page = { 0 };
        char word[64];

        read_page(DOCS "/man/rdma-canary.1", &page);
        for (size_t i = 0; commands[i]; i++) {
                check_row(has_word(page.data, commands[i]->name), commands[i]->name);
                for (size_t g = 0; commands[i]->groups[g]; g++)
                        for (size_t k = 0; k < commands[i]->groups[g]->n; k++) {
                                text_message(word, sizeof(word), "--%s", commands[i]->groups[g]->rows[k].key);
                                check_row(has_word(page.data, word), word);
                        }
        }
}

static void check_options_exist(const char *text)
{
        for (const char *at = text; (at = strstr(at, "--"));) {
                size_t len = 0;
                at += 2;
                while (is_part(at[len]) || at[len] == '_')
                        len++;
                if (len > 0 && islower((unsigned char)*at) && !is_option(at, len))
                        fail_msg("there is no --%.*s", (int)len, at);
                at += len;
        }
}

/* The last but one column of a row is ours, and the prose after the tables. */
static void the_page_for_perftest_has_no_option_that_is_not(void **state)
{
        cleanup(buf_done) struct buf page = { 0 };
        size_t rows = 0;

        read_page(DOCS "/from-perftest.md", &page);
        char *rest;
        for (char *line = strtok_r(page.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
                char *cells[8], *cell, *at = line;
                size_t n = 0;
                while (n < 8 && (cell = strsep(&at, "|")))
                        cells[n++] = cell;
                if (n == 6 && ++rows > 2)
                        check_options_exist(cells[3]);
                if (n == 4)
                        check_options_exist(cells[2]);
        }
        assert_true(rows > 10);
}

static void no_option_is_unexplained_in_the_page_of_the_tool(void **state)
{
        cleanup(buf_done) struct buf page = { 0 };

        read_page(DOCS "/rdma-canary.md", &page);
        check_options_exist(page.data);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(every_option_is_in_the_manual),
                cmocka_unit_test(the_page_for_perftest_has_no_option_that_is_not),
                cmocka_unit_test(no_option_is_unexplained_in_the_page_of_the_tool),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
