/* SPDX-License-Identifier: Apache-2.0 */
/* Whether files have changed since they were looked at: replaced, written to, gone, or there again. */
#ifndef DAEMON_FILE_WATCH_H
#define DAEMON_FILE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#define FILE_WATCH_MAX 4

struct file_stamp {
        int error; /* of stat(); 0: the rest holds */
        struct stat st;
};

struct file_watch {
        size_t n;
        struct watched_file {
                char *path;
                struct file_stamp known, seen; /* when added; at the last look */
        } files[FILE_WATCH_MAX];
};

void file_watch_clear(struct file_watch *w); /* forgets all files */
/* To be called before the file is read, so that what changes meanwhile is seen. 0, -ENOMEM. */
int file_watch_add(struct file_watch *w, const char *path);
/* True when a file is not what it was when added, and is what it was at the last call: a set of files that is
 * being replaced is left in peace until it rests. */
bool file_watch_changed(struct file_watch *w);

#endif
