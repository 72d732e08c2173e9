/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/memlock.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/text.h"

static void limit_text(char *dst, size_t size, rlim_t limit)
{
        if (limit == RLIM_INFINITY)
                text_message(dst, size, "unlimited");
        else
                text_message(dst, size, "%ju", (uintmax_t)limit);
}

void memlock_explain(char *dst, size_t size, size_t bytes_needed, int error)
{
        struct rlimit limit = { 0 };
        error = abs(error);
        if ((error != ENOMEM && error != EPERM) || getrlimit(RLIMIT_MEMLOCK, &limit) < 0 ||
                limit.rlim_cur == RLIM_INFINITY) {
                text_message(dst, size, "%s", strerror(error));
                return;
        }
        /* The limit is on all that the process has registered, queues included. */
        bool enough = bytes_needed <= limit.rlim_cur;
        uintmax_t kib = bytes_needed / 1024 + 1 + (enough ? limit.rlim_cur / 1024 : 0);
        char hard[24];
        limit_text(hard, sizeof(hard), limit.rlim_max);
        text_message(dst, size,
                "%zu bytes of locked memory are needed%s, %ju allowed (hard limit %s): set at least "
                "LimitMEMLOCK=%juK in the unit, `ulimit -l %ju`, or memlock in /etc/security/limits.d",
                bytes_needed, enough ? " beside those in use" : "", (uintmax_t)limit.rlim_cur, hard, kib,
                kib);
}
