/* SPDX-License-Identifier: Apache-2.0 */
/* From options to what the engine is asked. */
#ifndef CLI_REQUEST_H
#define CLI_REQUEST_H

#include "cli/measure_options.h"
#include "engine/engine.h"

/* The device by name, else the first that can be probed and is up. *ret points into the list. 0, or what fault
 * says. */
int request_find_device(const struct measure_options *o, const struct device_facts *list, size_t n,
        const struct device_facts **ret, unsigned *ret_rail, struct fault *fault);
/* Texts are shared with the options; peer and its port are left to the caller. */
void request_fill(struct measure_request *ret, const struct measure_options *o, enum measure measure,
        const struct device_facts *device, unsigned rail);

#endif
