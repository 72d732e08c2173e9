/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/inventory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/log.h"

struct watched {
        struct watched *next;
        const struct source_class *class;
        char device[ENGINE_NAME_MAX];
        struct collector *collector;
        bool marked;
};

struct inventory {
        const struct source_environment *env;
        struct collectors *collectors;
        char **devices;
        size_t n_devices;
        struct watched *watched;
};

int inventory_new(const struct source_environment *env, struct collectors *collectors, struct inventory **ret)
{
        struct inventory *i = calloc(1, sizeof(*i));

        if (!i)
                return -ENOMEM;
        i->env = env;
        i->collectors = collectors;
        *ret = i;
        return 0;
}

static void watched_free(struct watched *w)
{
        collector_remove(w->collector);
        free(w);
}

void inventory_free(struct inventory *i)
{
        if (!i)
                return;
        while (i->watched) {
                struct watched *w = i->watched;
                i->watched = w->next;
                watched_free(w);
        }
        discover_free(i->devices, i->n_devices);
        free(i);
}

char *const *inventory_devices(const struct inventory *i, size_t *ret_n)
{
        *ret_n = i->n_devices;
        return i->devices;
}

static void rails_of_config(const struct config *config, struct rail *rails)
{
        for (size_t k = 0; k < config->rails.n; k++) {
                /* The loader has checked that both fit. */
                (void)text_copy(rails[k].name, sizeof(rails[k].name), config_rail(config, k)->name);
                (void)text_copy(rails[k].device, sizeof(rails[k].device), config_rail(config, k)->device);
        }
}

static size_t rails_of_devices(const struct inventory *i, struct rail *rails)
{
        size_t n = 0;

        for (size_t k = 0; k < i->n_devices; k++) {
                if (discover_is_iwarp(i->env->sysfs, i->devices[k]))
                        continue;
                (void)text_format(rails[n].name, sizeof(rails[n].name), "%zu", n); /* digits fit */
                (void)text_copy(
                        rails[n].device, sizeof(rails[n].device), i->devices[k]); /* discovery bounds it */
                n++;
        }
        return n;
}

int inventory_rails(const struct inventory *i, const struct config *config, struct rail **ret, size_t *ret_n)
{
        size_t n = config->rails.n ? config->rails.n : i->n_devices;
        struct rail *rails = calloc(n ? n : 1, sizeof(rails[0]));

        if (!rails)
                return -ENOMEM;
        if (config->rails.n)
                rails_of_config(config, rails);
        else
                n = rails_of_devices(i, rails);
        *ret = rails;
        *ret_n = n;
        return 0;
}

static bool contains(char *const *names, size_t n, const char *name)
{
        for (size_t i = 0; i < n; i++)
                if (strcmp(names[i], name) == 0)
                        return true;
        return false;
}

static bool log_difference(const struct inventory *i, char *const *names, size_t n)
{
        bool changed = false;

        for (size_t k = 0; k < n; k++)
                if (!contains(i->devices, i->n_devices, names[k])) {
                        log_info("device %s: found", names[k]);
                        changed = true;
                }
        for (size_t k = 0; k < i->n_devices; k++)
                if (!contains(names, n, i->devices[k])) {
                        log_warn("device %s: gone", i->devices[k]);
                        changed = true;
                }
        return changed;
}

int inventory_discover(struct inventory *i, const struct config *config)
{
        char **names = NULL;
        size_t n = 0;
        int r;

        r = discover_devices(
                i->env->sysfs, config->devices.exclude.items, config->devices.exclude.n, &names, &n);
        if (r < 0)
                return r;
        if (!log_difference(i, names, n)) {
                discover_free(names, n);
                return 0;
        }
        discover_free(i->devices, i->n_devices);
        i->devices = names;
        i->n_devices = n;
        return 1;
}

static int add(struct inventory *i, const struct source_class *class, const struct config *config,
        const char *device)
{
        const struct source_target target = { .device = device };
        struct watched *w = calloc(1, sizeof(*w));
        void *state = NULL;
        int r;

        if (!w)
                return -ENOMEM;
        w->class = class;
        w->marked = true;
        r = text_copy(w->device, sizeof(w->device), device);
        if (r == 0)
                r = class->create(i->env, &target, config_of_class(config, class), &state);
        if (r == 0)
                r = collector_add(i->collectors, class, device, state, &w->collector);
        if (r < 0) {
                if (state)
                        class->destroy(state);
                free(w);
                return r;
        }
        w->next = i->watched;
        i->watched = w;
        return 0;
}

static int want(struct inventory *i, const struct source_class *class, const struct config *config,
        const char *device)
{
        for (struct watched *w = i->watched; w; w = w->next)
                if (w->class == class && strcmp(w->device, device) == 0) {
                        w->marked = true;
                        return 0;
                }
        return add(i, class, config, device);
}

static int want_class(struct inventory *i, const struct source_class *class, const struct config *config)
{
        const struct source_config *c = config_of_class(config, class);
        int r = 0;

        if (class->trigger != TRIGGER_SCRAPE || !c->enabled)
                return 0;
        if (class->scope == SCOPE_HOST)
                return want(i, class, config, "");
        for (size_t k = 0; k < i->n_devices; k++) {
                int e = want(i, class, config, i->devices[k]);
                if (r == 0)
                        r = e;
        }
        return r;
}

static void remove_unmarked(struct inventory *i)
{
        struct watched **at = &i->watched;

        while (*at) {
                struct watched *w = *at;
                if (w->marked) {
                        at = &w->next;
                        continue;
                }
                *at = w->next;
                watched_free(w);
        }
}

int inventory_reconcile(struct inventory *i, const struct config *config)
{
        int r = 0;

        for (struct watched *w = i->watched; w; w = w->next)
                w->marked = false;
        for (size_t k = 0; k < n_source_classes; k++) {
                int e = want_class(i, source_classes[k], config);
                if (r == 0)
                        r = e;
        }
        remove_unmarked(i);
        return r;
}
