/* SPDX-License-Identifier: Apache-2.0 */
/* The devices of a host, for people and for programs. */
#ifndef CLI_DEVICES_REPORT_H
#define CLI_DEVICES_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "engine/engine.h"

struct devices_report {
        uint64_t format_version;
        const char *command;
        char node[ENGINE_NAME_MAX];
        struct device_facts *devices; /* owned */
        size_t n_devices;
        struct fault fault; /* why there are none */
};

void devices_report_init(struct devices_report *r);
void devices_report_done(struct devices_report *r);
int devices_report_json(const struct devices_report *r, json_t *into); /* 0, -ENOMEM */
void devices_report_human(const struct devices_report *r, FILE *to);

#endif
