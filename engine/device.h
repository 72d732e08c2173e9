/* SPDX-License-Identifier: Apache-2.0 */
/* Devices as the data path opens them; the public part is in engine.h. */
#ifndef ENGINE_DEVICE_H
#define ENGINE_DEVICE_H

#include <infiniband/verbs.h>

#include "engine/engine.h"

/* Opens a device by name. A new context each time: while one is open, an rxe device cannot be removed. 0,
 * -ENODEV, -ENOSYS, or what opening said. */
int device_open(const char *name, struct ibv_context **ret);
/* Facts of an open device. Ports that cannot be read are left out. 0, or what querying said. */
int device_facts_query(struct ibv_context *context, struct device_facts *ret);

/* What a verbs call returned, as 0 or a negative errno. Calls give a positive errno, a negative one, or -1
 * and errno, and not every provider keeps to one. */
int verbs_error(int returned);

unsigned mtu_to_bytes(enum ibv_mtu mtu);
enum ibv_mtu mtu_from_bytes(unsigned bytes); /* of what plan_check() accepts; 0 for anything else */

#endif
