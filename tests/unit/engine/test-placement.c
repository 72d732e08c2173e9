/* SPDX-License-Identifier: Apache-2.0 */
/* Threads are really moved, among the CPUs that this test may use; what is online and which nodes there are is
 * said by a tree. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <sched.h>

#include "base/text.h"
#include "engine/fault.h"
#include "engine/placement.h"
#include "tests/unit/tree.h"

#define ABSENT 7000 /* a CPU that no host has which runs this */

struct host {
        struct tree tree;
        char all[2048], first[16], last[16]; /* of the CPUs allowed: the whole list, and two of it */
        cpu_set_t before;
};

static int host_make(void **state)
{
        struct host *h = calloc(1, sizeof(*h));
        int first = -1, last = -1;
        assert_non_null(h);
        *state = h;
        assert_int_equal(sched_getaffinity(0, sizeof(h->before), &h->before), 0);
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
                if (CPU_ISSET(cpu, &h->before)) {
                        first = first < 0 ? cpu : first;
                        last = cpu;
                }
        text_message(h->first, sizeof(h->first), "%d", first);
        text_message(h->last, sizeof(h->last), "%d", last);
        placement_describe(h->all, sizeof(h->all));
        tree_init(&h->tree);
        tree_text(&h->tree, "devices/system/cpu/online", h->all);
        tree_text(&h->tree, "devices/system/node/online", "0-2\n");
        tree_text(&h->tree, "devices/system/node/node0/cpulist", h->first);
        tree_text(&h->tree, "devices/system/node/node1/cpulist", "7000-7001\n");
        tree_text(&h->tree, "devices/system/node/node2/cpulist", "\n");
        return 0;
}

static int host_done(void **state)
{
        struct host *h = *state;
        int r = sched_setaffinity(0, sizeof(h->before), &h->before);
        tree_done(&h->tree);
        free(h);
        return r;
}

static struct placement cpus(const char *list)
{
        struct placement p = { 0 };
        assert_int_equal(text_copy(p.cpus, sizeof(p.cpus), list), 0);
        return p;
}

static struct placement node(unsigned node)
{
        return (struct placement){ .on_node = true, .node = node };
}

static const struct placement nothing;

static void assert_runs_on(const char *list)
{
        char text[2048];
        placement_describe(text, sizeof(text));
        assert_string_equal(text, list);
}

/* Applied, the thread runs on `list`; restored, where it was. */
static void moves(struct host *h, struct placement wanted, int device_node, bool hardware, const char *list)
{
        struct placement_saved saved;
        struct fault fault = { 0 };
        char before[2048];
        placement_describe(before, sizeof(before));
        assert_int_equal(placement_apply_at(h->tree.fd, &wanted, device_node, hardware, &saved, &fault), 0);
        assert_int_equal(fault.kind, OUTCOME_OK);
        assert_runs_on(list);
        placement_restore(&saved);
        assert_runs_on(before);
}

static void refused(struct host *h, struct placement wanted, int error, const char *reason)
{
        struct placement_saved saved = { 0 };
        struct fault fault = { 0 };
        assert_int_equal(placement_apply_at(h->tree.fd, &wanted, 0, true, &saved, &fault), error);
        assert_int_equal(fault.kind, OUTCOME_LOCAL);
        assert_int_equal(fault.error, error);
        if (!strstr(fault.reason, reason))
                fail_msg("\"%s\" does not say \"%s\"", fault.reason, reason);
        assert_false(saved.changed);
        assert_runs_on(h->all);
}

static void what_is_asked_for_is_done(void **state)
{
        struct host *h = *state;
        char node_of_last[64] = "devices/system/node/node5/cpulist", list[32];
        moves(h, cpus(h->last), -1, false, h->last);
        moves(h, cpus(h->last), 0, true, h->last); /* not the device's node */
        moves(h, cpus(h->all), 0, true, h->all);
        moves(h, node(0), -1, false, h->first);
        /* Of a node, what is allowed. */
        text_message(list, sizeof(list), "%s,%d\n", h->last, ABSENT);
        tree_text(&h->tree, node_of_last, list);
        moves(h, node(5), 0, true, h->last);
        struct placement both = cpus(h->last);
        both.on_node = true;
        moves(h, both, -1, false, h->last);
}

static void hardware_runs_near_its_device_and_software_anywhere(void **state)
{
        struct host *h = *state;
        moves(h, nothing, 0, true, h->first);
        moves(h, nothing, 0, false, h->all);
        moves(h, nothing, -1, true, h->all);
        moves(h, nothing, 1, true, h->all); /* none of its CPUs can be used */
        moves(h, nothing, 2, true, h->all); /* it has none */
        moves(h, nothing, 3, true, h->all); /* it is not there */
        assert_int_equal(unlinkat(h->tree.fd, "devices/system/cpu/online", 0), 0);
        moves(h, nothing, 0, true, h->all);
}

/* Whoever has restricted the process (taskset, CPUAffinity=) has thought of something. */
static void a_thread_that_is_restricted_stays_where_it_is(void **state)
{
        struct host *h = *state;
        char wider[2200];
        text_message(wider, sizeof(wider), "%s,%d\n", h->all, ABSENT);
        tree_text(&h->tree, "devices/system/cpu/online", wider);
        moves(h, nothing, 0, true, h->all);
        moves(h, node(0), 0, true, h->first); /* asked for, it is done */
        moves(h, cpus(h->last), 0, true, h->last);
}

static void what_cannot_be_is_refused_with_what_can(void **state)
{
        struct host *h = *state;
        char list[2200], reason[2200];
        refused(h, cpus("7000"), -EINVAL, "CPU 7000 of \"7000\" is not there or offline: online are ");
        text_message(list, sizeof(list), "%s,7001-7002", h->first);
        text_message(reason, sizeof(reason), "CPU 7001 of \"%s\" is not there", list);
        refused(h, cpus(list), -EINVAL, reason);
        refused(h, cpus("0-"), -EINVAL, "CPUs \"0-\": write numbers and ranges, as in 0-3,8");
        refused(h, cpus("\n"), -EINVAL, "write numbers and ranges");
        refused(h, cpus("0-9999"), -EINVAL, "CPUs \"0-9999\": there are none above 8191");
        refused(h, node(9), -EINVAL, "NUMA node 9 is not there: this host has 0-2");
        refused(h, node(2), -EINVAL, "NUMA node 2 has memory only and no CPUs");
        text_message(reason, sizeof(reason),
                "NUMA node 1 has CPUs 7000-7001 and this process may run on %s; ask for another, or widen",
                h->all);
        refused(h, node(1), -EPERM, reason);
        tree_text(&h->tree, "devices/system/cpu/online", "0-8191");
        text_message(reason, sizeof(reason),
                "CPU 7000 of \"7000\": this process may run on %s; ask for these, or widen", h->all);
        refused(h, cpus("7000"), -EPERM, reason);
        assert_int_equal(unlinkat(h->tree.fd, "devices/system/node/online", 0), 0);
        refused(h, node(9), -EINVAL, "NUMA node 9: this host has no NUMA nodes; ask for CPUs");
}

static void the_real_sys_is_read(void **state)
{
        struct host *h = *state;
        struct placement_saved saved;
        struct placement wanted = cpus(h->first), absent = node(1000000);
        struct fault fault = { 0 };
        assert_int_equal(placement_apply(&wanted, -1, true, &saved, &fault), 0);
        assert_runs_on(h->first);
        placement_restore(&saved);
        assert_runs_on(h->all);
        assert_int_equal(placement_apply(&absent, -1, true, &saved, &fault), -EINVAL);
        assert_non_null(strstr(fault.reason, "NUMA node 1000000"));
}

static void long_lists_are_cut_in_what_is_said(void **state)
{
        struct host *h = *state;
        struct placement_saved saved;
        struct fault fault = { 0 };
        char odd[8192] = "";
        for (int cpu = 7001; cpu < 7600; cpu += 2)
                text_message(odd + strlen(odd), sizeof(odd) - strlen(odd), "%d,", cpu);
        odd[strlen(odd) - 1] = '\0';
        tree_text(&h->tree, "devices/system/node/node5/cpulist", odd);
        struct placement wanted = node(5);
        assert_int_equal(placement_apply_at(h->tree.fd, &wanted, 0, true, &saved, &fault), -EPERM);
        assert_non_null(strstr(fault.reason, "7001,7003"));
        assert_non_null(strstr(fault.reason, ",… and this process"));
        assert_non_null(strstr(fault.reason, "cpuset)"));
}

#define ROW(test) cmocka_unit_test_setup_teardown(test, host_make, host_done)

int main(void)
{
        static const struct CMUnitTest tests[] = {
                ROW(what_is_asked_for_is_done),
                ROW(hardware_runs_near_its_device_and_software_anywhere),
                ROW(a_thread_that_is_restricted_stays_where_it_is),
                ROW(what_cannot_be_is_refused_with_what_can),
                ROW(the_real_sys_is_read),
                ROW(long_lists_are_cut_in_what_is_said),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
