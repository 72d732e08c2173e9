/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdlib.h>

#include "daemon/web_config.h"
#include "tests/unit/daemon/web_files.h"

#define WITH_TLS "tls_server_config:\n  cert_file: a.crt\n  key_file: /etc/ssl/a.key\n"

static int load(struct web_files *f, const char *text, struct web_config *c, struct buf *problems)
{
        *c = (struct web_config){ 0 };
        buf_init(problems);
        put(f, "web.yml", text);
        return web_config_load(path_of(f, "web.yml").text, c, problems);
}

static void an_empty_mapping_asks_for_nothing(void **state)
{
        struct web_files f;
        struct web_config c;
        struct buf problems;

        web_files_init(&f);
        assert_int_equal(load(&f, "{}\n", &c, &problems), 0);
        assert_null(c.tls.cert_file);
        assert_null(c.tls.client_ca_file);
        assert_int_equal(c.users.n, 0);
        assert_int_equal(problems.len, 0);
        web_config_done(&c);
        web_files_done(&f);
}

static void tls_has_its_defaults_and_paths_beside_the_file(void **state)
{
        struct web_files f;
        struct web_config c;
        struct buf problems;

        web_files_init(&f);
        assert_int_equal(load(&f, WITH_TLS, &c, &problems), 0);
        assert_string_equal(c.tls.cert_file, path_of(&f, "a.crt").text);
        assert_string_equal(c.tls.key_file, "/etc/ssl/a.key");
        assert_int_equal(c.tls.client_auth_type, WEB_NO_CLIENT_CERT);
        assert_int_equal(c.tls.min_version, WEB_TLS12);
        web_config_done(&c);
        web_files_done(&f);
}

static void everything_can_be_said(void **state)
{
        static const char text[] = WITH_TLS "  client_ca_file: ca.crt\n"
                                            "  client_auth_type: RequireAndVerifyClientCert\n"
                                            "  min_version: TLS13\n"
                                            "basic_auth_users:\n"
                                            "  alice: " HASH_OF_SECRET "\n"
                                            "  bob: '" HASH_OF_OTHER "'\n";
        const struct option_label *users;
        struct web_files f;
        struct web_config c;
        struct buf problems;

        web_files_init(&f);
        assert_int_equal(load(&f, text, &c, &problems), 0);
        assert_string_equal(c.tls.client_ca_file, path_of(&f, "ca.crt").text);
        assert_int_equal(c.tls.client_auth_type, WEB_REQUIRE_CLIENT_CERT);
        assert_int_equal(c.tls.min_version, WEB_TLS13);
        assert_int_equal(c.users.n, 2);
        users = c.users.items;
        assert_string_equal(users[0].name, "alice");
        assert_string_equal(users[1].value, HASH_OF_OTHER);
        web_config_done(&c);
        web_files_done(&f);
}

struct wrong {
        const char *text, *named;
};

static void what_is_wrong_is_named(void **state)
{
        static const struct wrong rows[] = {
                { "", "empty" },
                { "tls_server_config: {}\n", "web.yml:1:20: tls_server_config.cert_file: missing" },
                { "tls_server_config:\n  cert_file: a\n", "tls_server_config.key_file: missing" },
                { "tls_server_config:\n  cert_file: ''\n  key_file: b\n", "cert_file: " },
                { WITH_TLS "  cipher_suites: []\n", "web.yml:4:3: tls_server_config.cipher_suites: unknown" },
                { WITH_TLS "  client_auth_type: RequestClientCert\n",
                        "expected one of NoClientCert, RequireAndVerifyClientCert" },
                { WITH_TLS "  client_auth_type: RequireAndVerifyClientCert\n",
                        "tls_server_config.client_ca_file: missing" },
                { WITH_TLS "  client_ca_file: ca.crt\n", "write RequireAndVerifyClientCert" },
                { WITH_TLS "  min_version: TLS10\n", "expected one of TLS12, TLS13" },
                { "http_server_config:\n  http2: true\n", "web.yml:1:1: http_server_config: unknown key" },
                { "rate_limit: {}\n", "rate_limit: unknown key" },
                { "basic_auth_users:\n  alice: secret\n", "basic_auth_users.alice: not a bcrypt hash" },
                { "basic_auth_users:\n  alice:\n", "basic_auth_users.alice: found nothing" },
                { "basic_auth_users:\n  a:b: " HASH_OF_SECRET "\n", "\"a:b\" is no user name" },
                { "basic_auth_users:\n  '': " HASH_OF_SECRET "\n", "\"\" is no user name" },
                { "basic_auth_users:\n  a: $2x$04$abcdefghijklmnopqrstuuRF.JVzbTWE3Fgm.h/xdAEL71ES4IA2a\n",
                        "not a bcrypt hash" },
                { "basic_auth_users:\n  a: $2b$0x$abcdefghijklmnopqrstuuRF.JVzbTWE3Fgm.h/xdAEL71ES4IA2a\n",
                        "not a bcrypt hash" },
                { "basic_auth_users:\n  a: $2b$04$abcdefghijklmnopqrstuuRF.JVzbTWE3Fgm.h/xdAEL71ES4IA2\n",
                        "not a bcrypt hash" },
                { "basic_auth_users:\n  a: $2b$04$abcdefghijklmnopqrstuuRF.JVzbTWE3Fgm.h!xdAEL71ES4IA2a\n",
                        "not a bcrypt hash" },
                { "basic_auth_users:\n  a: $2b$14$abcdefghijklmnopqrstuuRF.JVzbTWE3Fgm.h/xdAEL71ES4IA2a\n",
                        "bcrypt of cost 14; 4 to 12 are accepted" },
                { "basic_auth_users:\n  a: $2b$03$abcdefghijklmnopqrstuuRF.JVzbTWE3Fgm.h/xdAEL71ES4IA2a\n",
                        "bcrypt of cost 3" },
                { "basic_auth_users: [a]\n", "found a sequence" },
                { "basic_auth_users:\n  a: " HASH_OF_SECRET "\n  a: " HASH_OF_OTHER "\n", "given twice" },
        };
        struct web_files f;

        web_files_init(&f);
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                static const struct web_config zero;
                struct web_config c;
                struct buf problems;

                check_row(load(&f, rows[i].text, &c, &problems) == -EINVAL, rows[i].text);
                check_row(strstr(buf_cstr(&problems), rows[i].named), rows[i].text);
                check_row(text_starts(problems.data, f.dir), rows[i].text);
                check_row(memcmp(&c, &zero, sizeof(c)) == 0, rows[i].text);
                buf_done(&problems);
        }
        web_files_done(&f);
}

static void a_missing_file_is_named(void **state)
{
        struct web_config c = { 0 };
        struct buf problems = { 0 };

        assert_int_equal(web_config_load("/nowhere/web.yml", &c, &problems), -ENOENT);
        assert_non_null(strstr(buf_cstr(&problems), "/nowhere/web.yml: cannot be read"));
        buf_done(&problems);
}

/* The page in docs/ is written by hand around the table of keys. */
static void the_page_has_every_key(void **state)
{
        FILE *file = fopen(DOCS "/web-config.md", "re");
        struct buf page = { 0 }, table = { 0 };
        char chunk[4096];
        size_t n;

        assert_non_null(file);
        while ((n = fread(chunk, 1, sizeof(chunk), file)) > 0)
                buf_bytes(&page, chunk, n);
        (void)fclose(file);
        web_config_document(&table);
        if (!strstr(buf_cstr(&page), buf_cstr(&table)))
                fail_msg("docs/web-config.md lacks this table:\n%s", table.data);
        buf_done(&table);
        buf_done(&page);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(an_empty_mapping_asks_for_nothing),
                cmocka_unit_test(tls_has_its_defaults_and_paths_beside_the_file),
                cmocka_unit_test(everything_can_be_said),
                cmocka_unit_test(what_is_wrong_is_named),
                cmocka_unit_test(a_missing_file_is_named),
                cmocka_unit_test(the_page_has_every_key),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
