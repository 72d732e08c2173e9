/* SPDX-License-Identifier: Apache-2.0 */
/* Data checked end to end. What is sent is a pattern whose seed is the queue pair's index, the same in every
 * message, and where it is to land is filled with what differs everywhere: a byte that did not arrive, or arrived
 * elsewhere, shows. Atomics are checked by what they have counted. */
#include <string.h>

#include "engine/pattern.h"
#include "engine/verbs_private.h"

/* Where this end's data comes from and where the other's lands; NULL for none. Operations that pull bring it to the
 * slot of the one that asks. */
static uint8_t *outgoing(const struct endpoint *ep, bool active, unsigned qp)
{
        if (operation_facts(ep->plan.operation)->pulls)
                return !active || plan_is_mutual(&ep->plan) ? endpoint_landing(ep, qp) : NULL;
        return active || plan_is_mutual(&ep->plan) ? endpoint_source(ep, qp) : NULL;
}

static uint8_t *incoming(const struct endpoint *ep, bool active, unsigned qp)
{
        if (operation_facts(ep->plan.operation)->pulls)
                return active || plan_is_mutual(&ep->plan) ? endpoint_source(ep, qp) : NULL;
        return !active || plan_is_mutual(&ep->plan) ? endpoint_landing(ep, qp) : NULL;
}

/* In a latency run the last byte is a message's number, from 0, which is none. */
static uint64_t pattern_bytes(const struct plan *p)
{
        bool numbered = p->measure == MEASURE_LATENCY && operation_is_halved(p->operation);
        return numbered ? p->message_bytes - 1 : p->message_bytes;
}

void endpoint_fill(struct endpoint *ep, bool active)
{
        if (operation_facts(ep->plan.operation)->atomic)
                return; /* zero, as the memory is, is where counting begins */
        for (unsigned i = 0; i < ep->n_qps; i++) {
                uint8_t *out = outgoing(ep, active, i), *in = incoming(ep, active, i);
                if (out)
                        pattern_fill(out, pattern_bytes(&ep->plan), i);
                if (in)
                        pattern_fill_wrong(in, pattern_bytes(&ep->plan), i);
        }
}

/* Each request has added one to its target, or put its own number there. */
static void compare_counts(
        const struct endpoint *ep, bool active, uint64_t requests, struct verification *ret)
{
        uint64_t counted = 0, value;
        if (active && !plan_is_mutual(&ep->plan))
                return;
        for (unsigned i = 0; i < ep->n_qps; i++) {
                memcpy(&value, endpoint_landing(ep, i), sizeof(value));
                counted += value;
        }
        ret->bytes = (uint64_t)ep->n_qps * ATOMIC_BYTES;
        ret->wrong = counted == requests ? 0 : ret->bytes;
}

/* A queue pair may have carried nothing: its slot is left out, but where nothing is lost, not all of them. */
void endpoint_compare(const struct endpoint *ep, bool active, uint64_t requests, struct verification *ret)
{
        *ret = (struct verification){ 0 };
        if (operation_facts(ep->plan.operation)->atomic) {
                compare_counts(ep, active, requests, ret);
                return;
        }
        uint64_t bytes = pattern_bytes(&ep->plan), missing = 0;
        size_t first; /* not told: how many is enough to know that something is wrong */
        for (unsigned i = 0; i < ep->n_qps; i++) {
                const uint8_t *in = incoming(ep, active, i);
                if (in && pattern_is_wrong(in, bytes, i)) {
                        missing += bytes;
                } else if (in) {
                        ret->bytes += bytes;
                        ret->wrong += pattern_mismatches(in, bytes, i, &first);
                }
        }
        if (ret->bytes == 0 && ep->plan.transport == TRANSPORT_RC)
                *ret = (struct verification){ .bytes = missing, .wrong = missing };
}
