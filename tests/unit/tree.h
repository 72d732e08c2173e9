/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of files that look like /sys or /proc. */
#ifndef TESTS_UNIT_TREE_H
#define TESTS_UNIT_TREE_H

#include <stddef.h>

/* A tree of its own in a temporary directory. */
struct tree {
        char path[64];
        int fd;
};

void tree_init(struct tree *t);
void tree_done(struct tree *t); /* removes it */
/* These make the directories on the way. */
void tree_write(struct tree *t, const char *path, const void *data, size_t len);
void tree_text(struct tree *t, const char *path, const char *text);
void tree_link(struct tree *t, const char *path, const char *target);
void tree_fifo(struct tree *t, const char *path);
void tree_directory(struct tree *t, const char *path);

#endif
