/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration: an immutable snapshot with a count of references. The rows that parse it also document
 * it (docs/CONFIG.md). Every probe's and collector's own options stand under probes.NAME and collectors.NAME,
 * by the rows of its class. */
#ifndef DAEMON_CONFIG_H
#define DAEMON_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/option.h"
#include "base/scope.h"
#include "base/text.h"
#include "probes/probe.h"

struct config_peer {
        char *name, *address;
        uint64_t port;
        struct option_list groups; /* struct option_label */
};

struct config_rail {
        char *name, *device;
};

struct config {
        char *node;
        struct option_list peers; /* struct config_peer; without this node itself */
        struct option_list rails; /* struct config_rail; empty: one per device, in order */
        struct {
                bool enabled;
                char *host;
                uint64_t port;
        } responder;
        struct {
                struct option_list exclude; /* char *, shell patterns */
        } devices;
        struct {
                uint64_t timeout_ns; /* of a scrape that names none */
        } scrape;
        struct {
                uint64_t max_series; /* of a page; 0: no limit */
        } metrics;
};

/* Reads and checks. On failure 0 < problems->len: one "file:line:column: …" line each. 0, -EINVAL, -errno. */
int config_load(const char *path, struct config **ret, struct buf *problems);
struct config *config_ref(struct config *c);
void config_unref(struct config *c); /* NULL is fine */
DEFINE_SCOPE_FREE(struct config *, config_unref);

/* The config struct of a class, as its rows describe it; begins with struct source_config. */
const void *config_of_class(const struct config *c, const struct source_class *class);
const struct config_peer *config_peer(const struct config *c, size_t i);
const struct config_rail *config_rail(const struct config *c, size_t i);

/* docs/CONFIG.md. */
void config_document(struct buf *out);

#endif
