/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/record.h"

#define WHEN (UINT64_C(1767323045) * NS_PER_SEC) /* 2026-01-02 03:04:05 UTC */

struct place {
        char path[64];
        int fd;
};

static int make_place(void **state)
{
        static struct place p;
        strcpy(p.path, "/tmp/test-record-XXXXXX");
        assert_non_null(mkdtemp(p.path));
        p.fd = -1;
        *state = &p;
        return 0;
}

static size_t files(const struct place *p, bool remove)
{
        DIR *d = opendir(p->path);
        size_t n = 0;
        assert_non_null(d);
        for (struct dirent *e; (e = readdir(d));) {
                if (text_equal(e->d_name, ".") || text_equal(e->d_name, ".."))
                        continue;
                n++;
                if (remove)
                        (void)unlinkat(dirfd(d), e->d_name, 0);
        }
        (void)closedir(d);
        return n;
}

static int remove_place(void **state)
{
        struct place *p = *state;
        close_fdp(&p->fd);
        (void)files(p, true);
        return rmdir(p->path);
}

static void names_are_dated_and_harmless(void **state)
{
        char name[RECORD_NAME_MAX], peer[300];

        assert_int_equal(record_name(name, sizeof(name), WHEN, "bw", "host-b", 1), 0);
        assert_string_equal(name, "20260102-030405-bw-host-b.json");
        assert_int_equal(record_name(name, sizeof(name), WHEN, "lat", "../[::1]:5 \xff", 2), 0);
        assert_string_equal(name, "20260102-030405-lat-..____1__5__-2.json");
        memset(peer, 'p', sizeof(peer));
        peer[sizeof(peer) - 1] = '\0';
        assert_int_equal(record_name(name, sizeof(name), WHEN, "bw", peer, 99), 0);
}

static void records_are_whole_and_never_replaced(void **state)
{
        struct place *p = *state;
        char first[RECORD_NAME_MAX], second[RECORD_NAME_MAX], path[400];

        assert_int_equal(record_open(p->path, &p->fd), 0);
        assert_int_equal(files(p, false), 0);
        json_t *one = json_pack("{s:i}", "run", 1), *two = json_pack("{s:i}", "run", 2);
        assert_int_equal(record_write(p->fd, one, WHEN, "bw", "host-b", first), 0);
        assert_int_equal(record_write(p->fd, two, WHEN, "bw", "host-b", second), 0);
        assert_string_equal(first, "20260102-030405-bw-host-b.json");
        assert_string_equal(second, "20260102-030405-bw-host-b-2.json");
        assert_int_equal(files(p, false), 2);
        (void)snprintf(path, sizeof(path), "%s/%s", p->path, first);
        json_t *read = json_load_file(path, 0, NULL);
        assert_true(json_equal(read, one));
        json_decref(read);
        json_decref(one);
        json_decref(two);
}

static void no_name_is_left_in_the_end(void **state)
{
        struct place *p = *state;
        char name[RECORD_NAME_MAX];
        json_t *document = json_object();
        int r = 0;

        assert_int_equal(record_open(p->path, &p->fd), 0);
        for (unsigned i = 0; i < 99 && r == 0; i++)
                r = record_write(p->fd, document, WHEN, "bw", "host-b", name);
        assert_int_equal(r, 0);
        assert_int_equal(record_write(p->fd, document, WHEN, "bw", "host-b", name), -EEXIST);
        assert_int_equal(files(p, false), 99);
        json_decref(document);
}

static void places_that_do_not_work_are_told_at_once(void **state)
{
        struct place *p = *state;
        int fd = -1;

        assert_int_equal(record_open("/nonexistent/place", &fd), -ENOENT);
        assert_int_equal(record_open("/proc/self/stat", &fd), -ENOTDIR);
        assert_true(record_open("/proc/self", &fd) < 0);
        assert_int_equal(fd, -1);
        assert_int_equal(files(p, false), 0);
}

#define PLACE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(names_are_dated_and_harmless),
                PLACE(records_are_whole_and_never_replaced),
                PLACE(no_name_is_left_in_the_end),
                PLACE(places_that_do_not_work_are_told_at_once),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
