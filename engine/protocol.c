/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/protocol.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/scope.h"
#include "base/text.h"
#include "engine/record.h"

/* ---- names on the wire: part of the protocol, so not those of the metrics ------------------------- */

static const char *const message_types[N_MESSAGE_TYPES + 1] = {
        [MESSAGE_HELLO] = "hello",
        [MESSAGE_WELCOME] = "welcome",
        [MESSAGE_OPEN] = "open",
        [MESSAGE_OPENED] = "opened",
        [MESSAGE_READY] = "ready",
        [MESSAGE_STARTED] = "started",
        [MESSAGE_FINISH] = "finish",
        [MESSAGE_REPORT] = "report",
        [MESSAGE_BYE] = "bye",
        [MESSAGE_REFUSED] = "refused",
};
static const char *const roles[] = { [ROLE_PEER] = "peer", [ROLE_OPERATOR] = "operator", NULL };
/* In the order of the bits of enum capability. */
static const char *const capabilities[] = { "write-bandwidth", "write-latency", "operations", NULL };
static const char *const classes[] = {
        [DEVICE_HARDWARE] = "hardware",
        [DEVICE_SOFTWARE] = "software",
        NULL,
};
static const char *const link_layers[] = {
        [LINK_UNKNOWN] = "unknown",
        [LINK_INFINIBAND] = "infiniband",
        [LINK_ETHERNET] = "ethernet",
        NULL,
};
static const char *const gid_types[] = {
        [GID_INFINIBAND] = "infiniband",
        [GID_ROCE_V1] = "roce-v1",
        [GID_ROCE_V2] = "roce-v2",
        NULL,
};
static const char *const measures[] = {
        [MEASURE_BANDWIDTH] = "bandwidth",
        [MEASURE_LATENCY] = "latency",
        NULL,
};
static const char *const operations[N_OPERATIONS + 1] = {
        [OPERATION_WRITE] = "write",
        [OPERATION_WRITE_IMMEDIATE] = "write-immediate",
        [OPERATION_READ] = "read",
        [OPERATION_SEND] = "send",
        [OPERATION_FETCH_ADD] = "fetch-add",
        [OPERATION_COMPARE_SWAP] = "compare-swap",
};
static const char *const transports[N_TRANSPORTS + 1] = {
        [TRANSPORT_RC] = "rc",
        [TRANSPORT_UC] = "uc",
        [TRANSPORT_UD] = "ud",
};
static const char *const inlinings[] = {
        [INLINING_AUTO] = "auto",
        [INLINING_OFF] = "off",
        [INLINING_ON] = "on",
        NULL,
};
static const char *const memories[] = {
        [MEMORY_AUTO] = "auto",
        [MEMORY_PLAIN] = "plain",
        [MEMORY_THP] = "thp",
        [MEMORY_HUGETLB] = "hugetlb",
        NULL,
};
static const char *const waits[] = {
        [WAIT_HYBRID] = "hybrid",
        [WAIT_POLL] = "poll",
        [WAIT_EVENT] = "event",
        NULL,
};
static const char *const refusals[] = {
        [REFUSAL_BUSY] = "busy",
        [REFUSAL_REFUSED] = "refused",
        [REFUSAL_LOCAL] = "local",
        [REFUSAL_TRAFFIC] = "traffic",
        NULL,
};
static const char *const outcomes[N_OUTCOME_KINDS + 1] = {
        [OUTCOME_OK] = "ok",
        [OUTCOME_LOCAL] = "local",
        [OUTCOME_BUSY] = "busy",
        [OUTCOME_REFUSED] = "refused",
        [OUTCOME_PEER] = "peer",
        [OUTCOME_TRAFFIC] = "traffic",
        [OUTCOME_CANCELLED] = "cancelled",
};

/* ---- fields --------------------------------------------------------------------------------------- */

#define AT(type, member)   .offset = offsetof(struct type, member)
#define TEXT(type, member) .kind = FIELD_TEXT, AT(type, member), .max = sizeof(((struct type *)0)->member)
#define MAP(type, member, fields)                                                                            \
        .kind = FIELD_MAP, AT(type, member), .children = (fields), .n_children = ARRAY_SIZE(fields)
#define LIST(type, member, count, fields)                                                                    \
        .kind = FIELD_LIST, AT(type, member), .max = ARRAY_SIZE(((struct type *)0)->member),                 \
        .children = (fields), .n_children = ARRAY_SIZE(fields),                                              \
        .item_size = sizeof(((struct type *)0)->member[0]), .count_offset = offsetof(struct type, count)

#define MTU_MIN       256 /* of InfiniBand and RoCE */
#define MTU_MAX       4096
#define QP_NUMBER_MAX 0xffffff /* 24 bits, and so is a packet sequence number */

static const struct field address_fields[] = {
        { "gid", FIELD_GID, AT(rdma_address, gid) },
        { "type", FIELD_CHOICE, AT(rdma_address, type), .choices = gid_types },
};

static const struct field port_fields[] = {
        { "number", FIELD_U8, AT(port_facts, number), .min = 1 },
        { "state", FIELD_U8, AT(port_facts, state) },
        { "link_layer", FIELD_CHOICE, AT(port_facts, link_layer), .choices = link_layers },
        { "active_mtu_bytes", FIELD_U32, AT(port_facts, active_mtu_bytes), .max = MTU_MAX },
        { "lid", FIELD_U16, AT(port_facts, lid), .optional = true },
        { "rate_bytes_per_second", FIELD_U64, AT(port_facts, rate_bytes_per_second), .optional = true },
        { "addresses", LIST(port_facts, addresses, n_addresses, address_fields) },
};

static const struct field device_fields[] = {
        { "name", TEXT(device_facts, name), .min = 1 },
        { "driver", TEXT(device_facts, driver), .optional = true },
        { "firmware", TEXT(device_facts, firmware), .optional = true },
        { "node_guid", TEXT(device_facts, node_guid), .optional = true },
        { "class", FIELD_CHOICE, AT(device_facts, class), .choices = classes },
        { "iwarp", FIELD_BOOL, AT(device_facts, iwarp), .optional = true },
        { "ports", LIST(device_facts, ports, n_ports, port_fields) },
};

static const struct field qp_fields[] = {
        { "number", FIELD_U32, AT(endpoint_qp, number), .max = QP_NUMBER_MAX },
        { "psn", FIELD_U32, AT(endpoint_qp, psn), .max = QP_NUMBER_MAX },
};

static const struct field endpoint_fields[] = {
        { "address", MAP(endpoint_info, address, address_fields) },
        { "lid", FIELD_U16, AT(endpoint_info, lid), .optional = true },
        { "mtu_bytes", FIELD_U32, AT(endpoint_info, mtu_bytes), .min = MTU_MIN, .max = MTU_MAX },
        { "remote_addr", FIELD_HEX, AT(endpoint_info, remote_addr) },
        { "remote_key", FIELD_U32, AT(endpoint_info, remote_key) },
        { "bytes", FIELD_U64, AT(endpoint_info, bytes), .min = 1 },
        { "reads", FIELD_U8, AT(endpoint_info, reads), .optional = true },
        { "queue_pairs", LIST(endpoint_info, qps, n_qps, qp_fields), .min = 1 },
};

static const struct field plan_fields[] = {
        { "measure", FIELD_CHOICE, AT(plan, measure), .choices = measures },
        { "operation", FIELD_CHOICE, AT(plan, operation), .choices = operations },
        { "transport", FIELD_CHOICE, AT(plan, transport), .choices = transports },
        { "message_bytes", FIELD_U64, AT(plan, message_bytes), .min = 1 },
        { "queue_pairs", FIELD_U32, AT(plan, queue_pairs), .min = 1, .max = ENDPOINT_QPS_MAX },
        { "depth", FIELD_U32, AT(plan, depth), .min = 1 },
        { "post_list", FIELD_U32, AT(plan, post_list), .min = 1 },
        { "signal_interval", FIELD_U32, AT(plan, signal_interval), .min = 1 },
        { "receive_depth", FIELD_U32, AT(plan, receive_depth), .optional = true },
        { "bidirectional", FIELD_BOOL, AT(plan, bidirectional), .optional = true },
        { "verify", FIELD_BOOL, AT(plan, verify), .optional = true },
        { "inlining", FIELD_CHOICE, AT(plan, inlining), .choices = inlinings, .optional = true },
        { "wait", FIELD_CHOICE, AT(plan, wait), .choices = waits, .optional = true },
        { "memory", FIELD_CHOICE, AT(plan, memory), .choices = memories, .optional = true },
        { "mtu_bytes", FIELD_U32, AT(plan, mtu_bytes), .min = MTU_MIN, .max = MTU_MAX },
        { "budget_bytes", FIELD_U64, AT(plan, budget_bytes), .optional = true },
        { "budget_messages", FIELD_U64, AT(plan, budget_messages), .optional = true },
        { "budget_ns", FIELD_U64, AT(plan, budget_ns), .optional = true },
        { "rate_bps", FIELD_U64, AT(plan, rate_bps), .optional = true },
        { "warmup_messages", FIELD_U64, AT(plan, warmup_messages), .optional = true },
        { "timeout", FIELD_U8, AT(plan, timeout), .max = 31 },
        { "retry_count", FIELD_U8, AT(plan, retry_count), .max = 7 },
        { "service_level", FIELD_U8, AT(plan, service_level), .max = 15, .optional = true },
        { "traffic_class", FIELD_U8, AT(plan, traffic_class), .optional = true },
        { "flow_label", FIELD_U32, AT(plan, flow_label), .max = 0xfffff, .optional = true },
};

static const struct field counter_fields[] = {
        { "name", TEXT(counter_delta, name), .min = 1 },
        { "delta", FIELD_U64, AT(counter_delta, delta) },
};

/* ---- messages ------------------------------------------------------------------------------------- */

static const struct field hello_fields[] = {
        { "magic", TEXT(hello, magic), .min = 1 },
        { "version_min", FIELD_U32, AT(hello, version_min), .min = 1 },
        { "version_max", FIELD_U32, AT(hello, version_max), .min = 1 },
        { "node", TEXT(hello, node), .min = 1 },
        { "role", FIELD_CHOICE, AT(hello, role), .choices = roles, .optional = true },
        { "capabilities", FIELD_FLAGS, AT(hello, capabilities), .choices = capabilities, .optional = true },
};

static const struct field welcome_fields[] = {
        { "version", FIELD_U32, AT(welcome, version), .min = 1 },
        { "node", TEXT(welcome, node), .min = 1 },
        { "capabilities", FIELD_FLAGS, AT(welcome, capabilities), .choices = capabilities },
        { "devices", LIST(welcome, devices, n_devices, device_fields) },
};

static const struct field open_fields[] = {
        { "plan", MAP(open_request, plan, plan_fields) },
        { "device", TEXT(open_request, device), .min = 1 },
        { "port", FIELD_U8, AT(open_request, port), .min = 1 },
        { "address", MAP(open_request, address, address_fields) },
        { "client_device", TEXT(open_request, client_device), .min = 1 },
        { "client_port", FIELD_U8, AT(open_request, client_port), .min = 1 },
        { "client_class", FIELD_CHOICE, AT(open_request, client_class), .choices = classes },
        { "endpoint", MAP(open_request, endpoint, endpoint_fields) },
        { "remaining_ms", FIELD_U64, AT(open_request, remaining_ms), .max = UINT32_MAX },
};

static const struct field opened_fields[] = {
        { "endpoint", MAP(opened, endpoint, endpoint_fields) },
        { "granted_ms", FIELD_U64, AT(opened, granted_ms), .max = UINT32_MAX },
};

static const struct field finish_fields[] = {
        { "bytes", FIELD_U64, AT(finish, bytes) },
        { "messages", FIELD_U64, AT(finish, messages) },
        { "own_bytes", FIELD_U64, AT(finish, own_bytes), .optional = true },
        { "average_bps", FIELD_U64, AT(finish, average_bps), .optional = true },
        { "p50_ns", FIELD_U64, AT(finish, p50_ns), .optional = true },
        { "p99_ns", FIELD_U64, AT(finish, p99_ns), .optional = true },
};

static const struct field report_fields[] = {
        { "messages", FIELD_U64, AT(report, messages) },
        { "cpu_ns", FIELD_U64, AT(report, cpu_ns) },
        { "traffic_ns", FIELD_U64, AT(report, traffic_ns), .optional = true },
        { "received", FIELD_U64, AT(report, received), .optional = true },
        { "verified_bytes", FIELD_U64, AT(report, verified_bytes), .optional = true },
        { "wrong_bytes", FIELD_U64, AT(report, wrong_bytes), .optional = true },
        { "counters", LIST(report, counters.items, counters.n, counter_fields) },
        { "fault", FIELD_CHOICE, AT(report, fault), .choices = outcomes, .optional = true },
        { "reason", TEXT(report, reason), .optional = true },
};

static const struct field refused_fields[] = {
        { "kind", FIELD_CHOICE, AT(refused, kind), .choices = refusals },
        { "reason", TEXT(refused, reason), .min = 1 },
};

#define BODY(member, fields)                                                                                 \
        {                                                                                                    \
                offsetof(struct message, member), (fields), ARRAY_SIZE(fields)                               \
        }

static const struct {
        size_t offset;
        const struct field *fields;
        size_t n_fields;
} bodies[N_MESSAGE_TYPES] = {
        [MESSAGE_HELLO] = BODY(hello, hello_fields),
        [MESSAGE_WELCOME] = BODY(welcome, welcome_fields),
        [MESSAGE_OPEN] = BODY(open, open_fields),
        [MESSAGE_OPENED] = BODY(opened, opened_fields),
        [MESSAGE_FINISH] = BODY(finish, finish_fields),
        [MESSAGE_REPORT] = BODY(report, report_fields),
        [MESSAGE_REFUSED] = BODY(refused, refused_fields),
};

static_assert(sizeof(enum role) == sizeof(unsigned), "choices are stored as unsigned");

const char *message_type_name(enum message_type t)
{
        return message_types[t];
}

static void json_release(json_t *j)
{
        json_decref(j);
}
DEFINE_SCOPE_FREE(json_t *, json_release);

int message_encode(const struct message *m, char **ret, size_t *ret_len, char *why)
{
        cleanup(json_releasep) json_t *body = NULL;
        char field_why[RECORD_WHY_MAX];
        int r = record_encode(bodies[m->type].fields, bodies[m->type].n_fields,
                (const char *)m + bodies[m->type].offset, &body, field_why);
        if (r < 0) {
                text_message(why, ENGINE_REASON_MAX, "cannot send %s: %s", message_types[m->type], field_why);
                return r;
        }
        text_message(why, ENGINE_REASON_MAX, "no memory");
        cleanup(json_releasep) json_t *whole = json_pack("{ss}", "type", message_types[m->type]);
        if (!whole || json_object_update(whole, body) < 0)
                return -ENOMEM;
        cleanup(freep) char *text = json_dumps(whole, JSON_COMPACT);
        if (!text)
                return -ENOMEM;
        size_t len = strlen(text);
        if (len > PROTOCOL_FRAME_MAX) {
                text_message(why, ENGINE_REASON_MAX, "cannot send %s: %zu bytes do not fit into a frame",
                        message_types[m->type], len);
                return -EMSGSIZE;
        }
        *ret_len = len;
        *ret = take_ptr(text);
        return 0;
}

/* jansson recurses up to 2048 levels deep, on small stacks and for whoever connects. Ours are 5 deep; later
 * versions may use a few more. Counts brackets outside of texts. */
#define JSON_DEPTH_MAX 16

static bool json_shallow(const char *s, size_t len)
{
        unsigned depth = 0;
        bool in_text = false;
        for (size_t i = 0; i < len; i++) {
                if (in_text && s[i] == '\\')
                        i++;
                else if (s[i] == '"')
                        in_text = !in_text;
                else if (!in_text && (s[i] == '{' || s[i] == '['))
                        depth++;
                else if (!in_text && (s[i] == '}' || s[i] == ']') && depth > 0)
                        depth--;
                if (depth > JSON_DEPTH_MAX)
                        return false;
        }
        return true;
}

static int __attribute__((format(printf, 2, 3))) malformed(char *why, const char *format, ...)
{
        va_list args;
        va_start(args, format);
        (void)vsnprintf(why, ENGINE_REASON_MAX, format, args); /* a message for people: may be cut off */
        va_end(args);
        return -EPROTO;
}

static int type_decode(const json_t *j, unsigned expected, enum message_type *ret, char *why)
{
        const char *type = json_string_value(json_object_get(j, "type"));
        if (!type)
                return malformed(why, "field \"type\": missing");
        for (unsigned t = 0; t < N_MESSAGE_TYPES; t++)
                if (text_equal(type, message_types[t])) {
                        *ret = t;
                        if (expected >> t & 1)
                                return 0;
                        return malformed(why, "\"%s\" is out of order here", type);
                }
        return malformed(why, "field \"type\": \"%.32s\" is not one this version knows", type);
}

static int magic_check(const struct message *m, char *why)
{
        if (m->type == MESSAGE_HELLO && !text_equal(m->hello.magic, PROTOCOL_MAGIC))
                return malformed(why, "field \"magic\": not \"%s\"", PROTOCOL_MAGIC);
        return 0;
}

int message_decode(const void *data, size_t len, unsigned expected, struct message *ret, char *why)
{
        if (!json_shallow(data, len))
                return malformed(why, "JSON is nested deeper than %d levels", JSON_DEPTH_MAX);
        json_error_t error;
        cleanup(json_releasep) json_t *j = json_loadb(data, len, JSON_REJECT_DUPLICATES, &error);
        if (!j && json_error_code(&error) == json_error_out_of_memory) {
                text_message(why, ENGINE_REASON_MAX, "no memory");
                return -ENOMEM;
        }
        if (!j) /* jansson quotes the offending bytes: not for a log */
                return malformed(why, "not JSON (at byte %d)", error.position);
        if (!json_is_object(j))
                return malformed(why, "not a JSON object");

        memset(ret, 0, sizeof(*ret));
        int r = type_decode(j, expected, &ret->type, why);
        if (r < 0)
                return r;
        char field_why[RECORD_WHY_MAX];
        r = record_decode(bodies[ret->type].fields, bodies[ret->type].n_fields, j,
                (char *)ret + bodies[ret->type].offset, field_why);
        if (r < 0)
                return malformed(why, "%s: %s", message_types[ret->type], field_why);
        return magic_check(ret, why);
}

void frame_header_encode(uint32_t len, uint8_t ret[PROTOCOL_HEADER_BYTES])
{
        uint32_t wire = htonl(len);
        memcpy(ret, &wire, sizeof(wire));
}

int frame_header_decode(const uint8_t header[PROTOCOL_HEADER_BYTES], uint32_t *ret_len, char *why)
{
        uint32_t wire;
        memcpy(&wire, header, sizeof(wire));
        uint32_t len = ntohl(wire);
        if (len == 0)
                return malformed(why, "an empty frame");
        if (len > PROTOCOL_FRAME_MAX)
                return malformed(why, "not a frame of this protocol (a length of %u bytes; at most %d)", len,
                        PROTOCOL_FRAME_MAX);
        *ret_len = len;
        return 0;
}

int version_agree(unsigned min, unsigned max, const char *here, const char *there, unsigned *ret, char *why)
{
        if (min <= PROTOCOL_VERSION_MAX && max >= PROTOCOL_VERSION_MIN && min <= max) {
                *ret = max < PROTOCOL_VERSION_MAX ? max : PROTOCOL_VERSION_MAX;
                return 0;
        }
        text_message(why, ENGINE_REASON_MAX,
                "%s speaks control protocol %u to %u, %s speaks %d to %d: upgrade rdma-canary on %s", there,
                min, max, here, PROTOCOL_VERSION_MIN, PROTOCOL_VERSION_MAX,
                max < PROTOCOL_VERSION_MIN ? there : here);
        return -EPROTONOSUPPORT;
}
