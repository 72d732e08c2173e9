/* SPDX-License-Identifier: Apache-2.0 */
/* Trees that look like /sys or /proc, and collectors run over them. */
#ifndef TESTS_UNIT_PROBES_SUPPORT_H
#define TESTS_UNIT_PROBES_SUPPORT_H

#include "base/batch.h"
#include "probes/probe.h"
#include "tests/unit/tree.h"

/* A directory of tests/data. */
int fixture_open(const char *name);

/* With the configuration that an empty file gives. */
void *source_create(
        const struct source_class *class, const struct source_environment *env, const char *device);

/* One turn of a collector with a life of its own. *ret_r: what collect() returned. */
struct batch *collect_once(
        const struct source_class *class, int sysfs, int procfs, const char *device, int *ret_r);

/* The sample with these labels as rendered (device="rxe0",port="1"); NULL: none. More than one fails. */
const struct sample *sample_find(const struct batch *b, const char *family, const char *labels);
void assert_sample_u64(const struct batch *b, const char *family, const char *labels, uint64_t value);
size_t samples_present(const struct batch *b);
void assert_no_sample(const struct batch *b, const char *family, const char *labels);

#endif
