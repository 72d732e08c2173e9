/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/passive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/parse.h"
#include "base/scope.h"
#include "base/sysfs.h"
#include "base/text.h"

const struct option passive_options[] = {
        SOURCE_OPTION_ENABLED(struct passive_config, "true"),
};
_Static_assert(ARRAY_SIZE(passive_options) == N_PASSIVE_OPTIONS, "the header says how many");

int passive_init(struct passive *p, const struct source_environment *env, const struct source_target *target)
{
        p->env = env;
        return text_copy(p->device, sizeof(p->device), target->device);
}

int passive_new(size_t size, const struct source_environment *env, const struct source_target *target,
        void **ret_state)
{
        struct passive *p = calloc(1, size);
        int r;

        if (!p)
                return -ENOMEM;
        r = passive_init(p, env, target);
        if (r < 0) {
                free(p);
                return r;
        }
        *ret_state = p;
        return 0;
}

void passive_destroy(void *state)
{
        free(state);
}

int passive_ports(int device_dir, struct sysfs_names *ret)
{
        cleanup(close_fdp) int dir = sysfs_open_dir(device_dir, "ports");
        cleanup(sysfs_names_done) struct sysfs_names names = { 0 };
        int r = dir < 0 ? dir : sysfs_list(dir, &names);
        size_t kept = 0;

        if (r < 0)
                return sysfs_is_absent(r) ? 0 : r;
        for (size_t i = 0; i < names.n; i++) {
                char *name = names.items[i];
                uint64_t number;

                /* The kernel numbers ports with a byte. */
                if (parse_u64(name, strlen(name), &number) == 0 && number <= UINT8_MAX)
                        names.items[kept++] = name;
                else
                        free(name);
        }
        names.n = kept;
        *ret = names;
        names = (struct sysfs_names){ 0 };
        return 0;
}

void prepared_note_directory(int device_dir, const char *path, struct buf *seen)
{
        cleanup(close_fdp) int dir = sysfs_open_dir(device_dir, path);
        cleanup(sysfs_names_done) struct sysfs_names names = { 0 };
        int r = dir < 0 ? dir : sysfs_list(dir, &names);

        buf_format(seen, "%s %d\n", path, r);
        for (size_t i = 0; i < names.n; i++) {
                buf_text(seen, names.items[i]);
                buf_char(seen, '\n');
        }
}

static void drop(struct prepared *p, const struct prepared_class *class)
{
        class->forget(p);
        device_files_done(&p->files);
        series_set_unref(p->set);
        p->set = NULL;
        buf_clear(&p->seen);
}

/* A device that was taken away and is there again under its name has another inode. */
static int look(const struct prepared *p, const struct prepared_class *class, int dir, struct buf *seen)
{
        struct stat st;

        if (fstat(dir, &st) < 0)
                return -errno;
        buf_format(seen, "%ju\n", (uintmax_t)st.st_ino);
        class->look(p, dir, seen);
        return seen->error;
}

static bool same(const struct buf *a, const struct buf *b)
{
        return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

static int prepare(struct prepared *p, const struct prepared_class *class, int dir, struct buf *seen)
{
        struct buf old;
        int r;

        drop(p, class);
        p->set = series_set_new();
        r = p->set ? class->prepare(p, dir) : -ENOMEM;
        if (r < 0) {
                drop(p, class);
                return r;
        }
        old = p->seen;
        p->seen = *seen;
        *seen = old;
        return 0;
}

static int refresh(struct prepared *p, const struct prepared_class *class, bool gone)
{
        cleanup(close_fdp) int dir = sysfs_open_device(p->passive.env->sysfs, p->passive.device);
        cleanup(buf_done) struct buf seen = { 0 };
        int r = dir < 0 ? dir : look(p, class, dir, &seen);

        if (r == 0 && !gone && p->set && same(&seen, &p->seen)) {
                device_files_open_rest(&p->files, p->passive.env);
                return 0;
        }
        if (r == 0)
                r = prepare(p, class, dir, &seen);
        if (r < 0) {
                drop(p, class);
                lookup_again(&p->lookup);
        }
        return sysfs_is_absent(r) ? 0 : r;
}

/* All files in one go, so that the kernel asks the device once for a set. true: prepare anew. */
static bool read_all(struct prepared *p, const struct prepared_class *class)
{
        bool stale = device_files_read(&p->files, p->passive.env);

        return (class->read && class->read(p)) || stale;
}

static int read_files(struct prepared *p, const struct prepared_class *class)
{
        int r = lookup_due(&p->lookup, p->passive.env) ? refresh(p, class, false) : 0;

        if (r == 0 && read_all(p, class)) {
                r = refresh(p, class, true);
                if (r == 0)
                        (void)read_all(p, class); /* once is enough */
        }
        return r;
}

int prepared_collect(struct prepared *p, const struct prepared_class *class, struct batch *b)
{
        int error = read_files(p, class);

        if (error < 0 || !p->set)
                return error;
        batch_prepare(b, p->set);
        for (size_t i = 0; i < p->files.n; i++) {
                const struct device_file *f = &p->files.items[i];

                if (f->error == 0)
                        class->show(p, i, f->value, b);
                else
                        sysfs_note_error(&error, f->error);
        }
        if (class->finish)
                class->finish(p, b);
        device_files_show_unreadable(&p->files, p->passive.device, b);
        return error;
}

void prepared_done(struct prepared *p, const struct prepared_class *class)
{
        drop(p, class);
        buf_done(&p->seen);
}
