/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/probes/support.h"

#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/text.h"
#include "tests/unit/unit.h"

int fixture_open(const char *name)
{
        char path[4096];
        int fd;

        assert_int_equal(text_format(path, sizeof(path), "%s/%s", TEST_DATA, name), 0);
        fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_true(fd >= 0);
        return fd;
}

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

void *source_create(
        const struct source_class *class, const struct source_environment *env, const char *device)
{
        struct source_target target = { .device = device };
        void *config = calloc(1, class->config_size), *source = NULL;

        assert_non_null(config);
        assert_int_equal(option_defaults(class->options, class->n_options, config), 0);
        assert_int_equal(class->create(env, &target, config, &source), 0);
        option_free(class->options, class->n_options, config);
        free(config);
        return source;
}

struct batch *collect_once(
        const struct source_class *class, int sysfs, int procfs, const char *device, int *ret_r)
{
        struct source_environment env = {
                .sysfs = sysfs, .procfs = procfs, .clock = &clock_system, .reader = &reader_system
        };
        struct batch *b = batch_new();
        void *source = source_create(class, &env, device);

        assert_non_null(b);
        *ret_r = class->collect(source, clock_now_ns() + NS_PER_SEC, b);
        class->destroy(source);
        assert_int_equal(batch_error(b), 0);
        return b;
}

const struct sample *sample_find(const struct batch *b, const char *family, const char *labels)
{
        const struct sample *found = NULL;

        for (size_t i = 0; i < batch_size(b); i++) {
                const struct sample *s = batch_sample(b, i);

                if (s->absent || strcmp(s->family->name, family) != 0 || strcmp(s->labels, labels) != 0)
                        continue;
                if (found)
                        fail_msg("%s{%s} is there twice", family, labels);
                found = s;
        }
        return found;
}

void assert_sample_u64(const struct batch *b, const char *family, const char *labels, uint64_t value)
{
        const struct sample *s = sample_find(b, family, labels);

        if (!s)
                fail_msg("%s{%s} is missing", family, labels);
        if (!s->integer || s->u64 != value)
                fail_msg("%s{%s} is %" PRIu64 ", not %" PRIu64, family, labels, s->u64, value);
}

void assert_no_sample(const struct batch *b, const char *family, const char *labels)
{
        if (sample_find(b, family, labels))
                fail_msg("%s{%s} is there", family, labels);
}

size_t samples_present(const struct batch *b)
{
        size_t n = 0;

        for (size_t i = 0; i < batch_size(b); i++)
                n += !batch_sample(b, i)->absent;
        return n;
}
