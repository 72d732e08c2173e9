/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>

#include "tests/unit/probes/support.h"

#define SET "class/infiniband/hostile0/ports/1/hw_counters/"

static const struct source_class *hw_class(void)
{
        return source_class_find("hw_counters");
}

static void assert_named(const struct batch *b, const char *labels, const char *name, uint64_t value)
{
        char family[128];

        (void)snprintf(family, sizeof(family), "rdma_canary_%s_total", name);
        assert_sample_u64(b, family, labels, value);
}

static void soft_roce_is_typed(void **state)
{
        /* The second half: canonical families, by which kernel counter. */
        static const struct {
                const char *name;
                uint64_t value;
        } rows[] = {
                { "hw_sent_pkts", 184467 },
                { "hw_rcvd_pkts", 52011 },
                { "hw_duplicate_request", 3 },
                { "hw_out_of_seq_request", 5 },
                { "hw_rcvd_rnr_err", 7 },
                { "hw_send_rnr_err", 11 },
                { "hw_rcvd_seq_err", 13 },
                { "hw_ack_deferred", 17 },
                { "hw_retry_exceeded_err", 19 },
                { "hw_retry_rnr_exceeded_err", 23 },
                { "hw_completer_retry_err", 29 },
                { "hw_send_err", 31 },
                { "hw_link_downed", 37 },
                { "hw_rdma_sends", 41 },
                { "hw_rdma_recvs", 43 },
                { "duplicate_requests", 3 },
                { "out_of_sequence_packets", 5 },
                { "receiver_not_ready_naks", 7 },
                { "out_of_receive_buffers", 11 },
                { "sequence_naks", 13 },
                { "transport_retries_exceeded", 19 },
                { "receiver_not_ready_retries_exceeded", 23 },
                { "retransmit_timeouts", 29 },
        };
        cleanup(close_fdp) int sysfs = fixture_open("sysfs-rxe");
        int r;
        cleanup(batch_unrefp) struct batch *b = collect_once(hw_class(), sysfs, -1, "rxe0", &r);

        assert_int_equal(r, 0);
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
                assert_named(b, "device=\"rxe0\",port=\"1\"", rows[i].name, rows[i].value);
        assert_int_equal(batch_size(b), ARRAY_SIZE(rows)); /* so lifespan is no metric either */
}

static void mlx5_is_typed(void **state)
{
        static const struct {
                const char *name;
                uint64_t value;
        } rows[] = {
                { "hw_out_of_buffer", 2004 },
                { "out_of_receive_buffers", 2004 },
                { "out_of_sequence_packets", 2005 },
                { "duplicate_requests", 2006 },
                { "receiver_not_ready_naks", 2007 },
                { "sequence_naks", 2008 },
                { "hw_local_ack_timeout_err", 2010 },
                { "retransmit_timeouts", 2010 },
                { "completion_errors", 2013 },
                { "remote_access_errors", 2015 },
                { "transport_retries_exceeded", 2019 },
                { "receiver_not_ready_retries_exceeded", 2020 },
                { "slow_restarts", 2023 },
                { "congestion_notifications_received", 2027 },
                { "ecn_marked_packets", 2028 },
                { "congestion_notifications_sent", 2029 },
        };
        cleanup(close_fdp) int sysfs = fixture_open("sysfs-mlx5");
        int r;
        cleanup(batch_unrefp) struct batch *b = collect_once(hw_class(), sysfs, -1, "mlx5_0", &r);

        assert_int_equal(r, 0);
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
                assert_named(b, "device=\"mlx5_0\",port=\"1\"", rows[i].name, rows[i].value);
        assert_int_equal(batch_size(b), 31 + 14); /* every name known, all canonical families fed */
}

static void counters_of_the_device_have_no_port(void **state)
{
        cleanup(close_fdp) int sysfs = fixture_open("sysfs-mlx5");
        int r;
        cleanup(batch_unrefp) struct batch *b = collect_once(hw_class(), sysfs, -1, "mlx5_1", &r);

        assert_int_equal(r, 0);
        assert_named(b, "device=\"mlx5_1\",port=\"\"", "hw_out_of_buffer", 77);
        assert_named(b, "device=\"mlx5_1\",port=\"\"", "out_of_receive_buffers", 77);
        assert_sample_u64(
                b, "rdma_canary_hw_value", "device=\"mlx5_1\",port=\"\",counter=\"a_new_counter\"", 78);
        assert_int_equal(batch_size(b), 3);
}

static void hostile_names_and_files_cost_only_themselves(void **state)
{
        struct tree t;
        struct batch *b;
        int r;

        tree_init(&t);
        tree_text(&t, SET "SDEDscFdCn10,32", "1\n");
        tree_text(&t, SET "Pio Reserved 30", "2\n");
        tree_text(&t, SET "quo\"te\\", "3\n");
        tree_text(&t, SET "not\xffutf8", "4\n");
        tree_text(&t, SET "new\nline", "5\n");
        tree_text(&t, SET "above_2_63", "18446744073709551615\n");
        tree_text(&t, SET "negative", "-1\n");
        tree_text(&t, SET "words", "enabled\n");
        tree_text(&t, SET "lifespan", "10\n");
        tree_fifo(&t, SET "fifo");
        tree_directory(&t, SET "directory");
        tree_link(&t, SET "loop", "loop");
        b = collect_once(hw_class(), t.fd, -1, "hostile0", &r);
        assert_int_equal(r, -ELOOP);
        assert_int_equal(samples_present(b), 6 + 5); /* the last: unreadable ones */
        assert_sample_u64(b, "rdma_canary_unreadable",
                "device=\"hostile0\",port=\"1\",counter=\"loop\",errno=\"ELOOP\"", 1);
#define COUNTER(name) "device=\"hostile0\",port=\"1\",counter=\"" name "\""
        assert_sample_u64(b, "rdma_canary_hw_value", COUNTER("SDEDscFdCn10,32"), 1);
        assert_sample_u64(b, "rdma_canary_hw_value", COUNTER("Pio Reserved 30"), 2);
        assert_sample_u64(b, "rdma_canary_hw_value", COUNTER("quo\\\"te\\\\"), 3);
        assert_sample_u64(b, "rdma_canary_hw_value", COUNTER("not\xef\xbf\xbdutf8"), 4);
        assert_sample_u64(b, "rdma_canary_hw_value", COUNTER("new\\nline"), 5);
        assert_sample_u64(b, "rdma_canary_hw_value", COUNTER("above_2_63"), UINT64_MAX);
        batch_unref(b);
        tree_done(&t);
}

static void a_driver_without_counters_is_normal(void **state)
{
        struct tree t;
        struct batch *b;
        int r;

        tree_init(&t);
        tree_directory(&t, "class/infiniband/siw0/ports/1");
        b = collect_once(hw_class(), t.fd, -1, "siw0", &r);
        assert_int_equal(r, 0);
        assert_int_equal(batch_size(b), 0);
        batch_unref(b);
        b = collect_once(hw_class(), t.fd, -1, "gone0", &r);
        assert_int_equal(r, 0);
        assert_int_equal(batch_size(b), 0);
        batch_unref(b);
        tree_done(&t);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(soft_roce_is_typed),
                cmocka_unit_test(mlx5_is_typed),
                cmocka_unit_test(counters_of_the_device_have_no_port),
                cmocka_unit_test(hostile_names_and_files_cost_only_themselves),
                cmocka_unit_test(a_driver_without_counters_is_normal),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
