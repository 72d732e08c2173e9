/* SPDX-License-Identifier: Apache-2.0 */
/* Messages over a channel: encodes, sends, receives, decodes, and puts what went wrong into a sentence. Used
 * by one thread at a time. */
#ifndef ENGINE_DIALOGUE_H
#define ENGINE_DIALOGUE_H

#include "base/scope.h"
#include "engine/channel.h"
#include "engine/protocol.h"

struct dialogue;

/* Takes the channel, also on failure. -ENOMEM. */
int dialogue_new(struct channel *c, struct dialogue **ret);
void dialogue_free(struct dialogue *d); /* closes the connection; NULL is fine */
DEFINE_SCOPE_FREE(struct dialogue *, dialogue_free);

int dialogue_fd(const struct dialogue *d);
const char *dialogue_name(const struct dialogue *d);

/* An empty message of this type to fill and send. The same memory as received messages: a call of the
 * functions below ends the life of the former one. */
struct message *dialogue_message(struct dialogue *d, enum message_type type);

/* Sends the message last made. Failures are OUTCOME_PEER, OUTCOME_CANCELLED, or OUTCOME_LOCAL. */
int dialogue_send(struct dialogue *d, const struct patience *p, struct fault *fault);
/* Sends the message last made and receives the answer, which must be of type `answer`. `refused` instead
 * becomes the fault: OUTCOME_BUSY, OUTCOME_REFUSED, OUTCOME_TRAFFIC, or OUTCOME_PEER for what the peer could
 * not do. */
int dialogue_ask(struct dialogue *d, enum message_type answer, const struct patience *p,
        const struct message **ret, struct fault *fault);
/* Receives a message of one of the types, bits 1 << MESSAGE_…; with `refused` as above when that is not among
 * them. fault->error is -EPROTO when the peer talked garbage, -EPIPE or -ECONNRESET when it broke off. */
int dialogue_receive(struct dialogue *d, unsigned expected, const struct patience *p,
        const struct message **ret, struct fault *fault);
/* Says no, without waiting: the reason must not cost a session's time. */
void dialogue_refuse(struct dialogue *d, enum refusal kind, const char *reason);

#endif
