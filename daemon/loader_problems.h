/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with a file, one line each, and where in it the reader stands. Inside the loader only. */
#ifndef DAEMON_LOADER_PROBLEMS_H
#define DAEMON_LOADER_PROBLEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

#include "base/text.h"

struct problems {
        const char *name; /* of the file */
        struct buf *lines;
        size_t n; /* found; only the first 20 are written */
        bool no_memory;
        char path[256]; /* key of the value at hand: peers[3].address */
};

/* mark: NULL when there is no place. Control characters are replaced: keys and values come from the file. */
void problems_add(struct problems *p, const yaml_mark_t *mark, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
bool problems_full(const struct problems *p);  /* more of them would not be written */
int problems_result(const struct problems *p); /* 0, -EINVAL, -ENOMEM */

/* Appends to the path; problems_leave() with what they return takes it off again. */
size_t problems_enter(struct problems *p, const char *key);
size_t problems_enter_index(struct problems *p, size_t index);
void problems_leave(struct problems *p, size_t mark);

#endif
