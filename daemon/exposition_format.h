/* SPDX-License-Identifier: Apache-2.0 */
/* The two text formats, a family's head and a sample at a time. Pure. Both name a sample alike; they differ in
 * the heads, in the bounds of histograms and in the last line. */
#ifndef DAEMON_EXPOSITION_FORMAT_H
#define DAEMON_EXPOSITION_FORMAT_H

#include "base/batch.h"
#include "base/text.h"

enum exposition_format {
        EXPOSITION_TEXT, /* Prometheus text format 0.0.4 */
        EXPOSITION_OPENMETRICS,
        N_EXPOSITION_FORMATS,
};

/* HELP and TYPE; OpenMetrics names a counter without its _total and knows units. */
void format_head(struct buf *out, const struct metric_family *f, enum exposition_format format);
/* Name and labels, up to the blank before the value. suffix: "", or "_sum" and the like. */
void format_name(struct buf *out, const struct metric_family *f, const char *suffix, const char *labels);
void format_sample(struct buf *out, const struct sample *s, enum exposition_format format);
void format_end(struct buf *out, enum exposition_format format);
/* The unit OpenMetrics is told of, without "_"; NULL: none. */
const char *format_unit(const struct metric_family *f);

#endif
