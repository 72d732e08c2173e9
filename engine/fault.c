/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/fault.h"

#include <stdarg.h>
#include <stdio.h>

int fault_set(struct fault *f, enum outcome_kind kind, int error, const char *format, ...)
{
        if (!f)
                return error;
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(f->reason, sizeof(f->reason), format, arguments); /* for people: cut off is fine */
        va_end(arguments);
        f->kind = kind;
        f->error = error;
        return error;
}
