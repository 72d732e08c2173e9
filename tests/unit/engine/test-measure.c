/* SPDX-License-Identifier: Apache-2.0 */
/* The active side against peers that do not behave: stage, kind and time of the result. The linker puts
 * functions of this file in the place of the data path's; the control side is real. */
#include "tests/unit/engine/control.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "engine/endpoint.h"

/* ---- the data path: a device that is not there, and traffic that succeeds --------------------------- */

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's --wrap wants these names */
int __wrap_device_find(const char *name, struct device_facts *ret);
int __wrap_address_choose(const struct device_facts *local, uint8_t port, const struct rdma_address *remote,
        size_t n, enum link_layer remote_layer, struct rdma_address *ret_local, uint8_t *ret_port,
        size_t *ret_remote, struct fault *fault);
int __wrap_endpoint_open(struct reapers *reapers, const char *device, uint8_t port,
        const struct rdma_address *address, const struct plan *plan, struct endpoint **ret,
        struct fault *fault);
void __wrap_endpoint_describe(const struct endpoint *ep, struct endpoint_info *ret);
int __wrap_endpoint_connect(struct endpoint *ep, const struct endpoint_info *remote, struct fault *fault);
void __wrap_endpoint_close(struct endpoint *ep);
int __wrap_stream_run(struct endpoint *ep, const struct plan *plan, uint64_t deadline_ns,
        const struct watch *watch, struct result *ret);
/* NOLINTEND(bugprone-reserved-identifier) */

static unsigned endpoints_open;
static bool traffic_waits; /* until the watch says that it is over */

int __wrap_device_find(const char *name, struct device_facts *ret)
{
        *ret = fake_device();
        return text_equal(name, ret->name) ? 0 : -ENODEV;
}

int __wrap_address_choose(const struct device_facts *local, uint8_t port, const struct rdma_address *remote,
        size_t n, enum link_layer remote_layer, struct rdma_address *ret_local, uint8_t *ret_port,
        size_t *ret_remote, struct fault *fault)
{
        *ret_local = local->ports[0].addresses[0];
        *ret_port = port;
        *ret_remote = 0;
        return 0;
}

int __wrap_endpoint_open(struct reapers *reapers, const char *device, uint8_t port,
        const struct rdma_address *address, const struct plan *plan, struct endpoint **ret,
        struct fault *fault)
{
        endpoints_open++;
        *ret = (struct endpoint *)&endpoints_open; /* never looked into */
        return 0;
}

void __wrap_endpoint_describe(const struct endpoint *ep, struct endpoint_info *ret)
{
        struct device_facts d = fake_device();
        *ret = (struct endpoint_info){
                .address = d.ports[0].addresses[0],
                .mtu_bytes = 1024,
                .bytes = 65536,
                .n_qps = 2,
        };
}

int __wrap_endpoint_connect(struct endpoint *ep, const struct endpoint_info *remote, struct fault *fault)
{
        return 0;
}

void __wrap_endpoint_close(struct endpoint *ep)
{
        endpoints_open -= ep != NULL;
}

int __wrap_stream_run(struct endpoint *ep, const struct plan *plan, uint64_t deadline_ns,
        const struct watch *watch, struct result *ret)
{
        struct pollfd p = { .fd = watch->fd, .events = POLLIN };
        if (traffic_waits && poll(&p, 1, deadline_poll_ms(deadline_ns)) == 1) {
                ret->fault =
                        (struct fault){ OUTCOME_PEER, -ECONNRESET, "the peer broke off during the traffic" };
                return -ECONNRESET;
        }
        ret->bytes = ret->own_bytes = 65536;
        ret->messages = 1;
        return 0;
}

/* ---- the peer --------------------------------------------------------------------------------------- */

#define WELCOME_OF(node, version, capability, mtu)                                                           \
        "{\"type\":\"welcome\",\"version\":" version ",\"node\":\"" node                                     \
        "\",\"capabilities\":[\"" capability "\"],"                                                          \
        "\"devices\":[{\"name\":\"siw0\",\"class\":\"software\",\"iwarp\":true,\"ports\":[]},{\"name\":"     \
        "\"rxe1\","                                                                                          \
        "\"class\":\"software\",\"ports\":[{\"number\":1,\"state\":4,\"link_layer\":\"ethernet\","           \
        "\"active_mtu_bytes\":" mtu                                                                          \
        ",\"addresses\":[{\"gid\":\"::ffff:198.51.100.2\",\"type\":\"roce-v2\"}]}]}]}"
#define WELCOME WELCOME_OF("host-b", "1", "write-bandwidth", "4096")
#define OPENED                                                                                               \
        "{\"type\":\"opened\",\"granted_ms\":1000,\"endpoint\":{\"address\":{\"gid\":\"::ffff:198.51.100."   \
        "2\","                                                                                               \
        "\"type\":\"roce-v2\"},\"mtu_bytes\":1024,\"remote_addr\":\"0x1000\",\"remote_key\":1,\"bytes\":"    \
        "65536,"                                                                                             \
        "\"queue_pairs\":[{\"number\":1,\"psn\":1},{\"number\":2,\"psn\":2}]}}"
#define STARTED "{\"type\":\"started\"}"
#define REPORT                                                                                               \
        "{\"type\":\"report\",\"messages\":0,\"cpu_ns\":7,\"counters\":[{\"name\":\"rcvd_pkts\",\"delta\":"  \
        "68}]}"
#define REFUSED(kind, reason) "{\"type\":\"refused\",\"kind\":\"" kind "\",\"reason\":\"" reason "\"}"

enum manner {
        HANG_UP,
        SILENT,
        GARBAGE,
        EMPTY_FRAME,
        LEAVE, /* without waiting for what comes next */
};

/* Answers the first frames with these texts, then behaves as it does. */
struct peer {
        const char *answers[5];
        const char *unasked; /* said after them, without a question; may be NULL */
        enum manner manner;
        int listener;
        uint16_t port;
        pthread_t thread;
};

static void misbehave(int fd, enum manner manner)
{
        if (manner == GARBAGE)
                (void)!send(fd, "HTTP/1.1 400 Bad Request\r\n", 26, MSG_NOSIGNAL);
        if (manner == EMPTY_FRAME)
                (void)!send(fd, "\0\0\0\0", 4, MSG_NOSIGNAL);
        if (manner != HANG_UP && manner != LEAVE)
                (void)hangs_up(fd, 20000);
}

static void *peer_thread(void *argument)
{
        struct peer *p = argument;
        int fd = accept4(p->listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0)
                return NULL;
        bool there = true;
        for (size_t i = 0; i < ARRAY_SIZE(p->answers) && p->answers[i] && there; i++) {
                there = frame_receive(fd, 20000)[0] != '\0';
                if (there)
                        frame_send(fd, p->answers[i]);
        }
        if (there && p->unasked)
                frame_send(fd, p->unasked);
        if (there)
                there = p->manner == SILENT || p->manner == LEAVE || frame_receive(fd, 20000)[0] != '\0';
        if (there)
                misbehave(fd, p->manner);
        close_fdp(&fd);
        return NULL;
}

static void peer_start(struct peer *p)
{
        struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
        socklen_t len = sizeof(a);
        p->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_int_equal(bind(p->listener, (struct sockaddr *)&a, sizeof(a)), 0);
        assert_int_equal(listen(p->listener, 1), 0);
        assert_int_equal(getsockname(p->listener, (struct sockaddr *)&a, &len), 0);
        p->port = ntohs(a.sin_port);
        assert_int_equal(pthread_create(&p->thread, NULL, peer_thread, p), 0);
}

static void peer_end(struct peer *p)
{
        (void)shutdown(p->listener, SHUT_RDWR); /* wakes an accept that nobody came to */
        assert_int_equal(pthread_join(p->thread, NULL), 0);
        close_fdp(&p->listener);
}

/* ---- the measurement -------------------------------------------------------------------------------- */

struct expected {
        enum stage stage;
        enum outcome_kind kind;
        const char *reason;
};

static struct measure_request request_to(uint16_t port, uint64_t ms)
{
        struct measure_request r = {
                .device = "rxe7",
                .peer = "127.0.0.1",
                .peer_tcp_port = port,
                .deadline_ns = clock_now_ns() + ms * NS_PER_MS,
        };
        plan_defaults(&r.plan, MEASURE_BANDWIDTH, DEVICE_SOFTWARE);
        return r;
}

static void check_measure(const struct measure_request *request, const struct expected *e)
{
        struct engine *engine;
        struct result result;
        result_init(&result);
        assert_int_equal(engine_new("host-a", &engine), 0);
        int r = engine_measure(engine, request, &result);
        check_row(clock_now_ns() < request->deadline_ns + NS_PER_SEC, e->reason);
        check_row((r == 0) == (e->kind == OUTCOME_OK), result.fault.reason);
        check_row(r == result.fault.error, result.fault.reason);
        check_row(strstr(result.fault.reason, e->reason), result.fault.reason);
        assert_string_equal(stage_name(result.stage), stage_name(e->stage));
        assert_string_equal(outcome_kind_name(result.fault.kind), outcome_kind_name(e->kind));
        assert_int_equal(endpoints_open, 0);
        result_done(&result);
        engine_free(engine); /* asserts that the lease is back */
}

static void check_against(struct peer *p, uint64_t ms, const struct expected *e)
{
        peer_start(p);
        struct measure_request request = request_to(p->port, ms);
        check_measure(&request, e);
        peer_end(p);
}

static void all_stages_of_a_good_measurement(void **state)
{
        struct peer p = { .answers = { WELCOME, OPENED, STARTED, REPORT } };
        struct engine *engine;
        struct result result;
        peer_start(&p);
        struct measure_request request = request_to(p.port, 5000);
        request.peer_node = "host-b";
        result_init(&result);
        assert_int_equal(engine_new("host-a", &engine), 0);
        assert_int_equal(engine_measure(engine, &request, &result), 0);
        peer_end(&p);
        assert_int_equal(result.stage, STAGE_DONE);
        assert_string_equal(result.fault.reason, "");
        assert_string_equal(result.device, "rxe7");
        assert_string_equal(result.peer_device, "rxe1"); /* rail 0: iWARP does not count */
        assert_string_equal(result.peer_node, "host-b");
        assert_int_equal(result.port, 1);
        assert_int_equal(result.peer_port, 1);
        assert_int_equal(result.plan.mtu_bytes, 1024);
        assert_int_equal(result.peer_cpu_ns, 7);
        assert_int_equal(result.peer_counters.n, 1);
        assert_int_equal(result.peer_counters.items[0].delta, 68);
        for (enum stage s = STAGE_START; s <= STAGE_DONE; s++)
                check_row(result.stage_ns[s] > 0, stage_name(s));
        result_done(&result);
        engine_free(engine);
}

static void peers_that_fail_at_each_stage(void **state)
{
        static const char *const answers[] = { WELCOME, OPENED, STARTED };
        static const enum stage reached[] = { STAGE_CONNECT, STAGE_DEVICE, STAGE_ADMIT, STAGE_TRAFFIC };
        static const char *const waited_for[] = { "welcome", "opened", "started", "report" };
        static const char *const reasons[] = {
                [HANG_UP] = "broke off while waiting for %s",
                [SILENT] = "s while waiting for %s",
                [GARBAGE] = "talks garbage instead of %s",
                [EMPTY_FRAME] = "talks garbage instead of %s: an empty frame",
        };
        for (size_t n = 0; n <= ARRAY_SIZE(answers); n++)
                for (enum manner manner = HANG_UP; manner <= EMPTY_FRAME; manner++) {
                        struct peer p = { .manner = manner };
                        char reason[128];
                        memcpy(p.answers, answers, n * sizeof(answers[0]));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
                        (void)snprintf(reason, sizeof(reason), reasons[manner], waited_for[n]);
#pragma GCC diagnostic pop
                        struct expected e = { reached[n], OUTCOME_PEER, reason };
                        check_against(&p, 300, &e);
                }
}

static void welcomes_that_do_not_suit(void **state)
{
        static const struct {
                const char *answers[3];
                struct expected expected;
        } rows[] = {
                { { WELCOME_OF("host-c", "1", "write-bandwidth", "4096") },
                        { STAGE_CONNECT, OUTCOME_PEER, "node host-c answers where host-b was expected" } },
                { { WELCOME_OF("host-b", "9", "write-bandwidth", "4096") },
                        { STAGE_CONNECT, OUTCOME_REFUSED,
                                "host-b speaks control protocol 9 to 9, this host speaks 1 to 1" } },
                { { WELCOME_OF("host-b", "1", "read-bandwidth", "4096") },
                        { STAGE_CONNECT, OUTCOME_REFUSED, "does not offer this measurement; upgrade" } },
                { { "{\"type\":\"welcome\",\"version\":1,\"node\":\"host-b\",\"capabilities\":[\"write-"
                    "bandwidth\"],"
                    "\"devices\":[]}" },
                        { STAGE_HELLO, OUTCOME_PEER, "host-b has no rail 0: it offers 0 RDMA devices" } },
                { { REFUSED("refused", "host-b does not know 127.0.0.1") },
                        { STAGE_CONNECT, OUTCOME_REFUSED, "host-b does not know 127.0.0.1" } },
                { { REFUSED("busy", "host-b is busy") }, { STAGE_CONNECT, OUTCOME_BUSY, "host-b is busy" } },
                { { WELCOME, REFUSED("busy", "rxe1 port 1 is taken") },
                        { STAGE_DEVICE, OUTCOME_BUSY, "rxe1 port 1 is taken" } },
                { { WELCOME, REFUSED("local", "rxe1 went away") },
                        { STAGE_DEVICE, OUTCOME_PEER, "rxe1 went away" } },
                { { WELCOME, STARTED }, { STAGE_DEVICE, OUTCOME_PEER, "\"started\" is out of order here" } },
        };
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                struct peer p = { .manner = HANG_UP };
                memcpy(p.answers, rows[i].answers, sizeof(rows[i].answers));
                peer_start(&p);
                struct measure_request request = request_to(p.port, 3000);
                request.peer_node = "host-b";
                check_measure(&request, &rows[i].expected);
                peer_end(&p);
        }
}

static void a_larger_mtu_names_both(void **state)
{
        static const struct expected e = { STAGE_HELLO, OUTCOME_REFUSED,
                "MTU 1024 asked for, but rxe7 here allows 1024 and rxe1 on host-b 512" };
        struct peer p = { .answers = { WELCOME_OF("host-b", "1", "write-bandwidth", "512") } };
        peer_start(&p);
        struct measure_request request = request_to(p.port, 3000);
        request.plan.mtu_bytes = 1024;
        check_measure(&request, &e);
        peer_end(&p);
}

static void traffic_that_the_peer_ends(void **state)
{
        static const struct {
                const char *after_started;
                struct expected expected;
        } rows[] = {
                { NULL, { STAGE_READY, OUTCOME_PEER, "broke off in traffic" } },
                { REFUSED("local", "the time is over"), { STAGE_READY, OUTCOME_PEER, "the time is over" } },
                { REFUSED("traffic", "its queue pair failed"),
                        { STAGE_READY, OUTCOME_TRAFFIC, "its queue pair failed" } },
                { STARTED, { STAGE_READY, OUTCOME_PEER, "talks garbage instead of nothing" } },
        };
        traffic_waits = true;
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                struct peer p = {
                        .answers = { WELCOME, OPENED, STARTED },
                        .unasked = rows[i].after_started,
                        .manner = LEAVE,
                };
                check_against(&p, 3000, &rows[i].expected);
        }
        traffic_waits = false;
}

static void this_host_is_to_blame(void **state)
{
        static const struct expected no_device = { STAGE_START, OUTCOME_LOCAL,
                "this host has no RDMA device rxe9" };
        static const struct expected no_port = { STAGE_START, OUTCOME_LOCAL, "rxe7 has no port 3" };
        static const struct expected bad_plan = { STAGE_START, OUTCOME_LOCAL, "plan refused: retry_count 7" };
        struct measure_request request = request_to(1, 1000);
        request.device = "rxe9";
        check_measure(&request, &no_device);
        request = request_to(1, 1000);
        request.port = 3;
        check_measure(&request, &no_port);
        request = request_to(1, 1000);
        request.plan.retry_count = 7;
        check_measure(&request, &bad_plan);
}

static void nobody_listens(void **state)
{
        static const struct expected e = { STAGE_RESOLVE, OUTCOME_PEER, "127.0.0.1:1: connection refused" };
        struct measure_request request = request_to(1, 1000);
        check_measure(&request, &e);
}

static void late_and_cancelled_ones_do_not_begin(void **state)
{
        static const struct expected late = { STAGE_START, OUTCOME_PEER, "over before stage start" };
        static const struct expected cancelled = { STAGE_START, OUTCOME_CANCELLED,
                "cancelled before stage start" };
        atomic_bool cancel = true;
        struct measure_request request = request_to(1, 0);
        check_measure(&request, &late);
        request = request_to(1, 1000);
        request.cancel = &cancel;
        check_measure(&request, &cancelled);
}

static void *set_later(void *flag)
{
        (void)poll(NULL, 0, 50);
        atomic_store((atomic_bool *)flag, true);
        return NULL;
}

static void a_cancel_ends_a_wait(void **state)
{
        static const struct expected e = { STAGE_CONNECT, OUTCOME_CANCELLED,
                "cancelled while waiting for welcome" };
        struct peer p = { .manner = SILENT };
        atomic_bool cancel = false;
        pthread_t thread;
        peer_start(&p);
        struct measure_request request = request_to(p.port, 10000);
        request.cancel = &cancel;
        uint64_t start = clock_now_ns();
        assert_int_equal(pthread_create(&thread, NULL, set_later, &cancel), 0);
        check_measure(&request, &e);
        assert_true(clock_now_ns() - start < NS_PER_SEC);
        assert_int_equal(pthread_join(thread, NULL), 0);
        peer_end(&p);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(all_stages_of_a_good_measurement),
                cmocka_unit_test(peers_that_fail_at_each_stage),
                cmocka_unit_test(welcomes_that_do_not_suit),
                cmocka_unit_test(a_larger_mtu_names_both),
                cmocka_unit_test(traffic_that_the_peer_ends),
                cmocka_unit_test(this_host_is_to_blame),
                cmocka_unit_test(nobody_listens),
                cmocka_unit_test(late_and_cancelled_ones_do_not_begin),
                cmocka_unit_test(a_cancel_ends_a_wait),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
