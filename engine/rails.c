/* SPDX-License-Identifier: Apache-2.0 */
/* Which of this host's devices are offered to peers, and in which order. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/internal.h"

struct rails {
        pthread_mutex_t lock; /* guards what follows */
        char (*names)[ENGINE_NAME_MAX];
        size_t n;
        bool set;
};

int rails_new(struct rails **ret)
{
        struct rails *r = calloc(1, sizeof(*r));
        if (!r)
                return -ENOMEM;
        (void)pthread_mutex_init(&r->lock, NULL); /* does not fail on Linux */
        *ret = r;
        return 0;
}

void rails_free(struct rails *r)
{
        if (!r)
                return;
        (void)pthread_mutex_destroy(&r->lock);
        free(r->names);
        free(r);
}

static void rails_replace(struct rails *r, char (*names)[ENGINE_NAME_MAX], size_t n)
{
        pthread_mutex_lock(&r->lock);
        char(*old)[ENGINE_NAME_MAX] = r->names;
        r->names = names;
        r->n = n;
        r->set = true;
        pthread_mutex_unlock(&r->lock);
        free(old);
}

int engine_set_rails(struct engine *e, const char *const *names, size_t n)
{
        char(*copies)[ENGINE_NAME_MAX] = calloc(n > 0 ? n : 1, sizeof(copies[0]));
        if (!copies)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++)
                if (text_copy(copies[i], sizeof(copies[i]), names[i]) < 0) {
                        free(copies);
                        return -ENAMETOOLONG;
                }
        rails_replace(e->rails, copies, n);
        return 0;
}

static bool rails_copy(struct rails *r, struct device_facts **ret, size_t *ret_n)
{
        pthread_mutex_lock(&r->lock);
        bool set = r->set;
        size_t n = r->n;
        struct device_facts *facts = set ? calloc(n > 0 ? n : 1, sizeof(facts[0])) : NULL;
        for (size_t i = 0; facts && i < n; i++)
                (void)text_copy(facts[i].name, sizeof(facts[i].name), r->names[i]); /* of the same size */
        pthread_mutex_unlock(&r->lock);
        *ret = facts;
        *ret_n = n;
        return set;
}

static int all_but_iwarp(struct device_facts **ret, size_t *ret_n)
{
        struct device_facts *all;
        size_t n, kept = 0;
        int r = device_list(&all, &n);
        if (r < 0)
                return r;
        for (size_t i = 0; i < n; i++)
                if (!all[i].iwarp)
                        all[kept++] = all[i];
        *ret = all;
        *ret_n = kept;
        return 0;
}

int rails_devices(struct rails *r, struct device_facts **ret, size_t *ret_n)
{
        struct device_facts *facts;
        size_t n;
        if (!rails_copy(r, &facts, &n))
                return all_but_iwarp(ret, ret_n);
        if (!facts)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++)
                (void)device_find(facts[i].name, &facts[i]); /* left with its name alone when it cannot be */
        *ret = facts;
        *ret_n = n;
        return 0;
}
