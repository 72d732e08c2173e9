/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the counter snapshots that tests use; the rest is in endpoint.h. */
#ifndef ENGINE_COUNTERS_H
#define ENGINE_COUNTERS_H

#include "base/scope.h"
#include "engine/endpoint.h"

/* Of the port whose sysfs directory is open as `port_directory`. 0, -ENOMEM. */
int counter_snapshot_take_at(int port_directory, struct counter_snapshot **ret);
DEFINE_SCOPE_FREE(struct counter_snapshot *, counter_snapshot_free);

#endif
