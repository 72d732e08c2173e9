/* SPDX-License-Identifier: Apache-2.0 */
/* Batches → Prometheus text format 0.0.4. Pure. */
#ifndef DAEMON_EXPOSITION_H
#define DAEMON_EXPOSITION_H

#include <stddef.h>

#include "base/batch.h"
#include "base/text.h"

#define EXPOSITION_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* Appends all samples: families by name, each with one HELP and TYPE and all its samples together, samples
 * by label text: the same input gives the same bytes in any order of batches. A second sample of the same
 * family and labels is dropped and counted in the return value (the page stays valid). Errors: out->error. */
size_t exposition_render(struct buf *out, const struct batch *const *batches, size_t n);

#endif
