/* SPDX-License-Identifier: Apache-2.0 */
/* A real responder on the loopback, with clients that mean harm. Nothing of verbs may be touched by them: the
 * linker puts functions of this file in the place of the data path's. */
#include "tests/unit/engine/control.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>

#include "engine/endpoint.h"

static atomic_int endpoints_opened, devices_listed;

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's --wrap wants these names */
int __wrap_device_list(struct device_facts **ret, size_t *ret_n);
int __wrap_endpoint_open(struct reapers *reapers, const char *device, uint8_t port,
        const struct rdma_address *address, const struct plan *plan, struct endpoint **ret,
        struct fault *fault);
/* NOLINTEND(bugprone-reserved-identifier) */

int __wrap_device_list(struct device_facts **ret, size_t *ret_n)
{
        atomic_fetch_add(&devices_listed, 1);
        *ret = malloc(sizeof(**ret));
        if (!*ret)
                return -ENOMEM;
        **ret = fake_device();
        *ret_n = 1;
        return 0;
}

/* As a device does that fails to open. */
int __wrap_endpoint_open(struct reapers *reapers, const char *device, uint8_t port,
        const struct rdma_address *address, const struct plan *plan, struct endpoint **ret,
        struct fault *fault)
{
        atomic_fetch_add(&endpoints_opened, 1);
        *fault = (struct fault){ OUTCOME_LOCAL, -ENODEV, "rxe7 went away" };
        return -ENODEV;
}

struct house {
        struct engine *engine;
        struct responder *responder;
};

static int open_house(void **state)
{
        static struct house h;
        struct responder_options o = { .listen_host = "", .max_session_ns = 2 * NS_PER_SEC };
        char why[ENGINE_REASON_MAX];
        endpoints_opened = devices_listed = 0;
        assert_int_equal(engine_new("host-b", &h.engine), 0);
        assert_int_equal(responder_new(h.engine, &o, &h.responder, why), 0);
        *state = &h;
        return 0;
}

static int close_house(void **state)
{
        struct house *h = *state;
        uint64_t start = clock_now_ns();
        responder_free(h->responder);
        assert_true(clock_now_ns() - start < 1500 * NS_PER_MS);
        engine_free(h->engine);
        return 0;
}

static int visit_at(const struct house *h, const char *address)
{
        struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(responder_port(h->responder)) };
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_int_equal(inet_pton(AF_INET, address, &a.sin_addr), 1);
        assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
        return fd;
}

static int visit(const struct house *h)
{
        return visit_at(h, "127.0.0.1");
}

static struct responder_stats stats(const struct house *h)
{
        struct responder_stats s;
        responder_stats_get(h->responder, &s);
        return s;
}

static void wait_empty(const struct house *h)
{
        for (int i = 0; i < 200 && stats(h).sessions > 0; i++)
                (void)poll(NULL, 0, 10);
        assert_int_equal(stats(h).sessions, 0);
}

/* Whoever behaves is served. */
static void check_serves(const struct house *h)
{
        int fd = visit(h);
        frame_send(fd, HELLO_V1);
        const char *answer = frame_receive(fd, 2000);
        assert_non_null(strstr(answer, "\"type\":\"welcome\",\"version\":1,\"node\":\"host-b\""));
        assert_non_null(strstr(answer, "\"name\":\"rxe7\""));
        close_fdp(&fd);
        wait_empty(h);
}

static void well_behaved_clients_are_welcome(void **state)
{
        check_serves(*state);
        assert_int_equal(stats(*state).connections_total, 1);
        assert_int_equal(stats(*state).sessions_total, 1);
        assert_int_equal(stats(*state).malformed_total, 0);
}

static void garbage_is_answered_counted_and_forgotten(void **state)
{
        static const char *const words[] = { "GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00",
                "SSH-2.0-x\r\n" };
        struct house *h = *state;
        for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
                int fd = visit(h);
                assert_true(send(fd, words[i], 7, MSG_NOSIGNAL) == 7);
                const char *answer = frame_receive(fd, 2000);
                check_row(strstr(answer, "\"kind\":\"refused\""), answer);
                check_row(strstr(answer, "garbage instead of hello"), answer);
                check_row(hangs_up(fd, 2000), words[i]);
                close_fdp(&fd);
        }
        wait_empty(h);
        assert_int_equal(stats(h).malformed_total, ARRAY_SIZE(words));
        assert_int_equal(devices_listed, 0);
        check_serves(h);
}

static void malformed_hellos_name_the_field(void **state)
{
        struct house *h = *state;
        int fd = visit(h);
        frame_send(fd, "{\"type\":\"hello\",\"magic\":\"rdma-canary\",\"version_min\":1,\"node\":\"x\"}");
        assert_non_null(strstr(frame_receive(fd, 2000), "version_max"));
        close_fdp(&fd);
        wait_empty(h);
        assert_int_equal(stats(h).malformed_total, 1);
}

static void a_port_scan_leaves_nothing(void **state)
{
        struct house *h = *state;
        for (int i = 0; i < 100; i++) {
                int fd = visit(h);
                close_fdp(&fd);
        }
        for (int i = 0; i < 200 && stats(h).connections_total < 100; i++)
                (void)poll(NULL, 0, 10);
        wait_empty(h);
        assert_int_equal(devices_listed, 0);
        assert_int_equal(stats(h).malformed_total, 0);
        check_serves(h);
}

static void a_full_house_says_busy(void **state)
{
        struct house *h = *state;
        int guests[RESPONDER_SESSIONS];
        for (size_t i = 0; i < ARRAY_SIZE(guests); i++)
                guests[i] = visit(h);
        for (int i = 0; i < 200 && stats(h).sessions < RESPONDER_SESSIONS; i++)
                (void)poll(NULL, 0, 10);
        int fd = visit(h);
        const char *answer = frame_receive(fd, 2000);
        assert_non_null(strstr(answer, "\"kind\":\"busy\""));
        assert_non_null(strstr(answer, "host-b is busy: all 4 sessions are taken"));
        assert_true(hangs_up(fd, 2000));
        close_fdp(&fd);
        for (size_t i = 0; i < ARRAY_SIZE(guests); i++)
                close_fdp(&guests[i]);
        wait_empty(h);
        check_serves(h);
}

/* Five seconds for the hello in all, also for who drips it. */
static void silence_and_dripping_end(void **state)
{
        struct house *h = *state;
        static const char frame[] = "\0\0\0\200{{{{{{{{{{{{{{";
        int silent = visit(h), dripping = visit(h);
        uint64_t start = clock_now_ns();
        bool both = false;
        for (int i = 0; i < 80 && !both; i++) {
                (void)!send(dripping, &frame[i < 17 ? i : 17], 1, MSG_NOSIGNAL);
                both = hangs_up(dripping, 100);
        }
        assert_true(both);
        assert_true(hangs_up(silent, 1000));
        uint64_t spent = clock_now_ns() - start;
        assert_in_range(spent, 4 * NS_PER_SEC, 7 * NS_PER_SEC);
        close_fdp(&silent);
        close_fdp(&dripping);
        wait_empty(h);
}

static void other_versions_are_told_what_to_upgrade(void **state)
{
        struct house *h = *state;
        int fd = visit(h);
        frame_send(fd, "{\"type\":\"hello\",\"magic\":\"rdma-canary\",\"version_min\":8,\"version_max\":9,"
                       "\"node\":\"host-a\"}");
        assert_non_null(strstr(frame_receive(fd, 2000),
                "host-a speaks control protocol 8 to 9, host-b speaks 1 to 1: "
                "upgrade rdma-canary on host-b"));
        close_fdp(&fd);
        wait_empty(h);
        assert_int_equal(stats(h).refused_total, 1);
        assert_int_equal(devices_listed, 0);
}

/* An address of this host that is not the loopback: who connects to it comes from it. False: there is none.
 */
static bool own_address(char *dst)
{
        struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(9) }, own;
        socklen_t len = sizeof(own);
        int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        bool found = inet_pton(AF_INET, "198.51.100.1", &a.sin_addr) == 1 &&
                     connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0 &&
                     getsockname(fd, (struct sockaddr *)&own, &len) == 0 &&
                     inet_ntop(AF_INET, &own.sin_addr, dst, INET_ADDRSTRLEN) && !text_starts(dst, "127.");
        close_fdp(&fd);
        return found;
}

static void strangers_are_turned_away_until_configured(void **state)
{
        struct house *h = *state;
        char address[INET_ADDRSTRLEN], mapped[64];
        if (!own_address(address))
                skip();
        int fd = visit_at(h, address);
        const char *answer = frame_receive(fd, 2000);
        assert_non_null(strstr(answer, "host-b does not know "));
        assert_non_null(strstr(answer, address));
        assert_true(hangs_up(fd, 2000));
        close_fdp(&fd);
        assert_int_equal(stats(h).sessions_total, 0);
        assert_int_equal(stats(h).refused_total, 1);

        (void)snprintf(mapped, sizeof(mapped), "::ffff:%s", address);
        const char *const peers[] = { "not an address", mapped };
        assert_int_equal(responder_set_peers(h->responder, peers, 2), 0);
        fd = visit_at(h, address);
        frame_send(fd, HELLO_V1);
        assert_non_null(strstr(frame_receive(fd, 2000), "welcome"));
        close_fdp(&fd);
        assert_int_equal(responder_set_peers(h->responder, NULL, 0), 0);
        fd = visit_at(h, address);
        assert_non_null(strstr(frame_receive(fd, 2000), "does not know"));
        close_fdp(&fd);
        wait_empty(h);
}

#define PLAN(message_bytes, queue_pairs, mtu, budget_ns, retry)                                              \
        "\"plan\":{\"measure\":\"bandwidth\",\"operation\":\"write\",\"transport\":\"rc\",\"message_"        \
        "bytes\":" message_bytes ",\"queue_pairs\":" queue_pairs                                             \
        ",\"depth\":16,\"post_list\":4,\"signal_interval\":2,\"mtu_bytes\":" mtu ",\"budget_ns\":" budget_ns \
        ",\"timeout\":14,\"retry_count\":" retry "}"
#define OPEN(plan, device, port, gid)                                                                        \
        "{\"type\":\"open\"," plan ",\"device\":\"" device "\",\"port\":" port                               \
        ",\"address\":{\"gid\":\"" gid "\",\"type\":\"roce-v2\"},\"client_device\":\"rxe0\",\"client_"       \
        "port\":1,\"client_class\":\"software\","                                                            \
        "\"remaining_ms\":1000,\"endpoint\":{\"address\":{\"gid\":\"::ffff:198.51.100.1\",\"type\":\"roce-"  \
        "v2\"},"                                                                                             \
        "\"mtu_bytes\":1024,\"remote_addr\":\"0x1000\",\"remote_key\":1,\"bytes\":65536,"                    \
        "\"queue_pairs\":[{\"number\":17,\"psn\":1}]}}"
#define GOOD_PLAN PLAN("65536", "1", "1024", "1000000", "6")
#define GOOD_GID  "::ffff:198.51.100.7"

static void anyone_may_come_where_it_says_so(void **state)
{
        struct house *h = *state;
        struct responder_options o = { .listen_host = "", .anyone = true };
        struct responder *own = h->responder, *open;
        char address[INET_ADDRSTRLEN], why[ENGINE_REASON_MAX];
        if (!own_address(address))
                skip();
        assert_int_equal(responder_new(h->engine, &o, &open, why), 0);
        h->responder = open;
        uint64_t begun = stats(h).last_activity_ns;
        assert_true(begun > 0 && begun <= clock_now_ns());
        int fd = visit_at(h, address);
        frame_send(fd, HELLO_V1);
        assert_non_null(strstr(frame_receive(fd, 2000), "welcome"));
        close_fdp(&fd);
        wait_empty(h);
        assert_true(stats(h).last_activity_ns > begun);
        responder_free(open);
        h->responder = own;
}

#define HELLO_OPERATOR                                                                                       \
        "{\"type\":\"hello\",\"magic\":\"rdma-canary\",\"version_min\":1,\"version_max\":1,"                 \
        "\"node\":\"host-a\",\"role\":\"operator\"}"

/* What a probe is limited to does not bind an operator; the next check refuses these. */
static void an_operator_may_ask_for_more(void **state)
{
        static const char *const opens[] = {
                OPEN(PLAN("65536", "17", "1024", "1000000", "6"), "rxe9", "1", GOOD_GID),
                OPEN(PLAN("67108865", "1", "1024", "1000000", "6"), "rxe9", "1", GOOD_GID),
                OPEN(PLAN("65536", "1", "1024", "3000000000", "6"), "rxe9", "1", GOOD_GID),
        };
        struct house *h = *state;
        for (size_t i = 0; i < ARRAY_SIZE(opens); i++) {
                int fd = visit(h);
                frame_send(fd, HELLO_OPERATOR);
                assert_non_null(strstr(frame_receive(fd, 2000), "welcome"));
                frame_send(fd, opens[i]);
                const char *answer = frame_receive(fd, 2000);
                check_row(strstr(answer, "planned") || strstr(answer, "no port 1"), answer);
                close_fdp(&fd);
                wait_empty(h);
        }
}

static void opens_are_checked_before_verbs(void **state)
{
        static const struct {
                const char *open, *reason;
        } rows[] = {
                { OPEN(PLAN("65536", "1", "1024", "1000000", "7"), "rxe7", "1", GOOD_GID), "retry_count 7" },
                { OPEN(PLAN("65536", "17", "1024", "1000000", "6"), "rxe7", "1", GOOD_GID),
                        "host-b allows 16 queue pairs for a measurement, not 17" },
                { OPEN(PLAN("65536", "2", "1024", "1000000", "6"), "rxe7", "1", GOOD_GID),
                        "1 queue pairs described, 2 planned" },
                { OPEN(PLAN("67108865", "1", "1024", "1000000", "6"), "rxe7", "1", GOOD_GID),
                        "host-b allows 67108864 bytes of pinned memory" },
                { OPEN(PLAN("65536", "1", "1024", "3000000000", "6"), "rxe7", "1", GOOD_GID),
                        "host-b allows 2.0 s for a measurement, not 3.0 s" },
                { OPEN(PLAN("65536", "1", "4096", "1000000", "6"), "rxe7", "1", GOOD_GID),
                        "MTU 4096 asked for, but rxe7 port 1 on host-b allows 1024" },
                { OPEN(GOOD_PLAN, "rxe9", "1", GOOD_GID), "host-b has no port 1 of an RDMA device rxe9" },
                { OPEN(GOOD_PLAN, "rxe7", "2", GOOD_GID), "host-b has no port 2 of an RDMA device rxe7" },
                { OPEN(GOOD_PLAN, "rxe7", "1", "::ffff:198.51.100.8"),
                        "rxe7 port 1 does not have the address 198.51.100.8" },
                { HELLO_V1, "\\\"hello\\\" is out of order here" },
        };
        struct house *h = *state;
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                int fd = visit(h);
                frame_send(fd, HELLO_V1);
                assert_non_null(strstr(frame_receive(fd, 2000), "welcome"));
                frame_send(fd, rows[i].open);
                const char *answer = frame_receive(fd, 2000);
                check_row(strstr(answer, "\"kind\":\"refused\""), answer);
                check_row(strstr(answer, rows[i].reason), answer);
                check_row(hangs_up(fd, 2000), rows[i].reason);
                close_fdp(&fd);
                wait_empty(h);
        }
        assert_int_equal(endpoints_opened, 0);
}

static void a_device_that_fails_is_no_refusal(void **state)
{
        struct house *h = *state;
        int fd = visit(h);
        frame_send(fd, HELLO_V1);
        assert_non_null(strstr(frame_receive(fd, 2000), "welcome"));
        frame_send(fd, OPEN(GOOD_PLAN, "rxe7", "1", GOOD_GID));
        const char *answer = frame_receive(fd, 2000);
        assert_non_null(strstr(answer, "\"kind\":\"local\""));
        assert_non_null(strstr(answer, "rxe7 went away"));
        close_fdp(&fd);
        wait_empty(h);
        assert_int_equal(endpoints_opened, 1);
        check_serves(h);
}

/* close_house() asserts that it does not wait for them. */
static void freeing_ends_sessions_under_way(void **state)
{
        struct house *h = *state;
        int silent = visit(h), greeted = visit(h);
        frame_send(greeted, HELLO_V1);
        assert_non_null(strstr(frame_receive(greeted, 2000), "welcome"));
        uint64_t start = clock_now_ns();
        responder_free(h->responder);
        assert_true(clock_now_ns() - start < NS_PER_SEC);
        h->responder = NULL;
        assert_true(hangs_up(silent, 1000));
        assert_true(hangs_up(greeted, 1000));
        close_fdp(&silent);
        close_fdp(&greeted);
}

static void a_taken_port_is_reported(void **state)
{
        struct house *h = *state;
        struct responder_options o = { .port = responder_port(h->responder) };
        struct responder *second;
        char why[ENGINE_REASON_MAX];
        int r = responder_new(h->engine, &o, &second, why);
        if (r == 0)
                responder_free(second);
        assert_int_equal(r, -EADDRINUSE);
        assert_non_null(strstr(why, "Address already in use"));
        o = (struct responder_options){ .listen_host = "no-such-host.invalid" };
        assert_true(responder_new(h->engine, &o, &second, why) < 0);
        assert_non_null(strstr(why, "no-such-host.invalid"));
}

#define HOUSE(test) cmocka_unit_test_setup_teardown(test, open_house, close_house)

int main(void)
{
        const struct CMUnitTest tests[] = {
                HOUSE(well_behaved_clients_are_welcome),
                HOUSE(garbage_is_answered_counted_and_forgotten),
                HOUSE(malformed_hellos_name_the_field),
                HOUSE(a_port_scan_leaves_nothing),
                HOUSE(a_full_house_says_busy),
                HOUSE(silence_and_dripping_end),
                HOUSE(other_versions_are_told_what_to_upgrade),
                HOUSE(strangers_are_turned_away_until_configured),
                HOUSE(anyone_may_come_where_it_says_so),
                HOUSE(opens_are_checked_before_verbs),
                HOUSE(an_operator_may_ask_for_more),
                HOUSE(a_device_that_fails_is_no_refusal),
                HOUSE(freeing_ends_sessions_under_way),
                HOUSE(a_taken_port_is_reported),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
