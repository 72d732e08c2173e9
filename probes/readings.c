/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/readings.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/scope.h"
#include "base/sysfs.h"

int readings_init(struct readings *r)
{
        *r = (struct readings){ .set = series_set_new() };
        return r->set ? 0 : -ENOMEM;
}

void readings_done(struct readings *r)
{
        for (size_t i = 0; i < r->n; i++)
                kept_file_close(&r->items[i].file);
        free(r->items);
        series_set_unref(r->set);
        *r = (struct readings){ 0 };
}

static int make_room(struct readings *r)
{
        size_t cap = r->cap ? 2 * r->cap : 32;
        struct reading *items;

        if (r->n < r->cap)
                return 0;
        items = reallocarray(r->items, cap, sizeof(*items));
        if (!items)
                return -ENOMEM;
        r->items = items;
        r->cap = cap;
        return 0;
}

int readings_add(struct readings *r, const struct reader *reader, int dir, const char *path,
        int (*parse)(const char *text, size_t len, uint64_t *ret), const struct metric_family *f,
        const char *const *labels)
{
        struct kept_file file = KEPT_FILE_INIT;
        int position = make_room(r);

        if (position == 0)
                position = kept_file_open(&file, reader, dir, path);
        if (position < 0)
                return position;
        position = series_set_add(r->set, f, labels);
        if (position < 0) {
                kept_file_close(&file);
                return position;
        }
        assert((size_t)position == r->n);
        r->items[r->n++] = (struct reading){ .file = file, .parse = parse };
        return position;
}

int readings_read(struct readings *r, size_t position, const struct source_environment *env)
{
        struct reading *one = &r->items[position];
        char text[KEPT_FILE_VALUE_SIZE];
        int len;

        assert(position < r->n);
        len = kept_file_read(&one->file, env->reader, clock_monotonic_ns(env->clock), text, sizeof(text));
        if (len >= 0)
                len = one->parse(text, (size_t)len, &one->value);
        one->known = len == 0;
        return len;
}

int readings_read_awake(struct readings *r, size_t position, const struct source_environment *env)
{
        assert(position < r->n);
        r->items[position].file.rest_ns = r->items[position].file.until_ns = 0;
        return readings_read(r, position, env);
}

void readings_show(const struct readings *r, struct batch *b)
{
        if (!r->set)
                return;
        batch_prepare(b, r->set);
        for (size_t i = 0; i < r->n; i++)
                if (r->items[i].known)
                        batch_set_u64(b, i, r->items[i].value);
}

bool lookup_due(struct lookup *l, const struct source_environment *env)
{
        uint64_t now = clock_monotonic_ns(env->clock);
        unsigned generation = env->generation ? atomic_load(env->generation) : 0;

        if (l->done && l->generation == generation && now - l->at_ns < LOOKUP_AGE_NS)
                return false;
        *l = (struct lookup){ .done = true, .generation = generation, .at_ns = now };
        return true;
}

void lookup_again(struct lookup *l)
{
        l->done = false;
}
