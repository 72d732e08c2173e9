/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded answers wait in a socket that stands for the kernel's. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/scope.h"
#include "probes/hw_netlink.h"
#include "tests/unit/probes/support.h"

#define N_COUNTERS 15

struct fixture {
        struct hw_netlink h;
        int kernel;
        struct sysfs_names names;
        struct device_file items[N_COUNTERS + 1];
        struct device_files files;
};

/* To the next question: its sequence number is the one after the last. */
static void answer(struct fixture *f, const char *name)
{
        cleanup(close_fdp) int dir = fixture_open("nldev-rxe");
        cleanup(close_fdp) int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
        _Alignas(uint64_t) char data[8192];
        ssize_t n = read(fd, data, sizeof(data));
        uint32_t sequence = f->h.nldev.sequence + 1;

        assert_true(n > 16);
        memcpy(data + 8, &sequence, sizeof(sequence));
        assert_int_equal(send(f->kernel, data, (size_t)n, 0), n);
}

/* Connected and prepared with the port's names. */
static void setup(struct fixture *f)
{
        int pair[2];

        *f = (struct fixture){ 0 };
        assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), 0);
        hw_netlink_init(&f->h, true);
        f->h.nldev.fd = pair[0];
        f->kernel = pair[1];
        f->h.present = true;
        answer(f, "statistics");
        assert_int_equal(hw_netlink_names(&f->h, "1", &f->names), 0);
        assert_int_equal(f->names.n, N_COUNTERS);
        for (size_t i = 0; i < N_COUNTERS; i++)
                f->items[i] = (struct device_file){ .name = f->names.items[i], .error = -ENODATA };
        f->files = (struct device_files){ .n = N_COUNTERS, .items = f->items };
        assert_int_equal(hw_netlink_add(&f->h, "1", 0, N_COUNTERS), 0);
}

static void teardown(struct fixture *f)
{
        hw_netlink_done(&f->h);
        sysfs_names_done(&f->names);
        close_fdp(&f->kernel);
}

static void values_go_where_the_names_are(void **state)
{
        struct fixture f;

        setup(&f);
        answer(&f, "statistics");
        assert_true(hw_netlink_read(&f.h, NS_PER_SEC, &f.files));
        assert_string_equal(f.items[0].name, "sent_pkts");
        assert_int_equal(f.items[0].error, 0);
        assert_int_equal(f.items[0].value, 2002);
        assert_string_equal(f.items[14].name, "rdma_recvs");
        assert_int_equal(f.items[14].error, 0);
        teardown(&f);
}

static void questions_are_apart(void **state)
{
        struct fixture f;
        uint32_t asked;

        setup(&f);
        answer(&f, "statistics");
        assert_true(hw_netlink_read(&f.h, NS_PER_SEC, &f.files));
        asked = f.h.nldev.sequence;
        assert_true(hw_netlink_read(&f.h, NS_PER_SEC + HW_NETLINK_AGE_NS - 1, &f.files));
        assert_int_equal(f.h.nldev.sequence, asked);
        assert_int_equal(f.items[0].value, 2002); /* the last values stay */
        answer(&f, "statistics");
        assert_true(hw_netlink_read(&f.h, NS_PER_SEC + HW_NETLINK_AGE_NS, &f.files));
        assert_int_equal(f.h.nldev.sequence, asked + 1);
        teardown(&f);
}

static void other_names_or_no_answer_ask_for_new_preparation(void **state)
{
        static const char *const answers[] = { "statistics-no-device", "resources", NULL };
        struct fixture f;

        for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
                setup(&f);
                if (answers[i])
                        answer(&f, answers[i]);
                assert_false(hw_netlink_read(&f.h, NS_PER_SEC, &f.files));
                assert_int_equal(f.items[0].error, -ENODATA);
                teardown(&f);
        }
        setup(&f);
        f.items[3].name = "an_optional_one";
        answer(&f, "statistics");
        assert_false(hw_netlink_read(&f.h, NS_PER_SEC, &f.files));
        teardown(&f);
        setup(&f); /* one that is not in the answer any more */
        f.items[N_COUNTERS] = (struct device_file){ .name = "an_optional_one" };
        f.files.n = f.h.ports[0].n = N_COUNTERS + 1;
        answer(&f, "statistics");
        assert_false(hw_netlink_read(&f.h, NS_PER_SEC, &f.files));
        assert_int_equal(f.items[N_COUNTERS].error, -ENODATA);
        teardown(&f);
}

static void not_asked_where_it_is_not_to_be_used(void **state)
{
        cleanup(close_fdp) int tree = fixture_open("sysfs-rxe");
        struct sysfs_names names;
        struct hw_netlink h;

        hw_netlink_init(&h, true);
        hw_netlink_find(&h, tree, "rxe0");
        assert_int_equal(hw_netlink_names(&h, "1", &names), -ENODEV);
        assert_int_equal(h.nldev.fd, -1);
        h.present = true;
        assert_int_equal(hw_netlink_names(&h, "0", &names), -ERANGE);
        assert_int_equal(h.nldev.fd, -1);
        hw_netlink_done(&h);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(values_go_where_the_names_are),
                cmocka_unit_test(questions_are_apart),
                cmocka_unit_test(other_names_or_no_answer_ask_for_new_preparation),
                cmocka_unit_test(not_asked_where_it_is_not_to_be_used),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
