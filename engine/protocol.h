/* SPDX-License-Identifier: Apache-2.0 */
/* The control protocol: what two hosts tell each other around a measurement. Pure: memory in, structs out.
 *
 * A frame is a length (4 bytes, big-endian, of what follows, 1 … PROTOCOL_FRAME_MAX) and one JSON object with
 * a "type". The client (C) measures, the responder (R) is measured against:
 *
 *      C hello     who I am, which versions I speak        R welcome   version, my devices
 *      C open      plan, my end of the queue pairs         R opened    my end, made and connected
 *      C ready     my end is connected, too                R started   counters read, go
 *      C … traffic; nothing on this connection: a readable byte or a hang-up ends it on the other side
 *      C finish    what I did                              R report    what I saw
 *      C bye
 *
 * R may answer `refused` instead, and send it unasked during traffic. The hello's fields never change; a
 * later version adds types, fields (ignored by older ones) and capabilities (asked for only when offered).
 * Version N speaks with N−1: tests/data/protocol-v*: recorded transcripts of each. */
#ifndef ENGINE_PROTOCOL_H
#define ENGINE_PROTOCOL_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/endpoint.h"
#include "engine/engine.h"

#define PROTOCOL_MAGIC        "rdma-canary"
#define PROTOCOL_VERSION_MIN  1
#define PROTOCOL_VERSION_MAX  1
#define PROTOCOL_HEADER_BYTES 4
#define PROTOCOL_FRAME_MAX    65536

/* Of one host. Every device, port and address at its longest fits a frame (a test fills one). */
#define PROTOCOL_DEVICES_MAX   32
#define PROTOCOL_ADDRESSES_MAX 384

enum message_type {
        MESSAGE_HELLO,
        MESSAGE_WELCOME,
        MESSAGE_OPEN,
        MESSAGE_OPENED,
        MESSAGE_READY,
        MESSAGE_STARTED,
        MESSAGE_FINISH,
        MESSAGE_REPORT,
        MESSAGE_BYE,
        MESSAGE_REFUSED,
        N_MESSAGE_TYPES,
};

enum role {
        ROLE_PEER,
        ROLE_OPERATOR,
        N_ROLES,
};

/* What a host can be asked for, as bits. */
enum capability {
        CAPABILITY_WRITE_BANDWIDTH = 1 << 0,
        CAPABILITY_WRITE_LATENCY = 1 << 1,
        CAPABILITY_OPERATIONS =
                1 << 2, /* every other operation and transport, both directions, verification */
};
#define PROTOCOL_CAPABILITIES (CAPABILITY_WRITE_BANDWIDTH | CAPABILITY_WRITE_LATENCY | CAPABILITY_OPERATIONS)

enum refusal {
        REFUSAL_BUSY,    /* try again later */
        REFUSAL_REFUSED, /* unknown peer, limits, version, malformed: not with me */
        REFUSAL_LOCAL,   /* would, but cannot: device gone, no memory */
        REFUSAL_TRAFFIC, /* the responder's own end failed during traffic */
};

struct hello {
        char magic[16];
        unsigned version_min, version_max;
        char node[ENGINE_NAME_MAX];
        enum role role;
        uint32_t capabilities;
};

struct welcome {
        unsigned version; /* the highest both speak */
        char node[ENGINE_NAME_MAX];
        uint32_t capabilities;
        size_t n_devices;
        struct device_facts
                devices[PROTOCOL_DEVICES_MAX]; /* name … class, iwarp, ports; in the order of rails */
};

struct open_request {
        struct plan plan;             /* mtu_bytes resolved */
        char device[ENGINE_NAME_MAX]; /* the responder's: its own welcome names it */
        uint8_t port;
        struct rdma_address address;
        char client_device[ENGINE_NAME_MAX];
        uint8_t client_port;
        enum device_class client_class;
        struct endpoint_info endpoint; /* the client's */
        uint64_t remaining_ms;         /* of the client's deadline */
};

struct opened {
        struct endpoint_info endpoint; /* the responder's */
        uint64_t granted_ms;           /* after which it ends the session itself */
};

struct finish {
        uint64_t bytes, messages;             /* measured */
        uint64_t own_bytes;                   /* put on the wire, warm-up included */
        uint64_t average_bps, p50_ns, p99_ns; /* what came of it; 0: not measured, or not said */
};

struct report {
        uint64_t
                messages; /* answered by the passive end of a latency run, or sent by that of a bidirectional one */
        uint64_t cpu_ns;
        uint64_t traffic_ns;                  /* of what it sent */
        uint64_t received;                    /* messages that took a receive */
        uint64_t verified_bytes, wrong_bytes; /* struct verification */
        struct counter_deltas counters;
        enum outcome_kind fault; /* of the responder's end */
        char reason[ENGINE_REASON_MAX];
};

struct refused {
        enum refusal kind;
        char reason[ENGINE_REASON_MAX];
};

/* About 80 KiB: allocate it. */
struct message {
        enum message_type type;
        union {
                struct hello hello;
                struct welcome welcome;
                struct open_request open;
                struct opened opened;
                struct finish finish;
                struct report report;
                struct refused refused;
        };
};

const char *message_type_name(enum message_type t); /* as on the wire: "hello" */

/* The frame's body as text, without the length; freed by the caller. -ENOMEM; -EINVAL, -ERANGE, -EMSGSIZE
 * with the reason in why[ENGINE_REASON_MAX]. */
int message_encode(const struct message *m, char **ret, size_t *ret_len, char *why);

/* expected: bits 1 << MESSAGE_…; another type is refused. *ret is overwritten also on failure. -ENOMEM;
 * -EPROTO with the reason, which names the field. */
int message_decode(const void *data, size_t len, unsigned expected, struct message *ret, char *why);

void frame_header_encode(uint32_t len, uint8_t ret[PROTOCOL_HEADER_BYTES]);
/* -EPROTO for an empty or oversized frame, with the reason. */
int frame_header_decode(const uint8_t header[PROTOCOL_HEADER_BYTES], uint32_t *ret_len, char *why);

/* The highest version in both ranges; -EPROTONOSUPPORT with a reason that names both ranges and which host
 * (`here`, `there`) to upgrade. */
int version_agree(unsigned min, unsigned max, const char *here, const char *there, unsigned *ret, char *why);

#endif
