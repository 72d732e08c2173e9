/* SPDX-License-Identifier: Apache-2.0 */
/* Label values as the text formats want them. */
#ifndef BASE_LABELS_H
#define BASE_LABELS_H

#include "base/metric.h"
#include "base/text.h"

/* Replaces what is in `out` by the labels of one series, escaped, without braces: device="rxe0",port="1"; bytes that are
 * not UTF-8 become U+FFFD. values: one per label name of the family. -EINVAL: one of them is NULL; -ENOMEM. */
int labels_render(struct buf *out, const struct metric_family *f, const char *const *values);

#endif
