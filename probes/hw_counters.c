/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's own counters, from hw_counters/ of each port and of the device. Names, meanings and even types
 * are each driver's (probes/hw_rows.h): those we know have families of their own, all others share a generic
 * one. What several drivers count under different names also feeds a canonical family, for alerts.
 *
 * The kernel reads the whole set from the device at once and keeps it for `lifespan` (10 ms), so the files
 * are read back to back: one firmware command a pass. Drivers without the directory (siw) are normal. */
#include <errno.h>
#include <stdlib.h>

#include "base/parse.h"
#include "base/scope.h"
#include "base/text.h"
#include "probes/hw_rows.h"
#include "probes/passive.h"
#include "probes/sysfs.h"

struct hw_source {
        struct prepared prepared; /* first */
        struct hw_rows rows;      /* row i is of file i */
};

static int create(const struct source_environment *env, const struct source_target *target,
        const void *config, void **ret_state)
{
        return prepared_create(sizeof(struct hw_source), env, target, ret_state);
}

static void set_path(char *dst, size_t size, const char *port)
{
        if (port[0] == '\0')
                (void)text_copy(dst, size, "hw_counters"); /* fits */
        else
                (void)text_format(dst, size, "ports/%s/hw_counters", port); /* fits: three digits */
}

#define SET_PATH_MAX 32

static void look(const struct prepared *p, int device_dir, struct buf *seen)
{
        cleanup(sysfs_names_done) struct sysfs_names ports = { 0 };
        char path[SET_PATH_MAX];

        (void)passive_ports(device_dir, &ports); /* what fails is looked at again */
        for (size_t i = 0; i < ports.n; i++) {
                set_path(path, sizeof(path), ports.items[i]);
                prepared_note_directory(device_dir, path, seen);
        }
        prepared_note_directory(device_dir, "hw_counters", seen);
}

static int add_file(struct hw_source *s, const struct hw_driver *driver, const char *port, const char *set,
        const char *name)
{
        const struct passive *p = &s->prepared.passive;
        struct device_file file = { .parse = parse_sysfs_u64, .counter = true };
        char directory[128];
        int r = text_copy(file.port, sizeof(file.port), port);

        if (r == 0)
                r = text_format(directory, sizeof(directory), "class/infiniband/%s/%s", p->device, set);
        if (r == 0)
                r = device_files_add(&s->prepared.files, p->env, &file, directory, name);
        if (r >= 0)
                r = hw_rows_add(&s->rows, s->prepared.set, driver, p->device, port, name);
        return r < 0 ? r : 0;
}

static int add_set(struct hw_source *s, int device_dir, const char *module, const char *port)
{
        cleanup(sysfs_names_done) struct sysfs_names names = { 0 };
        char path[SET_PATH_MAX];
        const struct hw_driver *driver;
        int r;

        set_path(path, sizeof(path), port);
        r = sysfs_list_below(device_dir, path, &names);
        driver = hw_driver_guess(module, (const char *const *)names.items, names.n);
        for (size_t i = 0; r == 0 && i < names.n; i++)
                if (!hw_name_is_control(names.items[i]))
                        r = add_file(s, driver, port, path, names.items[i]);
        return r;
}

static int prepare(struct prepared *p, int device_dir)
{
        struct hw_source *s = (struct hw_source *)p;
        cleanup(sysfs_names_done) struct sysfs_names ports = { 0 };
        char module[64];
        int r = passive_ports(device_dir, &ports);

        if (sysfs_read_link_name(device_dir, "device/driver", module, sizeof(module)) < 0)
                module[0] = '\0'; /* software */
        for (size_t i = 0; r == 0 && i < ports.n; i++)
                r = add_set(s, device_dir, module, ports.items[i]);
        return r == 0 ? add_set(s, device_dir, module, "") : r;
}

static void forget(struct prepared *p)
{
        hw_rows_done(&((struct hw_source *)p)->rows);
}

static void show(struct prepared *p, size_t i, uint64_t value, struct batch *b)
{
        hw_rows_set(&((struct hw_source *)p)->rows, i, value, b);
}

static const struct prepared_class prepared = {
        .look = look,
        .prepare = prepare,
        .forget = forget,
        .show = show,
};

static int collect(void *state, uint64_t deadline_ns, struct batch *b)
{
        return prepared_collect(state, &prepared, b);
}

static void destroy(void *state)
{
        prepared_done(state, &prepared);
        free(state);
}

const struct source_class source_hw_counters = {
        .name = "hw_counters",
        .summary = "The driver's own counters of every device and port, typed where they are known.",
        .trigger = TRIGGER_SCRAPE,
        .scope = SCOPE_DEVICE,
        .families = hw_families,
        .n_families = N_HW_FAMILIES,
        .options = passive_options,
        .n_options = N_PASSIVE_OPTIONS,
        .config_size = sizeof(struct passive_config),
        .create = create,
        .collect = collect,
        .destroy = destroy,
};
