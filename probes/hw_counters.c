/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's own counters, from hw_counters/ of each port and of the device. Names, meanings and even types
 * are each driver's (probes/hw_rows.h): those we know have families of their own, all others share a generic
 * one. What several drivers count under different names also feeds a canonical family, for alerts.
 *
 * The kernel reads the whole set from the device at once and keeps it for `lifespan` (10 ms), so the files
 * are read back to back: one firmware command a pass. Where the kernel tells a port's counters by netlink they
 * are asked for so instead. Drivers without the directory (siw) are normal. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/scope.h"
#include "base/sysfs.h"
#include "base/text.h"
#include "probes/hw_netlink.h"
#include "probes/hw_rows.h"
#include "probes/passive.h"

struct hw_source {
        struct prepared prepared; /* first */
        struct hw_rows rows;      /* row i is of file i */
        struct hw_netlink *netlink;
};

struct hw_config {
        struct source_config base;
        bool netlink;
};

static const struct option options[] = {
        SOURCE_OPTION_ENABLED(struct hw_config, "true"),
        { .key = "netlink",
                .kind = OPTION_BOOL,
                .offset = offsetof(struct hw_config, netlink),
                .fallback = "true",
                .help = "whether the counters of ports are asked for by netlink, where the kernel tells them "
                        "so, "
                        "instead of read from their files" },
};

static void destroy(void *state);

static int create(const struct source_environment *env, const struct source_target *target,
        const void *config, void **ret_state)
{
        const struct hw_config *c = config;
        struct hw_source *s;
        void *state;
        int r = passive_new(sizeof(*s), env, target, &state);

        if (r < 0)
                return r;
        s = state;
        s->netlink = malloc(sizeof(*s->netlink));
        if (!s->netlink) {
                destroy(s);
                return -ENOMEM;
        }
        hw_netlink_init(s->netlink, c->netlink);
        *ret_state = s;
        return 0;
}

static void set_path(char *dst, size_t size, const char *port)
{
        if (port[0] == '\0')
                (void)text_copy(dst, size, "hw_counters"); /* fits */
        else
                (void)text_format(dst, size, "ports/%s/hw_counters", port); /* fits: three digits */
}

#define SET_PATH_MAX 32

/* Which counters the port tells by netlink: optional ones come and go. */
static void note_netlink(const struct hw_source *s, const char *port, struct buf *seen)
{
        cleanup(sysfs_names_done) struct sysfs_names names = { 0 };
        int r = hw_netlink_names(s->netlink, port, &names);

        buf_format(seen, "netlink %d\n", r);
        for (size_t i = 0; i < names.n; i++)
                buf_format(seen, "%s\n", names.items[i]);
}

static void look(const struct prepared *p, int device_dir, struct buf *seen)
{
        const struct hw_source *s = (const struct hw_source *)p;
        cleanup(sysfs_names_done) struct sysfs_names ports = { 0 };
        char path[SET_PATH_MAX];

        hw_netlink_find(s->netlink, p->passive.env->sysfs, p->passive.device);
        (void)passive_ports(device_dir, &ports); /* what fails is looked at again */
        for (size_t i = 0; i < ports.n; i++) {
                set_path(path, sizeof(path), ports.items[i]);
                prepared_note_directory(device_dir, path, seen);
                note_netlink(s, ports.items[i], seen);
        }
        prepared_note_directory(device_dir, "hw_counters", seen);
}

static int add_file(struct hw_source *s, const struct hw_driver *driver, const char *port, const char *set,
        const char *name, bool elsewhere)
{
        const struct passive *p = &s->prepared.passive;
        struct device_file file = { .parse = parse_sysfs_u64, .counter = true, .elsewhere = elsewhere };
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

static bool has_name(const struct sysfs_names *names, const char *name)
{
        for (size_t i = 0; i < names->n; i++)
                if (strcmp(names->items[i], name) == 0)
                        return true;
        return false;
}

static bool has_all_counters(const struct sysfs_names *names, const struct sysfs_names *files)
{
        for (size_t i = 0; i < files->n; i++)
                if (!hw_name_is_control(files->items[i]) && !has_name(names, files->items[i]))
                        return false;
        return names->n > 0;
}

/* When the port tells all its counters by netlink: their names replace those of the files. */
static bool prefer_netlink(struct hw_source *s, const char *port, struct sysfs_names *names)
{
        cleanup(sysfs_names_done) struct sysfs_names told = { 0 };
        struct sysfs_names files = *names;

        if (port[0] == '\0' || hw_netlink_names(s->netlink, port, &told) < 0 ||
                !has_all_counters(&told, &files) ||
                hw_netlink_add(s->netlink, port, s->prepared.files.n, told.n) < 0)
                return false;
        *names = told;
        told = files;
        return true;
}

static int add_set(struct hw_source *s, int device_dir, const char *module, const char *port)
{
        cleanup(sysfs_names_done) struct sysfs_names names = { 0 };
        char path[SET_PATH_MAX];
        const struct hw_driver *driver;
        bool netlink;
        int r;

        set_path(path, sizeof(path), port);
        r = sysfs_list_below(device_dir, path, &names);
        netlink = r == 0 && prefer_netlink(s, port, &names);
        driver = hw_driver_guess(module, (const char *const *)names.items, names.n);
        for (size_t i = 0; r == 0 && i < names.n; i++)
                if (!hw_name_is_control(names.items[i]))
                        r = add_file(s, driver, port, path, names.items[i], netlink);
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

static bool read_netlink(struct prepared *p)
{
        return !hw_netlink_read(
                ((struct hw_source *)p)->netlink, clock_monotonic_ns(p->passive.env->clock), &p->files);
}

static void forget(struct prepared *p)
{
        struct hw_source *s = (struct hw_source *)p;

        hw_rows_done(&s->rows);
        if (s->netlink)
                hw_netlink_forget(s->netlink);
}

static void show(struct prepared *p, size_t i, uint64_t value, struct batch *b)
{
        hw_rows_set(&((struct hw_source *)p)->rows, i, value, b);
}

static const struct prepared_class prepared = {
        .look = look,
        .prepare = prepare,
        .read = read_netlink,
        .forget = forget,
        .show = show,
};

static int collect(void *state, uint64_t deadline_ns, struct batch *b)
{
        return prepared_collect(state, &prepared, b);
}

static void destroy(void *state)
{
        struct hw_source *s = state;

        if (!s)
                return;
        prepared_done(&s->prepared, &prepared);
        if (s->netlink)
                hw_netlink_done(s->netlink);
        free(s->netlink);
        free(s);
}

const struct source_class source_hw_counters = {
        .name = "hw_counters",
        .summary = "The driver's own counters of every device and port, typed where they are known.",
        .trigger = TRIGGER_SCRAPE,
        .scope = SCOPE_DEVICE,
        .families = hw_families,
        .n_families = N_HW_FAMILIES,
        .options = options,
        .n_options = ARRAY_SIZE(options),
        .config_size = sizeof(struct hw_config),
        .create = create,
        .collect = collect,
        .destroy = destroy,
};
