/* SPDX-License-Identifier: Apache-2.0 */
/* The committed pages are what the tables say, and every source has a page of its own. */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "docs/gen/reference.h"
#include "probes/probe.h"

static void read_page(const char *path, struct buf *out)
{
        char block[4096];
        FILE *f = fopen(path, "re");
        size_t n;

        if (!f)
                fail_msg("%s is missing", path);
        while ((n = fread(block, 1, sizeof(block), f)) > 0)
                buf_bytes(out, block, n);
        assert_int_equal(fclose(f), 0);
}

static size_t first_difference(const char *a, const char *b)
{
        size_t line = 1;

        for (; *a && *a == *b; a++, b++)
                line += *a == '\n';
        return line;
}

static void committed_pages_are_fresh(void **state)
{
        for (size_t i = 0; i < n_reference_pages; i++) {
                cleanup(buf_done) struct buf made = { 0 }, committed = { 0 };
                char path[4096];

                assert_int_equal(
                        text_format(path, sizeof(path), "%s/%s.md", DOCS, reference_pages[i].name), 0);
                reference_pages[i].write(&made);
                read_page(path, &committed);
                if (strcmp(buf_cstr(&made), buf_cstr(&committed)) != 0)
                        fail_msg("docs/%s.md is stale from line %zu on: `meson compile -C build "
                                 "reference-pages` writes it anew; commit it",
                                reference_pages[i].name,
                                first_difference(buf_cstr(&made), buf_cstr(&committed)));
        }
}

static void every_source_has_a_page(void **state)
{
        for (size_t i = 0; i < n_source_classes; i++) {
                cleanup(buf_done) struct buf page = { 0 };
                char path[4096];

                assert_int_equal(
                        text_format(path, sizeof(path), "%s/sources/%s.md", DOCS, source_classes[i]->name),
                        0);
                read_page(path, &page);
                check_row(page.len > 0, source_classes[i]->name);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(committed_pages_are_fresh),
                cmocka_unit_test(every_source_has_a_page),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
