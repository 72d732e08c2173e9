/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/loopback.h"

#include <string.h>

#include "base/clock.h"
#include "base/scope.h"
#include "base/text.h"

/* Both ends are the same user's, who has set the limits of the plan. */
#define MAX_SESSION_NS  (25 * 3600 * NS_PER_SEC)
#define MAX_BYTES       (UINT64_C(1) << 30)
#define MAX_QUEUE_PAIRS 1024

struct loopback {
        struct engine *engine;
        struct responder *responder;
};

static int start(struct loopback *l, const char *node, char *why)
{
        const struct responder_options o = {
                .listen_host = LOOPBACK_ADDRESS,
                .max_session_ns = MAX_SESSION_NS,
                .max_bytes = MAX_BYTES,
                .max_queue_pairs = MAX_QUEUE_PAIRS,
        };
        int r = engine_new(node, &l->engine);
        if (r < 0) {
                text_message(why, ENGINE_REASON_MAX, "cannot start: %s", strerror(-r));
                return r;
        }
        return responder_new(l->engine, &o, &l->responder, why);
}

int loopback_new(const char *node, struct loopback **ret, struct fault *fault)
{
        struct loopback *l = calloc(1, sizeof(*l));
        char why[ENGINE_REASON_MAX] = "no memory";
        int r = l ? start(l, node, why) : -ENOMEM;
        if (r == 0) {
                *ret = l;
                return 0;
        }
        *fault = (struct fault){ .kind = OUTCOME_LOCAL, .error = r };
        text_message(fault->reason, sizeof(fault->reason), "--loopback: %.200s", why);
        loopback_free(l);
        return r;
}

uint16_t loopback_port(const struct loopback *l)
{
        return responder_port(l->responder);
}

void loopback_free(struct loopback *l)
{
        if (!l)
                return;
        responder_free(l->responder);
        engine_free(l->engine);
        free(l);
}
