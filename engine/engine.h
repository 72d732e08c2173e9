/* SPDX-License-Identifier: Apache-2.0 */
/* The measurement engine's public face: devices, plans, measurements between two hosts, the responder.
 *
 * The engine knows no metrics, no config file and no log. Every call that waits takes an absolute
 * CLOCK_MONOTONIC deadline and returns within a second of it. A *fault* (no memory, no such device) is a
 * negative errno; a *finding* (peer silent, retries exceeded) is a result that names the stage reached. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/histogram.h"

#define ENGINE_DEFAULT_PORT  14792
#define ENGINE_NAME_MAX      64 /* device and node names, with NUL: IB_DEVICE_NAME_MAX is 64 */
#define ENGINE_REASON_MAX    256
#define ENGINE_PORTS_MAX     4 /* per device; what real RDMA devices have */
#define ENGINE_ADDRESSES_MAX 16
#define ENGINE_COUNTERS_MAX  64

/* ---- devices ---------------------------------------------------------------------------------- */

enum device_class {
        DEVICE_HARDWARE,
        DEVICE_SOFTWARE, /* rxe: the CPU does the work, so hardware lore does not carry over */
};

enum link_layer {
        LINK_UNKNOWN,
        LINK_INFINIBAND,
        LINK_ETHERNET,
};

enum gid_type {
        GID_INFINIBAND,
        GID_ROCE_V1,
        GID_ROCE_V2,
};

/* One way to reach a port. */
struct rdma_address {
        uint8_t gid[16]; /* network order; never all zero */
        enum gid_type type;
        uint32_t index;   /* in the local table; no meaning on the other host */
        uint32_t ifindex; /* of the netdev behind it, 0 for none */
};

struct port_facts {
        uint8_t number; /* from 1 */
        uint8_t state;  /* enum ibv_port_state: 4 is ACTIVE */
        enum link_layer link_layer;
        unsigned active_mtu_bytes, max_mtu_bytes;
        uint16_t lid;
        uint64_t rate_bytes_per_second; /* width × speed as the driver says; Soft-RoCE makes it up */
        size_t n_addresses;             /* the first ENGINE_ADDRESSES_MAX that are not empty */
        struct rdma_address addresses[ENGINE_ADDRESSES_MAX];
};

struct device_facts {
        char name[ENGINE_NAME_MAX];
        char driver[ENGINE_NAME_MAX];   /* "rdma_rxe", "mlx5_core"; "" unknown */
        char firmware[ENGINE_NAME_MAX]; /* "" unknown */
        char node_guid[20];             /* "0200:5eff:fe00:5301" as sysfs writes it */
        enum device_class class;
        bool iwarp;    /* counted, never probed */
        int numa_node; /* -1: none or unknown */
        size_t n_ports;
        struct port_facts ports[ENGINE_PORTS_MAX];
};

/* All RDMA devices in name order. Opens each for a moment; one that cannot be opened is listed with
 * n_ports 0. *ret is freed by the caller with free(). 0 (also for none), -ENOMEM, or -ENOSYS when the
 * kernel has no RDMA support. */
int device_list(struct device_facts **ret, size_t *ret_n);
/* One device by name, opened for a moment. 0, -ENODEV, -ENOSYS, or what opening or querying said. */
int device_find(const char *name, struct device_facts *ret);

const char *device_class_name(enum device_class c);
const char *link_layer_name(enum link_layer l);
const char *gid_type_name(enum gid_type t);
/* "198.51.100.1" for an IPv4-mapped GID, else IPv6 text. size ≥ 46. */
void rdma_address_format(const struct rdma_address *a, char *dst, size_t size);

/* ---- plans ------------------------------------------------------------------------------------ */

enum measure {
        MEASURE_BANDWIDTH,
        MEASURE_LATENCY, /* operation_is_halved() says of what */
};

/* RC carries all of them, UC all but read and the atomics, UD only send. */
enum operation {
        OPERATION_WRITE,
        OPERATION_WRITE_IMMEDIATE,
        OPERATION_READ,
        OPERATION_SEND,
        OPERATION_FETCH_ADD, /* of 8 bytes, as the next one */
        OPERATION_COMPARE_SWAP,
        N_OPERATIONS,
};

enum transport {
        TRANSPORT_RC,
        TRANSPORT_UC, /* what is lost stays lost; so here and in UD the counts of both ends differ */
        TRANSPORT_UD,
        N_TRANSPORTS,
};

const char *operation_name(enum operation o); /* "write", "write-immediate", … as on the wire */
const char *transport_name(enum transport t); /* "RC" */
/* Latency is half of the round trip where both ends take turns; where one end does it all (read, atomics), it is
 * the whole one. */
bool operation_is_halved(enum operation o);

enum inlining {
        INLINING_AUTO, /* small messages of a latency run, where the device can */
        INLINING_OFF,
        INLINING_ON, /* all messages, or the run is refused */
};

/* Of both ends' messages. */
enum memory_kind {
        MEMORY_AUTO, /* transparent huge pages if the kernel has them and at least one is filled, else plain */
        MEMORY_PLAIN,   /* pages of the kernel's size; none is merged into a huge one */
        MEMORY_THP,     /* transparent huge pages; the kernel takes plain ones where memory is in fragments */
        MEMORY_HUGETLB, /* huge pages of 2 MiB set aside by the administrator */
};

const char *memory_kind_name(enum memory_kind k); /* "auto", "plain", "thp", "hugetlb", as on the wire */

/* How completions are waited for. */
enum completion_wait {
        WAIT_HYBRID, /* a bounded spin, then the event */
        WAIT_POLL,   /* spins, giving way where CPUs are few */
        WAIT_EVENT,  /* always the event */
};

/* What to measure. Zero in a field marked (0: …) lets the engine choose. */
struct plan {
        enum measure measure;
        enum operation operation;
        enum transport transport;
        uint64_t message_bytes;
        unsigned queue_pairs;
        unsigned depth;           /* work requests outstanding per queue pair */
        unsigned post_list;       /* work requests per doorbell */
        unsigned signal_interval; /* one completion per this many work requests */
        unsigned receive_depth;   /* receives posted per queue pair, where the operation takes any (0: …) */
        bool bidirectional;       /* the other end sends, too, for as long as this one measures */
        bool verify;              /* memory is filled with patterns before and compared after the traffic */
        enum inlining inlining;
        enum completion_wait wait;
        enum memory_kind memory;
        unsigned mtu_bytes; /* (0: the smaller of both ports' active MTUs) */
        /* The run ends when any budget that is not 0 is used up; at least one is set. A byte budget is met
         * to the byte when it is a multiple of message_bytes, else rounded up to whole messages. */
        uint64_t budget_bytes, budget_messages, budget_ns;
        uint64_t rate_bps;        /* bytes per second at most, evenly; 0: as fast as it goes */
        uint64_t warmup_messages; /* not measured, not in the budgets, in counters and own bytes */
        uint8_t timeout;          /* local ACK timeout, 4.096 µs · 2^timeout */
        uint8_t retry_count;      /* 1…6; 7 is endless on Soft-RoCE and refused */
        uint8_t service_level, traffic_class;
        uint32_t flow_label; /* 20 bits */
};

/* Defaults for RC writes between devices of this class. */
void plan_defaults(struct plan *p, enum measure measure, enum device_class class);
/* Sets them, and the message size to what every path carries for them: 8 bytes for atomics, 1 KiB at most on
 * UD. */
void plan_set_operation(struct plan *p, enum operation operation, enum transport transport);
/* 0, or -EINVAL with the field, the value and what is allowed in why[ENGINE_REASON_MAX]. */
int plan_check(const struct plan *p, char *why);

/* ---- results ---------------------------------------------------------------------------------- */

/* How far a measurement got, in order. */
enum stage {
        STAGE_START,   /* plan checked, own lease taken */
        STAGE_RESOLVE, /* peer's control address found */
        STAGE_CONNECT, /* TCP connected */
        STAGE_HELLO,   /* versions agreed, devices exchanged */
        STAGE_ADDRESS, /* a pair of ports and GIDs that can talk */
        STAGE_DEVICE,  /* local device opened, memory registered, queue pairs made */
        STAGE_ADMIT,   /* peer granted the measurement and made its own */
        STAGE_READY,   /* both ends' queue pairs ready to send */
        STAGE_TRAFFIC, /* measured traffic complete */
        STAGE_REPORT,  /* peer's report received */
        STAGE_DONE,
        N_STAGES,
};

const char *stage_name(enum stage s); /* "connect" */

/* Why it ended early. */
enum outcome_kind {
        OUTCOME_OK,
        OUTCOME_LOCAL,     /* this host: device gone, memlock, plan refused */
        OUTCOME_BUSY,      /* a lease is taken here or there: try again later; says nothing of the path */
        OUTCOME_REFUSED,   /* the peer does not want it: unknown peer, limits, version */
        OUTCOME_PEER,      /* unreachable, silent, broke off, talked garbage */
        OUTCOME_TRAFFIC,   /* completion with error: retries exceeded, … */
        OUTCOME_CANCELLED, /* the caller asked */
        N_OUTCOME_KINDS,
};

const char *outcome_kind_name(enum outcome_kind k);

/* Why something did not work. kind OUTCOME_OK and everything zero: nothing happened. */
struct fault {
        enum outcome_kind kind;
        int error;                      /* negative errno nearest to it */
        char reason[ENGINE_REASON_MAX]; /* a sentence for the operator, naming device or peer and what to do
                                         */
};

struct counter_delta {
        char name[ENGINE_NAME_MAX]; /* the kernel's */
        uint64_t delta;
};

struct counter_deltas {
        size_t n;
        struct counter_delta items[ENGINE_COUNTERS_MAX];
};

struct latency {
        uint64_t count, min_ns, max_ns, p50_ns, p90_ns, p99_ns, p999_ns, p9999_ns;
        double mean_ns, deviation_ns;
};

/* What an end found in its memory where the plan says verify. */
struct verification {
        uint64_t bytes; /* compared */
        uint64_t wrong; /* that are not what was sent */
};

struct result {
        enum stage stage; /* the last one completed */
        struct fault fault;

        /* What was really used. */
        struct plan plan;
        char device[ENGINE_NAME_MAX], peer_device[ENGINE_NAME_MAX], peer_node[ENGINE_NAME_MAX];
        uint8_t port, peer_port;
        struct rdma_address address, peer_address;

        uint64_t started_realtime_ns;
        uint64_t stage_ns[N_STAGES]; /* time spent to complete each stage */

        /* Measured. RC: completed, so acknowledged. UC, UD: handed to the device; see lost. */
        uint64_t bytes, messages;
        uint64_t own_bytes; /* payload this end had carried, either way, warm-up included */
        /* Messages the other end did not get, warm-up included: 0 on RC. Unknown for UC writes, which give the
         * receiver no completion. In a latency run: those without an answer, which are no samples. */
        uint64_t lost;
        bool lost_known;
        uint64_t received;   /* messages that came from the other end, where it takes receives to get them */
        uint64_t traffic_ns; /* first post to last completion */
        bool truncated;      /* ended by its deadline, not by its budget */
        /* Payload bytes per second. average is bytes / traffic_ns, where messages were lost of what arrived; the
         * others, of what was sent, are over windows of equal
         * time (1/16 of the run each, whole windows only); steady leaves out the first and the last. 0 when
         * there were too few windows. */
        double average_bps, steady_bps, best_window_bps, worst_window_bps;

        struct latency latency;              /* count 0 unless MEASURE_LATENCY */
        struct histogram *latency_histogram; /* owned; NULL unless MEASURE_LATENCY */

        /* The other direction of a bidirectional run, by the other end's clock. */
        uint64_t peer_bytes, peer_traffic_ns;
        double peer_average_bps;

        struct verification verified, peer_verified;
        bool inlined;                 /* messages went out inside the work requests */
        enum memory_kind memory;      /* of this end's messages; not MEMORY_AUTO once there are any */
        unsigned completion_queues;   /* how many the device's limits made of it */
        uint64_t cpu_ns, peer_cpu_ns; /* of the measuring threads over the traffic */
        struct counter_deltas counters, peer_counters;
};

/* Zeroed result; result_done releases what it owns. */
void result_init(struct result *r);
void result_done(struct result *r);

/* ---- engine ----------------------------------------------------------------------------------- */

struct engine; /* thread-safe; owns the reapers and the leases */

int engine_new(const char *node, struct engine **ret);
/* Does not wait for reapers stuck in the kernel. No measurement may be running. */
void engine_free(struct engine *e);

/* The devices offered to peers, by rail; others are not touched for them. A name that no device has keeps its
 * place. Until the first call: all devices but iWARP ones, in natural order of their names. Copies. Thread-safe.
 * 0, -ENOMEM, -ENAMETOOLONG. */
int engine_set_rails(struct engine *e, const char *const *names, size_t n);

struct measure_request {
        const char *device;       /* local device name */
        uint8_t port;             /* 0: the first active one */
        const char *peer;         /* host name or address of its control channel */
        uint16_t peer_tcp_port;   /* 0: ENGINE_DEFAULT_PORT */
        const char *peer_node;    /* expected node name, NULL: any; another one answering is OUTCOME_PEER */
        unsigned peer_rail;       /* which of the peer's devices, in its order … */
        const char *peer_device;  /* … or by name, when not NULL */
        const char *peer_address; /* of its RDMA port, as text; NULL: the first that routing leads to */
        bool operator;            /* role: false: peer (probe budgets), true: operator */
        struct plan plan;
        uint64_t deadline_ns;
        const atomic_bool *cancel; /* may be NULL; looked at every 2 ms at the latest */
};

/* One measurement, in the calling thread. Fills *ret (result_init'ed by the caller) in any case. 0 when the
 * result is OUTCOME_OK, else ret->fault.error. */
int engine_measure(struct engine *e, const struct measure_request *request, struct result *ret);

/* ---- teardown and leases, as seen from outside --------------------------------------------------- */

struct reaper_state {
        char device[ENGINE_NAME_MAX];
        unsigned pending;   /* teardowns not finished */
        uint64_t oldest_ns; /* age of the oldest, 0 for none */
        uint64_t done_total;
        bool stuck; /* older than REAPER_STUCK_NS: no new queue pairs on this device */
};

#define REAPER_STUCK_NS UINT64_C(2000000000)

/* Up to `max` states, in device order; returns how many. */
size_t engine_reapers(struct engine *e, struct reaper_state *ret, size_t max);

/* ---- responder ---------------------------------------------------------------------------------- */

struct responder; /* the passive side: one acceptor, at most RESPONDER_SESSIONS sessions at once */

#define RESPONDER_SESSIONS 4

struct responder_stats {
        uint64_t connections_total, sessions_total, refused_total, malformed_total, received_bytes_total;
        unsigned sessions;         /* now */
        uint64_t last_activity_ns; /* monotonic: when a session last began or ended, or the responder did */
};

struct responder_options {
        const char *listen_host; /* "": all addresses, both families */
        uint16_t port;           /* 0: any free one, for tests */
        /* Of a peer's measurement, whatever it asks. An operator's: these, or if that is more 1 hour, 4 GiB;
         * 1024 queue pairs. */
        uint64_t max_session_ns;  /* 0: 60 s */
        uint64_t max_bytes;       /* of pinned memory; 0: 64 MiB */
        unsigned max_queue_pairs; /* 0: 16 */
        bool anyone;              /* every address is admitted, whatever the peers are */
};

/* Listens and serves in threads of its own until responder_free(). */
int responder_new(struct engine *e, const struct responder_options *o, struct responder **ret, char *why);
uint16_t responder_port(const struct responder *r);
/* Who may ask for measurements, as textual addresses; loopback always may. Until the first call, or with
 * n 0, nobody else is admitted. Replaces the former list; sessions under way go on. 0, -ENOMEM. */
int responder_set_peers(struct responder *r, const char *const *addresses, size_t n);
void responder_stats_get(struct responder *r, struct responder_stats *ret);
/* What one peer has measured towards this host, by its own word: the direction that this host's probes do not
 * see. */
struct responder_served {
        char peer[ENGINE_NAME_MAX];   /* the node name it gave */
        char device[ENGINE_NAME_MAX]; /* of this host */
        enum measure measure;
        uint64_t completed_total;
        uint64_t last_realtime_ns; /* when the last one ended; the values are that one's */
        uint64_t average_bps;      /* 0: not measured */
        uint64_t p50_ns, p99_ns;   /* 0: not measured */
};

#define RESPONDER_SERVED_MAX 512 /* kept at most; the one that is longest ago gives way */

/* In order of peer, device, measure; up to `max`. Returns how many. */
size_t responder_served_get(struct responder *r, struct responder_served *ret, size_t max);
/* Ends all sessions (each within a second) and frees. */
void responder_free(struct responder *r);

#endif
