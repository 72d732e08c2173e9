/* SPDX-License-Identifier: Apache-2.0 */
/* Which RDMA devices this host has now, and a collector on each for every class that the config enables. The
 * main thread's. */
#ifndef DAEMON_INVENTORY_H
#define DAEMON_INVENTORY_H

#include "daemon/collector.h"
#include "daemon/config.h"

struct inventory;

int inventory_new(
        const struct source_environment *env, struct collectors *collectors, struct inventory **ret);
void inventory_free(struct inventory *i); /* and its collectors */
/* Looks at the devices again. 1: they are not the same as before; 0: they are; -errno: they could not be
 * listed, and those from before stay. */
int inventory_discover(struct inventory *i, const struct config *config);
/* Makes the collectors those of the config on the devices found last. 0, -errno for the first that could not
 * be made (the others are). */
int inventory_reconcile(struct inventory *i, const struct config *config);
/* A local device among those of the peers: the n-th probes the n-th of a peer. */
struct rail {
        char name[ENGINE_NAME_MAX], device[ENGINE_NAME_MAX];
};

/* Those of the config, whether their devices are there or not; without any, one per device found last, iWARP ones
 * left out. *ret freed with free(). 0, -ENOMEM. */
int inventory_rails(const struct inventory *i, const struct config *config, struct rail **ret, size_t *ret_n);
char *const *inventory_devices(const struct inventory *i, size_t *ret_n);

#endif
