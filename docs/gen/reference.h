/* SPDX-License-Identifier: Apache-2.0 */
/* The reference pages, made from the tables that the code itself works by. */
#ifndef DOCS_GEN_REFERENCE_H
#define DOCS_GEN_REFERENCE_H

#include "base/text.h"

struct reference_page {
        const char *name; /* "METRICS" is docs/METRICS.md */
        void (*write)(struct buf *out);
};

extern const struct reference_page reference_pages[];
extern const size_t n_reference_pages;

#endif
