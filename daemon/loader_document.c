/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/loader.h"

#include "base/scope.h"

static void add_cell(struct buf *out, const char *s)
{
        buf_char(out, ' ');
        for (; *s; s++) {
                if (*s == '|')
                        buf_char(out, '\\');
                buf_char(out, *s == '\n' ? ' ' : *s);
        }
        buf_text(out, " |");
}

static void add_code_cell(struct buf *out, const char *s)
{
        cleanup(buf_done) struct buf code = { 0 };

        buf_format(&code, "`%s`", s);
        add_cell(out, code.error ? "" : buf_cstr(&code));
}

static void add_row(struct buf *out, const struct option *row, const char *key)
{
        cleanup(buf_done) struct buf kind = { 0 };

        option_describe(row, &kind);
        buf_char(out, '|');
        add_code_cell(out, key);
        add_cell(out, kind.error ? "" : buf_cstr(&kind));
        if (row->fallback)
                add_code_cell(out, row->fallback[0] ? row->fallback : "\"\"");
        else if (!option_is_scalar(row->kind))
                add_cell(out, "empty");
        else
                add_cell(out, row->optional ? "none" : "required");
        add_cell(out, row->help ? row->help : "");
        buf_char(out, '\n');
        if (kind.error)
                out->error = kind.error;
}

static void add_rows(struct buf *out, const struct option *rows, size_t n, const char *prefix)
{
        for (size_t i = 0; i < n; i++) {
                const struct option *row = &rows[i];
                char key[256];

                text_message(key, sizeof(key), "%s%s", prefix, row->key);
                if (row->kind != OPTION_MAP)
                        add_row(out, row, key);
                if (row->kind == OPTION_MAP || row->kind == OPTION_LIST) {
                        text_message(key, sizeof(key), "%s%s%s", prefix, row->key,
                                row->kind == OPTION_LIST ? "[]." : ".");
                        add_rows(out, row->children, row->n_children, key);
                }
        }
}

void loader_document(struct buf *out, const struct option *rows, size_t n_rows)
{
        add_rows(out, rows, n_rows, "");
}
