/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/web.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/file_watch.h"
#include "daemon/web_config.h"

/* The block: what web_rules() hands out points at `rules`, which must stay first. */
struct counted_rules {
        struct web_rules rules;
        atomic_uint references;
};

struct web {
        char *path;
        struct file_watch watch; /* the main loop's */
        bool tls;
        pthread_mutex_t lock;
        struct web_rules *rules; /* the lock */
};

void web_rules_unref(struct web_rules *r)
{
        struct counted_rules *counted = (struct counted_rules *)r;

        if (!r || atomic_fetch_sub_explicit(&counted->references, 1, memory_order_acq_rel) > 1)
                return;
        web_tls_free(r->tls);
        web_auth_free(r->auth);
        free(counted);
}

struct web_rules *web_rules(struct web *w)
{
        struct web_rules *r;

        (void)pthread_mutex_lock(&w->lock);
        r = w->rules;
        atomic_fetch_add_explicit(&((struct counted_rules *)r)->references, 1, memory_order_relaxed);
        (void)pthread_mutex_unlock(&w->lock);
        return r;
}

bool web_is_tls(const struct web *w)
{
        return w->tls;
}

static int watch_files(struct web *w, const struct web_config *config)
{
        const char *const names[] = { config->tls.cert_file, config->tls.key_file,
                config->tls.client_ca_file };

        for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
                int r = names[i] ? file_watch_add(&w->watch, names[i]) : 0;

                if (r < 0)
                        return r;
        }
        return 0;
}

static int make_rules(
        struct web *w, const struct web_config *config, struct web_rules **ret, struct buf *problems)
{
        struct counted_rules *counted = calloc(1, sizeof(*counted));
        cleanup(web_rules_unrefp) struct web_rules *rules = NULL;
        int r = 0;

        if (!counted)
                return -ENOMEM;
        atomic_init(&counted->references, 1);
        rules = &counted->rules;
        if (config->tls.cert_file)
                r = web_tls_load(w->path, config, &rules->tls, problems);
        if (r == 0 && config->users.n > 0)
                r = web_auth_new(&config->users, &rules->auth);
        if (r < 0)
                return r;
        *ret = take_ptr(rules);
        return 0;
}

/* The files are watched from before they are read, whatever comes of it. */
static int load(struct web *w, struct web_rules **ret, struct buf *problems)
{
        struct web_config config = { 0 };
        int r;

        file_watch_clear(&w->watch);
        r = file_watch_add(&w->watch, w->path);
        if (r == 0)
                r = web_config_load(w->path, &config, problems);
        if (r == 0)
                r = watch_files(w, &config);
        if (r == 0)
                r = make_rules(w, &config, ret, problems);
        web_config_done(&config);
        if (r < 0 && problems->len == 0)
                buf_format(problems, "%s: %s\n", w->path, strerror(-r));
        return r;
}

void web_free(struct web *w)
{
        if (!w)
                return;
        web_rules_unref(w->rules);
        file_watch_clear(&w->watch);
        (void)pthread_mutex_destroy(&w->lock);
        free(w->path);
        free(w);
}

int web_new(const char *path, struct web **ret, struct buf *problems)
{
        cleanup(web_freep) struct web *w = calloc(1, sizeof(*w));
        int r;

        if (!w)
                return -ENOMEM;
        (void)pthread_mutex_init(&w->lock, NULL); /* cannot fail without attributes */
        w->path = strdup(path);
        if (!w->path)
                return -ENOMEM;
        r = load(w, &w->rules, problems);
        if (r < 0)
                return r;
        w->tls = w->rules->tls;
        *ret = take_ptr(w);
        return 0;
}

int web_follow(struct web *w, bool anyway, struct buf *problems)
{
        cleanup(web_rules_unrefp) struct web_rules *fresh = NULL;
        struct web_rules *old;
        int r;

        if (!file_watch_changed(&w->watch) && !anyway)
                return 0;
        r = load(w, &fresh, problems);
        if (r < 0)
                return r;
        assert(fresh);
        if (w->tls != (fresh->tls != NULL)) {
                buf_format(problems, "%s: tls_server_config: %s; that takes effect at the next restart\n",
                        w->path, w->tls ? "gone" : "new");
                return -EINVAL;
        }
        (void)pthread_mutex_lock(&w->lock);
        old = w->rules;
        w->rules = take_ptr(fresh);
        (void)pthread_mutex_unlock(&w->lock);
        web_rules_unref(old);
        return 1;
}
