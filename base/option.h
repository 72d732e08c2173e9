/* SPDX-License-Identifier: Apache-2.0 */
/* Option rows: one const table says what a config mapping may hold, how it is parsed, what it defaults to
 * and how it is documented. The loader (daemon/loader.h) fills a struct from a mapping by these rows. */
#ifndef BASE_OPTION_H
#define BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum option_kind {
        OPTION_BOOL,     /* bool */
        OPTION_U64,      /* uint64_t */
        OPTION_RATIO,    /* double, 0…1 */
        OPTION_DURATION, /* uint64_t nanoseconds: "30s" */
        OPTION_SIZE,     /* uint64_t bytes: "64K" */
        OPTION_RATE,     /* uint64_t bytes per second: "160Mbit/s" */
        OPTION_TEXT,     /* char *, heap, never NULL after loading unless there is no fallback */
        OPTION_CHOICE,   /* unsigned, index into choices */
        OPTION_MAP,      /* the struct of children, in place */
        OPTION_LIST,     /* struct option_list of structs of children (a sequence of mappings) */
        OPTION_TEXTS,    /* struct option_list of char * (a sequence of scalars) */
        OPTION_LABELS,   /* struct option_list of struct option_label (a mapping of any keys to scalars) */
};

struct option_list {
        size_t n;
        void *items;
};

struct option_label {
        char *name, *value;
};

struct option {
        const char *key;
        enum option_kind kind;
        size_t offset;                 /* of the field in the struct being filled */
        const char *fallback;          /* parsed like a value from the file; NULL: required, or empty for MAP,
                                          LIST, TEXTS, LABELS, and NULL for an `optional` TEXT */
        bool optional;                 /* may be absent although it has no fallback */
        uint64_t min, max;             /* in base units, of a TEXT in bytes; max 0: no limit */
        const char *const *choices;    /* NULL-terminated */
        const struct option *children; /* MAP, LIST */
        size_t n_children, item_size;  /* LIST: size of one struct */
        const char *help;              /* one sentence */
        const char *placeholder;       /* what a command's help calls the value; NULL: by its kind */
};

/* Sets every field of `into` (zeroed by the caller) to its fallback. 0, -ENOMEM; -EINVAL is our own
 * table's bug. */
int option_defaults(const struct option *rows, size_t n, void *into);
/* Parses one scalar by its row into `into`, releasing the field's old value. On failure the field is
 * untouched and `why` says what is wrong and what is allowed:
 * "5x" is not valid; expected a duration such as 30s, 250ms
 * 0, -EINVAL, -ERANGE, -ENOMEM. For scalar kinds only. */
int option_parse(
        const struct option *row, const char *text, size_t len, void *into, char *why, size_t why_size);
/* Appends what a value of this row may be: "a duration such as 30s, 250ms, 1s to 1h". */
void option_describe(const struct option *row, struct buf *out);
bool option_is_scalar(enum option_kind kind); /* read from one scalar: not MAP, LIST, TEXTS, LABELS */
/* Releases what the fields own and zeroes them. */
void option_free(const struct option *rows, size_t n, void *into);

#endif
