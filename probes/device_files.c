/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/device_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/sysfs.h"

const struct metric_family collector_families[] = {
        {
                .name = "rdma_canary_unreadable",
                .type = METRIC_GAUGE,
                .help = "A counter's file (counters/, hw_counters/) that is there and cannot be read now, "
                        "with "
                        "the error; what a device does not have at all (N/A) is not meant. Always 1.",
                .labels = { "device", "port", "counter", "errno" },
        },
};
const size_t n_collector_families = ARRAY_SIZE(collector_families);

static int make_room(struct device_files *files)
{
        size_t cap = files->cap ? 2 * files->cap : 64;
        struct device_file *items;

        if (files->n < files->cap)
                return 0;
        items = reallocarray(files->items, cap, sizeof(*items));
        if (!items)
                return -ENOMEM;
        files->items = items;
        files->cap = cap;
        return 0;
}

int device_files_add(struct device_files *files, const struct source_environment *env,
        const struct device_file *file, const char *directory, const char *name)
{
        char path[512];
        int r = text_format(path, sizeof(path), "%s/%s", directory, name);
        struct device_file *f;

        if (r == 0)
                r = make_room(files);
        if (r < 0)
                return r;
        f = &files->items[files->n];
        *f = *file;
        f->file = KEPT_FILE_INIT;
        f->path = strdup(path);
        if (!f->path)
                return -ENOMEM;
        f->name = strrchr(f->path, '/') + 1;
        f->error = f->elsewhere ? -ENODATA : kept_file_open(&f->file, env->reader, env->sysfs, f->path);
        return (int)files->n++;
}

static bool is_gone(int error)
{
        return error == -ENODEV || error == -ENOENT;
}

static void read_one(struct device_file *f, const struct reader *reader, uint64_t now_ns)
{
        char text[KEPT_FILE_VALUE_SIZE];
        int r = kept_file_read(&f->file, reader, now_ns, text, sizeof(text));

        if (r >= 0)
                r = f->parse(text, (size_t)r, &f->value);
        f->error = r;
}

bool device_files_read(struct device_files *files, const struct source_environment *env)
{
        uint64_t now_ns = clock_monotonic_ns(env->clock);
        bool gone = false;

        for (size_t i = 0; i < files->n; i++) {
                struct device_file *f = &files->items[i];

                if (f->file.fd < 0)
                        continue; /* with the error of opening it */
                read_one(f, env->reader, now_ns);
                gone |= is_gone(f->error);
        }
        return gone;
}

void device_files_open_rest(struct device_files *files, const struct source_environment *env)
{
        for (size_t i = 0; i < files->n; i++) {
                struct device_file *f = &files->items[i];

                if (f->file.fd < 0 && !f->elsewhere)
                        f->error = kept_file_open(&f->file, env->reader, env->sysfs, f->path);
        }
}

void device_files_show_unreadable(const struct device_files *files, const char *device, struct batch *b)
{
        for (size_t i = 0; i < files->n; i++) {
                const struct device_file *f = &files->items[i];
                const char *name = f->error < 0 ? strerrorname_np(-f->error) : NULL;

                /* No data is what "N/A" is read as. */
                if (f->counter && name && !is_gone(f->error) && f->error != -ENODATA)
                        batch_add_u64(b, &collector_families[0], LABELS(device, f->port, f->name, name), 1);
        }
}

void device_files_done(struct device_files *files)
{
        for (size_t i = 0; i < files->n; i++) {
                kept_file_close(&files->items[i].file);
                free(files->items[i].path);
        }
        free(files->items);
        *files = (struct device_files){ 0 };
}
