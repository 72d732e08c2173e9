/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "daemon/config.h"

struct file {
        char path[32];
};

static void write_file(struct file *f, const char *text)
{
        int fd;

        (void)strcpy(f->path, "/tmp/test-config-XXXXXX");
        fd = mkstemp(f->path);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, text, strlen(text)), strlen(text));
        (void)close(fd);
}

static int load(const char *text, struct config **ret, struct buf *problems)
{
        struct file f;
        int r;

        write_file(&f, text);
        buf_init(problems);
        r = config_load(f.path, ret, problems);
        (void)unlink(f.path);
        return r;
}

static const struct config *must_load(const char *text, struct config **ret)
{
        struct buf problems;
        int r = load(text, ret, &problems);

        if (r < 0)
                fail_msg("%s", buf_cstr(&problems));
        buf_done(&problems);
        return *ret;
}

static void test_defaults_of_a_short_file(void **state)
{
        struct config *c = NULL;

        must_load("peers: []\n", &c);
        assert_true(strlen(c->node) > 0);
        assert_int_equal(c->peers.n, 0);
        assert_true(c->responder.enabled);
        assert_int_equal(c->responder.port, 14792);
        assert_int_equal(c->scrape.timeout_ns, 8 * NS_PER_SEC);
        config_unref(c);
}

static void test_peers_groups_rails_and_self(void **state)
{
        const struct config_peer *b;
        const struct option_label *group;
        struct config *c = NULL;

        must_load("node: host-a\n"
                  "peers:\n"
                  "- {name: host-a, address: 198.51.100.1}\n"
                  "- {name: host-b, address: 198.51.100.2, port: 4711, groups: {rack: r12}}\n"
                  "- {name: host-c, address: host-c.example}\n"
                  "rails: [{name: left, device: mlx5_0}, {name: right, device: mlx5_1}]\n"
                  "devices: {exclude: ['mlx5_bond*']}\n",
                &c);
        assert_int_equal(c->peers.n, 2);
        b = config_peer(c, 0);
        assert_string_equal(b->name, "host-b");
        assert_int_equal(b->port, 4711);
        assert_int_equal(b->groups.n, 1);
        group = b->groups.items;
        assert_string_equal(group->name, "rack");
        assert_string_equal(group->value, "r12");
        assert_int_equal(config_peer(c, 1)->port, 14792);
        assert_string_equal(config_rail(c, 1)->device, "mlx5_1");
        assert_string_equal(((char **)c->devices.exclude.items)[0], "mlx5_bond*");
        config_unref(c);
}

static void test_each_class_has_its_own_options(void **state)
{
        struct config *c = NULL;
        size_t enabled = 0;

        must_load("probes: {rdma_latency: {enabled: false}}\ncollectors: {port: {enabled: false}}\n", &c);
        for (size_t i = 0; i < n_source_classes; i++) {
                const struct source_config *s = config_of_class(c, source_classes[i]);
                bool off = strcmp(source_classes[i]->name, "rdma_latency") == 0 ||
                           strcmp(source_classes[i]->name, "port") == 0;
                assert_non_null(s);
                assert_int_equal(s->enabled, !off);
                enabled += s->enabled;
        }
        assert_int_equal(enabled, n_source_classes - 2);
        config_unref(c);
}

static void test_references_keep_it_alive(void **state)
{
        struct config *c = NULL;

        must_load("node: n\n", &c);
        assert_ptr_equal(config_ref(c), c);
        config_unref(c);
        assert_string_equal(c->node, "n");
        config_unref(c);
        config_unref(NULL);
}

static void test_what_is_wrong_is_named(void **state)
{
        static const struct {
                const char *text, *named;
        } rows[] = {
                { "", "empty" },
                { "nodes: x\n", "nodes" },
                { "peers: [{name: b}]\n", "address" },
                { "peers: [{name: \"\", address: h}]\n", "name" },
                { "peers: [{name: b, address: h, port: 70000}]\n", "port" },
                { "peers: [{name: b, address: h}, {name: b, address: i}]\n",
                        "names of peers: \"b\" is there twice" },
                { "rails: [{name: r, device: d}, {name: r, device: e}]\n",
                        "names of rails: \"r\" is there twice" },
                { "rails: [{name: r, device: d}, {name: s, device: d}]\n",
                        "devices of rails: \"d\" is there twice" },
                { "probes: {rdma_bandwidth: {interval: 30}}\n", "interval" },
                { "probes: {rdma_bandwith: {}}\n", "rdma_bandwidth" },
                { "peers: [{name: \"a\\nb\", address: h}]\n", "control characters" },
                { "scrape: {timeout: 1h}\n", "timeout" },
                { "node: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
                        "node" },
                { "responder: {enabled: maybe}\n", "enabled" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                struct config *c = NULL;
                struct buf problems;
                check_row(load(rows[i].text, &c, &problems) < 0, rows[i].text);
                check_row(problems.len > 0 && strstr(problems.data, rows[i].named), rows[i].text);
                check_row(!c, rows[i].text);
                buf_done(&problems);
        }
}

static void test_a_missing_file_is_named(void **state)
{
        struct config *c = NULL;
        struct buf problems;

        buf_init(&problems);
        assert_int_equal(config_load("/nonexistent/x.yml", &c, &problems), -ENOENT);
        assert_non_null(strstr(buf_cstr(&problems), "/nonexistent/x.yml"));
        buf_done(&problems);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_defaults_of_a_short_file),
                cmocka_unit_test(test_peers_groups_rails_and_self),
                cmocka_unit_test(test_each_class_has_its_own_options),
                cmocka_unit_test(test_references_keep_it_alive),
                cmocka_unit_test(test_what_is_wrong_is_named),
                cmocka_unit_test(test_a_missing_file_is_named),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
