/* SPDX-License-Identifier: Apache-2.0 */
/* What is normal for one series: median and robust spread of the logarithms of its last accepted values. A
 * change is a ratio then, the same for bandwidths and latencies. Pure; not thread-safe. */
#ifndef DETECT_BASELINE_H
#define DETECT_BASELINE_H

#include <stdbool.h>
#include <stdint.h>

#define BASELINE_VALUES 480 /* 4 hours at one each 30 s */
#define BASELINE_READY  120 /* accepted values before it says anything: an hour */
#define BASELINE_REFIT  10  /* accepted values between two fits; divides BASELINE_READY */

/* 0.5 %: a series that seems quieter is one that was seen for too short a time. */
#define BASELINE_SCALE_FLOOR 0.005

struct baseline {
        uint64_t accepted;
        float values[BASELINE_VALUES]; /* ring of logarithms; the next goes to accepted % BASELINE_VALUES */
        double median, scale;          /* of the last fit, in logarithms */
};

void baseline_init(struct baseline *b);
/* Takes a value in natural units. -EINVAL: not finite, or not above 0. Whether a value is evidence is the
 * caller's to judge: one that is not must not come here. */
int baseline_accept(struct baseline *b, double value);
bool baseline_is_ready(const struct baseline *b);

/* Of a ready baseline: */
double baseline_value(const struct baseline *b); /* the median in natural units */
double baseline_scale(const struct baseline *b); /* 1.4826 · MAD of the logarithms, at least the floor */
/* value / median − 1: −0.3 is 30 % less than normal. value above 0. */
double baseline_change_ratio(const struct baseline *b, double value);

#endif
