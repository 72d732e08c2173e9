/* SPDX-License-Identifier: Apache-2.0 */
/* The order of samples on a page: by family name, then label text; what follows only makes the choice among
 * duplicates the same in any order of batches. */
#ifndef DAEMON_EXPOSITION_ORDER_H
#define DAEMON_EXPOSITION_ORDER_H

#include "base/batch.h"

int order_names(const struct metric_family *a, const struct metric_family *b);
/* Name, type, labels, and what else distinguishes two families of one name. */
int order_series(const struct metric_family *a, const char *a_labels, const struct metric_family *b,
        const char *b_labels);
int order_samples(const struct sample *a, const struct sample *b);
/* In that order. */
void order_sort(const struct sample **samples, size_t n);

#endif
