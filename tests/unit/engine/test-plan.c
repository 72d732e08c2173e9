/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "engine/endpoint.h"
#include "engine/operation.h"
#include "engine/plan.h"

static void defaults_pass_the_check_and_are_bounded(void **state)
{
        for (enum measure m = MEASURE_BANDWIDTH; m <= MEASURE_LATENCY; m++)
                for (enum device_class c = DEVICE_HARDWARE; c <= DEVICE_SOFTWARE; c++) {
                        struct plan p;
                        char why[ENGINE_REASON_MAX] = "";
                        plan_defaults(&p, m, c);
                        check_row(plan_check(&p, why) == 0, why);
                        assert_int_equal(p.measure, m);
                        /* A probe on a production host: half a second and 64 MiB at most. */
                        assert_true(p.budget_ns > 0 && p.budget_ns <= NS_PER_SEC / 2);
                        assert_true(plan_messages(&p) * p.message_bytes <= (UINT64_C(64) << 20));
                        assert_int_equal(p.mtu_bytes, 0);
                }
}

static void software_defaults_signal_often(void **state)
{
        struct plan p;
        plan_defaults(&p, MEASURE_BANDWIDTH, DEVICE_SOFTWARE);
        assert_true(p.signal_interval <= 4);
        assert_true(p.queue_pairs > 1);
}

/* One field of a good plan is set to a bad value; the reason names the field and the value. */
struct refusal {
        const char *field, *value;
        void (*spoil)(struct plan *p);
};

#define SPOIL(name, statement)                                                                               \
        static void name(struct plan *p)                                                                     \
        {                                                                                                    \
                statement;                                                                                   \
        }
SPOIL(no_message, p->message_bytes = 0)
SPOIL(huge_message, p->message_bytes = (UINT64_C(1) << 30) + 1)
SPOIL(much_memory, p->message_bytes = UINT64_C(1) << 30; p->queue_pairs = 2)
SPOIL(no_qps, p->queue_pairs = 0)
SPOIL(many_qps, p->queue_pairs = ENDPOINT_QPS_MAX + 1)
SPOIL(no_depth, p->depth = 0)
SPOIL(huge_depth, p->depth = 1000000)
SPOIL(long_list, p->post_list = p->depth / 2 + 1)
SPOIL(no_list, p->post_list = 0)
SPOIL(rare_signals, p->signal_interval = p->depth / 2 + 1)
SPOIL(no_signals, p->signal_interval = 0)
SPOIL(odd_mtu, p->mtu_bytes = 1500)
SPOIL(endless, p->budget_bytes = p->budget_messages = p->budget_ns = 0)
SPOIL(endless_retries, p->retry_count = 7)
SPOIL(no_retries, p->retry_count = 0)
SPOIL(endless_timeout, p->timeout = 0)
SPOIL(long_timeout, p->timeout = 31)
SPOIL(odd_level, p->service_level = 16)
SPOIL(long_warmup, p->warmup_messages = UINT64_MAX)
SPOIL(odd_measure, p->measure = (enum measure)7)
SPOIL(odd_operation, p->operation = (enum operation)7)
SPOIL(odd_transport, p->transport = (enum transport)7)
SPOIL(odd_inlining, p->inlining = (enum inlining)7)
SPOIL(odd_memory, p->memory = (enum memory_kind)7)
SPOIL(odd_wait, p->wait = (enum completion_wait)7)
SPOIL(read_on_uc, plan_set_operation(p, OPERATION_READ, TRANSPORT_UC))
SPOIL(write_on_ud, plan_set_operation(p, OPERATION_WRITE, TRANSPORT_UD))
SPOIL(atomic_on_uc, plan_set_operation(p, OPERATION_FETCH_ADD, TRANSPORT_UC))
SPOIL(long_atomic, plan_set_operation(p, OPERATION_COMPARE_SWAP, TRANSPORT_RC); p->message_bytes = 16)
SPOIL(inline_read, plan_set_operation(p, OPERATION_READ, TRANSPORT_RC); p->inlining = INLINING_ON)
SPOIL(long_receives, p->receive_depth = 16385)
SPOIL(long_label, p->flow_label = 0x100000)
SPOIL(latency_paced, p->measure = MEASURE_LATENCY; p->queue_pairs = p->post_list = 1; p->rate_bps = 1000)
SPOIL(latency_both_ways, p->measure = MEASURE_LATENCY; p->queue_pairs = 1; p->post_list = 1;
        p->bidirectional = true)
SPOIL(latency_on_two, p->measure = MEASURE_LATENCY; p->queue_pairs = 2)
SPOIL(latency_in_lists, p->measure = MEASURE_LATENCY; p->queue_pairs = 1; p->post_list = 2)

static void what_is_wrong_is_named(void **state)
{
        static const struct refusal rows[] = {
                { "message_bytes", " 0", no_message },
                { "message_bytes", "1073741825", huge_message },
                { "queue_pairs", "1073741824", much_memory },
                { "queue_pairs", " 0", no_qps },
                { "queue_pairs", "1025", many_qps },
                { "depth", " 0", no_depth },
                { "depth", "1000000", huge_depth },
                { "post_list", "9", long_list },
                { "post_list", " 0", no_list },
                { "signal_interval", "9", rare_signals },
                { "signal_interval", " 0", no_signals },
                { "mtu_bytes", "1500", odd_mtu },
                { "budget_ns", " 0", endless },
                { "retry_count", "7", endless_retries },
                { "retry_count", " 0", no_retries },
                { "timeout", " 0", endless_timeout },
                { "timeout", "31", long_timeout },
                { "service_level", "16", odd_level },
                { "warmup_messages", "18446744073709551615", long_warmup },
                { "measure", "7", odd_measure },
                { "operation", "7", odd_operation },
                { "transport", "7", odd_transport },
                { "inlining", "7", odd_inlining },
                { "wait", "7", odd_wait },
                { "memory", "7", odd_memory },
                { "read", "UC", read_on_uc },
                { "write", "UD", write_on_ud },
                { "fetch-add", "UC", atomic_on_uc },
                { "message_bytes", "16", long_atomic },
                { "inlining", "read", inline_read },
                { "receive_depth", "16385", long_receives },
                { "flow_label", "1048576", long_label },
                { "rate_bps", "bandwidth", latency_paced },
                { "bidirectional", "bandwidth", latency_both_ways },
                { "queue_pairs", "2", latency_on_two },
                { "post_list", "2", latency_in_lists },
        };
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                struct plan p;
                char why[ENGINE_REASON_MAX] = "";
                plan_defaults(&p, MEASURE_BANDWIDTH, DEVICE_SOFTWARE);
                p.depth = 16;
                rows[i].spoil(&p);
                check_row(plan_check(&p, why) == -EINVAL, rows[i].field);
                check_row(strstr(why, rows[i].field) != NULL, why);
                check_row(strstr(why, rows[i].value) != NULL, why);
        }
}

static void a_depth_of_one_works(void **state)
{
        struct plan p;
        char why[ENGINE_REASON_MAX] = "";
        plan_defaults(&p, MEASURE_BANDWIDTH, DEVICE_SOFTWARE);
        p.depth = p.post_list = p.signal_interval = 1;
        assert_int_equal(plan_check(&p, why), 0);
}

static void budgets_become_whole_messages(void **state)
{
        struct plan p = { .message_bytes = 1000 };
        assert_true(plan_messages(&p) == UINT64_MAX);
        p.budget_bytes = 3000;
        assert_true(plan_messages(&p) == 3);
        p.budget_bytes = 3001;
        assert_true(plan_messages(&p) == 4);
        p.budget_messages = 2;
        assert_true(plan_messages(&p) == 2);
        p.budget_messages = 9;
        assert_true(plan_messages(&p) == 4);
        p.budget_bytes = UINT64_MAX;
        assert_true(plan_messages(&p) == 9);
}

static void operations_bring_the_size_they_need(void **state)
{
        struct plan p;
        char why[ENGINE_REASON_MAX];
        for (enum operation o = 0; o < N_OPERATIONS; o++) {
                plan_defaults(&p, MEASURE_BANDWIDTH, DEVICE_HARDWARE);
                plan_set_operation(&p, o, TRANSPORT_RC);
                check_row(plan_check(&p, why) == 0, why);
                assert_int_equal(p.message_bytes, operation_facts(o)->atomic ? 8 : 65536);
        }
        plan_set_operation(&p, OPERATION_SEND, TRANSPORT_UD);
        assert_true(p.message_bytes <= 1024);
        assert_true(operation_is_halved(OPERATION_SEND) && operation_is_halved(OPERATION_WRITE));
        assert_false(operation_is_halved(OPERATION_READ) || operation_is_halved(OPERATION_FETCH_ADD));
}

static void receives_are_chosen_where_there_are_any(void **state)
{
        struct plan p;
        plan_defaults(&p, MEASURE_BANDWIDTH, DEVICE_SOFTWARE);
        plan_resolve(&p);
        assert_int_equal(p.receive_depth, 0);
        plan_set_operation(&p, OPERATION_SEND, TRANSPORT_RC);
        plan_resolve(&p);
        assert_int_equal(p.receive_depth, 4 * p.depth);
        p.receive_depth = 3; /* as asked */
        plan_resolve(&p);
        assert_int_equal(p.receive_depth, 3);
        p.receive_depth = 0;
        p.queue_pairs = 1024;
        plan_resolve(&p);
        assert_int_equal(p.receive_depth, 16);
}

static void memory_is_for_what_both_ends_send(void **state)
{
        struct plan p;
        plan_defaults(&p, MEASURE_BANDWIDTH, DEVICE_SOFTWARE);
        p.queue_pairs = 3;
        p.message_bytes = 4096;
        assert_int_equal(plan_memory_bytes(&p), 3 * 4096);
        p.bidirectional = true;
        assert_int_equal(plan_memory_bytes(&p), 6 * 4096);
        p.transport = TRANSPORT_UD; /* and a header before what is received */
        assert_int_equal(plan_memory_bytes(&p), 6 * 8192);
}

SPOIL(labelled, p->flow_label = 1)
SPOIL(polling, p->wait = WAIT_POLL)
SPOIL(never_inline, p->inlining = INLINING_OFF)
SPOIL(plain_memory, p->memory = MEMORY_PLAIN)
SPOIL(paced, p->rate_bps = 1)
SPOIL(both_ways, p->bidirectional = true)
SPOIL(verified, p->verify = true)
SPOIL(sixty_five_qps, p->queue_pairs = 65)
SPOIL(reading, plan_set_operation(p, OPERATION_READ, TRANSPORT_RC))

/* A peer of the first release would run them, but not as asked. */
static void what_an_old_peer_would_not_do_is_extended(void **state)
{
        static void (*const rows[])(struct plan *) = { labelled, polling, never_inline, plain_memory, paced,
                both_ways, verified, sixty_five_qps, reading };
        struct plan p;
        plan_defaults(&p, MEASURE_BANDWIDTH, DEVICE_SOFTWARE);
        assert_false(plan_is_extended(&p));
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                plan_defaults(&p, MEASURE_BANDWIDTH, DEVICE_SOFTWARE);
                rows[i](&p);
                assert_true(plan_is_extended(&p));
        }
}

static void names_are_complete(void **state)
{
        for (enum stage s = STAGE_START; s < N_STAGES; s++)
                assert_string_not_equal(stage_name(s), "unknown");
        for (enum outcome_kind k = OUTCOME_OK; k < N_OUTCOME_KINDS; k++)
                assert_string_not_equal(outcome_kind_name(k), "unknown");
        for (enum operation o = 0; o < N_OPERATIONS; o++)
                assert_string_not_equal(operation_name(o), "unknown");
        assert_string_equal(operation_name((enum operation)99), "unknown");
        assert_string_equal(transport_name(TRANSPORT_UD), "UD");
        assert_string_equal(transport_name((enum transport)99), "unknown");
        assert_string_equal(stage_name(STAGE_CONNECT), "connect");
        assert_string_equal(stage_name(N_STAGES), "unknown");
        assert_string_equal(outcome_kind_name((enum outcome_kind)99), "unknown");
        assert_string_equal(device_class_name(DEVICE_SOFTWARE), "software");
        assert_string_equal(device_class_name((enum device_class)99), "unknown");
        assert_string_equal(link_layer_name(LINK_ETHERNET), "Ethernet");
        assert_string_equal(gid_type_name(GID_ROCE_V2), "RoCE v2");
        assert_string_equal(gid_type_name((enum gid_type)99), "unknown");
}

int main(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(defaults_pass_the_check_and_are_bounded),
                cmocka_unit_test(software_defaults_signal_often),
                cmocka_unit_test(what_is_wrong_is_named),
                cmocka_unit_test(a_depth_of_one_works),
                cmocka_unit_test(budgets_become_whole_messages),
                cmocka_unit_test(operations_bring_the_size_they_need),
                cmocka_unit_test(receives_are_chosen_where_there_are_any),
                cmocka_unit_test(memory_is_for_what_both_ends_send),
                cmocka_unit_test(what_an_old_peer_would_not_do_is_extended),
                cmocka_unit_test(names_are_complete),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
