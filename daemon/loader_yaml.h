/* SPDX-License-Identifier: Apache-2.0 */
/* Text → a YAML tree that is safe to walk. Inside the loader only. */
#ifndef DAEMON_LOADER_YAML_H
#define DAEMON_LOADER_YAML_H

#include <stddef.h>
#include <yaml.h>

#include "daemon/loader_problems.h"

/* One document with a root, no aliases (so: no cycles) or tags, depth and nodes bounded. The caller releases
 * *ret with yaml_document_delete(). 0; -EINVAL or -ENOMEM with the problems added. */
int loader_yaml_read(struct problems *p, const char *text, size_t len, yaml_document_t *ret);

#endif
