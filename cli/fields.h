/* SPDX-License-Identifier: Apache-2.0 */
/* Named values of a struct, a row each, for programs to read: the same rows make JSON and CSV. What is not
 * known is null in JSON and empty in CSV, never 0. */
#ifndef CLI_FIELDS_H
#define CLI_FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum field_kind {
        FIELD_TEXT,     /* char[]; "" is not known */
        FIELD_POINTER,  /* const char *; NULL or "" is not known */
        FIELD_MADE,     /* a text, by make() */
        FIELD_RECKONED, /* a double, by reckon() */
        FIELD_U8,
        FIELD_U16,
        FIELD_UNSIGNED,
        FIELD_U64,
        FIELD_INT,
        FIELD_DOUBLE,
        FIELD_BOOL,
};

#define FIELD_MADE_MAX 128

struct field {
        const char
                *key; /* with its unit, as in "p50_ns"; "fault.kind" is kind in an object fault, which is null
                            when nothing in it is known */
        enum field_kind kind;
        size_t offset;
        void (*make)(const void *from, char *dst); /* FIELD_MADE: into dst[FIELD_MADE_MAX]; "" is not known */
        double (*reckon)(const void *from);        /* FIELD_RECKONED; NaN is not known */
        bool (*known)(const void *from);           /* NULL: always */
        bool positive;                             /* 0 is not known */
};

/* Adds them to an object. 0, -ENOMEM. */
int fields_json(const struct field *rows, size_t n, const void *from, json_t *into);
/* Appends the names or the values with commas between them, and one before the first when that is not the first
 * of its line. Nothing is nested: "fault_kind". The first value of a line must be one that is known. */
void fields_csv_names(const struct field *rows, size_t n, struct buf *out);
void fields_csv_values(const struct field *rows, size_t n, const void *from, struct buf *out);

/* A JSON string of any bytes; those that are not ASCII become ? when all is not UTF-8. NULL: no memory. */
json_t *fields_string(const char *text);

#endif
