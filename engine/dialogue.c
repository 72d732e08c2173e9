/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/dialogue.h"

#include <string.h>

#include "base/clock.h"
#include "engine/fault.h"

struct dialogue {
        struct channel *channel;
        struct buf frame;
        struct message message;
};

int dialogue_new(struct channel *c, struct dialogue **ret)
{
        struct dialogue *d = calloc(1, sizeof(*d));
        if (!d) {
                channel_close(c);
                return -ENOMEM;
        }
        d->channel = c;
        buf_init(&d->frame);
        *ret = d;
        return 0;
}

void dialogue_free(struct dialogue *d)
{
        if (!d)
                return;
        channel_close(d->channel);
        buf_done(&d->frame);
        free(d);
}

int dialogue_fd(const struct dialogue *d)
{
        return channel_fd(d->channel);
}

const char *dialogue_name(const struct dialogue *d)
{
        return channel_name(d->channel);
}

struct message *dialogue_message(struct dialogue *d, enum message_type type)
{
        memset(&d->message, 0, sizeof(d->message));
        d->message.type = type;
        return &d->message;
}

/* `what`: "sending hello", "waiting for welcome". */
static int broken(const struct dialogue *d, int r, const char *what, const char *type, uint64_t since_ns,
        struct fault *fault)
{
        const char *name = dialogue_name(d);
        switch (r) {
        case -ECANCELED:
                return fault_set(fault, OUTCOME_CANCELLED, r, "%s: cancelled while %s %s", name, what, type);
        case -ETIMEDOUT:
                return fault_set(fault, OUTCOME_PEER, r,
                        "%s: silent for %.1f s while %s %s; rdma-canaryd there is stopped or overloaded, or "
                        "the "
                        "network between is down",
                        name, (double)(clock_now_ns() - since_ns) / (double)NS_PER_SEC, what, type);
        case -EPIPE:
        case -ECONNRESET:
                return fault_set(fault, OUTCOME_PEER, r,
                        "%s: broke off while %s %s; did rdma-canaryd there end or restart?", name, what,
                        type);
        case -ENOMEM:
                return fault_set(fault, OUTCOME_LOCAL, r, "%s: no memory while %s %s", name, what, type);
        default:
                return fault_set(fault, OUTCOME_PEER, r, "%s: connection lost while %s %s: %s", name, what,
                        type, strerror(-r));
        }
}

int dialogue_send(struct dialogue *d, const struct patience *p, struct fault *fault)
{
        uint64_t start = clock_now_ns();
        cleanup(freep) char *text = NULL;
        size_t len = 0;
        char why[ENGINE_REASON_MAX];
        int r = message_encode(&d->message, &text, &len, why);
        if (r < 0)
                return fault_set(fault, OUTCOME_LOCAL, r, "%s", why);
        r = channel_send(d->channel, text, len, p);
        if (r < 0)
                return broken(d, r, "sending", message_type_name(d->message.type), start, fault);
        return 0;
}

static int refused_fault(const struct dialogue *d, const struct refused *refused, struct fault *fault)
{
        static const struct {
                enum outcome_kind kind;
                int error;
        } meaning[] = {
                [REFUSAL_BUSY] = { OUTCOME_BUSY, -EBUSY },
                [REFUSAL_REFUSED] = { OUTCOME_REFUSED, -EACCES },
                [REFUSAL_LOCAL] = { OUTCOME_PEER, -EREMOTEIO },
                [REFUSAL_TRAFFIC] = { OUTCOME_TRAFFIC, -EREMOTEIO },
        };
        return fault_set(fault, meaning[refused->kind].kind, meaning[refused->kind].error, "%s: %.190s",
                dialogue_name(d), refused->reason);
}

static void expected_name(unsigned expected, char *dst, size_t size)
{
        text_message(dst, size, "%s", expected == 0 ? "nothing" : "");
        for (unsigned t = 0; t < N_MESSAGE_TYPES; t++)
                if (expected >> t & 1) {
                        size_t len = strlen(dst);
                        text_message(
                                dst + len, size - len, "%s%s", len > 0 ? " or " : "", message_type_name(t));
                }
}

int dialogue_receive(struct dialogue *d, unsigned expected, const struct patience *p,
        const struct message **ret, struct fault *fault)
{
        uint64_t start = clock_now_ns();
        char why[ENGINE_REASON_MAX] = "", type[48];
        expected_name(expected, type, sizeof(type));
        int r = channel_receive(d->channel, &d->frame, p, why);
        if (r == 0)
                r = message_decode(
                        d->frame.data, d->frame.len, expected | 1u << MESSAGE_REFUSED, &d->message, why);
        if (r == -EPROTO)
                return fault_set(fault, OUTCOME_PEER, r, "%s: talks garbage instead of %s: %.150s",
                        dialogue_name(d), type, why);
        if (r < 0)
                return broken(d, r, "waiting for", type, start, fault);
        if (d->message.type == MESSAGE_REFUSED && !(expected >> MESSAGE_REFUSED & 1))
                return refused_fault(d, &d->message.refused, fault);
        *ret = &d->message;
        return 0;
}

/* A peer that refuses may close before it has read what we send; its word is then in our socket all the same.
 */
#define PARTING_WORD_NS (100 * NS_PER_MS)

int dialogue_ask(struct dialogue *d, enum message_type answer, const struct patience *p,
        const struct message **ret, struct fault *fault)
{
        int r = dialogue_send(d, p, fault);
        if (r == -EPIPE || r == -ECONNRESET) {
                struct fault word = { 0 };
                struct patience brief = {
                        deadline_min(p->deadline_ns, clock_now_ns() + PARTING_WORD_NS),
                        p->cancel,
                };
                if (dialogue_receive(d, 1u << MESSAGE_REFUSED, &brief, ret, &word) == 0)
                        return refused_fault(d, &d->message.refused, fault);
                return r;
        }
        return r < 0 ? r : dialogue_receive(d, 1u << answer, p, ret, fault);
}

/* Names that people gave and cut-off texts may not be UTF-8, which JSON needs. */
static void to_ascii(char *s)
{
        for (; *s != '\0'; s++)
                if ((unsigned char)*s < 0x20 || (unsigned char)*s >= 0x7f)
                        *s = '?';
}

void dialogue_refuse(struct dialogue *d, enum refusal kind, const char *reason)
{
        char copy[ENGINE_REASON_MAX];
        text_message(copy, sizeof(copy), "%s", reason); /* `reason` may lie in the message */
        to_ascii(copy);
        struct message *m = dialogue_message(d, MESSAGE_REFUSED);
        m->refused.kind = kind;
        memcpy(m->refused.reason, copy, sizeof(copy));
        struct patience none = { 0, NULL };
        (void)dialogue_send(d, &none, NULL); /* whoever does not take it in may not have it */
}
