/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "engine/channel.h"

/* One end of a pair as a channel, the other in the test's hands. */
struct pair {
        struct channel *channel;
        int other;
        struct buf frame;
        char why[ENGINE_REASON_MAX];
};

static void pair_open(struct pair *p)
{
        int fds[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
        assert_int_equal(channel_adopt(fds[0], "peer", &p->channel), 0);
        p->other = fds[1];
        buf_init(&p->frame);
        p->why[0] = '\0';
}

static void pair_close(struct pair *p)
{
        channel_close(p->channel);
        close_fdp(&p->other);
        buf_done(&p->frame);
}

static struct patience within_ms(uint64_t ms)
{
        return (struct patience){ clock_now_ns() + ms * NS_PER_MS, NULL };
}

static int receive(struct pair *p, uint64_t ms)
{
        struct patience patience = within_ms(ms);
        return channel_receive(p->channel, &p->frame, &patience, p->why);
}

static void put(struct pair *p, const void *data, size_t len)
{
        assert_int_equal(write(p->other, data, len), len);
}

static void takes_one_frame_and_no_more(void **state)
{
        struct pair p;
        pair_open(&p);
        put(&p, "\0\0\0\2ab\0\0\0\1c", 11);
        assert_int_equal(receive(&p, 1000), 0);
        assert_string_equal(buf_cstr(&p.frame), "ab");
        char rest[16];
        assert_int_equal(recv(channel_fd(p.channel), rest, sizeof(rest), MSG_PEEK), 5);
        assert_int_equal(receive(&p, 1000), 0);
        assert_string_equal(buf_cstr(&p.frame), "c");
        pair_close(&p);
}

static void *drip(void *argument)
{
        static const char frame[] = "\0\0\0\4drip";
        int fd = *(int *)argument;
        for (size_t i = 0; i < 8; i++) {
                (void)poll(NULL, 0, 20);
                if (send(fd, frame + i, 1, MSG_NOSIGNAL) != 1)
                        break;
        }
        return NULL;
}

static int receive_drip(uint64_t ms)
{
        struct pair p;
        pthread_t thread;
        pair_open(&p);
        assert_int_equal(pthread_create(&thread, NULL, drip, &p.other), 0);
        int r = receive(&p, ms);
        assert_int_equal(pthread_join(thread, NULL), 0);
        pair_close(&p);
        return r;
}

static void split_frames_are_put_together(void **state)
{
        assert_int_equal(receive_drip(5000), 0);
}

static void dripping_buys_no_time(void **state)
{
        uint64_t start = clock_now_ns();
        assert_int_equal(receive_drip(60), -ETIMEDOUT);
        assert_true(clock_now_ns() - start < NS_PER_SEC);
}

static void bad_frames_are_refused(void **state)
{
        struct pair p;
        pair_open(&p);
        put(&p, "\0\0\0\0", 4);
        assert_int_equal(receive(&p, 1000), -EPROTO);
        assert_string_equal(p.why, "an empty frame");
        put(&p, "GET / HTTP/1.1\r\n", 16);
        assert_int_equal(receive(&p, 1000), -EPROTO);
        assert_non_null(strstr(p.why, "at most 65536"));
        pair_close(&p);
}

static void hang_ups_and_silence_are_told_apart(void **state)
{
        struct pair p;
        pair_open(&p);
        assert_int_equal(receive(&p, 20), -ETIMEDOUT);
        put(&p, "\0\0\0\4half", 6);
        assert_int_equal(receive(&p, 20), -ETIMEDOUT);
        close_fdp(&p.other);
        p.other = -1;
        assert_int_equal(receive(&p, 1000), -EPIPE);
        struct patience patience = within_ms(1000);
        assert_int_equal(channel_send(p.channel, "x", 1, &patience), -EPIPE); /* and no SIGPIPE */
        pair_close(&p);
}

static void a_full_socket_ends_by_the_deadline(void **state)
{
        static char data[60000];
        struct pair p;
        pair_open(&p);
        uint64_t start = clock_now_ns();
        struct patience patience = within_ms(100);
        int r = 0;
        for (int i = 0; i < 1000 && r == 0; i++)
                r = channel_send(p.channel, data, sizeof(data), &patience);
        assert_int_equal(r, -ETIMEDOUT);
        assert_true(clock_now_ns() - start < NS_PER_SEC);
        pair_close(&p);
}

static void *set_later(void *flag)
{
        (void)poll(NULL, 0, 50);
        atomic_store((atomic_bool *)flag, true);
        return NULL;
}

static void cancel_ends_a_wait(void **state)
{
        struct pair p;
        pthread_t thread;
        atomic_bool cancel = false;
        pair_open(&p);
        struct patience patience = within_ms(10000);
        patience.cancel = &cancel;
        uint64_t start = clock_now_ns();
        assert_int_equal(pthread_create(&thread, NULL, set_later, &cancel), 0);
        assert_int_equal(channel_receive(p.channel, &p.frame, &patience, p.why), -ECANCELED);
        assert_true(clock_now_ns() - start < NS_PER_SEC);
        assert_int_equal(pthread_join(thread, NULL), 0);
        pair_close(&p);
}

/* ---- TCP -------------------------------------------------------------------------------------------- */

static int listen_on_loopback(uint16_t *port)
{
        struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
        socklen_t len = sizeof(a);
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_true(fd >= 0);
        assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
        assert_int_equal(listen(fd, 4), 0);
        assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
        *port = ntohs(a.sin_port);
        return fd;
}

static int connect_to(const char *host, uint16_t port, uint64_t ms, struct channel **ret, struct fault *fault)
{
        struct resolver *resolver;
        struct addrinfo *addresses = NULL;
        struct patience patience = within_ms(ms);
        assert_int_equal(resolver_new(&resolver), 0);
        int r = resolver_lookup(resolver, host, port, &patience, &addresses, fault);
        if (r == 0)
                r = channel_connect(host, addresses, &patience, ret, fault);
        addrinfo_freep(&addresses);
        resolver_free(resolver);
        return r;
}

static void connects_by_address_and_by_name(void **state)
{
        static const char *const hosts[] = { "127.0.0.1", "localhost" };
        uint16_t port = 0;
        int listener = listen_on_loopback(&port);
        for (size_t i = 0; i < ARRAY_SIZE(hosts); i++) {
                struct channel *c = NULL;
                struct fault fault = { 0 };
                char expected[64];
                assert_int_equal(connect_to(hosts[i], port, 5000, &c, &fault), 0);
                (void)snprintf(expected, sizeof(expected),
                        i == 0 ? "127.0.0.1:%u" : "localhost (127.0.0.1:%u)", port);
                assert_string_equal(channel_name(c), expected);
                channel_close(c);
        }
        close_fdp(&listener);
}

static void refused_connections_say_what_to_look_at(void **state)
{
        uint16_t port = 0;
        int listener = listen_on_loopback(&port);
        char expected[128];
        struct channel *c;
        struct fault fault = { 0 };
        close_fdp(&listener);
        assert_int_equal(connect_to("127.0.0.1", port, 5000, &c, &fault), -ECONNREFUSED);
        (void)snprintf(expected, sizeof(expected),
                "127.0.0.1:%u: connection refused; is rdma-canaryd running there?", port);
        assert_string_equal(fault.reason, expected);
        assert_int_equal(fault.kind, OUTCOME_PEER);
}

/* A listener whose queue is full drops what comes: as a host behind a firewall does. */
static void silent_hosts_cost_the_deadline_and_no_more(void **state)
{
        uint16_t port = 0;
        int listener = listen_on_loopback(&port), fill[16];
        struct sockaddr_in a = {
                .sin_family = AF_INET,
                .sin_port = htons(port),
                .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
        };
        for (size_t i = 0; i < ARRAY_SIZE(fill); i++) {
                fill[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
                (void)connect(fill[i], (struct sockaddr *)&a, sizeof(a));
        }
        struct channel *c;
        struct fault fault = { 0 };
        uint64_t start = clock_now_ns();
        assert_int_equal(connect_to("127.0.0.1", port, 300, &c, &fault), -ETIMEDOUT);
        assert_true(clock_now_ns() - start < NS_PER_SEC);
        assert_non_null(strstr(fault.reason, "no answer within 0.3 s"));
        for (size_t i = 0; i < ARRAY_SIZE(fill); i++)
                close_fdp(&fill[i]);
        close_fdp(&listener);
}

static void unknown_names_are_a_finding(void **state)
{
        struct channel *c;
        struct fault fault = { 0 };
        uint64_t start = clock_now_ns();
        assert_true(connect_to("no-such-host.invalid", 1, 500, &c, &fault) < 0);
        assert_int_equal(fault.kind, OUTCOME_PEER);
        assert_non_null(strstr(fault.reason, "no-such-host.invalid"));
        assert_true(clock_now_ns() - start < 1500 * NS_PER_MS);
}

static void addresses_are_written_as_people_do(void **state)
{
        static const struct {
                const char *six, *text;
        } rows[] = {
                { "::ffff:198.51.100.2", "198.51.100.2" },
                { "2001:db8::2", "2001:db8::2" },
                { "::1", "::1" },
        };
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                struct sockaddr_in6 a = { .sin6_family = AF_INET6 };
                char text[SOCKET_ADDRESS_TEXT_MAX];
                assert_int_equal(inet_pton(AF_INET6, rows[i].six, &a.sin6_addr), 1);
                socket_address_format((struct sockaddr *)&a, text, sizeof(text));
                assert_string_equal(text, rows[i].text);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(takes_one_frame_and_no_more),
                cmocka_unit_test(split_frames_are_put_together),
                cmocka_unit_test(dripping_buys_no_time),
                cmocka_unit_test(bad_frames_are_refused),
                cmocka_unit_test(hang_ups_and_silence_are_told_apart),
                cmocka_unit_test(a_full_socket_ends_by_the_deadline),
                cmocka_unit_test(cancel_ends_a_wait),
                cmocka_unit_test(connects_by_address_and_by_name),
                cmocka_unit_test(refused_connections_say_what_to_look_at),
                cmocka_unit_test(silent_hosts_cost_the_deadline_and_no_more),
                cmocka_unit_test(unknown_names_are_a_finding),
                cmocka_unit_test(addresses_are_written_as_people_do),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
