/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <string.h>

#include "base/scope.h"
#include "daemon/options.h"

static enum options_action parse(struct options *ret, struct buf *output, const char *const *args)
{
        char *argv[16] = { (char *)"rdma-canaryd" };
        int argc = 1;

        while (args[argc - 1]) {
                argv[argc] = (char *)args[argc - 1];
                argc++;
        }
        buf_init(output);
        return options_parse(argc, argv, ret, output);
}

#define ARGS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void test_defaults(void **state)
{
        struct options o;
        struct buf out;

        assert_int_equal(parse(&o, &out, (const char *const[]){ NULL }), OPTIONS_RUN);
        assert_string_equal(o.config_file, "/etc/rdma-canary/rdma-canary.yml");
        assert_int_equal(o.n_listen_addresses, 1);
        assert_string_equal(o.listen_addresses[0], ":14791");
        assert_string_equal(o.telemetry_path, "/metrics");
        assert_null(o.web_config_file);
        assert_int_equal(o.max_requests, 40);
        assert_string_equal(o.sysfs, "/sys");
        assert_false(o.systemd_socket || o.enable_lifecycle || o.config_check);
        buf_done(&out);
}

static void test_both_spellings_and_repeated_addresses(void **state)
{
        struct options o;
        struct buf out;

        assert_int_equal(parse(&o, &out,
                                 ARGS("--config.file", "/x.yml", "--web.listen-address=127.0.0.1:1",
                                         "--web.listen-address", "[::1]:2", "--log.level=debug",
                                         "--log.format=json", "--web.max-requests=0", "--path.sysfs=/s",
                                         "--path.procfs=/p", "--config.check")),
                OPTIONS_RUN);
        assert_string_equal(o.config_file, "/x.yml");
        assert_int_equal(o.n_listen_addresses, 2);
        assert_string_equal(o.listen_addresses[1], "[::1]:2");
        assert_int_equal(o.max_requests, 0);
        assert_int_equal(o.log_level, LOG_LEVEL_DEBUG);
        assert_int_equal(o.log_format, LOG_FORMAT_JSON);
        assert_string_equal(o.procfs, "/p");
        assert_true(o.config_check);
        buf_done(&out);
}

static void test_an_empty_web_config_is_none(void **state)
{
        struct options o;
        struct buf out;

        assert_int_equal(parse(&o, &out, ARGS("--web.config.file=web.yml")), OPTIONS_RUN);
        assert_string_equal(o.web_config_file, "web.yml");
        assert_int_equal(parse(&o, &out, ARGS("--web.config.file=")), OPTIONS_RUN);
        assert_null(o.web_config_file);
        buf_done(&out);
}

static void test_wrong_ones_are_named(void **state)
{
        static const struct {
                const char *args[4], *named;
        } rows[] = {
                { { "--log.level=loud" }, "\"loud\"" },
                { { "--log.format", "xml" }, "logfmt or json" },
                { { "--no.such" }, "--no.such" },
                { { "--config.file" }, "--config.file" },
                { { "--config.file=" }, "--config.file=" },
                { { "stray" }, "stray" },
                { { "--web.telemetry-path=metrics" }, "a path such as" },
                { { "--web.max-requests=many" }, "a number from 0" },
                { { "--web.max-requests=-1" }, "a number from 0" },
                { { "--web.telemetry-path=/" }, "a path such as" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                struct options o;
                struct buf out;
                assert_int_equal(parse(&o, &out, rows[i].args), OPTIONS_WRONG);
                assert_non_null(strstr(buf_cstr(&out), rows[i].named));
                buf_done(&out);
        }
}

static void test_too_many_addresses(void **state)
{
        struct options o;
        struct buf out;
        const char *args[OPTIONS_LISTEN_MAX + 2] = { NULL };

        for (size_t i = 0; i <= OPTIONS_LISTEN_MAX; i++)
                args[i] = "--web.listen-address=:1";
        assert_int_equal(parse(&o, &out, args), OPTIONS_WRONG);
        buf_done(&out);
}

static void test_help_lists_every_flag_and_fits_the_screen(void **state)
{
        struct options o;
        struct buf out;

        assert_int_equal(parse(&o, &out, ARGS("--help")), OPTIONS_ANSWERED);
        assert_non_null(strstr(buf_cstr(&out), "--web.listen-address=HOST:PORT"));
        for (char *line = out.data; line && *line;) {
                char *end = strchr(line, '\n');
                assert_non_null(end);
                assert_true(end - line <= 100);
                line = end + 1;
        }
        buf_done(&out);
        assert_int_equal(parse(&o, &out, ARGS("--version")), OPTIONS_ANSWERED);
        assert_non_null(strstr(buf_cstr(&out), RDMA_CANARY_VERSION));
        buf_done(&out);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_defaults),
                cmocka_unit_test(test_both_spellings_and_repeated_addresses),
                cmocka_unit_test(test_an_empty_web_config_is_none),
                cmocka_unit_test(test_wrong_ones_are_named),
                cmocka_unit_test(test_too_many_addresses),
                cmocka_unit_test(test_help_lists_every_flag_and_fits_the_screen),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
