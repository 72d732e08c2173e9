/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "daemon/loader.h"

struct tls {
        char *cert;
        uint64_t handshake_ns;
};

struct peer {
        char *name;
        uint64_t port;
        struct option_list groups;
};

struct config {
        bool on;
        uint64_t interval_ns, budget_bps;
        double share;
        unsigned mode;
        char *node;
        struct peer self;
        struct tls tls;
        struct option_list peers, addresses;
};

static const char *const modes[] = { "off", "auto", NULL };
static const struct option peer_rows[] = {
        { "name", OPTION_TEXT, offsetof(struct peer, name), .min = 1, .max = 16, .help = "Who it is." },
        { "port", OPTION_U64, offsetof(struct peer, port), "14792", .min = 1, .max = 65535,
                .help = "Where it listens." },
        { "groups", OPTION_LABELS, offsetof(struct peer, groups), .help = "Where it stands." },
};
static const struct option tls_rows[] = {
        { "cert_file", OPTION_TEXT, offsetof(struct tls, cert), .help = "The certificate." },
        { "handshake_timeout", OPTION_DURATION, offsetof(struct tls, handshake_ns), "5s",
                .help = "For one client." },
};
static const struct option self_rows[] = {
        { "port", OPTION_U64, offsetof(struct peer, port), "1", .help = "Own port." },
};
static const struct option rows[] = {
        { "enabled", OPTION_BOOL, offsetof(struct config, on), "true", .help = "Whether it runs." },
        { "interval", OPTION_DURATION, offsetof(struct config, interval_ns), "30s", .min = NS_PER_SEC,
                .max = 3600 * NS_PER_SEC, .help = "How often." },
        { "budget", OPTION_RATE, offsetof(struct config, budget_bps), "160Mbit/s", .help = "How much." },
        { "share", OPTION_RATIO, offsetof(struct config, share), "0.5", .help = "Of the | rate." },
        { "mode", OPTION_CHOICE, offsetof(struct config, mode), "auto", .choices = modes, .help = "Which." },
        { "node", OPTION_TEXT, offsetof(struct config, node), .optional = true, .help = "The name." },
        { "self", OPTION_MAP, offsetof(struct config, self), .children = self_rows,
                .n_children = ARRAY_SIZE(self_rows), .help = "This host." },
        { "tls", OPTION_MAP, offsetof(struct config, tls), .optional = true, .children = tls_rows,
                .n_children = ARRAY_SIZE(tls_rows), .help = "Keys." },
        { "peers", OPTION_LIST, offsetof(struct config, peers), .children = peer_rows,
                .n_children = ARRAY_SIZE(peer_rows), .item_size = sizeof(struct peer),
                .help = "The others." },
        { "addresses", OPTION_TEXTS, offsetof(struct config, addresses), .help = "To listen on." },
};

static int load(const char *text, struct config *c, struct buf *problems)
{
        return loader_parse("f.yml", text, strlen(text), rows, ARRAY_SIZE(rows), c, problems);
}

static void config_free(struct config *c)
{
        option_free(rows, ARRAY_SIZE(rows), c);
}

static void expect_good(const char *text, struct config *c)
{
        cleanup(buf_done) struct buf problems = { 0 };

        memset(c, 0, sizeof(*c));
        if (load(text, c, &problems) != 0)
                fail_msg("%s", buf_cstr(&problems));
        assert_int_equal(problems.len, 0);
}

static void absent_keys_get_their_fallback(void **state)
{
        static const char *const texts[] = { "{}", "--- {}\n", "{}\n...\n", "# nothing\n{}\n",
                "\xef\xbb\xbf{}\n" };
        struct config c;

        for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
                expect_good(texts[i], &c);
                assert_true(c.on);
                assert_true(c.interval_ns == 30 * NS_PER_SEC);
                assert_int_equal(c.budget_bps, 20000000);
                assert_true(c.share == 0.5);
                assert_int_equal(c.mode, 1);
                assert_null(c.node);
                assert_int_equal(c.self.port, 1);
                assert_null(c.tls.cert);
                assert_true(c.tls.handshake_ns == 5 * NS_PER_SEC);
                assert_int_equal(c.peers.n + c.addresses.n, 0);
                config_free(&c);
        }
}

static void every_kind_is_filled(void **state)
{
        struct config c;
        const struct peer *peers;
        const struct option_label *groups;
        char **addresses;

        expect_good("enabled: false\n"
                    "interval: 1m30s # comment\n"
                    "budget: 1.5Gbit/s\n"
                    "share: 0.25\n"
                    "mode: \"off\"\n"
                    "node: 'yes'\n"
                    "self: {port: 7}\n"
                    "tls:\n"
                    "  cert_file: /etc/cert.pem\n"
                    "  handshake_timeout: 250ms\n"
                    "peers:\n"
                    "  - name: alpha\n"
                    "    groups: {rack: r1, \"a b\": 010}\n"
                    "  - {name: beta, port: 80}\n"
                    "addresses: [':1', no, \"\"]\n",
                &c);
        assert_false(c.on);
        assert_true(c.interval_ns == 90 * NS_PER_SEC);
        assert_int_equal(c.budget_bps, 187500000);
        assert_true(c.share == 0.25);
        assert_int_equal(c.mode, 0);
        assert_string_equal(c.node, "yes");
        assert_int_equal(c.self.port, 7);
        assert_string_equal(c.tls.cert, "/etc/cert.pem");
        assert_int_equal(c.tls.handshake_ns, 250 * NS_PER_MS);
        assert_int_equal(c.peers.n, 2);
        peers = c.peers.items;
        assert_string_equal(peers[0].name, "alpha");
        assert_int_equal(peers[0].port, 14792);
        assert_int_equal(peers[0].groups.n, 2);
        groups = peers[0].groups.items;
        assert_string_equal(groups[0].name, "rack");
        assert_string_equal(groups[0].value, "r1");
        assert_string_equal(groups[1].name, "a b");
        assert_string_equal(groups[1].value, "010");
        assert_string_equal(peers[1].name, "beta");
        assert_int_equal(peers[1].port, 80);
        assert_int_equal(c.addresses.n, 3);
        addresses = c.addresses.items;
        assert_string_equal(addresses[0], ":1");
        assert_string_equal(addresses[1], "no");
        assert_string_equal(addresses[2], "");
        config_free(&c);
        expect_good("peers: []\naddresses: []\nself: {}", &c);
        assert_int_equal(c.peers.n + c.addresses.n, 0);
        config_free(&c);
}

static void json_is_yaml(void **state)
{
        struct config c;

        expect_good("{\"enabled\": false, \"peers\": [{\"name\": \"a\", \"port\": 5}]}", &c);
        assert_false(c.on);
        assert_int_equal(((struct peer *)c.peers.items)[0].port, 5);
        config_free(&c);
}

static const struct {
        const char *text, *problems;
} refused[] = {
        /* Keys */
        { "intervall: 5s", "f.yml:1:1: intervall: unknown key; did you mean interval?\n" },
        { "\n\n  Mode: auto\n", "f.yml:3:3: Mode: unknown key; did you mean mode?\n" },
        { "peer: []", "f.yml:1:1: peer: unknown key; did you mean peers?\n" },
        { "colour: red",
                "f.yml:1:1: colour: unknown key; known are: enabled, interval, budget, share, mode, node, "
                "self, tls, peers, addresses\n" },
        { "self: {port: 1, prot: 2}", "f.yml:1:17: self.prot: unknown key; did you mean port?\n" },
        { "peers:\n- name: a\n- name: b\n  prt: 5\n",
                "f.yml:4:3: peers[1].prt: unknown key; did you mean port?\n" },
        { "mode: auto\nnode: a\nmode: off\n", "f.yml:3:1: mode: given twice; first in line 1\n" },
        { "mode: auto\nmode: bad\n", "f.yml:2:1: mode: given twice; first in line 1\n" },
        { "peers: [{name: a, groups: {x: 1, x: 2}}]", "f.yml:1:34: peers[0].groups.x: given twice\n" },
        { "? [a, b]\n: c\n", "f.yml:1:3: found a sequence; expected a key\n" },
        { "peers: [{port: 5}]", "f.yml:1:9: peers[0].name: missing; it is required: Who it is.\n" },
        { "tls: {}", "f.yml:1:6: tls.cert_file: missing; it is required: The certificate.\n" },
        { "\"a\\nb\\x1b[31m\": 1",
                "f.yml:1:1: a?b?[31m: unknown key; known are: enabled, interval, budget, share, "
                "mode, node, self, tls, peers, addresses\n" },
        { "<<: {mode: off}",
                "f.yml:1:1: <<: unknown key; known are: enabled, interval, budget, share, mode, node, "
                "self, tls, peers, addresses\n" },
        /* Values */
        { "interval: 30",
                "f.yml:1:11: interval: \"30\" is not valid; expected a duration such as 30s, 250ms, "
                "1s to 1h\n" },
        { "interval: 2h",
                "f.yml:1:11: interval: \"2h\" is out of range; expected a duration such as 30s, 250ms, "
                "1s to 1h\n" },
        { "interval: 30s s",
                "f.yml:1:11: interval: \"30s s\" is not valid; expected a duration such as 30s, 250ms, "
                "1s to 1h\n" },
        { "interval: '30s'", "f.yml:1:11: interval: only texts may be quoted; write 30s\n" },
        { "interval: |\n  30s\n", "f.yml:1:11: interval: only texts may be quoted; write 30s?\n" },
        { "enabled: yes", "f.yml:1:10: enabled: \"yes\" is not valid; expected true or false\n" },
        { "enabled: \"true\"", "f.yml:1:10: enabled: only texts may be quoted; write true\n" },
        { "self: {port: 010}", "f.yml:1:14: self.port: \"010\" is not valid; expected a whole number\n" },
        { "self: {port: 0x10}", "f.yml:1:14: self.port: \"0x10\" is not valid; expected a whole number\n" },
        { "mode: on", "f.yml:1:7: mode: \"on\" is not valid; expected one of off, auto\n" },
        { "peers: [{name: ''}]",
                "f.yml:1:16: peers[0].name: \"\" is out of range; expected a text, 1 to 16 bytes long\n" },
        { "node: \"a\\0b\"", "f.yml:1:7: node: \"a\" is not valid; expected a text\n" },
        { "addresses: [\"a\\0b\"]", "f.yml:1:13: addresses[0]: holds a zero byte\n" },
        /* Kinds */
        { "interval:",
                "f.yml:1:10: interval: found nothing; expected a duration such as 30s, 250ms, 1s to 1h\n" },
        { "node: null", "f.yml:1:7: node: found nothing; expected a text\n" },
        { "node: ~", "f.yml:1:7: node: found nothing; expected a text\n" },
        { "node: [a]", "f.yml:1:7: node: found a sequence; expected a text\n" },
        { "self: 5", "f.yml:1:7: self: found a single value; expected a mapping\n" },
        { "self: [5]", "f.yml:1:7: self: found a sequence; expected a mapping\n" },
        { "peers:", "f.yml:1:7: peers: found nothing; expected a sequence of mappings\n" },
        { "peers: {name: a}", "f.yml:1:8: peers: found a mapping; expected a sequence of mappings\n" },
        { "peers: [a]", "f.yml:1:9: peers[0]: found a single value; expected a mapping\n" },
        { "addresses: a", "f.yml:1:12: addresses: found a single value; expected a sequence of texts\n" },
        { "addresses: [[a]]", "f.yml:1:13: addresses[0]: found a sequence; expected a text\n" },
        { "addresses: [~]", "f.yml:1:13: addresses[0]: found nothing; expected a text\n" },
        { "peers: [{name: a, groups: [a]}]",
                "f.yml:1:27: peers[0].groups: found a sequence; expected a mapping of names to texts\n" },
        { "peers: [{name: a, groups: {a: {b: c}}}]",
                "f.yml:1:31: peers[0].groups.a: found a mapping; expected a text\n" },
        { "peers: [{name: a, groups: {[b]: c}}]",
                "f.yml:1:28: peers[0].groups: found a sequence; expected a text\n" },
        { "[]", "f.yml:1:1: found a sequence; expected a mapping\n" },
        { "just text", "f.yml:1:1: found a single value; expected a mapping\n" },
        { "---\n", "f.yml:2:1: found nothing; expected a mapping\n" },
        /* Documents */
        { "", "f.yml: empty; expected at least one key, or {}\n" },
        { "# comments only\n\n", "f.yml: empty; expected at least one key, or {}\n" },
        { "mode: auto\n---\nmode: off\n", "f.yml:2:1: a second document; one file holds one\n" },
        { "node: &a x\nself: *a\n", "f.yml:2:7: aliases are not accepted; write the value out\n" },
        { "self: &a\n  port: *a\n", "f.yml:2:9: aliases are not accepted; write the value out\n" },
        { "self: &a {tls: *a}\nnode: *a", "f.yml:1:16: aliases are not accepted; write the value out\n"
                                          "f.yml:2:7: aliases are not accepted; write the value out\n" },
        { "node: !!str 5", "f.yml:1:7: tags are not accepted; write the plain value\n" },
        { "self: !mine {port: 1}", "f.yml:1:7: tags are not accepted; write the plain value\n" },
        { "addresses: !!seq []", "f.yml:1:12: tags are not accepted; write the plain value\n" },
        { "mode: auto\n\tnode: a\n", "f.yml:2:1: not YAML: found a tab character that violates indentation "
                                     "while scanning a plain scalar\n" },
        { "peers: [a",
                "f.yml:2:1: not YAML: did not find expected ',' or ']' while parsing a flow sequence\n" },
        { "node: \"a",
                "f.yml:1:9: not YAML: found unexpected end of stream while scanning a quoted scalar\n" },
        { "node: a: b", "f.yml:1:8: not YAML: mapping values are not allowed in this context\n" },
        { "node: \xff", "f.yml: not UTF-8 text: invalid leading UTF-8 octet at byte 6\n" },
        { "node: \x01", "f.yml: not UTF-8 text: control characters are not allowed at byte 6\n" },
};

static void mistakes_are_named_with_their_place(void **state)
{
        static const struct config zero;

        for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
                cleanup(buf_done) struct buf problems = { 0 };
                struct config c = { 0 };

                check_row(load(refused[i].text, &c, &problems) == -EINVAL, refused[i].text);
                assert_string_equal(buf_cstr(&problems), refused[i].problems);
                assert_memory_equal(&c, &zero, sizeof(c));
        }
}

static void all_problems_are_reported(void **state)
{
        cleanup(buf_done) struct buf problems = { 0 };
        struct config c = { 0 };

        buf_text(&problems, "earlier\n");
        assert_int_equal(
                load("nod: a\ninterval: 5\npeers: [{port: 0}, {name: b}, 7]\nnode: kept?\n", &c, &problems),
                -EINVAL);
        assert_string_equal(buf_cstr(&problems),
                "earlier\n"
                "f.yml:1:1: nod: unknown key; did you mean node?\n"
                "f.yml:2:11: interval: \"5\" is not valid; expected a duration such as 30s, 250ms, 1s to 1h\n"
                "f.yml:3:16: peers[0].port: \"0\" is out of range; expected a whole number, 1 to 65535\n"
                "f.yml:3:9: peers[0].name: missing; it is required: Who it is.\n"
                "f.yml:3:31: peers[2]: found a single value; expected a mapping\n");
        assert_null(c.node);
}

static size_t count_lines(const char *text)
{
        size_t n = 0;

        for (; *text; text++)
                n += *text == '\n';
        return n;
}

static void problems_stop_at_twenty(void **state)
{
        cleanup(buf_done) struct buf text = { 0 }, problems = { 0 };
        struct config c = { 0 };

        for (int i = 0; i < 50; i++)
                buf_format(&text, "unknown_%d: 1\n", i);
        assert_int_equal(load(buf_cstr(&text), &c, &problems), -EINVAL);
        assert_int_equal(count_lines(buf_cstr(&problems)), 20);
}

static void repeat(struct buf *out, const char *text, size_t n)
{
        while (n-- > 0)
                buf_text(out, text);
}

static void check_limit(const char *head, const char *unit, size_t n, const char *tail, const char *expected)
{
        cleanup(buf_done) struct buf text = { 0 }, problems = { 0 };
        struct config c = { 0 };
        int r;

        buf_text(&text, head);
        repeat(&text, unit, n);
        buf_text(&text, tail);
        r = loader_parse("f.yml", buf_cstr(&text), text.len, rows, ARRAY_SIZE(rows), &c, &problems);
        assert_int_equal(r, expected ? -EINVAL : 0);
        if (expected && !strstr(buf_cstr(&problems), expected))
                fail_msg("%s", buf_cstr(&problems));
        config_free(&c);
}

static void size_depth_and_nodes_are_bounded(void **state)
{
        check_limit("node: ", "[", 15, "", "not YAML");
        check_limit("node: ", "[", 16, "", "nested too deeply; at most 16 levels");
        check_limit("node: ", "[", 1000000, "", "nested too deeply; at most 16 levels");
        check_limit("addresses: [", "a,", 99997, "]", NULL);
        check_limit("addresses: [", "a,", 99998, "]", "too many values; at most 100000");
        check_limit("{} ", "#", ((size_t)4 << 20) - 3, "", NULL);
        check_limit("{} ", "#", ((size_t)4 << 20) - 2, "", "f.yml: larger than 4194304 bytes");
}

static void labels_are_bounded(void **state)
{
        cleanup(buf_done) struct buf text = { 0 }, problems = { 0 };
        struct config c = { 0 };

        buf_text(&text, "peers: [{name: a, groups: {");
        for (int i = 0; i < 1001; i++)
                buf_format(&text, "g%d: 1,", i);
        buf_text(&text, "}}]");
        assert_int_equal(load(buf_cstr(&text), &c, &problems), -EINVAL);
        assert_string_equal(buf_cstr(&problems), "f.yml:1:27: peers[0].groups: 1001 entries; at most 1000\n");
}

static void root_may_be_a_sequence(void **state)
{
        static const struct option targets = { "", OPTION_LIST, 0, .children = peer_rows,
                .n_children = ARRAY_SIZE(peer_rows), .item_size = sizeof(struct peer) };
        cleanup(buf_done) struct buf problems = { 0 };
        const char *good = "- name: a\n- {name: b, port: 9}\n", *bad = "- name: a\n- port: x\n";
        struct option_list list = { 0 };

        assert_int_equal(loader_parse("f.yml", good, strlen(good), &targets, 1, &list, &problems), 0);
        assert_int_equal(list.n, 2);
        assert_int_equal(((struct peer *)list.items)[1].port, 9);
        option_free(&targets, 1, &list);
        assert_int_equal(loader_parse("f.yml", "{}", 2, &targets, 1, &list, &problems), -EINVAL);
        assert_int_equal(loader_parse("f.yml", bad, strlen(bad), &targets, 1, &list, &problems), -EINVAL);
        assert_null(list.items);
        assert_string_equal(buf_cstr(&problems),
                "f.yml:1:1: found a mapping; expected a sequence of mappings\n"
                "f.yml:2:9: [1].port: \"x\" is not valid; expected a whole number, 1 to 65535\n"
                "f.yml:2:3: [1].name: missing; it is required: Who it is.\n");
}

static void text_needs_no_terminator(void **state)
{
        cleanup(buf_done) struct buf problems = { 0 };
        struct config c = { 0 };

        assert_int_equal(loader_parse("f.yml", "node: abc", 7, rows, ARRAY_SIZE(rows), &c, &problems), 0);
        assert_string_equal(c.node, "a");
        config_free(&c);
}

static int make_directory(void **state)
{
        char template[] = "/tmp/test-loader-XXXXXX";

        *state = mkdtemp(template) ? strdup(template) : NULL;
        return *state ? 0 : -1;
}

static int remove_directory(void **state)
{
        int r = rmdir(*state);

        free(*state);
        return r;
}

static void check_file(const char *path, int result, const char *problem)
{
        cleanup(buf_done) struct buf problems = { 0 };
        struct config c = { 0 };

        assert_int_equal(loader_file(path, rows, ARRAY_SIZE(rows), &c, &problems), result);
        if (problem && !strstr(buf_cstr(&problems), problem))
                fail_msg("%s", buf_cstr(&problems));
        if (result == 0)
                assert_string_equal(c.node, "from-a-file");
        config_free(&c);
}

static void write_file(const char *path, const char *text, size_t pad)
{
        FILE *f = fopen(path, "we");

        assert_non_null(f);
        (void)fputs(text, f);
        while (pad-- > 0)
                (void)fputc('#', f);
        assert_int_equal(fclose(f), 0);
}

static void files_are_read(void **state)
{
        char path[128];

        text_message(path, sizeof(path), "%s/config.yml", (const char *)*state);
        check_file(path, -ENOENT, "config.yml: cannot be read: No such file or directory\n");
        check_file(*state, -EISDIR, ": cannot be read: Is a directory\n");
        check_file("/dev/zero", -EINVAL, "/dev/zero: cannot be read: Invalid argument\n");
        write_file(path, "node: from-a-file\n", 100000); /* more than one read */
        check_file(path, 0, NULL);
        write_file(path, "node: from-a-file\nmode: x\n", 0);
        check_file(path, -EINVAL, "config.yml:2:7: mode: \"x\" is not valid; expected one of off, auto\n");
        write_file(path, "", 0);
        check_file(path, -EINVAL, "config.yml: empty");
        write_file(path, "node: from-a-file\n", (size_t)4 << 20);
        check_file(path, -EINVAL, "config.yml: larger than 4194304 bytes\n");
        assert_int_equal(unlink(path), 0);
        assert_int_equal(mkfifo(path, 0600), 0);
        check_file(path, -EINVAL, "cannot be read"); /* and does not wait for a writer */
        assert_int_equal(unlink(path), 0);
}

static void rows_document_themselves(void **state)
{
        cleanup(buf_done) struct buf out = { 0 };

        loader_document(&out, rows, ARRAY_SIZE(rows));
        assert_string_equal(buf_cstr(&out),
                "| `enabled` | true or false | `true` | Whether it runs. |\n"
                "| `interval` | a duration such as 30s, 250ms, 1s to 1h | `30s` | How often. |\n"
                "| `budget` | a rate such as 160Mbit/s, 50MB/s | `160Mbit/s` | How much. |\n"
                "| `share` | a ratio from 0 to 1 | `0.5` | Of the \\| rate. |\n"
                "| `mode` | one of off, auto | `auto` | Which. |\n"
                "| `node` | a text | none | The name. |\n"
                "| `self.port` | a whole number | `1` | Own port. |\n"
                "| `tls.cert_file` | a text | required | The certificate. |\n"
                "| `tls.handshake_timeout` | a duration such as 30s, 250ms | `5s` | For one client. |\n"
                "| `peers` | a sequence of mappings | empty | The others. |\n"
                "| `peers[].name` | a text, 1 to 16 bytes long | required | Who it is. |\n"
                "| `peers[].port` | a whole number, 1 to 65535 | `14792` | Where it listens. |\n"
                "| `peers[].groups` | a mapping of names to texts | empty | Where it stands. |\n"
                "| `addresses` | a sequence of texts | empty | To listen on. |\n");
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(absent_keys_get_their_fallback),
                cmocka_unit_test(every_kind_is_filled),
                cmocka_unit_test(json_is_yaml),
                cmocka_unit_test(mistakes_are_named_with_their_place),
                cmocka_unit_test(all_problems_are_reported),
                cmocka_unit_test(problems_stop_at_twenty),
                cmocka_unit_test(size_depth_and_nodes_are_bounded),
                cmocka_unit_test(labels_are_bounded),
                cmocka_unit_test(root_may_be_a_sequence),
                cmocka_unit_test(text_needs_no_terminator),
                cmocka_unit_test_setup_teardown(files_are_read, make_directory, remove_directory),
                cmocka_unit_test(rows_document_themselves),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
