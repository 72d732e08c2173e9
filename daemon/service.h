/* SPDX-License-Identifier: Apache-2.0 */
/* The service: makes the parts, joins them, and runs the main loop. */
#ifndef DAEMON_SERVICE_H
#define DAEMON_SERVICE_H

#include "daemon/config.h"
#include "daemon/options.h"

struct service;

/* Takes a reference to the config. Signals must not be blocked yet; SIGTERM, SIGINT and SIGHUP are from here
 * on. On failure one sentence has been logged. 0, -errno. */
int service_new(const struct options *options, struct config *config, struct service **ret);
/* Runs until SIGTERM or SIGINT. 0, -errno. */
int service_run(struct service *s);
/* Stops within SERVICE_STOP_NS. 0: all freed. -ETIMEDOUT: something is stuck in the kernel and stays behind:
 * the caller calls _exit(). */
int service_free(struct service *s);

#define SERVICE_STOP_NS UINT64_C(4000000000)

#endif
