/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/file_watch.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

static struct file_stamp look(const char *path)
{
        struct file_stamp stamp = { 0 };

        if (stat(path, &stamp.st) < 0)
                stamp.error = errno;
        return stamp;
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
        return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* ctime too: mtime can be set back, and a file become readable. */
static bool same(const struct file_stamp *a, const struct file_stamp *b)
{
        if (a->error || b->error)
                return a->error == b->error;
        return a->st.st_dev == b->st.st_dev && a->st.st_ino == b->st.st_ino &&
               a->st.st_size == b->st.st_size && same_time(&a->st.st_mtim, &b->st.st_mtim) &&
               same_time(&a->st.st_ctim, &b->st.st_ctim);
}

void file_watch_clear(struct file_watch *w)
{
        for (size_t i = 0; i < w->n; i++)
                free(w->files[i].path);
        *w = (struct file_watch){ 0 };
}

int file_watch_add(struct file_watch *w, const char *path)
{
        struct watched_file *file = &w->files[w->n];

        assert(w->n < ARRAY_SIZE(w->files));
        file->path = strdup(path);
        if (!file->path)
                return -ENOMEM;
        file->known = file->seen = look(path);
        w->n++;
        return 0;
}

bool file_watch_changed(struct file_watch *w)
{
        bool changed = false, resting = true;

        for (size_t i = 0; i < w->n; i++) {
                struct watched_file *file = &w->files[i];
                struct file_stamp now = look(file->path);

                changed |= !same(&now, &file->known);
                resting &= same(&now, &file->seen);
                file->seen = now;
        }
        return changed && resting;
}
