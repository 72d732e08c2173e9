/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <zlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "daemon/http.h"
#include "daemon/http_clients.h"
#include "daemon/http_listen.h"
#include "daemon/http_page.h"
#include "daemon/http_route.h"
#include "tests/unit/daemon/fake_source.h"

#define PATIENCE_NS (10 * NS_PER_SEC)

/* ---- a real server, with a thread for what the daemon's main loop does ----------------------------- */

struct fixture {
        struct slots *slots;
        struct collectors *pool;
        struct fake_source fakes[2];
        struct http *http;
        atomic_bool stop, ready;
        atomic_uint reloads;
        pthread_t main_loop;
};

static struct batch *own_batch(void *context)
{
        struct batch *b = batch_new();

        if (b)
                batch_add_u64(b, &fake_family, LABELS("own"), 7);
        return b;
}

static bool is_ready(void *context)
{
        struct fixture *f = context;

        return atomic_load(&f->ready);
}

static void ask_reload(void *context)
{
        struct fixture *f = context;

        (void)atomic_fetch_add(&f->reloads, 1);
}

static void write_status(void *context, struct buf *html)
{
        buf_text(html, "<p>all is well</p>\n");
}

static void *run_main_loop(void *context)
{
        struct fixture *f = context;

        while (!atomic_load(&f->stop)) {
                collectors_expire(f->pool);
                http_tick(f->http);
                (void)usleep(5000);
        }
        return NULL;
}

static const char *const one_address[] = { "127.0.0.1:0" };
static const struct http_options usual = {
        .listen_addresses = one_address,
        .n_listen_addresses = 1,
        .listen_fd = -1,
        .telemetry_path = "/metrics",
        .scrape_timeout_ns = PATIENCE_NS,
        .request_timeout_ns = PATIENCE_NS,
        .per_address_limit = 32,
        .connection_limit = 256,
        .allow_reload = true,
};

static void setup(struct fixture *f, const struct http_options *o)
{
        const struct http_callbacks callbacks = {
                .context = f,
                .service_batch = own_batch,
                .ready = is_ready,
                .reload = ask_reload,
                .status_page = write_status,
        };
        static const char *const names[] = { "a", "b" };
        char why[200] = "";

        *f = (struct fixture){ .ready = true };
        assert_int_equal(slots_new(&f->slots), 0);
        assert_int_equal(collectors_new(&clock_system, f->slots, &f->pool), 0);
        for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
                struct collector *source = NULL;

                fake_init(&f->fakes[i], names[i]);
                assert_int_equal(collector_add(f->pool, &fake_class, names[i], &f->fakes[i], &source), 0);
        }
        if (http_new(o, &callbacks, f->slots, f->pool, &f->http, why, sizeof(why)) < 0)
                fail_msg("%s", why);
        assert_true(http_port(f->http) > 0);
        assert_int_equal(pthread_create(&f->main_loop, NULL, run_main_loop, f), 0);
}

static void stop_main_loop(struct fixture *f)
{
        atomic_store(&f->stop, true);
        assert_int_equal(pthread_join(f->main_loop, NULL), 0);
}

static void stop_pool(struct fixture *f)
{
        collectors_free(f->pool, clock_now_ns() + PATIENCE_NS);
        slots_free(f->slots);
        for (size_t i = 0; i < ARRAY_SIZE(f->fakes); i++)
                fake_done(&f->fakes[i]);
}

static void teardown(struct fixture *f)
{
        stop_main_loop(f);
        http_free(f->http);
        stop_pool(f);
}

static struct http_stats stats_of(struct fixture *f)
{
        struct http_stats s;

        http_stats_get(f->http, &s);
        return s;
}

/* ---- a client ------------------------------------------------------------------------------------- */

static int connect_to(uint16_t port)
{
        const struct sockaddr_in to = {
                .sin_family = AF_INET,
                .sin_port = htons(port),
                .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
        };
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

        assert_true(fd >= 0);
        if (connect(fd, (const struct sockaddr *)&to, sizeof(to)) < 0)
                fail_msg("connect: %s", strerror(errno));
        return fd;
}

static int client(struct fixture *f)
{
        return connect_to(http_port(f->http));
}

static bool try_say(int fd, const char *text)
{
        return send(fd, text, strlen(text), MSG_NOSIGNAL) == (ssize_t)strlen(text);
}

static void say(int fd, const char *text)
{
        assert_true(try_say(fd, text));
}

static void get(int fd, const char *path)
{
        char request[200];

        text_message(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path);
        say(fd, request);
}

/* Some more of what the server sends. False at the end of the connection. */
static bool hear_more(int fd, struct buf *in)
{
        struct pollfd p = { .fd = fd, .events = POLLIN };
        char chunk[4096];
        ssize_t n;

        if (poll(&p, 1, (int)(PATIENCE_NS / NS_PER_MS)) != 1)
                fail_msg("the server is silent");
        n = recv(fd, chunk, sizeof(chunk), 0);
        if (n > 0)
                buf_bytes(in, chunk, (size_t)n);
        return n > 0;
}

static size_t body_length(const char *head)
{
        const char *field = strcasestr(head, "\r\nContent-Length: ");

        assert_non_null(field);
        return strtoul(field + strlen("\r\nContent-Length: "), NULL, 10);
}

/* One whole answer, leaving in `in` what follows it. The status; the answer is NUL-terminated in `text`. */
static unsigned hear(int fd, struct buf *in, bool with_body, char *text, size_t size)
{
        const char *end;
        size_t len;

        while (!(end = in->len ? strstr(in->data, "\r\n\r\n") : NULL))
                assert_true(hear_more(fd, in));
        len = (size_t)(end + 4 - in->data);
        if (with_body)
                len += body_length(in->data);
        while (in->len < len)
                assert_true(hear_more(fd, in));
        assert_true(len < size);
        memcpy(text, in->data, len);
        text[len] = '\0';
        memmove(in->data, in->data + len, in->len - len + 1);
        in->len -= len;
        assert_true(text_starts(text, "HTTP/1.1 "));
        return (unsigned)strtoul(text + strlen("HTTP/1.1 "), NULL, 10);
}

static bool is_closed(int fd)
{
        struct buf in = { 0 };

        while (hear_more(fd, &in))
                ;
        buf_done(&in);
        return true;
}

/* Sends one request on a connection of its own. */
static unsigned ask(struct fixture *f, const char *request, char *text, size_t size)
{
        bool with_body = !text_starts(request, "HEAD");
        struct buf in = { 0 };
        int fd = client(f);
        unsigned status;

        say(fd, request);
        status = hear(fd, &in, with_body, text, size);
        buf_done(&in);
        (void)close(fd);
        return status;
}

static void block(struct fixture *f)
{
        atomic_store(&f->fakes[0].blocking, true);
}

/* ---- pages ---------------------------------------------------------------------------------------- */

static void metrics_are_read_when_asked_for(void **state)
{
        struct fixture f;
        char text[8192];

        setup(&f, &usual);
        assert_int_equal(ask(&f, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 200);
        assert_non_null(strstr(text, "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
        assert_non_null(strstr(text, "rdma_canary_fake_value{name=\"a\"} 1\n"));
        assert_non_null(strstr(text, "rdma_canary_fake_value{name=\"b\"} 1\n"));
        assert_non_null(strstr(text, "rdma_canary_fake_value{name=\"own\"} 7\n"));
        assert_int_equal(ask(&f, "GET /metrics?x=y HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 200);
        assert_non_null(strstr(text, "rdma_canary_fake_value{name=\"a\"} 2\n"));
        assert_int_equal(stats_of(&f).scrapes_total, 2);
        assert_int_equal(stats_of(&f).scrapes_late_total, 0);
        assert_int_equal(stats_of(&f).requests_total[2], 2);
        teardown(&f);
}

/* Fails for what is not a whole gzip text. */
static char *inflated(const char *body, size_t len)
{
        z_stream z = { .next_in = (Bytef *)(uintptr_t)body, .avail_in = (uInt)len };
        char *text = calloc(1, 65536);

        assert_non_null(text);
        assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
        z.next_out = (Bytef *)text;
        z.avail_out = 65535;
        assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
        assert_int_equal(z.avail_in, 0);
        (void)inflateEnd(&z);
        return text;
}

static void pages_are_compressed_for_who_takes_that(void **state)
{
        struct buf in = { 0 };
        struct fixture f;
        const char *body;
        char *text;
        int fd;

        setup(&f, &usual);
        fd = client(&f);
        for (unsigned i = 1; i <= 3; i++) {
                char expected[100];
                size_t len;

                say(fd, "GET /metrics HTTP/1.1\r\nHost: x\r\nAccept-Encoding: deflate, gzip\r\n\r\n");
                while (!(body = in.len ? strstr(in.data, "\r\n\r\n") : NULL))
                        assert_true(hear_more(fd, &in));
                len = body_length(in.data);
                assert_non_null(strcasestr(in.data, "\r\nContent-Encoding: gzip\r\n"));
                assert_non_null(strstr(in.data, "\r\nVary: Accept-Encoding, Accept\r\n"));
                while (in.len < (size_t)(body + 4 - in.data) + len) {
                        size_t at = (size_t)(body - in.data);

                        assert_true(hear_more(fd, &in));
                        body = in.data + at;
                }
                text = inflated(body + 4, len);
                text_message(expected, sizeof(expected), "rdma_canary_fake_value{name=\"a\"} %u\n", i);
                assert_non_null(strstr(text, expected));
                free(text);
                buf_clear(&in);
        }
        (void)close(fd);
        buf_done(&in);
        teardown(&f);
}

static void openmetrics_is_served_to_who_asks_for_it(void **state)
{
        struct fixture f;
        char text[8192];

        setup(&f, &usual);
        assert_int_equal(ask(&f,
                                 "GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: "
                                 "application/openmetrics-text;version=1.0.0,text/plain;q=0.5\r\n\r\n",
                                 text, sizeof(text)),
                200);
        assert_non_null(
                strstr(text, "Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n"));
        assert_non_null(strstr(text, "\r\nVary: Accept-Encoding, Accept\r\n"));
        assert_null(strcasestr(text, "Content-Encoding"));
        assert_string_equal(text + strlen(text) - strlen("\n# EOF\n"), "\n# EOF\n");
        teardown(&f);
}

static void scrapes_at_once_are_limited(void **state)
{
        struct http_options o = usual;
        struct buf in = { 0 };
        struct fixture f;
        char text[8192];
        int first;

        o.max_requests = 1;
        setup(&f, &o);
        block(&f);
        first = client(&f);
        get(first, "/metrics");
        wait_until(atomic_load(&f.fakes[0].running) == 1);
        assert_int_equal(ask(&f, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 503);
        assert_non_null(strstr(text,
                "\r\n\r\n1 scrape is being served, the limit set by --web.max-requests; try again later\n"));
        assert_int_equal(ask(&f, "GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 200);
        assert_int_equal(stats_of(&f).scrapes_refused_total, 1);
        fake_open(&f.fakes[0]);
        assert_int_equal(hear(first, &in, true, text, sizeof(text)), 200);
        (void)close(first);
        for (unsigned i = 0; i < 3; i++) {
                /* Its place is given back when the library has let go of the first, just after its last byte. */
                unsigned status = 503;

                for (unsigned k = 0; k < 100 && status == 503; k++)
                        status = ask(&f, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text));
                assert_int_equal(status, 200);
        }
        buf_done(&in);
        teardown(&f);
}

static void families_beyond_the_limit_are_named(void **state)
{
        struct http_options o = usual;
        struct buf names = { 0 };
        struct fixture f;
        char text[8192];

        o.max_series = 2;
        setup(&f, &o);
        assert_false(http_dropped(f.http, &names));
        for (unsigned i = 0; i < 2; i++) {
                assert_int_equal(
                        ask(&f, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 200);
                assert_non_null(
                        strstr(text, "\nrdma_canary_dropped_series{family=\"rdma_canary_fake_value\"} 3\n"));
                assert_null(strstr(text, "rdma_canary_fake_value{"));
                assert_true(http_dropped(f.http, &names) == (i == 0));
        }
        assert_string_equal(buf_cstr(&names), "rdma_canary_fake_value");
        http_set_max_series(f.http, 3);
        assert_int_equal(ask(&f, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 200);
        assert_null(strstr(text, "dropped"));
        buf_clear(&names);
        assert_true(http_dropped(f.http, &names));
        assert_int_equal(names.len, 0);
        buf_done(&names);
        teardown(&f);
}

static void the_telemetry_path_can_be_set(void **state)
{
        struct http_options o = usual;
        struct fixture f;
        char text[8192];

        o.telemetry_path = "/rdma";
        setup(&f, &o);
        assert_int_equal(ask(&f, "GET /rdma HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 200);
        assert_int_equal(ask(&f, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 404);
        assert_int_equal(ask(&f, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 200);
        assert_non_null(strstr(text, "<a href=\"/rdma\">"));
        assert_non_null(strstr(text, "<p>all is well</p>"));
        assert_non_null(strstr(text, "Content-Type: text/html; charset=utf-8\r\n"));
        teardown(&f);
}

static void health_is_told_by_status(void **state)
{
        struct fixture f;
        char text[8192];

        setup(&f, &usual);
        atomic_store(&f.ready, false);
        assert_int_equal(ask(&f, "GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 200);
        assert_int_equal(ask(&f, "GET /-/ready HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 503);
        assert_int_equal(ask(&f, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 503);
        atomic_store(&f.ready, true);
        assert_int_equal(ask(&f, "GET /-/ready HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 200);
        teardown(&f);
}

static void reload_is_posted_and_can_be_forbidden(void **state)
{
        struct http_options o = usual;
        struct fixture f;
        char text[8192];

        setup(&f, &usual);
        assert_int_equal(ask(&f, "POST /-/reload HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 200);
        assert_int_equal(
                ask(&f, "PUT /-/reload HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", text, sizeof(text)),
                200);
        assert_int_equal(atomic_load(&f.reloads), 2);
        assert_int_equal(ask(&f, "GET /-/reload HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 405);
        assert_non_null(strstr(text, "\r\nAllow: POST, PUT\r\n"));
        teardown(&f);

        o.allow_reload = false;
        setup(&f, &o);
        assert_int_equal(ask(&f, "POST /-/reload HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 403);
        assert_int_equal(atomic_load(&f.reloads), 0);
        teardown(&f);
}

static void head_has_no_body(void **state)
{
        struct fixture f;
        struct buf in = { 0 };
        char text[8192];
        int fd;

        setup(&f, &usual);
        fd = client(&f);
        say(fd, "HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\nHEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
        assert_int_equal(hear(fd, &in, false, text, sizeof(text)), 200);
        assert_true(body_length(text) > 0);
        assert_int_equal(hear(fd, &in, false, text, sizeof(text)), 200);
        get(fd, "/-/healthy");
        assert_int_equal(hear(fd, &in, true, text, sizeof(text)), 200);
        assert_int_equal(in.len, 0);
        buf_done(&in);
        (void)close(fd);
        teardown(&f);
}

struct refusal {
        const char *request;
        unsigned status;
};

static void what_is_not_served_is_refused(void **state)
{
        static const struct refusal rows[] = {
                { "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n", 404 },
                { "GET /metrics/ HTTP/1.1\r\nHost: x\r\n\r\n", 404 },
                { "POST /nothing HTTP/1.1\r\nHost: x\r\n\r\n", 404 },
                { "POST /metrics HTTP/1.1\r\nHost: x\r\n\r\n", 405 },
                { "POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", 405 },
                { "POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n", 405 },
                { "DELETE / HTTP/1.1\r\nHost: x\r\n\r\n", 405 },
                { "OPTIONS /metrics HTTP/1.1\r\nHost: x\r\n\r\n", 405 },
                { "get /metrics HTTP/1.1\r\nHost: x\r\n\r\n", 405 },
                { "POST /-/reload HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", 413 },
                { "POST /-/reload HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n", 413 },
                { "PUT /-/reload HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
                  "chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
                        413 },
                { "GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", 413 },
        };
        struct fixture f;
        char text[8192];

        setup(&f, &usual);
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                check_row(ask(&f, rows[i].request, text, sizeof(text)) == rows[i].status, rows[i].request);
                check_row((rows[i].status == 405) == (strstr(text, "\r\nAllow: ") != NULL), rows[i].request);
        }
        assert_int_equal(stats_of(&f).requests_total[4], ARRAY_SIZE(rows));
        assert_int_equal(atomic_load(&f.reloads), 0);
        assert_int_equal(stats_of(&f).scrapes_total, 0);
        teardown(&f);
}

static void connections_are_kept_alive_and_pipelined(void **state)
{
        struct fixture f;
        struct buf in = { 0 };
        char text[8192];
        int fd;

        setup(&f, &usual);
        fd = client(&f);
        for (unsigned i = 0; i < 3; i++) {
                get(fd, "/metrics");
                assert_int_equal(hear(fd, &in, true, text, sizeof(text)), 200);
        }
        say(fd, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n"
                "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\nGET /nothing HTTP/1.1\r\nHost: x\r\n\r\n");
        assert_int_equal(hear(fd, &in, true, text, sizeof(text)), 200);
        assert_int_equal(hear(fd, &in, true, text, sizeof(text)), 200);
        assert_non_null(strstr(text, "<h1>"));
        assert_int_equal(hear(fd, &in, true, text, sizeof(text)), 200);
        assert_non_null(strstr(text, "rdma_canary_fake_value{name=\"a\"} 5\n"));
        assert_int_equal(hear(fd, &in, true, text, sizeof(text)), 404);
        assert_non_null(strstr(text, "Connection: close"));
        assert_true(is_closed(fd));
        buf_done(&in);
        (void)close(fd);
        teardown(&f);
}

/* ---- scrapes that wait ----------------------------------------------------------------------------- */

static void a_slow_source_gets_its_time(void **state)
{
        struct fixture f;
        struct buf in = { 0 };
        char text[8192];
        int fd;

        setup(&f, &usual);
        block(&f);
        fd = client(&f);
        get(fd, "/metrics");
        wait_until(atomic_load(&f.fakes[0].running) == 1);
        assert_int_equal(ask(&f, "GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 200);
        fake_open(&f.fakes[0]);
        assert_int_equal(hear(fd, &in, true, text, sizeof(text)), 200);
        assert_non_null(strstr(text, "rdma_canary_fake_value{name=\"a\"} 1\n"));
        assert_int_equal(stats_of(&f).scrapes_late_total, 0);
        buf_done(&in);
        (void)close(fd);
        teardown(&f);
}

static void a_hanging_source_costs_the_page_its_samples_only(void **state)
{
        struct fixture f;
        char text[8192];
        uint64_t start_ns;

        setup(&f, &usual);
        block(&f);
        start_ns = clock_now_ns();
        assert_int_equal(ask(&f,
                                 "GET /metrics HTTP/1.1\r\nHost: x\r\n"
                                 "X-Prometheus-Scrape-Timeout-Seconds: 1.2\r\n\r\n",
                                 text, sizeof(text)),
                200);
        assert_true(clock_now_ns() - start_ns >= 1000 * NS_PER_MS);
        assert_true(clock_now_ns() - start_ns < 1200 * NS_PER_MS);
        assert_null(strstr(text, "name=\"a\""));
        assert_non_null(strstr(text, "rdma_canary_fake_value{name=\"b\"} 1\n"));
        assert_int_equal(stats_of(&f).scrapes_late_total, 1);

        start_ns = clock_now_ns();
        for (unsigned i = 0; i < 100; i++)
                assert_int_equal(
                        ask(&f, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 200);
        assert_true(clock_now_ns() - start_ns < 5 * NS_PER_SEC); /* it is not waited for again */
        fake_open(&f.fakes[0]);
        wait_until(atomic_load(&f.fakes[0].running) == 0);
        assert_int_equal(ask(&f, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 200);
        assert_int_equal(ask(&f, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 200);
        assert_non_null(strstr(text, "name=\"a\""));
        teardown(&f);
}

static void two_scrapes_share_one_pass(void **state)
{
        struct fixture f;
        struct buf in = { 0 };
        char text[8192];
        int fds[2];

        setup(&f, &usual);
        block(&f);
        for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
                fds[i] = client(&f);
                get(fds[i], "/metrics");
        }
        wait_until(atomic_load(&f.fakes[0].running) == 1);
        (void)usleep(50000); /* for the second request to be read */
        fake_open(&f.fakes[0]);
        for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
                assert_int_equal(hear(fds[i], &in, true, text, sizeof(text)), 200);
                assert_non_null(strstr(text, "rdma_canary_fake_value{name=\"a\"} 1\n"));
                (void)close(fds[i]);
        }
        buf_done(&in);
        teardown(&f);
}

static void clients_that_leave_while_waiting_leak_nothing(void **state)
{
        struct fixture f;
        char text[8192];

        setup(&f, &usual);
        for (unsigned round = 0; round < 5; round++) {
                int fds[10];

                block(&f);
                for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
                        fds[i] = client(&f);
                        get(fds[i], "/metrics");
                }
                wait_until(atomic_load(&f.fakes[0].running) == 1);
                for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
                        const struct linger reset = { .l_onoff = 1 };

                        if (i % 2 == 0)
                                (void)setsockopt(fds[i], SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
                        (void)close(fds[i]);
                }
                fake_open(&f.fakes[0]);
                wait_until(stats_of(&f).connections == 0);
        }
        assert_int_equal(ask(&f, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 200);
        teardown(&f);
}

static void stopping_answers_who_waits(void **state)
{
        struct fixture f;
        struct buf in = { 0 };
        char text[8192];
        uint64_t start_ns;
        int fds[5];

        setup(&f, &usual);
        block(&f);
        for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
                fds[i] = client(&f);
                get(fds[i], "/metrics");
        }
        wait_until(atomic_load(&f.fakes[0].running) == 1);
        (void)usleep(50000);
        stop_main_loop(&f);
        start_ns = clock_now_ns();
        http_free(f.http);
        assert_true(clock_now_ns() - start_ns < NS_PER_SEC);
        for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
                assert_int_equal(hear(fds[i], &in, true, text, sizeof(text)), 503);
                assert_true(is_closed(fds[i]));
                (void)close(fds[i]);
        }
        buf_done(&in);
        fake_open(&f.fakes[0]); /* the pass still owes answers to a server that is gone */
        stop_pool(&f);
}

/* ---- clients that mean ill -------------------------------------------------------------------------- */

static void a_dripping_client_is_cut_off(void **state)
{
        struct http_options o = usual;
        static const char request[] =
                "GET /metrics HTTP/1.1\r\nHost: x\r\nX-A: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
        uint64_t start_ns = clock_now_ns();
        struct fixture f;
        size_t sent = 0;
        int fd;

        o.request_timeout_ns = 300 * NS_PER_MS;
        setup(&f, &o);
        fd = client(&f);
        while (sent < strlen(request) && stats_of(&f).timed_out_total == 0) {
                const char byte[] = { request[sent++], '\0' };

                (void)try_say(fd, byte);
                (void)usleep(20000);
        }
        assert_int_equal(stats_of(&f).timed_out_total, 1);
        assert_true(clock_now_ns() - start_ns < 2 * NS_PER_SEC);
        assert_true(is_closed(fd));
        wait_until(stats_of(&f).connections == 0);
        (void)close(fd);
        teardown(&f);
}

static void a_second_request_drips_no_longer_than_the_first(void **state)
{
        struct http_options o = usual;
        struct fixture f;
        struct buf in = { 0 };
        char text[8192];
        int fd;

        o.request_timeout_ns = 300 * NS_PER_MS;
        setup(&f, &o);
        fd = client(&f);
        get(fd, "/metrics");
        assert_int_equal(hear(fd, &in, true, text, sizeof(text)), 200);
        (void)usleep(600000); /* idle is not dripping */
        get(fd, "/metrics");
        assert_int_equal(hear(fd, &in, true, text, sizeof(text)), 200);
        say(fd, "GET /metrics HTTP/1.1\r\nHost:");
        assert_true(is_closed(fd));
        assert_int_equal(stats_of(&f).timed_out_total, 1);
        buf_done(&in);
        (void)close(fd);
        teardown(&f);
}

static void a_scrape_that_waits_is_not_cut_off(void **state)
{
        struct http_options o = usual;
        struct fixture f;
        struct buf in = { 0 };
        char text[8192];
        int fd;

        o.request_timeout_ns = 100 * NS_PER_MS;
        setup(&f, &o);
        block(&f);
        fd = client(&f);
        get(fd, "/metrics");
        wait_until(atomic_load(&f.fakes[0].running) == 1);
        (void)usleep(400000);
        fake_open(&f.fakes[0]);
        assert_int_equal(hear(fd, &in, true, text, sizeof(text)), 200);
        buf_done(&in);
        (void)close(fd);
        teardown(&f);
}

static void garbage_is_survived(void **state)
{
        static const char *const rows[] = {
                "\r\n\r\n\r\n\r\n",
                "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a TLS hello\r\n\r\n",
                "GET\r\n\r\n",
                "GET /metrics\r\n\r\n",
                "GET /metrics HTTP/9.9\r\n\r\n",
                "GET /metrics HTTP/1.1\r\n\r\n",
                "GET /%00%ff%zz HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
                "POST /-/reload HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
                "POST /-/reload HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
                "GET /metrics HTTP/1.1\r\nHost: x\r\nno colon here\r\n\r\n",
                "{\"hello\": 1}\n\n\n\n",
        };
        struct http_options o = usual;
        struct fixture f;
        char text[8192];

        o.request_timeout_ns = 500 * NS_PER_MS;
        setup(&f, &o);
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                int fd = client(&f);

                (void)try_say(fd, rows[i]);
                (void)shutdown(fd, SHUT_WR);
                (void)is_closed(fd);
                (void)close(fd);
        }
        assert_int_equal(atomic_load(&f.reloads), 0);
        assert_int_equal(ask(&f, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 200);
        wait_until(stats_of(&f).connections == 0);
        teardown(&f);
}

static void an_endless_head_is_refused(void **state)
{
        static const char line[] =
                "X-Filler: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n";
        struct fixture f;
        char text[8192];
        int fd;

        setup(&f, &usual);
        fd = client(&f);
        say(fd, "GET /metrics HTTP/1.1\r\nHost: x\r\n");
        for (unsigned i = 0; i < 10000 && try_say(fd, line); i++)
                ;
        (void)is_closed(fd);
        (void)close(fd);
        assert_int_equal(ask(&f, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 200);
        teardown(&f);
}

/* How many of these connections get an answer; all are closed. */
static unsigned count_served(const int *fds, size_t n)
{
        unsigned served = 0;

        for (size_t i = 0; i < n; i++) {
                struct pollfd p = { .fd = fds[i], .events = POLLIN };
                char byte;

                (void)try_say(fds[i], "GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n");
                if (poll(&p, 1, 200) == 1 && recv(fds[i], &byte, 1, 0) == 1)
                        served++;
        }
        for (size_t i = 0; i < n; i++)
                (void)close(fds[i]);
        return served;
}

static void one_address_has_its_share_of_connections(void **state)
{
        struct http_options o = usual;
        struct fixture f;
        char text[8192];
        int fds[300];

        o.per_address_limit = 20;
        setup(&f, &o);
        for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
                fds[i] = client(&f);
        assert_int_equal(count_served(fds, ARRAY_SIZE(fds)), 20);
        wait_until(stats_of(&f).connections == 0);
        assert_int_equal(ask(&f, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 200);
        teardown(&f);
}

static void all_connections_together_are_limited(void **state)
{
        static const char *const addresses[] = { "127.0.0.1:0", "127.0.0.1:0" };
        struct http_options o = usual;
        struct fixture f;
        char text[8192];
        int fds[60];

        o.listen_addresses = addresses;
        o.n_listen_addresses = ARRAY_SIZE(addresses);
        o.per_address_limit = 50;
        o.connection_limit = 25;
        setup(&f, &o);
        for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
                fds[i] = client(&f);
        wait_until(stats_of(&f).connections == 25);
        (void)usleep(100000);
        assert_int_equal(stats_of(&f).connections, 25);
        for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
                (void)close(fds[i]);
        wait_until(stats_of(&f).connections == 0);
        assert_int_equal(ask(&f, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 200);
        teardown(&f);
}

static void *scrape_many_times(void *context)
{
        struct fixture *f = context;
        char text[8192];

        for (unsigned i = 0; i < 50; i++) {
                if (ask(f, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)) != 200 ||
                        !strstr(text, "name=\"a\"") || !strstr(text, "name=\"b\""))
                        return context;
        }
        return NULL;
}

static void ten_scrapers_at_once_get_whole_pages(void **state)
{
        pthread_t threads[10];
        struct fixture f;

        setup(&f, &usual);
        for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
                assert_int_equal(pthread_create(&threads[i], NULL, scrape_many_times, &f), 0);
        for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
                void *failed;

                assert_int_equal(pthread_join(threads[i], &failed), 0);
                assert_null(failed);
        }
        assert_int_equal(stats_of(&f).scrapes_total, 500);
        assert_int_equal(stats_of(&f).duplicate_samples_total, 0);
        teardown(&f);
}

/* ---- listening -------------------------------------------------------------------------------------- */

static void several_addresses_are_served(void **state)
{
        static const char *const addresses[] = { "127.0.0.1:0", ":0" };
        struct http_options o = usual;
        struct fixture f;
        char text[8192];

        o.listen_addresses = addresses;
        o.n_listen_addresses = ARRAY_SIZE(addresses);
        setup(&f, &o);
        assert_int_equal(ask(&f, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 200);
        teardown(&f);
}

static void an_inherited_socket_is_served(void **state)
{
        struct http_options o = usual;
        struct fixture f;
        char text[8192], why[200];

        assert_int_equal(http_listen("127.0.0.1:0", &o.listen_fd, why, sizeof(why)), 0);
        o.n_listen_addresses = 0;
        setup(&f, &o);
        assert_int_equal(ask(&f, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", text, sizeof(text)), 200);
        teardown(&f);
}

static bool can_connect(int family, uint16_t port)
{
        const struct sockaddr_in v4 = {
                .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)
        };
        const struct sockaddr_in6 v6 = {
                .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT
        };
        int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0), r;

        if (family == AF_INET)
                r = connect(fd, (const struct sockaddr *)&v4, sizeof(v4));
        else
                r = connect(fd, (const struct sockaddr *)&v6, sizeof(v6));
        (void)close(fd);
        return r == 0;
}

static void an_address_without_host_is_of_both_families(void **state)
{
        char why[200];
        int fd = -1, other = -1;

        assert_int_equal(http_listen(":0", &fd, why, sizeof(why)), 0);
        assert_true(can_connect(AF_INET, http_listen_port(fd)));
        if (http_listen("[::1]:0", &other, why, sizeof(why)) == 0) { /* else this host has no IPv6 */
                assert_true(can_connect(AF_INET6, http_listen_port(fd)));
                (void)close(other);
        }
        (void)close(fd);
}

static void addresses_that_cannot_be_listened_on_are_explained(void **state)
{
        static const char *const rows[] = { "", "x", "127.0.0.1", ":http", ":65536", "127.0.0.1:-1", "a b:80",
                ":", "[::1:80", "192.0.2.1:0" };
        char why[200], taken[32];
        int fd = -1, other = -1;

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                why[0] = '\0';
                check_row(http_listen(rows[i], &other, why, sizeof(why)) < 0, rows[i]);
                check_row(why[0] != '\0', rows[i]);
        }
        assert_int_equal(http_listen("127.0.0.1:0", &fd, why, sizeof(why)), 0);
        text_message(taken, sizeof(taken), "127.0.0.1:%u", http_listen_port(fd));
        assert_int_equal(http_listen(taken, &other, why, sizeof(why)), -EADDRINUSE);
        assert_non_null(strstr(why, taken));
        assert_int_equal(other, -1);
        assert_int_equal(http_listen_adopt(STDERR_FILENO), -ENOTSOCK);
        (void)close(fd);
}

/* ---- connections and their phases --------------------------------------------------------------------- */

struct lifetime {
        const char *name;
        enum http_phase phase;
        uint64_t lives_ns, dies_ns; /* since it entered the phase; 0: never */
        unsigned timed_out;
};

static void phases_have_their_limits(void **state)
{
        static const struct lifetime rows[] = {
                { "receiving", HTTP_RECEIVING, 2 * NS_PER_SEC, 4 * NS_PER_SEC, 1 },
                { "sending", HTTP_SENDING, HTTP_SEND_NS - NS_PER_SEC, HTTP_SEND_NS + NS_PER_SEC, 1 },
                { "idle", HTTP_IDLE, HTTP_IDLE_NS - NS_PER_SEC, HTTP_IDLE_NS + NS_PER_SEC, 0 },
                { "collecting", HTTP_COLLECTING, 3600 * NS_PER_SEC, 0, 0 },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                uint64_t now = clock_now_ns();
                struct http_clients *clients;
                struct http_client *one;
                int pair[2];

                assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
                assert_int_equal(http_clients_new(3 * NS_PER_SEC, &clients), 0);
                one = http_clients_add(clients, pair[0]);
                assert_non_null(one);
                http_clients_enter(clients, one, rows[i].phase);
                http_clients_cut(clients, now + rows[i].lives_ns);
                check_row(try_say(pair[1], "x"), rows[i].name);
                if (rows[i].dies_ns > 0) {
                        http_clients_cut(clients, now + rows[i].dies_ns);
                        http_clients_cut(clients, now + rows[i].dies_ns);
                        check_row(!try_say(pair[1], "x"), rows[i].name);
                }
                check_row(http_clients_timed_out(clients) == rows[i].timed_out, rows[i].name);
                http_clients_remove(clients, one);
                assert_int_equal(http_clients_count(clients), 0);
                http_clients_free(clients);
                (void)close(pair[0]);
                (void)close(pair[1]);
        }
}

static void who_has_left_is_not_kept(void **state)
{
        struct fixture f;
        struct buf in = { 0 };
        char text[8192];
        int fd;

        setup(&f, &usual);
        fd = client(&f);
        get(fd, "/metrics");
        (void)shutdown(fd, SHUT_WR);
        assert_int_equal(hear(fd, &in, true, text, sizeof(text)), 200);
        assert_true(is_closed(fd));
        assert_int_equal(stats_of(&f).timed_out_total, 0);
        buf_done(&in);
        (void)close(fd);
        teardown(&f);
}

/* ---- pure parts -------------------------------------------------------------------------------------- */

struct timeout {
        const char *header;
        uint64_t expected_ns; /* 0: the fallback */
};

static void scrape_timeouts_are_read_strictly(void **state)
{
        static const struct timeout rows[] = {
                { "10", 9500 * NS_PER_MS },
                { "10.000000", 9500 * NS_PER_MS },
                { "2", 1800 * NS_PER_MS },
                { "1e1", 9500 * NS_PER_MS },
                { "600", 599500 * NS_PER_MS },
                { "", 0 },
                { "0", 0 },
                { "-1", 0 },
                { "0.001", 0 },
                { "601", 0 },
                { "1e300", 0 },
                { "inf", 0 },
                { "nan", 0 },
                { "10s", 0 },
                { " 10", 0 },
                { "10 ", 0 },
                { "0x10", 0 },
                { "ten", 0 },
        };

        assert_true(http_scrape_timeout_ns(NULL, 42) == 42);
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
                check_row(http_scrape_timeout_ns(rows[i].header, 42) ==
                                  (rows[i].expected_ns ? rows[i].expected_ns : 42),
                        rows[i].header);
}

static void html_is_escaped(void **state)
{
        struct buf out = { 0 };

        http_page_text(&out, "a<b>&\"'c");
        assert_string_equal(buf_cstr(&out), "a&lt;b&gt;&amp;&quot;&#39;c");
        buf_done(&out);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(metrics_are_read_when_asked_for),
                cmocka_unit_test(pages_are_compressed_for_who_takes_that),
                cmocka_unit_test(openmetrics_is_served_to_who_asks_for_it),
                cmocka_unit_test(scrapes_at_once_are_limited),
                cmocka_unit_test(families_beyond_the_limit_are_named),
                cmocka_unit_test(the_telemetry_path_can_be_set),
                cmocka_unit_test(health_is_told_by_status),
                cmocka_unit_test(reload_is_posted_and_can_be_forbidden),
                cmocka_unit_test(head_has_no_body),
                cmocka_unit_test(what_is_not_served_is_refused),
                cmocka_unit_test(connections_are_kept_alive_and_pipelined),
                cmocka_unit_test(a_slow_source_gets_its_time),
                cmocka_unit_test(a_hanging_source_costs_the_page_its_samples_only),
                cmocka_unit_test(two_scrapes_share_one_pass),
                cmocka_unit_test(clients_that_leave_while_waiting_leak_nothing),
                cmocka_unit_test(stopping_answers_who_waits),
                cmocka_unit_test(a_dripping_client_is_cut_off),
                cmocka_unit_test(a_second_request_drips_no_longer_than_the_first),
                cmocka_unit_test(a_scrape_that_waits_is_not_cut_off),
                cmocka_unit_test(garbage_is_survived),
                cmocka_unit_test(an_endless_head_is_refused),
                cmocka_unit_test(one_address_has_its_share_of_connections),
                cmocka_unit_test(all_connections_together_are_limited),
                cmocka_unit_test(ten_scrapers_at_once_get_whole_pages),
                cmocka_unit_test(several_addresses_are_served),
                cmocka_unit_test(an_inherited_socket_is_served),
                cmocka_unit_test(an_address_without_host_is_of_both_families),
                cmocka_unit_test(addresses_that_cannot_be_listened_on_are_explained),
                cmocka_unit_test(phases_have_their_limits),
                cmocka_unit_test(who_has_left_is_not_kept),
                cmocka_unit_test(scrape_timeouts_are_read_strictly),
                cmocka_unit_test(html_is_escaped),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
