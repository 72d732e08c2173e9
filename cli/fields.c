/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/fields.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/scope.h"

struct value {
        enum { NOTHING, TEXT, INTEGER, NUMBER, TRUTH } kind;
        const char *text; /* points into the struct, or to made */
        uint64_t integer; /* two's complement of a negative one */
        double number;
        bool truth;
        char made[FIELD_MADE_MAX];
};

static void set_text(struct value *v, const char *text)
{
        v->kind = text && *text ? TEXT : NOTHING;
        v->text = text;
}

static void set_integer(struct value *v, uint64_t integer)
{
        v->kind = INTEGER;
        v->integer = integer;
}

static void set_number(struct value *v, double number)
{
        v->kind = isfinite(number) ? NUMBER : NOTHING;
        v->number = number;
}

static void set_truth(struct value *v, bool truth)
{
        v->kind = TRUTH;
        v->truth = truth;
}

static void read_field(const struct field *row, const void *from, struct value *v)
{
        const void *at = (const char *)from + row->offset;
        switch (row->kind) {
        case FIELD_TEXT:
                set_text(v, at);
                break;
        case FIELD_POINTER:
                set_text(v, *(const char *const *)at);
                break;
        case FIELD_MADE:
                row->make(from, v->made);
                set_text(v, v->made);
                break;
        case FIELD_RECKONED:
                set_number(v, row->reckon(from));
                break;
        case FIELD_U8:
                set_integer(v, *(const uint8_t *)at);
                break;
        case FIELD_U16:
                set_integer(v, *(const uint16_t *)at);
                break;
        case FIELD_UNSIGNED:
                set_integer(v, *(const unsigned *)at);
                break;
        case FIELD_U64:
                set_integer(v, *(const uint64_t *)at);
                break;
        case FIELD_INT:
                set_integer(v, (uint64_t) * (const int *)at);
                break;
        case FIELD_DOUBLE:
                set_number(v, *(const double *)at);
                break;
        case FIELD_BOOL:
                set_truth(v, *(const bool *)at);
                break;
        }
}

static void value_of(const struct field *row, const void *from, struct value *v)
{
        v->kind = NOTHING;
        if (row->known && !row->known(from))
                return;
        read_field(row, from, v);
        if (row->positive &&
                ((v->kind == INTEGER && v->integer == 0) || (v->kind == NUMBER && v->number <= 0)))
                v->kind = NOTHING;
}

/* ---- JSON ------------------------------------------------------------------------------------------- */

json_t *fields_string(const char *text)
{
        json_t *as_it_is = json_string(text);
        if (as_it_is)
                return as_it_is;
        cleanup(freep) char *plain = strdup(text);
        for (char *s = plain; s && *s; s++)
                if ((unsigned char)*s >= 0x80)
                        *s = '?';
        return plain ? json_string(plain) : NULL;
}

static json_t *value_json(const struct value *v)
{
        switch (v->kind) {
        case TEXT:
                return fields_string(v->text);
        case INTEGER:
                return json_integer((json_int_t)v->integer);
        case NUMBER:
                return json_real(v->number);
        case TRUTH:
                return json_boolean(v->truth);
        default:
                return json_null();
        }
}

/* The object which the key names before its dot, or `into` itself; *ret_name is the rest. */
static json_t *home_of(json_t *into, const char *key, bool known, const char **ret_name)
{
        const char *dot = strchr(key, '.');
        char group[64];
        *ret_name = dot ? dot + 1 : key;
        if (!dot)
                return into;
        text_message(group, sizeof(group), "%.*s", (int)(dot - key), key);
        json_t *home = json_object_get(into, group);
        if (home && (json_is_object(home) || !known))
                return home;
        if (json_object_set_new(into, group, known ? json_object() : json_null()) < 0)
                return NULL;
        return json_object_get(into, group);
}

static int add_json(const struct field *row, const void *from, json_t *into)
{
        const char *name;
        struct value v;
        value_of(row, from, &v);
        json_t *home = home_of(into, row->key, v.kind != NOTHING, &name);
        if (!home)
                return -ENOMEM;
        if (json_is_null(home))
                return 0;
        return json_object_set_new(home, name, value_json(&v)) < 0 ? -ENOMEM : 0;
}

int fields_json(const struct field *rows, size_t n, const void *from, json_t *into)
{
        int r = 0;
        for (size_t i = 0; i < n && r == 0; i++)
                r = add_json(&rows[i], from, into);
        return r;
}

/* ---- CSV -------------------------------------------------------------------------------------------- */

static void separate(struct buf *out)
{
        if (out->len > 0 && out->data[out->len - 1] != '\n')
                buf_char(out, ',');
}

void fields_csv_names(const struct field *rows, size_t n, struct buf *out)
{
        for (size_t i = 0; i < n; i++) {
                separate(out);
                for (const char *s = rows[i].key; *s; s++)
                        buf_char(out, *s == '.' ? '_' : *s);
        }
}

/* RFC 4180; a line break inside quotes is more than many readers can, so it becomes a blank. */
static void csv_text(const char *text, struct buf *out)
{
        bool quoted = strpbrk(text, ",\"\r\n") != NULL;
        if (quoted)
                buf_char(out, '"');
        for (const char *s = text; *s; s++) {
                if (*s == '"')
                        buf_char(out, '"');
                buf_char(out, *s == '\n' || *s == '\r' ? ' ' : *s);
        }
        if (quoted)
                buf_char(out, '"');
}

static void csv_value(const struct value *v, struct buf *out)
{
        switch (v->kind) {
        case TEXT:
                csv_text(v->text, out);
                break;
        case INTEGER:
                buf_format(out, "%lld", (long long)v->integer);
                break;
        case NUMBER:
                buf_double(out, v->number);
                break;
        case TRUTH:
                buf_text(out, v->truth ? "true" : "false");
                break;
        case NOTHING:
                break;
        }
}

void fields_csv_values(const struct field *rows, size_t n, const void *from, struct buf *out)
{
        for (size_t i = 0; i < n; i++) {
                struct value v;
                separate(out);
                value_of(&rows[i], from, &v);
                csv_value(&v, out);
        }
}
