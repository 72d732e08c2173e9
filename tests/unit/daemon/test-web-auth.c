/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "daemon/basic_credentials.h"
#include "daemon/web_auth.h"
#include "tests/unit/daemon/web_files.h"

/* ---- the header --------------------------------------------------------------------------------------- */

struct header {
        const char *value;
        int result;
        const char *user, *password;
};

static void headers_are_read_strictly(void **state)
{
        static const struct header rows[] = {
                { "Basic YWxpY2U6c2VjcmV0", 0, "alice", "secret" },
                { "basic YWxpY2U6c2VjcmV0", 0, "alice", "secret" },
                { "BASIC   YWxpY2U6c2VjcmV0", 0, "alice", "secret" },
                { "Basic YTpiOmM=", 0, "a", "b:c" },
                { "Basic Og==", 0, "", "" },
                { "Basic YTo=", 0, "a", "" },
                { "Basic YTrDpA==", 0, "a", "\xc3\xa4" },
                { "", -EINVAL },
                { "Basic", -EINVAL },
                { "Basic ", -EINVAL },
                { "Basic YWxpY2U=", -EINVAL },          /* no colon */
                { "Basic YWxpY2U6c2VjcmV0 ", -EINVAL }, /* a blank behind */
                { " Basic YWxpY2U6c2VjcmV0", -EINVAL },
                { "Basic YTpiOmM", -EINVAL },  /* padding left out */
                { "Basic YTpiOmN=", -EINVAL }, /* bits left over */
                { "Basic YTo==", -EINVAL },
                { "Basic ====", -EINVAL },
                { "Basic YT=6", -EINVAL },
                { "Basic Og==Og==", -EINVAL },
                { "Basic YTpi-_Zj", -EINVAL }, /* the other alphabet */
                { "Basic YTpi\nYTpi", -EINVAL },
                { "Basic YTpiAGM=", -EINVAL }, /* "a:b\0c" */
                { "Basic \xff\xfe\xfd\xfc", -EINVAL },
                { "Bearer YWxpY2U6c2VjcmV0", -EINVAL },
                { "Digest username=\"alice\"", -EINVAL },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                struct basic_credentials c = { 0 };

                check_row(basic_credentials_parse(rows[i].value, strlen(rows[i].value), &c) == rows[i].result,
                        rows[i].value);
                check_row(text_equal(c.user, rows[i].user ? rows[i].user : ""), rows[i].value);
                check_row(text_equal(c.password, rows[i].password ? rows[i].password : ""), rows[i].value);
        }
}

static void long_credentials_are_refused(void **state)
{
        struct basic_credentials c;
        char header[9000] = "Basic ";

        /* "YWFh" is aaa, "OmFh" is :aa, "YTph" is a:a. */
        for (size_t i = 0; i < 85; i++)
                (void)strcat(header, "YWFh");
        (void)strcat(header, "OmFh");
        for (size_t i = 0; i < 84; i++)
                (void)strcat(header, "YWFh");
        (void)strcat(header, "YQ==");
        assert_int_equal(basic_credentials_parse(header, strlen(header), &c), 0);
        assert_int_equal(strlen(c.user), BASIC_USER_MAX);
        assert_int_equal(strlen(c.password), BASIC_PASSWORD_MAX);
        header[strlen(header) - 4] = '\0';
        (void)strcat(header, "YWE=");
        assert_int_equal(basic_credentials_parse(header, strlen(header), &c), -ERANGE);
        for (size_t i = 0; i < 500; i++)
                (void)strcat(header, "YWFh");
        assert_true(basic_credentials_parse(header, strlen(header), &c) < 0);
}

/* ---- checks ------------------------------------------------------------------------------------------- */

struct fixture {
        struct web_auth *auth;
        uint64_t now_ns;
};

static void setup(struct fixture *f)
{
        struct option_label labels[] = {
                { (char *)"alice", (char *)HASH_OF_SECRET },
                { (char *)"bob", (char *)HASH_OF_OTHER },
        };
        const struct option_list users = { ARRAY_SIZE(labels), labels };

        *f = (struct fixture){ .now_ns = 1000 * NS_PER_SEC };
        assert_int_equal(web_auth_new(&users, &f->auth), 0);
}

static void encode(char *header, size_t size, const char *pair)
{
        const gnutls_datum_t raw = { (unsigned char *)(uintptr_t)pair, (unsigned)strlen(pair) };
        gnutls_datum_t text;

        assert_int_equal(gnutls_base64_encode2(&raw, &text), 0);
        assert_int_equal(text_format(header, size, "Basic %s", text.data), 0);
        gnutls_free(text.data);
}

static enum web_verdict check_from(struct fixture *f, const char *pair, const char *address)
{
        struct sockaddr_in v4 = { .sin_family = AF_INET };
        char header[1024];

        assert_int_equal(inet_pton(AF_INET, address, &v4.sin_addr), 1);
        encode(header, sizeof(header), pair);
        return web_auth_check(f->auth, header, (const struct sockaddr *)&v4, f->now_ns);
}

static enum web_verdict check(struct fixture *f, const char *pair)
{
        return check_from(f, pair, "192.0.2.1");
}

/* Until neither the burst nor the penalty of before counts; checks of cost 4 do not stretch the interval. */
static void rest(struct fixture *f)
{
        f->now_ns += 60 * NS_PER_SEC;
}

static void the_right_password_is_welcome(void **state)
{
        struct fixture f;

        setup(&f);
        assert_int_equal(check(&f, "alice:secret"), WEB_WELCOME);
        assert_int_equal(check(&f, "bob:other"), WEB_WELCOME);
        web_auth_free(f.auth);
}

#define THE_HASH_ITSELF "alice:" HASH_OF_SECRET

static void others_are_not(void **state)
{
        static const char *const rows[] = { "alice:other", "bob:secret", "alice:", ":secret", ":",
                "Alice:secret", "alice:secret ", "eve:secret", THE_HASH_ITSELF, "*0:*0" };
        struct fixture f;

        setup(&f);
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                rest(&f);
                check_row(check(&f, rows[i]) == WEB_UNKNOWN, rows[i]);
        }
        assert_int_equal(web_auth_check(f.auth, NULL, NULL, f.now_ns), WEB_UNKNOWN);
        assert_int_equal(web_auth_check(f.auth, "Bearer x", NULL, f.now_ns), WEB_UNKNOWN);
        web_auth_free(f.auth);
}

static void verdicts_are_remembered(void **state)
{
        struct fixture f;

        setup(&f);
        assert_int_equal(check(&f, "alice:secret"), WEB_WELCOME);
        assert_int_equal(check(&f, "eve:guess"), WEB_UNKNOWN);
        for (unsigned i = 0; i < 1000; i++) { /* no time passes: none of these is a check */
                assert_int_equal(check(&f, "alice:secret"), WEB_WELCOME);
                assert_int_equal(check(&f, "eve:guess"), WEB_UNKNOWN);
        }
        web_auth_free(f.auth);
}

static void guesses_push_no_user_out_of_memory(void **state)
{
        struct fixture f;
        char pair[40];

        setup(&f);
        assert_int_equal(check(&f, "alice:secret"), WEB_WELCOME);
        for (unsigned i = 0; i < 300; i++) {
                rest(&f);
                text_message(pair, sizeof(pair), "alice:guess%u", i);
                assert_int_equal(check(&f, pair), WEB_UNKNOWN);
        }
        assert_int_equal(check(&f, "eve:guess"), WEB_BUSY); /* the address is still punished */
        assert_int_equal(check(&f, "alice:secret"), WEB_WELCOME);
        assert_int_equal(check(&f, "alice:guess299"), WEB_UNKNOWN); /* remembered */
        assert_int_equal(check(&f, "alice:guess0"), WEB_BUSY);      /* forgotten */
        web_auth_free(f.auth);
}

static void a_guesser_waits_and_others_do_not(void **state)
{
        struct fixture f;

        setup(&f);
        assert_int_equal(check_from(&f, "alice:guess", "192.0.2.1"), WEB_UNKNOWN);
        assert_int_equal(check_from(&f, "alice:guess2", "192.0.2.1"), WEB_BUSY);
        assert_int_equal(check_from(&f, "alice:secret", "192.0.2.2"), WEB_WELCOME);
        f.now_ns += WEB_AUTH_PENALTY_NS;
        assert_int_equal(check_from(&f, "alice:guess2", "192.0.2.1"), WEB_UNKNOWN);
        web_auth_free(f.auth);
}

static enum web_verdict check_from_v6(struct fixture *f, const char *pair, const char *address)
{
        struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
        char header[1024];

        assert_int_equal(inet_pton(AF_INET6, address, &v6.sin6_addr), 1);
        encode(header, sizeof(header), pair);
        return web_auth_check(f->auth, header, (const struct sockaddr *)&v6, f->now_ns);
}

static void a_network_of_ipv6_is_one_guesser(void **state)
{
        struct fixture f;

        setup(&f);
        assert_int_equal(check_from_v6(&f, "alice:guess", "2001:db8::1"), WEB_UNKNOWN);
        assert_int_equal(check_from_v6(&f, "alice:guess2", "2001:db8::2"), WEB_BUSY);
        assert_int_equal(check_from_v6(&f, "alice:guess2", "2001:db8:0:1::2"), WEB_UNKNOWN);
        assert_int_equal(check_from_v6(&f, "alice:guess3", "::ffff:192.0.2.1"), WEB_UNKNOWN);
        assert_int_equal(check_from_v6(&f, "alice:guess4", "::ffff:192.0.2.2"), WEB_UNKNOWN);
        web_auth_free(f.auth);
}

/* From as many addresses as there are guesses. */
static unsigned count_checks(struct fixture *f, unsigned guesses, unsigned *made)
{
        unsigned checked = 0;

        for (unsigned i = 0; i < guesses; i++) {
                char pair[40], address[20];

                text_message(pair, sizeof(pair), "alice:guess%u", ++*made);
                text_message(address, sizeof(address), "10.0.%u.%u", *made / 250, *made % 250);
                checked += check_from(f, pair, address) == WEB_UNKNOWN;
        }
        return checked;
}

static void checks_in_all_are_bounded(void **state)
{
        struct fixture f;
        unsigned made = 0, checked = 0;

        setup(&f);
        assert_int_equal(count_checks(&f, 100, &made), WEB_AUTH_BURST);
        for (unsigned i = 0; i < 100; i++) { /* ten seconds */
                f.now_ns += 100 * NS_PER_MS;
                checked += count_checks(&f, 10, &made);
        }
        assert_in_range(
                checked, 10 * NS_PER_SEC / WEB_AUTH_INTERVAL_NS - 1, 10 * NS_PER_SEC / WEB_AUTH_INTERVAL_NS);
        web_auth_free(f.auth);
}

static uint64_t cpu_ns(void)
{
        struct timespec t;

        assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t), 0);
        return (uint64_t)t.tv_sec * NS_PER_SEC + (uint64_t)t.tv_nsec;
}

static uint64_t cost_of(struct fixture *f, const char *name)
{
        uint64_t least_ns = UINT64_MAX;
        char pair[60];

        for (unsigned i = 0; i < 20; i++) {
                uint64_t begun_ns;

                rest(f);
                text_message(pair, sizeof(pair), "%s:guess%u", name, i);
                begun_ns = cpu_ns();
                assert_int_equal(check(f, pair), WEB_UNKNOWN);
                if (cpu_ns() - begun_ns < least_ns)
                        least_ns = cpu_ns() - begun_ns;
        }
        return least_ns;
}

static void unknown_names_cost_as_much_as_known_ones(void **state)
{
        uint64_t known_ns, unknown_ns;
        struct fixture f;

        setup(&f);
        known_ns = cost_of(&f, "alice");
        unknown_ns = cost_of(&f, "nobody");
        assert_true(unknown_ns > known_ns / 2 && unknown_ns < known_ns * 2);
        web_auth_free(f.auth);
}

struct caller {
        struct fixture *fixture;
        unsigned number;
        atomic_uint welcome, other;
};

static void *call(void *context)
{
        struct caller *c = context;
        char pair[40];

        for (unsigned i = 0; i < 50; i++) {
                text_message(pair, sizeof(pair), "alice:guess%u-%u", c->number, i);
                (void)check_from(c->fixture, pair, "192.0.2.9");
                if (check(c->fixture, "alice:secret") == WEB_WELCOME)
                        (void)atomic_fetch_add(&c->welcome, 1);
        }
        return NULL;
}

static void threads_may_ask_at_once(void **state)
{
        struct caller callers[4] = { 0 };
        pthread_t threads[ARRAY_SIZE(callers)];
        struct fixture f;

        setup(&f);
        assert_int_equal(check(&f, "alice:secret"), WEB_WELCOME);
        for (unsigned i = 0; i < ARRAY_SIZE(threads); i++) {
                callers[i].fixture = &f;
                callers[i].number = i;
                assert_int_equal(pthread_create(&threads[i], NULL, call, &callers[i]), 0);
        }
        for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
                assert_int_equal(pthread_join(threads[i], NULL), 0);
                assert_int_equal(atomic_load(&callers[i].welcome), 50);
        }
        web_auth_free(f.auth);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(headers_are_read_strictly),
                cmocka_unit_test(long_credentials_are_refused),
                cmocka_unit_test(the_right_password_is_welcome),
                cmocka_unit_test(others_are_not),
                cmocka_unit_test(verdicts_are_remembered),
                cmocka_unit_test(guesses_push_no_user_out_of_memory),
                cmocka_unit_test(a_guesser_waits_and_others_do_not),
                cmocka_unit_test(a_network_of_ipv6_is_one_guesser),
                cmocka_unit_test(checks_in_all_are_bounded),
                cmocka_unit_test(unknown_names_cost_as_much_as_known_ones),
                cmocka_unit_test(threads_may_ask_at_once),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
