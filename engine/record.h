/* SPDX-License-Identifier: Apache-2.0 */
/* Structs as JSON objects by const tables of fields: one row says how a field is called on the wire, what it
 * may hold and where it lives, for both directions. Input is not trusted: what is missing, of another type
 * or out of range is refused by name; names that no row has are ignored. */
#ifndef ENGINE_RECORD_H
#define ENGINE_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field_kind {
        FIELD_U8,  /* uint8_t */
        FIELD_U16, /* uint16_t */
        FIELD_U32, /* uint32_t, unsigned */
        FIELD_U64, /* uint64_t; at most INT64_MAX, what JSON libraries agree on */
        FIELD_HEX, /* uint64_t of any value, as text "0x1f" */
        FIELD_BOOL,
        FIELD_TEXT,   /* char[max], printable, NUL-terminated */
        FIELD_CHOICE, /* an enum, by the name at its index in choices */
        FIELD_FLAGS,  /* uint32_t of bits, as a list of names; unknown names are ignored */
        FIELD_GID,    /* uint8_t[16], as IPv6 text; never all zero */
        FIELD_MAP,    /* a struct in place, by children */
        FIELD_LIST, /* an array in place of at most max structs; their number in the size_t at count_offset */
};

struct field {
        const char *name;
        enum field_kind kind;
        bool optional; /* when absent it is left as it is: zero */
        size_t offset;
        uint64_t min, max;          /* numbers; max 0: what the type holds. TEXT: max is the size in bytes */
        const char *const *choices; /* CHOICE, FLAGS: NULL-terminated */
        const struct field *children;
        size_t n_children, item_size, count_offset;
};

#define RECORD_WHY_MAX 160

/* 0 and a new object; -ENOMEM; -EINVAL or -ERANGE with the field's path and what is allowed in
 * why[RECORD_WHY_MAX]. */
int record_encode(const struct field *fields, size_t n, const void *from, json_t **ret, char *why);
/* into: zeroed by the caller; partly filled on failure. -EPROTO with why as above. */
int record_decode(const struct field *fields, size_t n, const json_t *from, void *into, char *why);

#endif
