/* SPDX-License-Identifier: Apache-2.0 */
/* What the collectors of one device share. */
#ifndef PROBES_PASSIVE_H
#define PROBES_PASSIVE_H

#include "probes/probe.h"

struct passive {
        const struct source_environment *env;
        char device[ENGINE_NAME_MAX];
};

struct passive_config {
        struct source_config base;
};

/* Nothing but `enabled` to configure. */
extern const struct option passive_options[];
#define N_PASSIVE_OPTIONS 1

/* -ENAMETOOLONG: no device has such a name. */
int passive_init(struct passive *p, const struct source_environment *env, const struct source_target *target);
int passive_create(const struct source_environment *env, const struct source_target *target,
        const void *config, void **ret_state);
void passive_destroy(void *state); /* also of a struct that begins with struct passive */

/* A port's directory, open during the visit. */
struct passive_port {
        const char *device, *port; /* label values */
        int sysfs, dir;
};

/* Visits ports/N of the device in order. *error as in sysfs_note_error(). */
void passive_visit_ports(const struct passive *p, int device_dir,
        void (*visit)(const struct passive_port *port, struct batch *b, int *error), struct batch *b,
        int *error);

#endif
