/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/names.h"

#include <unistd.h>

#include "base/scope.h"
#include "base/text.h"

const char *name_port_state(unsigned state)
{
        static const char *const names[] = { "no state", "down", "init", "armed", "active", "deferred" };
        return state < ARRAY_SIZE(names) ? names[state] : "unknown";
}

void name_of_host(char *dst, size_t size)
{
        if (gethostname(dst, size) < 0 || dst[0] == '\0')
                text_message(dst, size, "localhost");
        dst[size - 1] = '\0';
}
