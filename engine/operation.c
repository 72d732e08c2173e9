/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/operation.h"

#include <assert.h>
#include <stddef.h>

#include "base/scope.h"

#define RC     (1U << TRANSPORT_RC)
#define RC_UC  (RC | 1U << TRANSPORT_UC)
#define ANY_OF (RC_UC | 1U << TRANSPORT_UD)

static const struct operation_facts rows[] = {
        [OPERATION_WRITE] = { .name = "write", .transports = RC_UC },
        [OPERATION_WRITE_IMMEDIATE] = { .name = "write-immediate", .receives = true, .transports = RC_UC },
        [OPERATION_READ] = { .name = "read", .pulls = true, .transports = RC },
        [OPERATION_SEND] = { .name = "send", .receives = true, .transports = ANY_OF },
        [OPERATION_FETCH_ADD] = { .name = "fetch-add", .pulls = true, .atomic = true, .transports = RC },
        [OPERATION_COMPARE_SWAP] = { .name = "compare-swap",
                .pulls = true,
                .atomic = true,
                .transports = RC },
};
static_assert(ARRAY_SIZE(rows) == N_OPERATIONS, "a row for each operation");

static const char *const transports[] = {
        [TRANSPORT_RC] = "RC",
        [TRANSPORT_UC] = "UC",
        [TRANSPORT_UD] = "UD",
};
static_assert(ARRAY_SIZE(transports) == N_TRANSPORTS, "a name for each transport");

const struct operation_facts *operation_facts(enum operation o)
{
        return &rows[o];
}

const char *operation_name(enum operation o)
{
        return (size_t)o < N_OPERATIONS ? rows[o].name : "unknown";
}

const char *transport_name(enum transport t)
{
        return (size_t)t < N_TRANSPORTS ? transports[t] : "unknown";
}

bool operation_is_halved(enum operation o)
{
        return !rows[o].pulls;
}
