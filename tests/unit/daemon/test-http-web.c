/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP server with a web config, asked by a client of GnuTLS. */
#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <gnutls/gnutls.h>

#include "base/clock.h"
#include "daemon/http.h"
#include "daemon/web.h"
#include "tests/unit/daemon/fake_source.h"
#include "tests/unit/daemon/web_files.h"

#define PATIENCE_MS 10000
#define TLS         "tls_server_config:\n  cert_file: s.crt\n  key_file: s.key\n"
#define CLIENT_CERT "  client_ca_file: ca.crt\n  client_auth_type: RequireAndVerifyClientCert\n"
#define USERS       "basic_auth_users:\n  alice: " HASH_OF_SECRET "\n"

#define ANY_TLS "NORMAL"
#define TLS13   "NORMAL:-VERS-ALL:+VERS-TLS1.3"
#define TLS12   "NORMAL:-VERS-ALL:+VERS-TLS1.2"
#define TLS11   "NORMAL:-VERS-ALL:+VERS-TLS1.1"

/* ---- a server ------------------------------------------------------------------------------------------ */

struct fixture {
        struct web_files files;
        struct identity one, two, authority, client, stranger; /* client: by authority; stranger: by nobody */
        struct web *web;
        struct slots *slots;
        struct collectors *pool;
        struct fake_source fake;
        struct http *http;
        atomic_bool stop;
        atomic_int followed; /* what the last change that was taken note of came to */
        pthread_t main_loop;
};

static void *run_main_loop(void *context)
{
        struct fixture *f = context;

        while (!atomic_load(&f->stop)) {
                struct buf problems = { 0 };
                int r = web_follow(f->web, false, &problems);

                buf_done(&problems);
                if (r != 0)
                        atomic_store(&f->followed, r);
                collectors_expire(f->pool);
                http_tick(f->http);
                (void)usleep(5000);
        }
        return NULL;
}

static void make_files(struct fixture *f, const char *config)
{
        web_files_init(&f->files);
        identity_init(&f->one, "one", NULL);
        identity_init(&f->two, "two", NULL);
        identity_init(&f->authority, "authority", NULL);
        identity_init(&f->client, "client", &f->authority);
        identity_init(&f->stranger, "stranger", NULL);
        put(&f->files, "web.yml", config);
        put_certificate(&f->files, "s.crt", &f->one);
        put_key(&f->files, "s.key", &f->one);
        put_certificate(&f->files, "ca.crt", &f->authority);
}

static void setup_with(struct fixture *f, const char *config, uint64_t request_timeout_ns)
{
        static const char *const address[] = { "127.0.0.1:0" };
        const struct http_callbacks callbacks = { .context = f };
        struct http_options o = {
                .listen_addresses = address,
                .n_listen_addresses = 1,
                .listen_fd = -1,
                .telemetry_path = "/metrics",
                .scrape_timeout_ns = 10 * NS_PER_SEC,
                .request_timeout_ns = request_timeout_ns,
                .per_address_limit = 32,
                .connection_limit = 256,
        };
        struct collector *source = NULL;
        struct buf problems = { 0 };
        char why[200] = "";

        *f = (struct fixture){ 0 };
        make_files(f, config);
        if (web_new(path_of(&f->files, "web.yml").text, &f->web, &problems) < 0)
                fail_msg("%s", buf_cstr(&problems));
        o.web = f->web;
        assert_int_equal(slots_new(&f->slots), 0);
        assert_int_equal(collectors_new(&clock_system, f->slots, &f->pool), 0);
        fake_init(&f->fake, "a");
        assert_int_equal(collector_add(f->pool, &fake_class, "a", &f->fake, &source), 0);
        if (http_new(&o, &callbacks, f->slots, f->pool, &f->http, why, sizeof(why)) < 0)
                fail_msg("%s", why);
        assert_int_equal(pthread_create(&f->main_loop, NULL, run_main_loop, f), 0);
}

static void setup(struct fixture *f, const char *config)
{
        setup_with(f, config, PATIENCE_MS * NS_PER_MS);
}

static void teardown(struct fixture *f)
{
        atomic_store(&f->stop, true);
        assert_int_equal(pthread_join(f->main_loop, NULL), 0);
        http_free(f->http);
        web_free(f->web);
        collectors_free(f->pool, clock_now_ns() + PATIENCE_MS * NS_PER_MS);
        slots_free(f->slots);
        fake_done(&f->fake);
        identity_done(&f->one);
        identity_done(&f->two);
        identity_done(&f->authority);
        identity_done(&f->client);
        identity_done(&f->stranger);
        web_files_done(&f->files);
}

static struct http_stats stats_of(struct fixture *f)
{
        struct http_stats s;

        http_stats_get(f->http, &s);
        return s;
}

/* ---- a client ------------------------------------------------------------------------------------------ */

struct client {
        int fd;
        gnutls_session_t session; /* NULL: plain */
        gnutls_certificate_credentials_t credentials;
};

static int connect_to(uint16_t port)
{
        const struct sockaddr_in to = {
                .sin_family = AF_INET,
                .sin_port = htons(port),
                .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
        };
        const struct timeval patience = { .tv_sec = PATIENCE_MS / 1000 };
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

        assert_true(fd >= 0);
        assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), 0);
        if (connect(fd, (const struct sockaddr *)&to, sizeof(to)) < 0)
                fail_msg("connect: %s", strerror(errno));
        return fd;
}

/* Without resumption and without looking at the server's certificate: tests do, where it matters. */
static int client_open(
        struct client *c, struct fixture *f, const char *versions, const struct identity *identity)
{
        int r;

        *c = (struct client){ .fd = connect_to(http_port(f->http)) };
        if (!versions)
                return 0;
        assert_int_equal(gnutls_init(&c->session, GNUTLS_CLIENT | GNUTLS_NO_SIGNAL), 0);
        assert_int_equal(gnutls_certificate_allocate_credentials(&c->credentials), 0);
        if (identity)
                assert_int_equal(gnutls_certificate_set_x509_key(c->credentials,
                                         (gnutls_x509_crt_t[]){ identity->certificate }, 1, identity->key),
                        0);
        assert_int_equal(gnutls_priority_set_direct(c->session, versions, NULL), 0);
        assert_int_equal(gnutls_credentials_set(c->session, GNUTLS_CRD_CERTIFICATE, c->credentials), 0);
        gnutls_transport_set_int(c->session, c->fd);
        do
                r = gnutls_handshake(c->session);
        while (r < 0 && !gnutls_error_is_fatal(r));
        return r;
}

static void client_close(struct client *c)
{
        if (c->session) {
                gnutls_deinit(c->session);
                gnutls_certificate_free_credentials(c->credentials);
        }
        (void)close(c->fd);
}

static bool say(struct client *c, const char *text)
{
        ssize_t n = c->session ? gnutls_record_send(c->session, text, strlen(text))
                               : send(c->fd, text, strlen(text), MSG_NOSIGNAL);

        return n == (ssize_t)strlen(text);
}

/* Up to n bytes; 0 at the end or when something goes wrong. */
static size_t hear(struct client *c, char *text, size_t size)
{
        ssize_t n;

        do
                n = c->session ? gnutls_record_recv(c->session, text, size) : recv(c->fd, text, size, 0);
        while (c->session && n < 0 && !gnutls_error_is_fatal((int)n) && n != GNUTLS_E_AGAIN);
        return n > 0 ? (size_t)n : 0;
}

/* The status of the next answer, whose head and body come whole into text; 0: there is none. */
static unsigned hear_answer(struct client *c, char *text, size_t size)
{
        size_t len = 0, n, body;
        const char *end;

        text[0] = '\0';
        while (!(end = strstr(text, "\r\n\r\n"))) {
                n = hear(c, text + len, size - 1 - len);
                if (n == 0)
                        return 0;
                len += n;
                text[len] = '\0';
        }
        body = strtoul(strcasestr(text, "Content-Length: ") + strlen("Content-Length: "), NULL, 10);
        while ((size_t)(text + len - (end + 4)) < body) {
                n = hear(c, text + len, size - 1 - len);
                assert_true(n > 0);
                len += n;
                text[len] = '\0';
        }
        return (unsigned)strtoul(text + strlen("HTTP/1.1 "), NULL, 10);
}

static unsigned get(struct client *c, const char *path, const char *field, char *text, size_t size)
{
        char request[1024];

        text_message(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n", path, field);
        return say(c, request) ? hear_answer(c, text, size) : 0;
}

/* On a connection of its own. 0: no answer. */
static unsigned ask(
        struct fixture *f, const char *versions, const struct identity *identity, const char *field)
{
        unsigned status = 0;
        struct client c;
        char text[8192];

        if (client_open(&c, f, versions, identity) == 0)
                status = get(&c, "/-/healthy", field, text, sizeof(text));
        client_close(&c);
        return status;
}

static bool is_shown(const struct client *c, const struct identity *i)
{
        unsigned n;
        const gnutls_datum_t *chain = gnutls_certificate_get_peers(c->session, &n);
        gnutls_datum_t wanted;
        bool same;

        assert_int_equal(gnutls_x509_crt_export2(i->certificate, GNUTLS_X509_FMT_DER, &wanted), 0);
        same = chain && n == 1 && chain->size == wanted.size &&
               memcmp(chain->data, wanted.data, wanted.size) == 0;
        gnutls_free(wanted.data);
        return same;
}

/* ---- TLS -------------------------------------------------------------------------------------------- */

static void both_versions_are_spoken_and_no_older_one(void **state)
{
        struct fixture f;

        setup(&f, TLS);
        assert_int_equal(ask(&f, TLS13, NULL, ""), 200);
        assert_int_equal(ask(&f, TLS12, NULL, ""), 200);
        assert_int_equal(ask(&f, TLS11, NULL, ""), 0);
        assert_int_equal(ask(&f, TLS12 ":-KX-ALL:+RSA", NULL, ""), 0);
        assert_int_equal(ask(&f, ANY_TLS, NULL, ""), 200);
        teardown(&f);
}

static void the_least_version_can_be_set(void **state)
{
        struct fixture f;

        setup(&f, TLS "  min_version: TLS13\n");
        assert_int_equal(ask(&f, TLS13, NULL, ""), 200);
        assert_int_equal(ask(&f, TLS12, NULL, ""), 0);
        teardown(&f);
}

static void a_scrape_waits_over_tls_too(void **state)
{
        struct fixture f;
        struct client c;
        char text[8192];

        setup(&f, TLS);
        assert_int_equal(client_open(&c, &f, ANY_TLS, NULL), 0);
        atomic_store(&f.fake.blocking, true);
        /* Two requests in one record: the second is in the library's hands before the first is answered. */
        assert_true(
                say(&c, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\nGET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"));
        wait_until(atomic_load(&f.fake.running) == 1);
        assert_int_equal(ask(&f, ANY_TLS, NULL, ""), 200);
        fake_open(&f.fake);
        assert_int_equal(hear_answer(&c, text, sizeof(text)), 200);
        assert_non_null(strstr(text, "rdma_canary_fake_value{name=\"a\"} 1\n"));
        if (!strstr(text, "rdma_canary_fake_value{name=\"a\"} 2\n")) /* else both came at once */
                assert_int_equal(hear_answer(&c, text, sizeof(text)), 200);
        assert_non_null(strstr(text, "rdma_canary_fake_value{name=\"a\"} 2\n"));
        assert_int_equal(get(&c, "/metrics", "", text, sizeof(text)), 200);
        wait_until(stats_of(&f).connections == 1);
        client_close(&c);
        teardown(&f);
}

static void what_is_no_tls_is_refused_without_harm(void **state)
{
        static const char *const rows[] = {
                "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n",
                "\x16\x03\x01\x02\xff\x01\xff\xff\xff\x03\x03 a hello that lies about its length",
                "\x16\x03\x01",
                "\x80\x2e\x01\x03\x01",
                "\r\n\r\n",
        };
        struct fixture f;
        char text[8192];

        setup_with(&f, TLS, 500 * NS_PER_MS);
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                struct client c;

                assert_int_equal(client_open(&c, &f, NULL, NULL), 0);
                assert_true(say(&c, rows[i]));
                for (size_t n = hear(&c, text, sizeof(text)); n > 0; n = hear(&c, text, sizeof(text)))
                        check_row(!memmem(text, n, "HTTP", 4), rows[i]);
                client_close(&c);
        }
        assert_int_equal(ask(&f, ANY_TLS, NULL, ""), 200);
        wait_until(stats_of(&f).connections == 0);
        teardown(&f);
}

static void a_handshake_has_no_more_time_than_a_request(void **state)
{
        struct fixture f;
        struct client c;
        char byte;

        setup_with(&f, TLS, 200 * NS_PER_MS);
        assert_int_equal(client_open(&c, &f, NULL, NULL), 0);
        assert_int_equal(hear(&c, &byte, 1), 0);
        assert_int_equal(stats_of(&f).timed_out_total, 1);
        client_close(&c);
        teardown(&f);
}

static void clients_need_a_certificate_of_the_authority(void **state)
{
        struct fixture f;

        setup(&f, TLS CLIENT_CERT);
        assert_int_equal(ask(&f, TLS13, &f.client, ""), 200);
        assert_int_equal(ask(&f, TLS12, &f.client, ""), 200);
        assert_int_equal(ask(&f, TLS13, NULL, ""), 0);
        assert_int_equal(ask(&f, TLS12, NULL, ""), 0);
        assert_int_equal(ask(&f, TLS13, &f.stranger, ""), 0);
        assert_int_equal(ask(&f, TLS12, &f.stranger, ""), 0);
        teardown(&f);
}

/* ---- files that change ------------------------------------------------------------------------------ */

static void replace(struct fixture *f, const struct identity *i)
{
        put_certificate(&f->files, "s.crt", i);
        put_key(&f->files, "s.key", i);
}

static void rotated_certificates_are_served_to_new_connections(void **state)
{
        struct client old, fresh;
        struct fixture f;
        char text[8192];

        setup(&f, TLS);
        assert_int_equal(client_open(&old, &f, ANY_TLS, NULL), 0);
        assert_true(is_shown(&old, &f.one));
        replace(&f, &f.two);
        wait_until(atomic_load(&f.followed) == 1);
        assert_int_equal(client_open(&fresh, &f, ANY_TLS, NULL), 0);
        assert_true(is_shown(&fresh, &f.two));
        assert_int_equal(get(&fresh, "/metrics", "", text, sizeof(text)), 200);
        assert_int_equal(get(&old, "/metrics", "", text, sizeof(text)), 200);
        client_close(&old);
        client_close(&fresh);
        teardown(&f);
}

static void a_bad_replacement_is_not_served(void **state)
{
        struct fixture f;
        struct client c;

        setup(&f, TLS);
        put_key(&f.files, "s.key", &f.two);
        wait_until(atomic_load(&f.followed) < 0);
        assert_int_equal(client_open(&c, &f, ANY_TLS, NULL), 0);
        assert_true(is_shown(&c, &f.one));
        client_close(&c);
        put_certificate(&f.files, "s.crt", &f.two);
        wait_until(atomic_load(&f.followed) == 1);
        assert_int_equal(client_open(&c, &f, ANY_TLS, NULL), 0);
        assert_true(is_shown(&c, &f.two));
        client_close(&c);
        teardown(&f);
}

static void authorities_and_versions_change_too(void **state)
{
        struct fixture f;

        setup(&f, TLS);
        assert_int_equal(ask(&f, TLS12, NULL, ""), 200);
        put(&f.files, "web.yml", TLS CLIENT_CERT "  min_version: TLS13\n");
        wait_until(atomic_load(&f.followed) == 1);
        assert_int_equal(ask(&f, TLS12, &f.client, ""), 0);
        assert_int_equal(ask(&f, TLS13, NULL, ""), 0);
        assert_int_equal(ask(&f, TLS13, &f.client, ""), 200);
        teardown(&f);
}

static void *ask_many_times(void *context)
{
        struct fixture *f = context;

        for (unsigned i = 0; i < 40; i++) {
                if (ask(f, i % 2 ? TLS12 : TLS13, NULL, "") != 200)
                        return context;
        }
        return NULL;
}

static void rotation_disturbs_nobody(void **state)
{
        pthread_t threads[4];
        struct fixture f;

        setup(&f, TLS);
        for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
                assert_int_equal(pthread_create(&threads[i], NULL, ask_many_times, &f), 0);
        for (unsigned i = 0; i < 10; i++) {
                atomic_store(&f.followed, 0);
                replace(&f, i % 2 ? &f.one : &f.two);
                wait_until(atomic_load(&f.followed) == 1);
        }
        for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
                void *failed;

                assert_int_equal(pthread_join(threads[i], &failed), 0);
                assert_null(failed);
        }
        teardown(&f);
}

/* ---- passwords -------------------------------------------------------------------------------------- */

#define ALICE       "Authorization: Basic YWxpY2U6c2VjcmV0\r\n" /* alice:secret */
#define ALICE_WRONG "Authorization: Basic YWxpY2U6Z3Vlc3M=\r\n" /* alice:guess */

static void passwords_are_asked_for_everywhere(void **state)
{
        static const char *const paths[] = { "/metrics", "/", "/-/healthy", "/-/ready", "/nothing" };
        struct fixture f;
        struct client c;
        char text[8192];

        setup(&f, USERS);
        for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
                assert_int_equal(client_open(&c, &f, NULL, NULL), 0);
                check_row(get(&c, paths[i], "", text, sizeof(text)) == 401, paths[i]);
                check_row(strstr(text, "\r\nWWW-Authenticate: Basic realm=\"rdma-canary\"\r\n"), paths[i]);
                check_row(!strstr(text, "rdma_canary_fake"), paths[i]);
                client_close(&c);
        }
        assert_int_equal(client_open(&c, &f, NULL, NULL), 0);
        assert_int_equal(get(&c, "/metrics", ALICE, text, sizeof(text)), 200);
        assert_non_null(strstr(text, "rdma_canary_fake_value{name=\"a\"} 1\n"));
        assert_int_equal(get(&c, "/-/healthy", ALICE, text, sizeof(text)), 200);
        assert_int_equal(get(&c, "/nothing", ALICE, text, sizeof(text)), 404);
        client_close(&c);
        teardown(&f);
}

static void what_is_not_the_password_is_refused(void **state)
{
        static const char *const rows[] = {
                "Authorization: Basic\r\n",
                "Authorization: Basic ====\r\n",
                "Authorization: \r\n",
                "Authorization: Bearer YWxpY2U6c2VjcmV0\r\n",
                "Authorization: Basic \xff\xff\xff\xff\r\n",
                "Authorization: YWxpY2U6c2VjcmV0\r\n",
        };
        struct fixture f;
        uint64_t begun_ns;
        unsigned status;

        setup(&f, TLS USERS);
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
                check_row(ask(&f, ANY_TLS, NULL, rows[i]) == 401, rows[i]);
        begun_ns = clock_now_ns();
        assert_int_equal(ask(&f, ANY_TLS, NULL, ALICE_WRONG), 401);
        status = ask(&f, ANY_TLS, NULL, ALICE);
        if (clock_now_ns() - begun_ns < WEB_AUTH_PENALTY_NS) /* else this machine is too busy to tell */
                assert_int_equal(status, 429);
        (void)usleep(WEB_AUTH_PENALTY_NS / 1000);
        assert_int_equal(ask(&f, ANY_TLS, NULL, ALICE), 200);
        assert_int_equal(ask(&f, ANY_TLS, NULL, ALICE_WRONG), 401);
        assert_int_equal(ask(&f, ANY_TLS, NULL, ALICE), 200);
        teardown(&f);
}

static void a_user_who_is_taken_out_is_out(void **state)
{
        struct fixture f;
        struct client c;
        char text[8192];

        setup(&f, USERS);
        assert_int_equal(client_open(&c, &f, NULL, NULL), 0);
        assert_int_equal(get(&c, "/metrics", ALICE, text, sizeof(text)), 200);
        put(&f.files, "web.yml", "basic_auth_users:\n  bob: " HASH_OF_OTHER "\n");
        wait_until(atomic_load(&f.followed) == 1);
        assert_int_equal(get(&c, "/metrics", ALICE, text, sizeof(text)), 401); /* on the same connection */
        client_close(&c);
        teardown(&f);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(both_versions_are_spoken_and_no_older_one),
                cmocka_unit_test(the_least_version_can_be_set),
                cmocka_unit_test(a_scrape_waits_over_tls_too),
                cmocka_unit_test(what_is_no_tls_is_refused_without_harm),
                cmocka_unit_test(a_handshake_has_no_more_time_than_a_request),
                cmocka_unit_test(clients_need_a_certificate_of_the_authority),
                cmocka_unit_test(rotated_certificates_are_served_to_new_connections),
                cmocka_unit_test(a_bad_replacement_is_not_served),
                cmocka_unit_test(authorities_and_versions_change_too),
                cmocka_unit_test(rotation_disturbs_nobody),
                cmocka_unit_test(passwords_are_asked_for_everywhere),
                cmocka_unit_test(what_is_not_the_password_is_refused),
                cmocka_unit_test(a_user_who_is_taken_out_is_out),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
