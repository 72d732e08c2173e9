/* SPDX-License-Identifier: Apache-2.0 */
/* The web configuration in use (daemon/web_config.h), with what it names, followed as the files change. */
#ifndef DAEMON_WEB_H
#define DAEMON_WEB_H

#include <stdbool.h>

#include "base/scope.h"
#include "base/text.h"
#include "daemon/web_auth.h"
#include "daemon/web_tls.h"

struct web;

/* What one connection or request goes by; immutable, with a count of references. */
struct web_rules {
        struct web_tls *tls;   /* NULL: HTTP */
        struct web_auth *auth; /* NULL: no password is asked for */
};

/* 0; -errno with a line in `problems` for each thing that is wrong. */
int web_new(const char *path, struct web **ret, struct buf *problems);
void web_free(struct web *w); /* NULL is fine; rules may outlive it */
DEFINE_SCOPE_FREE(struct web *, web_free);

/* The main loop only. Takes the files in anew when they have changed, or if asked to; to be called about once
 * a second, and a change is taken in when a second call finds no other. 0: nothing to do. 1: done. -errno
 * with lines in `problems`: what was in use before stays, and the same files are not tried again. */
int web_follow(struct web *w, bool anyway, struct buf *problems);

/* Any thread. */
bool web_is_tls(const struct web *w); /* does not change */
struct web_rules *web_rules(struct web *w);
void web_rules_unref(struct web_rules *r); /* NULL is fine */
DEFINE_SCOPE_FREE(struct web_rules *, web_rules_unref);

#endif
