/* SPDX-License-Identifier: Apache-2.0 */
/* All that is known of one run of bw or lat, and its forms for programs. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <jansson.h>

#include "cli/limits.h"
#include "engine/engine.h"

#define REPORT_FORMAT_VERSION 1 /* counts up when a key goes away or changes its meaning */
#define REPORT_PEER_MAX       256

struct report {
        uint64_t format_version;
        const char *command;        /* "bw" */
        enum measure measure;       /* which figures there are */
        uint64_t begun_realtime_ns; /* since the epoch */
        char node[ENGINE_NAME_MAX]; /* this host */
        char peer[REPORT_PEER_MAX]; /* as it was asked for */
        const char *note;           /* NULL: none */
        struct limits limits;
        bool limits_met; /* when there are any, and something was measured */
        struct result result;
};

void report_init(struct report *r, const char *command, enum measure measure, const char *node);
void report_done(struct report *r);

/* Adds the document's keys. 0, -ENOMEM. */
int report_json(const struct report *r, json_t *into);
/* A line of names and a line of values. */
void report_csv(const struct report *r, struct buf *out);

#endif
