/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <stdio.h>

#include "base/text.h"
#include "probes/ethtool.h"
#include "probes/ethtool_names.h"
#include "probes/probe.h"
#include "tests/unit/probes/support.h"

#define N_MAX    4000
#define LABELS_0 "device=\"d\",netdev=\"eth0\""
#define NETDEV   "rdma_canary_netdev_"

/* A driver as it answers; the kernel before it answers none when it is told another number. */
struct driver {
        const char *name;
        uint32_t n;
        char names[N_MAX][ETH_GSTRING_LEN];
        uint64_t values[N_MAX];
        unsigned n_strings, n_stats; /* requests seen */
        int error;
};

static int answer(void *context, const char *netdev, void *request)
{
        struct driver *d = context;
        struct ethtool_stats *stats = request;
        uint32_t cmd;

        memcpy(&cmd, request, sizeof(cmd));
        assert_string_equal(netdev, "eth0");
        if (d->error)
                return d->error;
        if (cmd == ETHTOOL_GDRVINFO) {
                struct ethtool_drvinfo *info = request;

                return text_copy(info->driver, sizeof(info->driver), d->name);
        }
        if (cmd == ETHTOOL_GSSET_INFO) {
                struct ethtool_sset_info *info = request;

                assert_int_equal(info->sset_mask, 1 << ETH_SS_STATS);
                memcpy(info->data, &d->n, sizeof(d->n));
                return 0;
        }
        if (cmd == ETHTOOL_GSTRINGS) {
                struct ethtool_gstrings *strings = request;

                assert_int_equal(strings->string_set, ETH_SS_STATS);
                d->n_strings++;
                strings->len = strings->len == d->n ? d->n : 0;
                memcpy(strings->data, d->names, strings->len * sizeof(d->names[0]));
                return 0;
        }
        assert_int_equal(cmd, ETHTOOL_GSTATS);
        d->n_stats++;
        stats->n_stats = stats->n_stats == d->n ? d->n : 0;
        memcpy(stats->data, d->values, stats->n_stats * sizeof(d->values[0]));
        return 0;
}

static int answer_standard(void *context, const char *netdev, struct ethtool_standard_values *ret)
{
        const struct ethtool_standard_values *values = context;

        assert_string_equal(netdev, "eth0");
        *ret = *values;
        return values->known ? 0 : -EOPNOTSUPP;
}

static void driver_add(struct driver *d, const char *name, uint64_t value)
{
        assert_true(d->n < N_MAX && strlen(name) <= ETH_GSTRING_LEN);
        memset(d->names[d->n], 0, ETH_GSTRING_LEN);
        memcpy(d->names[d->n], name, strlen(name)); /* unterminated when it is longest */
        d->values[d->n++] = value;
}

static uint64_t test_now(void *context)
{
        return *(const uint64_t *)context;
}

struct fixture {
        struct tree tree;
        uint64_t now_ns;
        struct clock clock;
        struct source_environment env;
        const struct source_class *class;
        struct driver driver;
        void *source;
};

/* As in probes/ethtool.c, by the option rows. */
static void *make_source(struct fixture *f, const char *const *include, size_t n_include)
{
        cleanup(freep) char *config = calloc(1, f->class->config_size);
        struct option_list *list;
        void *source = NULL;

        assert_non_null(config);
        assert_int_equal(option_defaults(f->class->options, f->class->n_options, config), 0);
        assert_string_equal(f->class->options[2].key, "include");
        list = (void *)(config + f->class->options[2].offset);
        *list = (struct option_list){ .n = n_include, .items = (void *)include };
        assert_int_equal(
                f->class->create(&f->env, &(struct source_target){ .device = "d" }, config, &source), 0);
        return source;
}

static struct fixture *fixture_new(const char *driver, const char *const *include, size_t n_include)
{
        struct fixture *f = calloc(1, sizeof(*f));

        assert_non_null(f);
        tree_init(&f->tree);
        tree_text(&f->tree, "class/infiniband/d/parent", "eth0\n");
        tree_text(&f->tree, "class/net/eth0/ifindex", "2\n");
        f->now_ns = NS_PER_SEC;
        f->clock = (struct clock){ .monotonic_ns = test_now, .realtime_ns = test_now, .context = &f->now_ns };
        f->env = (struct source_environment){
                .sysfs = f->tree.fd, .procfs = -1, .clock = &f->clock, .reader = &reader_system
        };
        f->class = source_class_find("ethtool");
        f->driver.name = driver;
        f->source = make_source(f, include, n_include);
        ethtool_ask(f->source, (struct ethtool_caller){ .call = answer, .context = &f->driver });
        return f;
}

static void fixture_free(struct fixture *f)
{
        f->class->destroy(f->source);
        tree_done(&f->tree);
        free(f);
}

static struct batch *collect(struct fixture *f)
{
        struct batch *b = batch_new();

        assert_non_null(b);
        assert_int_equal(f->class->collect(f->source, DEADLINE_NEVER, b), 0);
        assert_int_equal(batch_error(b), 0);
        return b;
}

static void assert_sample_double(const struct batch *b, const char *family, const char *labels, double value)
{
        const struct sample *s = sample_find(b, family, labels);

        if (!s)
                fail_msg("%s{%s} is missing", family, labels);
        if (s->integer || s->number < value - 1e-12 || s->number > value + 1e-12)
                fail_msg("%s{%s} is %g, not %g", family, labels, s->number, value);
}

static void patterns_match_whole_names(void **state)
{
        static const struct {
                const char *pattern, *name, *number; /* NULL: no match */
        } rows[] = {
                { "rx_prio#_pause", "rx_prio3_pause", "3" },
                { "rx_prio#_pause", "rx_prio12_pause", "12" },
                { "rx_prio#_pause", "rx_prio_pause", NULL },
                { "rx_prio#_pause", "rx_prio3_pause_duration", NULL },
                { "rx_prio#_pause", "rx_priox_pause", NULL },
                { "rx_prio#_pause", "rx_prio12345678_pause", NULL },
                { "rx_pri#", "rx_pri7", "7" },
                { "rx_pri#", "rx_pri", NULL },
                { "link", "link", "" },
                { "link", "link2", NULL },
                { "link", "lin", NULL },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                char number[8];
                int r = ethtool_pattern(rows[i].pattern, rows[i].name, strlen(rows[i].name), number);

                check_row((r == 0) == (rows[i].number != NULL), rows[i].name);
                check_row(r < 0 || strcmp(number, rows[i].number) == 0, rows[i].name);
        }
}

/* mlx5: thousands of per-queue statistics around those that count. */
static void mlx5_in_base_units(void **state)
{
        struct fixture *f = fixture_new("mlx5_core", NULL, 0);
        struct batch *b;

        for (unsigned i = 0; i < 2000; i++) {
                char name[ETH_GSTRING_LEN];

                (void)snprintf(name, sizeof(name), "rx%u_packets", i);
                driver_add(&f->driver, name, 1);
        }
        driver_add(&f->driver, "rx_prio3_pause", 11);
        driver_add(&f->driver, "tx_prio3_pause_duration", 2500000);
        driver_add(&f->driver, "rx_prio3_pause_transition", 4);
        driver_add(&f->driver, "rx_prio0_buf_discard", 5);
        driver_add(&f->driver, "rx_prio0_marked", 6);
        driver_add(&f->driver, "rx_err_lane_2_phy", 7);
        driver_add(&f->driver, "outbound_pci_stalled_rd", 37);
        driver_add(&f->driver, "outbound_pci_stalled_rd_events", 8);
        driver_add(&f->driver, "tx_vport_rdma_unicast_bytes", UINT64_MAX);
        driver_add(&f->driver, "tx_vport_rdma_multicast_packets!", 1); /* longest, and nobody's */
        b = collect(f);
        assert_int_equal(batch_size(b), 9);
        assert_sample_u64(b, NETDEV "pfc_pause_frames_received_total", LABELS_0 ",priority=\"3\"", 11);
        assert_sample_double(
                b, NETDEV "pfc_pause_transmitted_seconds_total", LABELS_0 ",priority=\"3\"", 2.5);
        assert_sample_u64(b, NETDEV "pfc_pause_transitions_received_total", LABELS_0 ",priority=\"3\"", 4);
        assert_sample_u64(b, NETDEV "priority_buffer_discards_total", LABELS_0 ",priority=\"0\"", 5);
        assert_sample_u64(b, NETDEV "priority_ecn_marked_packets_total", LABELS_0 ",priority=\"0\"", 6);
        assert_sample_u64(b, NETDEV "physical_lane_errors_total", LABELS_0 ",lane=\"2\"", 7);
        assert_sample_double(b, NETDEV "pci_stalled_read_ratio", LABELS_0, 0.37);
        assert_sample_u64(b, NETDEV "pci_stalled_read_seconds_total", LABELS_0, 8);
        assert_sample_u64(b, NETDEV "rdma_unicast_transmitted_bytes_total", LABELS_0, UINT64_MAX);
        batch_unref(b);
        fixture_free(f);
}

static void drivers_share_one_vocabulary(void **state)
{
        static const struct {
                const char *driver, *name, *family, *third;
        } rows[] = {
                { "mlx5_core[ib_ipoib]", "link_down_events_phy", "link_down_events_total", "" },
                { "bnxt_en", "rx_pfc_ena_frames_pri5", "pfc_pause_frames_received_total", ",priority=\"5\"" },
                { "bnxt_en", "pfc_pri5_tx_transitions", "pfc_pause_transitions_transmitted_total",
                        ",priority=\"5\"" },
                { "bnxt_en", "rx_fec_uncorrectable_blocks", "fec_uncorrectable_blocks_total", "" },
                { "ice", "tx_priority_4_xoff.nic", "pfc_pause_frames_transmitted_total", ",priority=\"4\"" },
                { "ice", "rx_crc_errors.nic", "physical_crc_errors_total", "" },
                { "i40e", "port.rx_priority_1_xoff_rx", "pfc_pause_frames_received_total",
                        ",priority=\"1\"" },
                { "hns3", "mac_tx_pfc_pri7_pkt_num", "pfc_pause_frames_transmitted_total",
                        ",priority=\"7\"" },
                { "ionic", "frames_rx_bad_fcs", "physical_crc_errors_total", "" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                struct fixture *f = fixture_new(rows[i].driver, NULL, 0);
                char family[128], labels[128];
                struct batch *b;

                driver_add(&f->driver, rows[i].name, 42);
                driver_add(&f->driver, "rx_prio1_pausing", 1);
                assert_int_equal(text_format(family, sizeof(family), NETDEV "%s", rows[i].family), 0);
                assert_int_equal(text_format(labels, sizeof(labels), LABELS_0 "%s", rows[i].third), 0);
                b = collect(f);
                assert_sample_u64(b, family, labels, 42);
                check_row(batch_size(b) == 1, rows[i].name);
                batch_unref(b);
                fixture_free(f);
        }
}

static void one_drivers_names_mean_nothing_in_another(void **state)
{
        struct fixture *f = fixture_new("virtio_net", NULL, 0);
        struct batch *b;

        driver_add(&f->driver, "rx_prio3_pause", 1);
        b = collect(f);
        assert_int_equal(batch_size(b), 0);
        batch_unref(b);
        fixture_free(f);
}

static void others_come_when_asked_for_and_once_each(void **state)
{
        static const char *const include[] = { "rx_*", "exactly_32_bytes_of_a_name______" };
        struct fixture *f = fixture_new("virtio_net", include, ARRAY_SIZE(include));
        struct batch *b;

        driver_add(&f->driver, "rx_drops", 1);
        driver_add(&f->driver, "tx_drops", 2);
        driver_add(&f->driver, "rx_drops", 3);
        driver_add(&f->driver, "", 4);
        driver_add(&f->driver, "exactly_32_bytes_of_a_name______", 5);
        b = collect(f);
        assert_int_equal(batch_size(b), 2);
        assert_sample_u64(b, NETDEV "ethtool", LABELS_0 ",statistic=\"rx_drops\"", 1);
        assert_sample_u64(b, NETDEV "ethtool", LABELS_0 ",statistic=\"exactly_32_bytes_of_a_name______\"", 5);
        batch_unref(b);
        fixture_free(f);
}

static void standard_statistics_fill_what_the_driver_leaves_out(void **state)
{
        struct fixture *f = fixture_new("mlx5_core", NULL, 0);
        struct ethtool_standard_values values = { .known = 1U << STANDARD_CRC_ERRORS |
                                                           1U << STANDARD_FEC_CORRECTED };
        struct batch *b;

        values.values[STANDARD_CRC_ERRORS] = 100;
        values.values[STANDARD_FEC_CORRECTED] = 200;
        ethtool_ask(f->source, (struct ethtool_caller){ .call = answer,
                                       .context = &f->driver,
                                       .standard = answer_standard,
                                       .standard_context = &values });
        driver_add(&f->driver, "rx_crc_errors_phy", 1);
        b = collect(f);
        assert_sample_u64(b, NETDEV "physical_crc_errors_total", LABELS_0, 1);
        assert_sample_u64(b, NETDEV "fec_corrected_blocks_total", LABELS_0, 200);
        assert_int_equal(batch_size(b), 2);
        batch_unref(b);
        values.known = 0;
        f->now_ns += 10 * NS_PER_SEC;
        b = collect(f);
        assert_no_sample(b, NETDEV "fec_corrected_blocks_total", LABELS_0);
        assert_sample_u64(b, NETDEV "physical_crc_errors_total", LABELS_0, 1);
        batch_unref(b);
        fixture_free(f);
}

static void the_kernel_is_left_alone_for_the_minimum_age(void **state)
{
        struct fixture *f = fixture_new("mlx5_core", NULL, 0);
        struct batch *b;

        driver_add(&f->driver, "link_down_events_phy", 1);
        batch_unref(collect(f));
        f->driver.values[0] = 2;
        f->now_ns += 10 * NS_PER_SEC - 1;
        b = collect(f);
        assert_sample_u64(b, NETDEV "link_down_events_total", LABELS_0, 1);
        assert_int_equal(f->driver.n_stats, 1);
        batch_unref(b);
        f->now_ns += 1;
        b = collect(f);
        assert_sample_u64(b, NETDEV "link_down_events_total", LABELS_0, 2);
        assert_int_equal(f->driver.n_stats, 2);
        assert_int_equal(f->driver.n_strings, 1);
        batch_unref(b);
        fixture_free(f);
}

static void names_are_read_again_when_the_set_changes(void **state)
{
        struct fixture *f = fixture_new("mlx5_core", NULL, 0);
        struct batch *b;

        driver_add(&f->driver, "rx_prio3_pause", 1);
        batch_unref(collect(f));
        /* More of them. */
        f->driver.n = 0;
        driver_add(&f->driver, "rx_prio2_pause", 7);
        driver_add(&f->driver, "rx_prio3_pause", 8);
        f->now_ns += 10 * NS_PER_SEC;
        b = collect(f);
        assert_sample_u64(b, NETDEV "pfc_pause_frames_received_total", LABELS_0 ",priority=\"2\"", 7);
        assert_sample_u64(b, NETDEV "pfc_pause_frames_received_total", LABELS_0 ",priority=\"3\"", 8);
        batch_unref(b);
        /* As many, but others. */
        f->driver.n = 0;
        driver_add(&f->driver, "rx_prio4_pause", 9);
        driver_add(&f->driver, "rx_prio5_pause", 10);
        f->now_ns += 60 * NS_PER_SEC;
        b = collect(f);
        assert_int_equal(batch_size(b), 2);
        assert_sample_u64(b, NETDEV "pfc_pause_frames_received_total", LABELS_0 ",priority=\"4\"", 9);
        batch_unref(b);
        fixture_free(f);
}

static void what_the_driver_does_not_do_is_no_failure(void **state)
{
        static const int errors[] = { -EOPNOTSUPP, -ENODEV, -EINVAL };

        for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
                struct fixture *f = fixture_new("mlx5_core", NULL, 0);
                struct batch *b;

                f->driver.error = errors[i];
                driver_add(&f->driver, "link_down_events_phy", 1);
                b = collect(f);
                assert_int_equal(batch_size(b), 0);
                batch_unref(b);
                fixture_free(f);
        }
}

static void one_that_fails_later_has_no_old_values(void **state)
{
        struct fixture *f = fixture_new("mlx5_core", NULL, 0);
        struct batch *b;

        driver_add(&f->driver, "link_down_events_phy", 1);
        batch_unref(collect(f));
        f->driver.error = -ENODEV;
        f->now_ns += 10 * NS_PER_SEC;
        b = collect(f);
        assert_no_sample(b, NETDEV "link_down_events_total", LABELS_0);
        batch_unref(b);
        fixture_free(f);
}

static void a_tree_that_is_no_sysfs_does_not_lead_to_the_kernel(void **state)
{
        struct fixture *f = fixture_new("mlx5_core", NULL, 0);
        struct batch *b;

        tree_text(&f->tree, "class/infiniband/d/parent", "lo\n");
        ethtool_ask(f->source, (struct ethtool_caller){ 0 });
        b = collect(f);
        assert_int_equal(batch_size(b), 0);
        batch_unref(b);
        fixture_free(f);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(patterns_match_whole_names),
                cmocka_unit_test(mlx5_in_base_units),
                cmocka_unit_test(drivers_share_one_vocabulary),
                cmocka_unit_test(one_drivers_names_mean_nothing_in_another),
                cmocka_unit_test(others_come_when_asked_for_and_once_each),
                cmocka_unit_test(standard_statistics_fill_what_the_driver_leaves_out),
                cmocka_unit_test(the_kernel_is_left_alone_for_the_minimum_age),
                cmocka_unit_test(names_are_read_again_when_the_set_changes),
                cmocka_unit_test(what_the_driver_does_not_do_is_no_failure),
                cmocka_unit_test(one_that_fails_later_has_no_old_values),
                cmocka_unit_test(a_tree_that_is_no_sysfs_does_not_lead_to_the_kernel),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
