/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/record.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/scope.h"
#include "base/text.h"

/* Where in the message we are, for "devices[2].ports[0].state". */
struct path {
        const struct path *parent;
        const char *name;
        size_t index; /* of a list's item, when name is NULL */
};

static void json_release(json_t *j)
{
        json_decref(j);
}
DEFINE_SCOPE_FREE(json_t *, json_release);

static void path_append(const struct path *p, char *dst, size_t size)
{
        if (!p)
                return;
        path_append(p->parent, dst, size);
        size_t len = strlen(dst);
        if (p->name)
                text_message(dst + len, size - len, "%s%s", len > 0 ? "." : "", p->name);
        else
                text_message(dst + len, size - len, "[%zu]", p->index);
}

static int __attribute__((format(printf, 4, 5)))
refuse(char *why, int error, const struct path *p, const char *format, ...)
{
        char path[96] = "", what[96];
        va_list args;
        va_start(args, format);
        (void)vsnprintf(what, sizeof(what), format, args); /* a cut-off explanation is better than none */
        va_end(args);
        path_append(p, path, sizeof(path));
        text_message(why, RECORD_WHY_MAX, "field \"%s\": %s", path, what);
        return error;
}

/* ---- numbers ------------------------------------------------------------------------------------ */

static uint64_t number_max(const struct field *f)
{
        if (f->max > 0)
                return f->max;
        switch (f->kind) {
        case FIELD_U8:
                return UINT8_MAX;
        case FIELD_U16:
                return UINT16_MAX;
        case FIELD_U32:
                return UINT32_MAX;
        case FIELD_HEX:
                return UINT64_MAX;
        default:
                return INT64_MAX;
        }
}

static uint64_t number_load(const struct field *f, const void *at)
{
        switch (f->kind) {
        case FIELD_U8:
                return *(const uint8_t *)at;
        case FIELD_U16:
                return *(const uint16_t *)at;
        case FIELD_U32:
                return *(const uint32_t *)at;
        default:
                return *(const uint64_t *)at;
        }
}

static void number_store(const struct field *f, void *at, uint64_t value)
{
        switch (f->kind) {
        case FIELD_U8:
                *(uint8_t *)at = (uint8_t)value;
                break;
        case FIELD_U16:
                *(uint16_t *)at = (uint16_t)value;
                break;
        case FIELD_U32:
                *(uint32_t *)at = (uint32_t)value;
                break;
        default:
                *(uint64_t *)at = value;
                break;
        }
}

static int number_check(const struct field *f, uint64_t value, const struct path *p, int error, char *why)
{
        if (value < f->min || value > number_max(f))
                return refuse(why, error, p, "%" PRIu64 " is not in %" PRIu64 " to %" PRIu64, value, f->min,
                        number_max(f));
        return 0;
}

static int number_decode(const struct field *f, const json_t *j, void *at, const struct path *p, char *why)
{
        if (!json_is_integer(j))
                return refuse(why, -EPROTO, p, "expected a whole number");
        json_int_t value = json_integer_value(j);
        if (value < 0)
                return refuse(why, -EPROTO, p, "%" JSON_INTEGER_FORMAT " is negative", value);
        int r = number_check(f, (uint64_t)value, p, -EPROTO, why);
        if (r == 0)
                number_store(f, at, (uint64_t)value);
        return r;
}

static int hex_digit(char c)
{
        if (c >= '0' && c <= '9')
                return c - '0';
        if (c >= 'a' && c <= 'f')
                return c - 'a' + 10;
        return -1;
}

static int hex_decode(const struct field *f, const json_t *j, void *at, const struct path *p, char *why)
{
        static const char expected[] = "expected a text such as \"0x1f\" of at most 16 digits";
        const char *s = json_string_value(j);
        if (!s || s[0] != '0' || s[1] != 'x' || s[2] == '\0' || strlen(s) > 18)
                return refuse(why, -EPROTO, p, "%s", expected);
        uint64_t value = 0;
        for (s += 2; *s != '\0'; s++) {
                int digit = hex_digit(*s);
                if (digit < 0)
                        return refuse(why, -EPROTO, p, "%s", expected);
                value = value << 4 | (unsigned)digit;
        }
        int r = number_check(f, value, p, -EPROTO, why);
        if (r == 0)
                number_store(f, at, value);
        return r;
}

/* ---- texts and names ---------------------------------------------------------------------------- */

/* Control characters would let a peer forge lines of a log or move a terminal's cursor. */
static bool text_printable(const char *s)
{
        for (; *s != '\0'; s++)
                if ((unsigned char)*s < 0x20 || *s == 0x7f)
                        return false;
        return true;
}

static int text_decode(const struct field *f, const json_t *j, void *at, const struct path *p, char *why)
{
        const char *s = json_string_value(j);
        if (!s)
                return refuse(why, -EPROTO, p, "expected a text");
        if (json_string_length(j) >= f->max)
                return refuse(why, -EPROTO, p, "longer than %" PRIu64 " bytes", f->max - 1);
        if (json_string_length(j) < f->min)
                return refuse(why, -EPROTO, p, "empty");
        if (!text_printable(s))
                return refuse(why, -EPROTO, p, "holds control characters");
        return text_copy(at, f->max, s);
}

static int choice_index(const char *const *choices, const char *name, unsigned *ret)
{
        for (unsigned i = 0; choices[i]; i++)
                if (text_equal(choices[i], name)) {
                        *ret = i;
                        return 0;
                }
        return -ENOENT;
}

static int choice_decode(const struct field *f, const json_t *j, void *at, const struct path *p, char *why)
{
        const char *s = json_string_value(j);
        unsigned value;
        if (!s)
                return refuse(why, -EPROTO, p, "expected a text");
        if (choice_index(f->choices, s, &value) < 0)
                return refuse(why, -EPROTO, p, "\"%.32s\" is not one this version knows", s);
        *(unsigned *)at = value;
        return 0;
}

#define FLAGS_MAX 64

static int flags_decode(const struct field *f, const json_t *j, void *at, const struct path *p, char *why)
{
        if (!json_is_array(j) || json_array_size(j) > FLAGS_MAX)
                return refuse(why, -EPROTO, p, "expected a list of at most %d texts", FLAGS_MAX);
        uint32_t flags = 0;
        for (size_t i = 0; i < json_array_size(j); i++) {
                const char *name = json_string_value(json_array_get(j, i));
                unsigned bit;
                if (!name)
                        return refuse(why, -EPROTO, p, "expected a list of texts");
                if (choice_index(f->choices, name, &bit) == 0)
                        flags |= UINT32_C(1) << bit;
        }
        *(uint32_t *)at = flags;
        return 0;
}

static int flags_encode(const struct field *f, const void *at, json_t **ret)
{
        cleanup(json_releasep) json_t *list = json_array();
        for (unsigned i = 0; f->choices[i]; i++)
                if (*(const uint32_t *)at >> i & 1 &&
                        json_array_append_new(list, json_string(f->choices[i])) < 0)
                        return -ENOMEM;
        *ret = take_ptr(list);
        return *ret ? 0 : -ENOMEM;
}

static int gid_decode(const json_t *j, void *at, const struct path *p, char *why)
{
        static const uint8_t none[16];
        uint8_t gid[16];
        const char *s = json_string_value(j);
        if (!s || inet_pton(AF_INET6, s, gid) != 1)
                return refuse(why, -EPROTO, p, "expected an IPv6 text");
        if (memcmp(gid, none, sizeof(gid)) == 0)
                return refuse(why, -EPROTO, p, "all zero");
        memcpy(at, gid, sizeof(gid));
        return 0;
}

/* ---- structs ------------------------------------------------------------------------------------ */

static int struct_encode(const struct field *fields, size_t n, const char *from, const struct path *parent,
        json_t **ret, char *why);
static int struct_decode(const struct field *fields, size_t n, const json_t *from, char *into,
        const struct path *parent, char *why);

static int list_encode(const struct field *f, const char *base, const struct path *p, json_t **ret, char *why)
{
        size_t count = *(const size_t *)(base + f->count_offset);
        if (count > f->max)
                return refuse(why, -ERANGE, p, "more than %" PRIu64, f->max);
        cleanup(json_releasep) json_t *list = json_array();
        for (size_t i = 0; i < count; i++) {
                struct path item = { p, NULL, i };
                json_t *j = NULL;
                int r = struct_encode(
                        f->children, f->n_children, base + f->offset + i * f->item_size, &item, &j, why);
                if (r < 0)
                        return r;
                if (json_array_append_new(list, j) < 0)
                        return -ENOMEM;
        }
        *ret = take_ptr(list);
        return *ret ? 0 : -ENOMEM;
}

static int list_decode(const struct field *f, const json_t *j, char *base, const struct path *p, char *why)
{
        if (!json_is_array(j))
                return refuse(why, -EPROTO, p, "expected a list");
        size_t count = json_array_size(j);
        if (count < f->min || count > f->max)
                return refuse(
                        why, -EPROTO, p, "%zu items, not in %" PRIu64 " to %" PRIu64, count, f->min, f->max);
        for (size_t i = 0; i < count; i++) {
                struct path item = { p, NULL, i };
                int r = struct_decode(f->children, f->n_children, json_array_get(j, i),
                        base + f->offset + i * f->item_size, &item, why);
                if (r < 0)
                        return r;
        }
        *(size_t *)(base + f->count_offset) = count;
        return 0;
}

static json_t *hex_encode(uint64_t value)
{
        char text[20];
        text_message(text, sizeof(text), "0x%" PRIx64, value);
        return json_string(text);
}

static json_t *gid_encode(const void *gid)
{
        char text[INET6_ADDRSTRLEN];
        return json_string(inet_ntop(AF_INET6, gid, text, sizeof(text)));
}

static int field_encode(
        const struct field *f, const char *base, const struct path *p, json_t **ret, char *why)
{
        const char *at = base + f->offset;
        json_t *j = NULL;
        int r = 0;
        switch (f->kind) {
        case FIELD_U8:
        case FIELD_U16:
        case FIELD_U32:
        case FIELD_U64:
                r = number_check(f, number_load(f, at), p, -ERANGE, why);
                j = r < 0 ? NULL : json_integer((json_int_t)number_load(f, at));
                break;
        case FIELD_HEX:
                j = hex_encode(number_load(f, at));
                break;
        case FIELD_BOOL:
                j = json_boolean(*(const bool *)at);
                break;
        case FIELD_TEXT:
                if (strlen(at) < f->min || !text_printable(at) || !(j = json_string(at)))
                        r = refuse(why, -EINVAL, p, "%s", *at ? "not printable UTF-8 text" : "empty");
                break;
        case FIELD_CHOICE:
                j = json_string(f->choices[*(const unsigned *)at]);
                break;
        case FIELD_FLAGS:
                r = flags_encode(f, at, &j);
                break;
        case FIELD_GID:
                j = gid_encode(at);
                break;
        case FIELD_MAP:
                r = struct_encode(f->children, f->n_children, at, p, &j, why);
                break;
        case FIELD_LIST:
                r = list_encode(f, base, p, &j, why);
                break;
        }
        if (r == 0 && !j)
                r = -ENOMEM;
        if (r == 0)
                *ret = j;
        return r;
}

static int field_decode(const struct field *f, const json_t *j, char *base, const struct path *p, char *why)
{
        char *at = base + f->offset;
        switch (f->kind) {
        case FIELD_U8:
        case FIELD_U16:
        case FIELD_U32:
        case FIELD_U64:
                return number_decode(f, j, at, p, why);
        case FIELD_HEX:
                return hex_decode(f, j, at, p, why);
        case FIELD_BOOL:
                if (!json_is_boolean(j))
                        return refuse(why, -EPROTO, p, "expected true or false");
                *(bool *)at = json_is_true(j);
                return 0;
        case FIELD_TEXT:
                return text_decode(f, j, at, p, why);
        case FIELD_CHOICE:
                return choice_decode(f, j, at, p, why);
        case FIELD_FLAGS:
                return flags_decode(f, j, at, p, why);
        case FIELD_GID:
                return gid_decode(j, at, p, why);
        case FIELD_MAP:
                return struct_decode(f->children, f->n_children, j, at, p, why);
        case FIELD_LIST:
                return list_decode(f, j, base, p, why);
        }
        return -EPROTO;
}

static int struct_encode(const struct field *fields, size_t n, const char *from, const struct path *parent,
        json_t **ret, char *why)
{
        cleanup(json_releasep) json_t *object = json_object();
        for (size_t i = 0; i < n; i++) {
                struct path p = { parent, fields[i].name, 0 };
                json_t *j = NULL;
                int r = field_encode(&fields[i], from, &p, &j, why);
                if (r < 0)
                        return r;
                if (json_object_set_new(object, fields[i].name, j) < 0)
                        return -ENOMEM;
        }
        *ret = take_ptr(object);
        return *ret ? 0 : -ENOMEM;
}

static int struct_decode(const struct field *fields, size_t n, const json_t *from, char *into,
        const struct path *parent, char *why)
{
        if (!json_is_object(from))
                return refuse(why, -EPROTO, parent, "expected an object");
        for (size_t i = 0; i < n; i++) {
                struct path p = { parent, fields[i].name, 0 };
                const json_t *j = json_object_get(from, fields[i].name);
                if (!j && fields[i].optional)
                        continue;
                if (!j)
                        return refuse(why, -EPROTO, &p, "missing");
                int r = field_decode(&fields[i], j, into, &p, why);
                if (r < 0)
                        return r;
        }
        return 0;
}

int record_encode(const struct field *fields, size_t n, const void *from, json_t **ret, char *why)
{
        text_message(why, RECORD_WHY_MAX, "no memory");
        return struct_encode(fields, n, from, NULL, ret, why);
}

int record_decode(const struct field *fields, size_t n, const json_t *from, void *into, char *why)
{
        return struct_decode(fields, n, from, into, NULL, why);
}
