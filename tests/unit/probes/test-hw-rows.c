/* SPDX-License-Identifier: Apache-2.0 */
/* The whole table of hw counters, and the rules by which names become series. */
#include "tests/unit/unit.h"

#include "base/scope.h"
#include "base/text.h"
#include "probes/hw_rows.h"
#include "tests/unit/probes/support.h"

static void every_row_is_whole(void **state)
{
        for (size_t i = 0; i < n_hw_drivers; i++) {
                const struct hw_driver *d = &hw_drivers[i];

                check_row(i == 0 || strcmp(hw_drivers[i - 1].name, d->name) < 0, d->name);
                check_row(hw_driver_find(d->name) == d && hw_driver_find(d->modules[0]) == d, d->name);
                for (size_t k = 0; k < d->n_counters; k++) {
                        const struct hw_counter *c = &d->counters[k];

                        check_row(hw_counter_find(d, c->name) == c, c->name); /* so no name is twice */
                        check_row(
                                c->family->name && text_starts(c->family->name, "rdma_canary_hw_"), c->name);
                        check_row(c->scale > 0 && (c->bits == 32 || c->bits == 64), c->name);
                        check_row(!c->canonical || c->family->type == METRIC_COUNTER, c->name);
                        check_row(!c->canonical || c->canonical->type == METRIC_COUNTER, c->name);
                }
        }
}

static bool has_part(const char *name, const char *part)
{
        size_t n = strlen(part);

        for (const char *p = strstr(name, part); p; p = strstr(p + 1, part))
                if (p[-1] == '_' && (p[n] == '_' || p[n] == '\0'))
                        return true;
        return false;
}

/* No units that Prometheus does not have, nor types, of which promtool complains. */
static void units_are_base_units(void **state)
{
        static const char *const wrong[] = { "octets", "words", "kb", "mb", "ms", "us", "cnt", "counter",
                "gauge" };

        for (size_t i = 0; i < N_HW_FAMILIES; i++)
                for (size_t k = 0; k < ARRAY_SIZE(wrong); k++)
                        check_row(!has_part(hw_families[i].name, wrong[k]), hw_families[i].name);
}

static void drivers_are_told_by_their_names(void **state)
{
        static const char *const rxe[] = { "sent_pkts", "duplicate_request", "completer_retry_err" };
        static const char *const shared[] = { "duplicate_request" };
        static const char *const none[] = { "nobody_knows" };

        /* Soft-RoCE on an mlx5 NIC has the NIC's module. */
        assert_string_equal(hw_driver_guess("mlx5_core", rxe, 3)->name, "rxe");
        assert_string_equal(hw_driver_guess("mlx5_core", shared, 1)->name, "mlx5");
        assert_non_null(hw_driver_guess(NULL, shared, 1));
        assert_null(hw_driver_guess("mlx5_core", none, 1));
        assert_null(hw_counter_find(hw_driver_find("mlx5"), "nobody_knows"));
        assert_null(hw_counter_find(hw_driver_find("no_driver"), "duplicate_request"));
}

static struct batch *rows_of(const char *driver, const char *const (*names)[2], size_t n)
{
        cleanup(series_set_unrefp) struct series_set *set = series_set_new();
        struct hw_rows rows = { 0 };
        struct batch *b;

        assert_non_null(set);
        for (size_t i = 0; i < n; i++)
                assert_int_equal(
                        hw_rows_add(&rows, set, hw_driver_find(driver), "d", names[i][0], names[i][1]), i);
        b = batch_new_of(set);
        assert_non_null(b);
        for (size_t i = 0; i < n; i++)
                hw_rows_set(&rows, i, 100 + i, b);
        hw_rows_done(&rows);
        return b;
}

static void a_canonical_family_is_fed_once(void **state)
{
        static const char *const names[][2] = {
                { "1", "received_cnps" },
                { "", "received_cnp_count" },
                { "", "sent_cnps" },
        };
        cleanup(batch_unrefp) struct batch *b = rows_of("mana", names, ARRAY_SIZE(names));

        assert_sample_u64(
                b, "rdma_canary_congestion_notifications_received_total", "device=\"d\",port=\"1\"", 100);
        assert_no_sample(b, "rdma_canary_congestion_notifications_received_total", "device=\"d\",port=\"\"");
        assert_sample_u64(b, "rdma_canary_hw_received_cnp_count_total", "device=\"d\",port=\"\"", 101);
        assert_sample_u64(
                b, "rdma_canary_congestion_notifications_sent_total", "device=\"d\",port=\"\"", 102);
}

static void two_names_of_one_family_do_not_collide(void **state)
{
        static const char *const names[][2] = {
                { "1", "tx_bytes_cnt" },
                { "1", "hw_tx_bytes_cnt" },
                { "1", "unheard of, 1" },
        };
        cleanup(batch_unrefp) struct batch *b = rows_of("erdma", names, ARRAY_SIZE(names));

        assert_int_equal(samples_present(b), 3);
        assert_sample_u64(b, "rdma_canary_hw_tx_bytes_total", "device=\"d\",port=\"1\"", 100);
        assert_sample_u64(
                b, "rdma_canary_hw_value", "device=\"d\",port=\"1\",counter=\"hw_tx_bytes_cnt\"", 101);
        assert_sample_u64(
                b, "rdma_canary_hw_value", "device=\"d\",port=\"1\",counter=\"unheard of, 1\"", 102);
}

static void words_become_bytes_and_gauges_stay(void **state)
{
        static const char *const words[][2] = { { "1", "TxWords" } };
        static const char *const gauges[][2] = { { "1", "active_qps" } };
        cleanup(batch_unrefp) struct batch *a = rows_of("hfi1", words, 1);
        cleanup(batch_unrefp) struct batch *b = rows_of("bnxt_en", gauges, 1);

        assert_sample_u64(a, "rdma_canary_hw_tx_word_bytes_total", "device=\"d\",port=\"1\"", 400);
        assert_sample_u64(b, "rdma_canary_hw_active_qps", "device=\"d\",port=\"1\"", 100);
        assert_int_equal(sample_find(b, "rdma_canary_hw_active_qps", "device=\"d\",port=\"1\"")->family->type,
                METRIC_GAUGE);
}

static void a_representor_has_families_of_its_own(void **state)
{
        static const char *const names[][2] = { { "2", "vport_out_of_buffer" } };
        cleanup(batch_unrefp) struct batch *b = rows_of("mlx5", names, 1);

        assert_int_equal(samples_present(b), 1);
        assert_sample_u64(b, "rdma_canary_hw_vport_out_of_buffer_total", "device=\"d\",port=\"2\"", 100);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(every_row_is_whole),
                cmocka_unit_test(units_are_base_units),
                cmocka_unit_test(drivers_are_told_by_their_names),
                cmocka_unit_test(a_canonical_family_is_fed_once),
                cmocka_unit_test(two_names_of_one_family_do_not_collide),
                cmocka_unit_test(words_become_bytes_and_gauges_stay),
                cmocka_unit_test(a_representor_has_families_of_its_own),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
