/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: defaults by device class, the check, and the names of stages and outcomes. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>

#include "base/clock.h"
#include "base/scope.h"
#include "base/text.h"
#include "engine/endpoint.h"
#include "engine/operation.h"
#include "engine/plan.h"

#define MESSAGE_BYTES_MAX                                                                                    \
        (UINT64_C(1) << 30) /* InfiniBand allows 2^31; Soft-RoCE 8 MiB, checked at opening */
#define DEPTH_MAX         16384
#define UD_MESSAGE_BYTES  1024 /* what the MTU of an Ethernet network with its usual 1500 bytes carries */
#define FLOW_LABEL_MAX    0xfffff
#define FIRST_QPS_MAX     64 /* of the first release */
#define ACK_TIMEOUT_MAX   22 /* 17 s; 0 is "never" and refused */
#define RETRY_MAX         6  /* 7 is endless on Soft-RoCE */
#define SERVICE_LEVEL_MAX 15
#define WARMUP_MAX        UINT64_C(1000000)
#define KIB               UINT64_C(1024)
#define MIB               (KIB * KIB)

/* Timeouts: 14 is 67 ms, and with six retries half a second until the queue pair gives up.
 *
 * On software it is 16, 268 ms, and three: a host whose CPU is busy elsewhere acknowledges late, and
 * retransmitting to it makes things worse (in kernel 6.1 some retransmitted writes are then refused as
 * invalid requests). For latency it is 18, 1.07 s, longer than the run: that driver's timer is not put off by
 * an acknowledgement that leaves nothing outstanding, so in a ping-pong it always runs out, sends again
 * whatever is on its way just then, and may stall the queue pair for as long again (retries in 400 messages
 * at 12, 14, 16, 17, 19: 30, 7, 4, 1, 0). */
static const struct plan defaults[][2] = {
        [MEASURE_BANDWIDTH] = {
                [DEVICE_HARDWARE] = {
                        .message_bytes = 64 * KIB,
                        .queue_pairs = 2,
                        .depth = 128,
                        .post_list = 16,
                        .signal_interval = 16,
                        .budget_bytes = 64 * MIB,
                        .budget_ns = 50 * NS_PER_MS,
                        .warmup_messages = 64,
                        .timeout = 14,
                        .retry_count = 6,
                },
                /* The sender's CPU does the work: what is in flight is bounded by the driver (64 packets a
                 * queue pair), so depth buys nothing, and completions that come often keep it filled. */
                [DEVICE_SOFTWARE] = {
                        .message_bytes = 64 * KIB,
                        .queue_pairs = 2,
                        .depth = 16,
                        .post_list = 4,
                        .signal_interval = 1,
                        .budget_bytes = 4 * MIB,
                        .budget_ns = 250 * NS_PER_MS,
                        .warmup_messages = 4,
                        .timeout = 16,
                        .retry_count = 3,
                },
        },
        [MEASURE_LATENCY] = {
                [DEVICE_HARDWARE] = {
                        .message_bytes = 64,
                        .queue_pairs = 1,
                        .depth = 16,
                        .post_list = 1,
                        .signal_interval = 8,
                        .budget_messages = 1000,
                        .budget_ns = 250 * NS_PER_MS,
                        .warmup_messages = 50,
                        .timeout = 14,
                        .retry_count = 6,
                },
                [DEVICE_SOFTWARE] = {
                        .message_bytes = 64,
                        .queue_pairs = 1,
                        .depth = 16,
                        .post_list = 1,
                        .signal_interval = 8,
                        .budget_messages = 200,
                        .budget_ns = 500 * NS_PER_MS,
                        .warmup_messages = 10,
                        .timeout = 18,
                        .retry_count = 2,
                },
        },
};

void plan_defaults(struct plan *p, enum measure measure, enum device_class class)
{
        *p = defaults[measure][class];
        p->measure = measure;
        p->operation = OPERATION_WRITE;
        p->transport = TRANSPORT_RC;
}

void plan_set_operation(struct plan *p, enum operation operation, enum transport transport)
{
        p->operation = operation;
        p->transport = transport;
        if (operation_facts(operation)->atomic)
                p->message_bytes = ATOMIC_BYTES;
        if (transport == TRANSPORT_UD && p->message_bytes > UD_MESSAGE_BYTES)
                p->message_bytes = UD_MESSAGE_BYTES;
}

static bool in_range(char *why, const char *field, uint64_t value, uint64_t min, uint64_t max)
{
        if (value >= min && value <= max)
                return true;
        text_message(why, ENGINE_REASON_MAX, "%s %" PRIu64 ": allowed are %" PRIu64 " to %" PRIu64, field,
                value, min, max);
        return false;
}

/* Half of the depth at most: a queue that must first fill before a completion comes, or that waits for room
 * for a long list, runs dry; and with both above it would wait for ever. */
static bool in_half_depth(char *why, const char *field, unsigned value, unsigned depth)
{
        unsigned max = depth > 1 ? depth / 2 : 1;
        if (value >= 1 && value <= max)
                return true;
        text_message(why, ENGINE_REASON_MAX, "%s %u: allowed are 1 to %u, half of the depth %u", field, value,
                max, depth);
        return false;
}

static bool mtu_allowed(char *why, unsigned mtu)
{
        if (mtu == 0 || mtu == 256 || mtu == 512 || mtu == 1024 || mtu == 2048 || mtu == 4096)
                return true;
        text_message(why, ENGINE_REASON_MAX,
                "mtu_bytes %u: allowed are 256, 512, 1024, 2048, 4096, or 0 for the path's own", mtu);
        return false;
}

static bool kind_known(const struct plan *p, char *why)
{
        return in_range(why, "measure", p->measure, MEASURE_BANDWIDTH, MEASURE_LATENCY) &&
               in_range(why, "operation", p->operation, 0, N_OPERATIONS - 1) &&
               in_range(why, "transport", p->transport, 0, N_TRANSPORTS - 1) &&
               in_range(why, "inlining", p->inlining, INLINING_AUTO, INLINING_ON) &&
               in_range(why, "wait", p->wait, WAIT_HYBRID, WAIT_EVENT) &&
               in_range(why, "memory", p->memory, MEMORY_AUTO, MEMORY_HUGETLB);
}

static bool operation_allowed(const struct plan *p, char *why)
{
        const struct operation_facts *o = operation_facts(p->operation);
        if (!(o->transports & 1U << p->transport)) {
                text_message(why, ENGINE_REASON_MAX, "operation %s: transport %s does not carry it; RC does",
                        o->name, transport_name(p->transport));
                return false;
        }
        if (o->atomic && p->message_bytes != ATOMIC_BYTES) {
                text_message(why, ENGINE_REASON_MAX,
                        "message_bytes %" PRIu64 ": operation %s is always of %d bytes", p->message_bytes,
                        o->name, ATOMIC_BYTES);
                return false;
        }
        if (p->measure == MEASURE_LATENCY && p->bidirectional) {
                text_message(why, ENGINE_REASON_MAX, "bidirectional: allowed for bandwidth only");
                return false;
        }
        if (p->measure == MEASURE_LATENCY && p->rate_bps > 0) {
                text_message(why, ENGINE_REASON_MAX, "rate_bps: allowed for bandwidth only");
                return false;
        }
        if (o->pulls && p->inlining == INLINING_ON) {
                text_message(
                        why, ENGINE_REASON_MAX, "inlining: operation %s sends no data of its own", o->name);
                return false;
        }
        return true;
}

static bool memory_allowed(const struct plan *p, char *why)
{
        if (p->message_bytes * p->queue_pairs <= MESSAGE_BYTES_MAX)
                return true;
        text_message(why, ENGINE_REASON_MAX,
                "message_bytes %" PRIu64 " on %u queue_pairs: allowed are %" PRIu64 " bytes in all",
                p->message_bytes, p->queue_pairs, MESSAGE_BYTES_MAX);
        return false;
}

static bool queues_allowed(const struct plan *p, char *why)
{
        unsigned qps_max = p->measure == MEASURE_LATENCY ? 1 : ENDPOINT_QPS_MAX;
        return in_range(why, "message_bytes", p->message_bytes, 1, MESSAGE_BYTES_MAX) &&
               in_range(why, "queue_pairs", p->queue_pairs, 1, qps_max) && memory_allowed(p, why) &&
               in_range(why, "depth", p->depth, 1, DEPTH_MAX) &&
               in_half_depth(why, "post_list", p->post_list, p->depth) &&
               in_half_depth(why, "signal_interval", p->signal_interval, p->depth) &&
               (p->measure != MEASURE_LATENCY || in_range(why, "post_list", p->post_list, 1, 1)) &&
               in_range(why, "receive_depth", p->receive_depth, 0, DEPTH_MAX) &&
               mtu_allowed(why, p->mtu_bytes);
}

static bool budget_given(const struct plan *p, char *why)
{
        if (p->budget_bytes > 0 || p->budget_messages > 0 || p->budget_ns > 0)
                return true;
        text_message(why, ENGINE_REASON_MAX,
                "budget_bytes, budget_messages and budget_ns are all 0: at least one must end the run");
        return false;
}

static bool retries_allowed(const struct plan *p, char *why)
{
        if (p->retry_count == RETRY_MAX + 1) {
                text_message(why, ENGINE_REASON_MAX,
                        "retry_count 7: is endless on Soft-RoCE; allowed are 1 to %d", RETRY_MAX);
                return false;
        }
        return in_range(why, "timeout", p->timeout, 1, ACK_TIMEOUT_MAX) &&
               in_range(why, "retry_count", p->retry_count, 1, RETRY_MAX) &&
               in_range(why, "service_level", p->service_level, 0, SERVICE_LEVEL_MAX) &&
               in_range(why, "flow_label", p->flow_label, 0, FLOW_LABEL_MAX);
}

int plan_check(const struct plan *p, char *why)
{
        bool good = kind_known(p, why) && operation_allowed(p, why) && queues_allowed(p, why) &&
                    budget_given(p, why) &&
                    in_range(why, "warmup_messages", p->warmup_messages, 0, WARMUP_MAX) &&
                    retries_allowed(p, why);
        return good ? 0 : -EINVAL;
}

uint64_t plan_messages(const struct plan *p)
{
        uint64_t messages = p->budget_messages ? p->budget_messages : UINT64_MAX;
        if (p->budget_bytes) {
                uint64_t whole = (p->budget_bytes - 1) / p->message_bytes + 1;
                messages = whole < messages ? whole : messages;
        }
        return messages;
}

/* So many that the receiver's thread may sleep for the time of some window of the sender's: it is woken where CPUs
 * are few only after the sender has stopped. */
#define RECEIVES_PER_SEND 4
#define RECEIVES_MIN      16
#define RECEIVES_ALL_MAX  16384 /* over all queue pairs: Soft-RoCE's completion queues hold 32767 */

void plan_resolve(struct plan *p)
{
        if (p->receive_depth > 0 || !operation_facts(p->operation)->receives)
                return;
        unsigned wanted = p->measure == MEASURE_LATENCY ? RECEIVES_MIN : RECEIVES_PER_SEND * p->depth;
        unsigned most = RECEIVES_ALL_MAX / p->queue_pairs;
        wanted = wanted < most ? wanted : most;
        p->receive_depth = wanted > RECEIVES_MIN ? wanted : RECEIVES_MIN;
}

bool plan_is_mutual(const struct plan *p)
{
        return p->bidirectional || (p->measure == MEASURE_LATENCY && !operation_facts(p->operation)->pulls);
}

unsigned plan_slots(const struct plan *p)
{
        return plan_is_mutual(p) ? 2 : 1;
}

/* Slots are as far apart on every host, whatever its pages. */
#define SLOT_ALIGN UINT64_C(4096)

uint64_t plan_slot_bytes(const struct plan *p)
{
        uint64_t bytes = p->message_bytes + (p->transport == TRANSPORT_UD ? GRH_BYTES : 0);
        return (bytes + SLOT_ALIGN - 1) / SLOT_ALIGN * SLOT_ALIGN;
}

uint64_t plan_memory_bytes(const struct plan *p)
{
        return plan_slots(p) * p->queue_pairs * plan_slot_bytes(p);
}

bool plan_is_extended(const struct plan *p)
{
        return p->operation != OPERATION_WRITE || p->transport != TRANSPORT_RC || p->bidirectional ||
               p->verify || p->rate_bps > 0 || p->memory != MEMORY_AUTO || p->inlining != INLINING_AUTO ||
               p->wait != WAIT_HYBRID || p->flow_label > 0 || p->queue_pairs > FIRST_QPS_MAX;
}

static const char *const stage_names[] = {
        [STAGE_START] = "start",
        [STAGE_RESOLVE] = "resolve",
        [STAGE_CONNECT] = "connect",
        [STAGE_HELLO] = "hello",
        [STAGE_ADDRESS] = "address",
        [STAGE_DEVICE] = "device",
        [STAGE_ADMIT] = "admit",
        [STAGE_READY] = "ready",
        [STAGE_TRAFFIC] = "traffic",
        [STAGE_REPORT] = "report",
        [STAGE_DONE] = "done",
};
static_assert(ARRAY_SIZE(stage_names) == N_STAGES, "a name for each stage");

const char *stage_name(enum stage s)
{
        return (size_t)s < N_STAGES ? stage_names[s] : "unknown";
}

static const char *const outcome_names[] = {
        [OUTCOME_OK] = "ok",
        [OUTCOME_LOCAL] = "local",
        [OUTCOME_BUSY] = "busy",
        [OUTCOME_REFUSED] = "refused",
        [OUTCOME_PEER] = "peer",
        [OUTCOME_TRAFFIC] = "traffic",
        [OUTCOME_CANCELLED] = "cancelled",
};
static_assert(ARRAY_SIZE(outcome_names) == N_OUTCOME_KINDS, "a name for each outcome");

const char *outcome_kind_name(enum outcome_kind k)
{
        return (size_t)k < N_OUTCOME_KINDS ? outcome_names[k] : "unknown";
}
