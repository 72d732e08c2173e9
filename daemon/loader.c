/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/loader.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "daemon/loader_problems.h"
#include "daemon/loader_yaml.h"

#define FILE_MAX    ((size_t)4 << 20)
#define ENTRIES_MAX 1000 /* of a LABELS mapping, whose duplicates are looked for in pairs */
#define ROWS_MAX    64   /* of one mapping */
#define KEY_MAX     64   /* longer ones are like no known key */

struct loader {
        struct problems problems;
        yaml_document_t document;
};

static yaml_node_t *node_of(struct loader *l, int index)
{
        return yaml_document_get_node(&l->document, index);
}

static const char *scalar_text(const yaml_node_t *node)
{
        return (const char *)node->data.scalar.value;
}

static bool scalar_is(const yaml_node_t *node, const char *text)
{
        size_t len = strlen(text);

        return node->data.scalar.length == len && memcmp(node->data.scalar.value, text, len) == 0;
}

static bool is_plain(const yaml_node_t *node)
{
        return node->type == YAML_SCALAR_NODE && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

/* What YAML takes for "no value". */
static bool is_null(const yaml_node_t *node)
{
        return is_plain(node) && (scalar_is(node, "") || scalar_is(node, "~") || scalar_is(node, "null") ||
                                         scalar_is(node, "Null") || scalar_is(node, "NULL"));
}

static void wrong_kind(struct loader *l, const yaml_node_t *node, const char *expected)
{
        const char *found = "a single value";

        if (is_null(node))
                found = "nothing";
        else if (node->type == YAML_SEQUENCE_NODE)
                found = "a sequence";
        else if (node->type == YAML_MAPPING_NODE)
                found = "a mapping";
        problems_add(&l->problems, &node->start_mark, "found %s; expected %s", found, expected);
}

static void wrong_kind_for(struct loader *l, const yaml_node_t *node, const struct option *row)
{
        cleanup(buf_done) struct buf expected = { 0 };

        option_describe(row, &expected);
        if (buf_cstr(&expected))
                wrong_kind(l, node, buf_cstr(&expected));
        else
                l->problems.no_memory = true;
}

static void load_scalar(struct loader *l, const struct option *row, const yaml_node_t *node, void *into)
{
        bool textual = row->kind == OPTION_TEXT || row->kind == OPTION_CHOICE;
        char why[512];
        int r;

        if (node->type != YAML_SCALAR_NODE || is_null(node)) {
                wrong_kind_for(l, node, row);
                return;
        }
        if (!textual && !is_plain(node)) {
                problems_add(&l->problems, &node->start_mark, "only texts may be quoted; write %.40s",
                        scalar_text(node));
                return;
        }
        r = option_parse(row, scalar_text(node), node->data.scalar.length, into, why, sizeof(why));
        if (r == -ENOMEM)
                l->problems.no_memory = true;
        else if (r < 0)
                problems_add(&l->problems, &node->start_mark, "%s", why);
}

static void load_mapping(
        struct loader *l, const struct option *rows, size_t n_rows, const yaml_node_t *node, void *into);

/* Room for n items, at least one so that n = 0 is no special case. n of the list grows as they are filled. */
static bool list_reserve(struct loader *l, struct option_list *list, size_t n, size_t item_size)
{
        list->items = calloc(n + 1, item_size);
        if (!list->items)
                l->problems.no_memory = true;
        return list->items;
}

static void load_list(
        struct loader *l, const struct option *row, const yaml_node_t *node, struct option_list *list)
{
        const yaml_node_item_t *items = node->data.sequence.items.start;
        size_t n = (size_t)(node->data.sequence.items.top - items);

        if (!list_reserve(l, list, n, row->item_size))
                return;
        for (size_t i = 0; i < n; i++) {
                size_t path = problems_enter_index(&l->problems, i);
                char *item = (char *)list->items + list->n++ * row->item_size;

                load_mapping(l, row->children, row->n_children, node_of(l, items[i]), item);
                problems_leave(&l->problems, path);
        }
}

static char *load_text(struct loader *l, const yaml_node_t *node)
{
        char *text;

        if (node->type != YAML_SCALAR_NODE || is_null(node)) {
                wrong_kind(l, node, "a text");
                return NULL;
        }
        if (strlen(scalar_text(node)) != node->data.scalar.length) {
                problems_add(&l->problems, &node->start_mark, "holds a zero byte");
                return NULL;
        }
        text = strdup(scalar_text(node));
        if (!text)
                l->problems.no_memory = true;
        return text;
}

static void load_texts(struct loader *l, const yaml_node_t *node, struct option_list *list)
{
        const yaml_node_item_t *items = node->data.sequence.items.start;
        size_t n = (size_t)(node->data.sequence.items.top - items);

        if (!list_reserve(l, list, n, sizeof(char *)))
                return;
        for (size_t i = 0; i < n; i++) {
                size_t path = problems_enter_index(&l->problems, i);

                ((char **)list->items)[list->n++] = load_text(l, node_of(l, items[i]));
                problems_leave(&l->problems, path);
        }
}

static bool has_label(const struct option_list *list, const char *name)
{
        const struct option_label *labels = list->items;

        for (size_t i = 0; i < list->n; i++) {
                if (text_equal(labels[i].name, name))
                        return true;
        }
        return false;
}

static void load_label(
        struct loader *l, const yaml_node_t *key, const yaml_node_t *value, struct option_list *list)
{
        struct option_label *label = (struct option_label *)list->items + list->n;
        char *name = load_text(l, key);
        size_t path;

        if (!name)
                return;
        path = problems_enter(&l->problems, name);
        if (has_label(list, name))
                problems_add(&l->problems, &key->start_mark, "given twice");
        *label = (struct option_label){ .name = name, .value = load_text(l, value) };
        list->n++;
        problems_leave(&l->problems, path);
}

static void load_labels(struct loader *l, const yaml_node_t *node, struct option_list *list)
{
        const yaml_node_pair_t *pairs = node->data.mapping.pairs.start;
        size_t n = (size_t)(node->data.mapping.pairs.top - pairs);

        if (n > ENTRIES_MAX) {
                problems_add(&l->problems, &node->start_mark, "%zu entries; at most %d", n, ENTRIES_MAX);
                return;
        }
        if (!list_reserve(l, list, n, sizeof(struct option_label)))
                return;
        for (size_t i = 0; i < n; i++)
                load_label(l, node_of(l, pairs[i].key), node_of(l, pairs[i].value), list);
}

static void load_value(struct loader *l, const struct option *row, const yaml_node_t *node, void *into)
{
        bool sequence = row->kind == OPTION_LIST || row->kind == OPTION_TEXTS;
        void *field = (char *)into + row->offset;

        if (option_is_scalar(row->kind)) {
                load_scalar(l, row, node, into);
        } else if (node->type != (sequence ? YAML_SEQUENCE_NODE : YAML_MAPPING_NODE)) {
                wrong_kind_for(l, node, row);
        } else if (row->kind == OPTION_MAP) {
                load_mapping(l, row->children, row->n_children, node, field);
        } else if (row->kind == OPTION_LIST) {
                load_list(l, row, node, field);
        } else if (row->kind == OPTION_TEXTS) {
                load_texts(l, node, field);
        } else {
                load_labels(l, node, field);
        }
}

/* at: the mapping that lacks the key. */
static void load_absent(struct loader *l, const struct option *row, const yaml_node_t *at, void *into)
{
        size_t path = problems_enter(&l->problems, row->key);

        if (row->kind == OPTION_MAP && !row->optional) {
                for (size_t i = 0; i < row->n_children; i++)
                        load_absent(l, &row->children[i], at, (char *)into + row->offset);
        } else if (option_is_scalar(row->kind) && !row->fallback && !row->optional) {
                problems_add(&l->problems, &at->start_mark, "missing; it is required: %s",
                        row->help ? row->help : "");
        } else {
                int r = option_defaults(row, 1, into);

                assert(r != -EINVAL); /* a fallback that its own row refuses */
                if (r < 0)
                        l->problems.no_memory = true;
        }
        problems_leave(&l->problems, path);
}

/* Levenshtein: how many characters to change, add or leave out. */
static size_t distance(const char *a, const char *b)
{
        size_t row[KEY_MAX + 1], n = strlen(b);

        if (strlen(a) > KEY_MAX || n > KEY_MAX)
                return SIZE_MAX;
        for (size_t j = 0; j <= n; j++)
                row[j] = j;
        for (size_t i = 1; a[i - 1]; i++) {
                size_t diagonal = row[0];

                row[0] = i;
                for (size_t j = 1; j <= n; j++) {
                        size_t changed = diagonal + (a[i - 1] != b[j - 1]);
                        size_t moved = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;

                        diagonal = row[j];
                        row[j] = changed < moved ? changed : moved;
                }
        }
        return row[n];
}

static void unknown_key(struct loader *l, const struct option *rows, size_t n_rows, const yaml_node_t *key)
{
        size_t nearest = SIZE_MAX;
        const char *meant = NULL;
        cleanup(buf_done) struct buf known = { 0 };

        for (size_t i = 0; i < n_rows; i++) {
                size_t far = distance(scalar_text(key), rows[i].key);

                if (far < nearest) {
                        nearest = far;
                        meant = rows[i].key;
                }
                buf_text(&known, i > 0 ? ", " : "");
                buf_text(&known, rows[i].key);
        }
        if (known.error)
                l->problems.no_memory = true;
        else if (meant && nearest <= strlen(meant) / 3 + 1)
                problems_add(&l->problems, &key->start_mark, "unknown key; did you mean %s?", meant);
        else
                problems_add(&l->problems, &key->start_mark, "unknown key; known are: %s", buf_cstr(&known));
}

/* lines: where each row's key was first seen, 0 when it was not. */
static void load_pair(struct loader *l, const struct option *rows, size_t n_rows,
        const yaml_node_pair_t *pair, void *into, size_t *lines)
{
        const yaml_node_t *key = node_of(l, pair->key);
        size_t path, i = 0;

        if (problems_full(&l->problems))
                return; /* looking for what 50,000 unknown keys may have meant takes seconds */
        if (key->type != YAML_SCALAR_NODE) {
                wrong_kind(l, key, "a key");
                return;
        }
        path = problems_enter(&l->problems, scalar_text(key));
        while (i < n_rows && !scalar_is(key, rows[i].key))
                i++;
        if (i == n_rows) {
                unknown_key(l, rows, n_rows, key);
        } else if (lines[i] > 0) {
                problems_add(&l->problems, &key->start_mark, "given twice; first in line %zu", lines[i]);
        } else {
                lines[i] = key->start_mark.line + 1;
                load_value(l, &rows[i], node_of(l, pair->value), into);
        }
        problems_leave(&l->problems, path);
}

static void load_mapping(
        struct loader *l, const struct option *rows, size_t n_rows, const yaml_node_t *node, void *into)
{
        size_t lines[ROWS_MAX] = { 0 };

        assert(n_rows <= ROWS_MAX);
        if (node->type != YAML_MAPPING_NODE) {
                wrong_kind(l, node, "a mapping");
                return;
        }
        for (const yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top;
                p++)
                load_pair(l, rows, n_rows, p, into, lines);
        for (size_t i = 0; i < n_rows; i++) {
                if (lines[i] == 0)
                        load_absent(l, &rows[i], node, into);
        }
}

static void load_root(struct loader *l, const struct option *rows, size_t n_rows, void *into)
{
        const yaml_node_t *root = yaml_document_get_root_node(&l->document);

        if (n_rows == 1 && rows[0].key[0] == '\0')
                load_value(l, rows, root, into);
        else
                load_mapping(l, rows, n_rows, root, into);
}

int loader_parse(const char *name, const char *text, size_t len, const struct option *rows, size_t n_rows,
        void *into, struct buf *problems)
{
        struct loader l = { .problems = { .name = name, .lines = problems } };
        int r;

        if (len > FILE_MAX) {
                problems_add(&l.problems, NULL, "larger than %zu bytes", FILE_MAX);
                return problems_result(&l.problems);
        }
        r = loader_yaml_read(&l.problems, text, len, &l.document);
        if (r < 0)
                return r;
        load_root(&l, rows, n_rows, into);
        yaml_document_delete(&l.document);
        r = problems_result(&l.problems);
        if (r < 0)
                option_free(rows, n_rows, into);
        return r;
}

/* Only regular files, which cannot block; at most one byte more than is accepted. */
static int read_file(const char *path, struct buf *text)
{
        cleanup(close_fdp) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        char chunk[16384];
        struct stat st;
        ssize_t n;

        if (fd < 0 || fstat(fd, &st) < 0)
                return -errno;
        if (S_ISDIR(st.st_mode))
                return -EISDIR;
        if (!S_ISREG(st.st_mode))
                return -EINVAL;
        while (text->len <= FILE_MAX && (n = read(fd, chunk, sizeof(chunk))) != 0) {
                if (n < 0 && errno != EINTR)
                        return -errno;
                if (n > 0)
                        buf_bytes(text, chunk, (size_t)n);
        }
        return text->error;
}

int loader_file(const char *path, const struct option *rows, size_t n_rows, void *into, struct buf *problems)
{
        struct problems unreadable = { .name = path, .lines = problems };
        cleanup(buf_done) struct buf text = { 0 };
        int r = read_file(path, &text);

        if (r < 0) {
                problems_add(&unreadable, NULL, "cannot be read: %s", strerror(-r));
                return r;
        }
        return loader_parse(path, buf_cstr(&text), text.len, rows, n_rows, into, problems);
}
