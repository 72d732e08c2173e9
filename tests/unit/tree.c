/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/tree.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/text.h"
#include "tests/unit/unit.h"

void tree_init(struct tree *t)
{
        assert_int_equal(text_copy(t->path, sizeof(t->path), "/tmp/rdma-canary-test-XXXXXX"), 0);
        assert_non_null(mkdtemp(t->path));
        t->fd = open(t->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_true(t->fd >= 0);
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
        return remove(path);
}

void tree_done(struct tree *t)
{
        assert_int_equal(close(t->fd), 0);
        assert_int_equal(nftw(t->path, remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static void make_parents(struct tree *t, const char *path)
{
        char part[512];

        for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
                assert_int_equal(text_format(part, sizeof(part), "%.*s", (int)(slash - path), path), 0);
                (void)mkdirat(t->fd, part, 0755); /* most are there already */
        }
}

void tree_write(struct tree *t, const char *path, const void *data, size_t len)
{
        int fd;

        make_parents(t, path);
        fd = openat(t->fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, data, len), len);
        assert_int_equal(close(fd), 0);
}

void tree_text(struct tree *t, const char *path, const char *text)
{
        tree_write(t, path, text, strlen(text));
}

void tree_link(struct tree *t, const char *path, const char *target)
{
        make_parents(t, path);
        assert_int_equal(symlinkat(target, t->fd, path), 0);
}

void tree_fifo(struct tree *t, const char *path)
{
        make_parents(t, path);
        assert_int_equal(mkfifoat(t->fd, path, 0644), 0);
}

void tree_directory(struct tree *t, const char *path)
{
        make_parents(t, path);
        assert_int_equal(mkdirat(t->fd, path, 0755), 0);
}
