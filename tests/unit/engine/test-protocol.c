/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "engine/protocol.h"

#define ANY ((1u << N_MESSAGE_TYPES) - 1)

static struct message message; /* 70 KiB */
static char why[ENGINE_REASON_MAX];

static int decode(const char *text)
{
        return message_decode(text, strlen(text), ANY, &message, why);
}

/* ---- transcripts ------------------------------------------------------------------------------------- */

static const char *const transcripts[] = { "bandwidth", "latency", "refused" };

/* Calls `check` with each frame's JSON. */
static void each_frame(void (*check)(const char *json))
{
        for (size_t i = 0; i < ARRAY_SIZE(transcripts); i++) {
                char path[256], line[8192];
                assert_int_equal(
                        text_format(path, sizeof(path), TEST_DATA "/protocol-v1/%s.txt", transcripts[i]), 0);
                FILE *f = fopen(path, "r");
                assert_non_null(f);
                size_t frames = 0;
                for (; fgets(line, sizeof(line), f); frames++) {
                        line[strcspn(line, "\n")] = '\0';
                        check(line + 2);
                }
                fclose(f);
                assert_true(frames >= 4);
        }
}

/* All of `a` is in `b`, which may say more: fields that came after the transcript. */
static bool contains(const json_t *b, const json_t *a)
{
        const char *key;
        json_t *value;
        size_t i;
        if (json_is_array(a)) {
                bool same = json_array_size(a) == json_array_size(b);
                json_array_foreach(a, i, value) same = same && contains(json_array_get(b, i), value);
                return same;
        }
        if (!json_is_object(a))
                return json_equal(a, b);
        json_object_foreach((json_t *)a, key, value)
        {
                if (!contains(json_object_get(b, key), value))
                        return false;
        }
        return true;
}

/* Understood, and said again without loss. */
static void check_replay(const char *json)
{
        char *again;
        size_t len;
        check_row(decode(json) == 0, json);
        check_row(message_encode(&message, &again, &len, why) == 0, json);
        json_t *a = json_loads(json, 0, NULL), *b = json_loadb(again, len, 0, NULL);
        check_row(contains(b, a), json);
        json_decref(a);
        json_decref(b);
        free(again);
}

static void transcripts_of_version_1_are_understood(void **state)
{
        each_frame(check_replay);
}

/* ---- every field: missing, of a wrong type, unknown ones beside it ---------------------------------- */

static const char *const optional[] = { "role", "capabilities", "lid", "rate_bytes_per_second", "driver",
        "firmware", "node_guid", "iwarp", "budget_bytes", "budget_messages", "budget_ns", "warmup_messages",
        "service_level", "traffic_class", "own_bytes", "average_bps", "p50_ns", "p99_ns", "fault", "reason" };

static bool is_optional(const char *type, const char *key)
{
        if (text_equal(type, "welcome") && text_equal(key, "capabilities"))
                return false;
        if (text_equal(type, "refused") && text_equal(key, "reason"))
                return false;
        for (size_t i = 0; i < ARRAY_SIZE(optional); i++)
                if (text_equal(key, optional[i]))
                        return true;
        return false;
}

static int decode_json(const json_t *whole)
{
        char *text = json_dumps(whole, 0);
        int r = decode(text);
        free(text);
        return r;
}

static void check_refused(const json_t *whole, const char *key)
{
        char quoted[64];
        (void)text_format(quoted, sizeof(quoted), "%s\"", key);
        check_row(decode_json(whole) == -EPROTO, key);
        check_row(strstr(why, quoted), why); /* the reason names it: the last of "a.b[0].key" */
}

/* Every key of `part`, and of what is below it. */
static void mutilate(json_t *whole, json_t *part, const char *type)
{
        size_t n = 0;
        char keys[32][ENGINE_NAME_MAX];
        const char *key;
        json_t *value, *item;
        size_t i;
        json_object_foreach(part, key, value) assert_int_equal(text_copy(keys[n++], ENGINE_NAME_MAX, key), 0);
        for (size_t k = 0; k < n; k++) {
                value = json_incref(json_object_get(part, keys[k]));
                json_object_del(part, keys[k]);
                if (is_optional(type, keys[k]))
                        check_row(decode_json(whole) == 0, keys[k]);
                else
                        check_refused(whole, keys[k]);
                json_object_set_new(part, keys[k], json_null());
                check_refused(whole, keys[k]);
                json_object_set_new(part, keys[k], json_real(0.5));
                check_refused(whole, keys[k]);
                json_object_set_new(part, keys[k], json_integer(-1));
                check_refused(whole, keys[k]);
                json_object_set(part, keys[k], value);
                if (json_is_object(value))
                        mutilate(whole, value, type);
                json_array_foreach(value, i, item) if (json_is_object(item)) mutilate(whole, item, type);
                json_decref(value);
        }
        json_object_set_new(part, "of_a_later_version", json_pack("[{sn}]", "x"));
        check_row(decode_json(whole) == 0, why);
        json_object_del(part, "of_a_later_version");
}

static void check_mutilated(const char *json)
{
        json_t *whole = json_loads(json, 0, NULL);
        mutilate(whole, whole, json_string_value(json_object_get(whole, "type")));
        json_decref(whole);
}

static void wrong_fields_are_refused_by_name(void **state)
{
        each_frame(check_mutilated);
}

/* ---- single rules ----------------------------------------------------------------------------------- */

#define HELLO(fields)                                                                                        \
        "{\"type\":\"hello\",\"magic\":\"rdma-canary\",\"version_min\":1,\"version_max\":1," fields "}"
#define OPENED(gid, addr, qp)                                                                                \
        "{\"type\":\"opened\",\"granted_ms\":1,\"endpoint\":{\"address\":{\"gid\":\"" gid                    \
        "\",\"type\":\"roce-v2\"},"                                                                          \
        "\"mtu_bytes\":1024,\"remote_addr\":\"" addr "\",\"remote_key\":1,\"bytes\":1,\"queue_pairs\":[" qp  \
        "]}}"
#define QP "{\"number\":1,\"psn\":2}"

static void values_out_of_range_are_refused(void **state)
{
        static const struct {
                const char *json, *reason;
        } rows[] = {
                { "", "not JSON" },
                { "GET / HTTP/1.1", "not JSON" },
                { "[]", "not a JSON object" },
                { "{}", "\"type\": missing" },
                { "{\"type\":\"sing\"}", "\"sing\" is not one" },
                { "{\"type\":\"bye\"} trailing", "not JSON" },
                { "{\"type\":\"bye\",\"type\":\"bye\"}", "not JSON" },
                { "{\"type\":\"hello\",\"magic\":\"telnet\",\"version_min\":1,\"version_max\":1,\"node\":"
                  "\"a\"}",
                        "\"magic\": not \"rdma-canary\"" },
                { HELLO("\"node\":\"\""), "\"node\": empty" },
                { HELLO("\"node\":\"a\\nb\""), "\"node\": holds control characters" },
                { HELLO("\"node\":\"0123456789012345678901234567890123456789012345678901234567890123\""),
                        "\"node\": longer than 63 bytes" },
                { HELLO("\"node\":\"a\",\"role\":\"king\""),
                        "\"role\": \"king\" is not one this version knows" },
                { HELLO("\"node\":\"a\",\"capabilities\":[1]"),
                        "\"capabilities\": expected a list of texts" },
                { OPENED("::", "0x1", QP), "\"endpoint.address.gid\": all zero" },
                { OPENED("1.2.3.4", "0x1", QP), "\"endpoint.address.gid\": expected an IPv6 text" },
                { OPENED("fe80::1", "17", QP), "\"endpoint.remote_addr\": expected a text such as" },
                { OPENED("fe80::1", "0x", QP), "\"endpoint.remote_addr\": expected a text such as" },
                { OPENED("fe80::1", "0x12345678901234567", QP), "\"endpoint.remote_addr\"" },
                { OPENED("fe80::1", "0xG", QP), "\"endpoint.remote_addr\"" },
                { OPENED("fe80::1", "0x1", ""), "\"endpoint.queue_pairs\": 0 items, not in 1 to 1024" },
                { OPENED("fe80::1", "0x1", QP ",7"), "\"endpoint.queue_pairs[1]\": expected an object" },
                { OPENED("fe80::1", "0x1", "{\"number\":16777216,\"psn\":2}"),
                        "\"endpoint.queue_pairs[0].number\": 16777216 is not in 0 to 16777215" },
                { "{\"type\":\"finish\",\"bytes\":99999999999999999999,\"messages\":1}", "not JSON" },
                { "{\"type\":\"refused\",\"kind\":\"busy\",\"reason\":\"\"}", "\"reason\": empty" },
        };
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                check_row(decode(rows[i].json) == -EPROTO, rows[i].json);
                check_row(strstr(why, rows[i].reason), why);
        }
        assert_int_equal(decode(OPENED("fe80::1", "0xffffffffffffffff", QP)), 0);
        assert_true(message.opened.endpoint.remote_addr == UINT64_MAX);
}

static void capabilities_of_later_versions_are_ignored(void **state)
{
        assert_int_equal(
                decode(HELLO("\"node\":\"a\",\"capabilities\":[\"read\",\"write-latency\",\"x\"]")), 0);
        assert_int_equal(message.hello.capabilities, CAPABILITY_WRITE_LATENCY);
}

static void a_message_out_of_order_is_refused(void **state)
{
        static const char bye[] = "{\"type\":\"bye\"}";
        assert_int_equal(message_decode(bye, strlen(bye), 1u << MESSAGE_OPEN, &message, why), -EPROTO);
        assert_string_equal(why, "\"bye\" is out of order here");
}

static void deep_json_does_not_reach_the_parser(void **state)
{
        static char deep[PROTOCOL_FRAME_MAX];
        memset(deep, '[', sizeof(deep));
        assert_int_equal(message_decode(deep, sizeof(deep), ANY, &message, why), -EPROTO);
        assert_non_null(strstr(why, "nested"));
        assert_int_equal(decode(HELLO("\"node\":\"[[[[[[[[[[[[[[[[[[[[[[[[[[{{{{{{ \\\" [[[[[[[[[[\"")), 0);
}

static void the_largest_welcome_fits_a_frame(void **state)
{
        struct welcome *w = &message.welcome;
        char *text;
        size_t len;
        memset(&message, 0, sizeof(message));
        message.type = MESSAGE_WELCOME;
        w->version = 1;
        w->capabilities = PROTOCOL_CAPABILITIES;
        memset(w->node, 'n', sizeof(w->node) - 1);
        w->n_devices = PROTOCOL_DEVICES_MAX;
        for (size_t i = 0; i < w->n_devices; i++) {
                struct device_facts *d = &w->devices[i];
                memset(d->name, 'd', sizeof(d->name) - 1);
                memset(d->driver, 'd', sizeof(d->driver) - 1);
                memset(d->firmware, 'f', sizeof(d->firmware) - 1);
                memset(d->node_guid, 'g', sizeof(d->node_guid) - 1);
                d->n_ports = ENGINE_PORTS_MAX;
                for (size_t k = 0; k < d->n_ports; k++) {
                        struct port_facts *p = &d->ports[k];
                        p->number = UINT8_MAX - (uint8_t)k;
                        p->link_layer = LINK_INFINIBAND;
                        p->active_mtu_bytes = 4096;
                        p->lid = UINT16_MAX;
                        p->rate_bytes_per_second = INT64_MAX;
                        p->n_addresses = PROTOCOL_ADDRESSES_MAX / PROTOCOL_DEVICES_MAX / ENGINE_PORTS_MAX;
                        for (size_t a = 0; a < p->n_addresses; a++)
                                memset(p->addresses[a].gid, 0xab, sizeof(p->addresses[a].gid));
                }
        }
        assert_int_equal(message_encode(&message, &text, &len, why), 0);
        assert_int_equal(message_decode(text, len, ANY, &message, why), 0);
        free(text);
}

static void what_cannot_be_said_is_an_error(void **state)
{
        char *text;
        size_t len;
        memset(&message, 0, sizeof(message));
        message.type = MESSAGE_FINISH;
        message.finish.bytes = UINT64_MAX;
        assert_int_equal(message_encode(&message, &text, &len, why), -ERANGE);
        assert_non_null(strstr(why, "\"bytes\""));
        message.type = MESSAGE_REFUSED;
        memset(&message.refused, 0, sizeof(message.refused));
        message.refused.reason[0] = (char)0xff;
        assert_int_equal(message_encode(&message, &text, &len, why), -EINVAL);
}

static void frames_have_bounds(void **state)
{
        static const struct {
                uint8_t header[4];
                int r;
                uint32_t len;
        } rows[] = {
                { { 0, 0, 0, 0 }, -EPROTO, 0 },
                { { 0, 0, 0, 1 }, 0, 1 },
                { { 0, 1, 0, 0 }, 0, 65536 },
                { { 0, 1, 0, 1 }, -EPROTO, 0 },
                { { 'G', 'E', 'T', ' ' }, -EPROTO, 0 },
                { { 255, 255, 255, 255 }, -EPROTO, 0 },
        };
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                uint32_t len = 0;
                uint8_t again[4];
                assert_int_equal(frame_header_decode(rows[i].header, &len, why), rows[i].r);
                assert_int_equal(len, rows[i].len);
                frame_header_encode(len, again);
                if (rows[i].r == 0)
                        assert_memory_equal(again, rows[i].header, 4);
        }
}

static void versions_agree_on_the_highest_common_one(void **state)
{
        unsigned version = 0;
        assert_int_equal(version_agree(1, 1, "a", "b", &version, why), 0);
        assert_int_equal(version, 1);
        assert_int_equal(version_agree(1, 9, "a", "b", &version, why), 0);
        assert_int_equal(version, PROTOCOL_VERSION_MAX);
        assert_int_equal(version_agree(7, 9, "host-a", "host-b", &version, why), -EPROTONOSUPPORT);
        assert_string_equal(why,
                "host-b speaks control protocol 7 to 9, host-a speaks 1 to 1: upgrade rdma-canary on host-a");
        assert_int_equal(version_agree(3, 1, "a", "b", &version, why), -EPROTONOSUPPORT);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(transcripts_of_version_1_are_understood),
                cmocka_unit_test(wrong_fields_are_refused_by_name),
                cmocka_unit_test(values_out_of_range_are_refused),
                cmocka_unit_test(capabilities_of_later_versions_are_ignored),
                cmocka_unit_test(a_message_out_of_order_is_refused),
                cmocka_unit_test(deep_json_does_not_reach_the_parser),
                cmocka_unit_test(the_largest_welcome_fits_a_frame),
                cmocka_unit_test(what_cannot_be_said_is_an_error),
                cmocka_unit_test(frames_have_bounds),
                cmocka_unit_test(versions_agree_on_the_highest_common_one),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
