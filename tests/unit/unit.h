/* SPDX-License-Identifier: Apache-2.0 */
/* What cmocka.h wants before it, and a check for table-driven tests: a failing row says which it is. */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/scope.h"

/* Fails with the row's own text when the condition does not hold. */
#define check_row(condition, row)                                                                            \
        do {                                                                                                 \
                if (!(condition))                                                                            \
                        fail_msg("\"%s\": %s", (row), #condition);                                           \
        } while (0)

#endif
