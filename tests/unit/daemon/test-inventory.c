/* SPDX-License-Identifier: Apache-2.0 */
/* The inventory over a tree that looks like sysfs, with the real collectors. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "daemon/inventory.h"
#include "daemon/log.h"

struct house {
        char root[32];
        struct source_environment env;
        struct slots *slots;
        struct collectors *collectors;
        struct inventory *inventory;
        struct config *config;
};

static void make_dir(const struct house *h, const char *name)
{
        char path[128];

        assert_int_equal(text_format(path, sizeof(path), "%s/%s", h->root, name), 0);
        assert_int_equal(mkdir(path, 0755), 0);
}

static void make_device(const struct house *h, const char *name, const char *node_type)
{
        char path[128];
        FILE *f;

        assert_int_equal(text_format(path, sizeof(path), "class/infiniband/%s", name), 0);
        make_dir(h, path);
        assert_int_equal(
                text_format(path, sizeof(path), "%s/class/infiniband/%s/node_type", h->root, name), 0);
        f = fopen(path, "w");
        assert_non_null(f);
        assert_true(fprintf(f, "%s\n", node_type) > 0);
        assert_int_equal(fclose(f), 0);
}

static void configure(struct house *h, const char *text)
{
        char path[] = "/tmp/test-inventory-XXXXXX";
        int fd = mkstemp(path);
        struct buf problems = { 0 };

        assert_true(fd >= 0);
        assert_int_equal(write(fd, text, strlen(text)), strlen(text));
        (void)close(fd);
        config_unref(h->config);
        if (config_load(path, &h->config, &problems) < 0)
                fail_msg("%s", buf_cstr(&problems));
        buf_done(&problems);
        (void)unlink(path);
}

static int setup(void **state)
{
        struct house *h = calloc(1, sizeof(*h));

        log_setup(LOG_LEVEL_ERROR, LOG_FORMAT_LOGFMT);
        strcpy(h->root, "/tmp/test-inventory-XXXXXX");
        assert_non_null(mkdtemp(h->root));
        make_dir(h, "class");
        make_dir(h, "class/infiniband");
        h->env =
                (struct source_environment){ .procfs = -1, .clock = &clock_system, .reader = &reader_system };
        h->env.sysfs = open(h->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
        assert_int_equal(slots_new(&h->slots), 0);
        assert_int_equal(collectors_new(&clock_system, h->slots, &h->collectors), 0);
        assert_int_equal(inventory_new(&h->env, h->collectors, &h->inventory), 0);
        configure(h, "node: a\ncollectors: {self: {enabled: false}}\n");
        *state = h;
        return 0;
}

static int teardown(void **state)
{
        struct house *h = *state;
        char command[64];

        inventory_free(h->inventory);
        assert_int_equal(collectors_free(h->collectors, clock_now_ns() + 5 * NS_PER_SEC), 0);
        slots_free(h->slots);
        config_unref(h->config);
        (void)close(h->env.sysfs);
        assert_int_equal(text_format(command, sizeof(command), "rm -r %s", h->root), 0);
        assert_int_equal(system(command), 0);
        free(h);
        return 0;
}

static size_t n_collectors(struct house *h, const char *device)
{
        struct collector_state *states;
        size_t n, found = 0;

        assert_int_equal(collectors_states(h->collectors, &states, &n), 0);
        for (size_t i = 0; i < n; i++)
                found += strcmp(states[i].device, device) == 0;
        free(states);
        return found;
}

static void check_rails(struct house *h, const char *const *expected, size_t n_expected)
{
        struct rail *rails;
        size_t n;

        assert_int_equal(inventory_rails(h->inventory, h->config, &rails, &n), 0);
        assert_int_equal(n, n_expected);
        for (size_t i = 0; i < n; i++) {
                char text[2 * ENGINE_NAME_MAX];
                assert_int_equal(text_format(text, sizeof(text), "%s=%s", rails[i].name, rails[i].device), 0);
                assert_string_equal(text, expected[i]);
        }
        free(rails);
}

static void collectors_follow_the_devices(void **state)
{
        struct house *h = *state;
        char path[64];

        assert_int_equal(inventory_discover(h->inventory, h->config), 0);
        make_device(h, "mlx5_0", "1: CA");
        assert_int_equal(inventory_discover(h->inventory, h->config), 1);
        assert_int_equal(inventory_discover(h->inventory, h->config), 0);
        assert_int_equal(inventory_reconcile(h->inventory, h->config), 0);
        assert_true(n_collectors(h, "mlx5_0") >= 2);

        assert_int_equal(text_format(path, sizeof(path), "%s/class/infiniband/mlx5_0", h->root), 0);
        assert_int_equal(rename(path, "/tmp/test-inventory-gone"), 0);
        assert_int_equal(inventory_discover(h->inventory, h->config), 1);
        assert_int_equal(inventory_reconcile(h->inventory, h->config), 0);
        assert_int_equal(n_collectors(h, "mlx5_0"), 0);
        assert_int_equal(system("rm -r /tmp/test-inventory-gone"), 0);
}

static void a_collector_can_be_switched_off(void **state)
{
        struct house *h = *state;
        size_t before;

        make_device(h, "mlx5_0", "1: CA");
        assert_int_equal(inventory_discover(h->inventory, h->config), 1);
        assert_int_equal(inventory_reconcile(h->inventory, h->config), 0);
        before = n_collectors(h, "mlx5_0");
        configure(h, "node: a\ncollectors: {self: {enabled: false}, port: {enabled: false}}\n");
        assert_int_equal(inventory_reconcile(h->inventory, h->config), 0);
        assert_int_equal(n_collectors(h, "mlx5_0"), before - 1);
}

static void rails_are_the_devices_that_can_be_probed(void **state)
{
        static const char *const expected[] = { "0=mlx5_2", "1=mlx5_10" };
        struct house *h = *state;

        make_device(h, "mlx5_10", "1: CA");
        make_device(h, "mlx5_2", "1: CA");
        make_device(h, "irdma0", "4: RNIC");
        assert_int_equal(inventory_discover(h->inventory, h->config), 1);
        check_rails(h, expected, ARRAY_SIZE(expected));
        configure(h, "node: a\ndevices: {exclude: ['mlx5_?']}\n");
        assert_int_equal(inventory_discover(h->inventory, h->config), 1);
        check_rails(h, (const char *const[]){ "0=mlx5_10" }, 1);
}

static void rails_of_the_config_need_not_be_there(void **state)
{
        static const char *const expected[] = { "left=mlx5_7", "right=mlx5_0" };
        struct house *h = *state;

        make_device(h, "mlx5_0", "1: CA");
        assert_int_equal(inventory_discover(h->inventory, h->config), 1);
        configure(h, "rails: [{name: left, device: mlx5_7}, {name: right, device: mlx5_0}]\n");
        check_rails(h, expected, ARRAY_SIZE(expected));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
        const struct CMUnitTest tests[] = {
                TEST(collectors_follow_the_devices),
                TEST(a_collector_can_be_switched_off),
                TEST(rails_are_the_devices_that_can_be_probed),
                TEST(rails_of_the_config_need_not_be_there),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
