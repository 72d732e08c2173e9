/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "daemon/file_watch.h"
#include "daemon/web.h"
#include "tests/unit/daemon/web_files.h"

#define CONFIG "tls_server_config:\n  cert_file: s.crt\n  key_file: s.key\n"

/* ---- files that change ------------------------------------------------------------------------------ */

static void changes_are_seen_once_they_rest(void **state)
{
        struct file_watch w = { 0 };
        struct web_files f;

        web_files_init(&f);
        put(&f, "a", "1");
        assert_int_equal(file_watch_add(&w, path_of(&f, "a").text), 0);
        assert_int_equal(file_watch_add(&w, path_of(&f, "b").text), 0);
        assert_false(file_watch_changed(&w));
        put(&f, "a", "2"); /* another file of the same size */
        assert_false(file_watch_changed(&w));
        put(&f, "a", "3");
        assert_false(file_watch_changed(&w)); /* not at rest yet */
        assert_true(file_watch_changed(&w));
        assert_true(file_watch_changed(&w)); /* until it is looked at anew */
        file_watch_clear(&w);
        assert_false(file_watch_changed(&w));
        web_files_done(&f);
}

static void files_come_and_go(void **state)
{
        struct file_watch w = { 0 };
        struct web_files f;

        web_files_init(&f);
        assert_int_equal(file_watch_add(&w, path_of(&f, "a").text), 0);
        assert_false(file_watch_changed(&w));
        put(&f, "a", "1");
        (void)file_watch_changed(&w);
        assert_true(file_watch_changed(&w));
        assert_int_equal(unlink(path_of(&f, "a").text), 0);
        (void)file_watch_changed(&w);
        assert_false(file_watch_changed(&w)); /* it is not there, as at the beginning */
        file_watch_clear(&w);
        web_files_done(&f);
}

/* ---- the rules in use ------------------------------------------------------------------------------- */

struct fixture {
        struct web_files files;
        struct identity one, two;
        struct buf problems;
};

static void setup(struct fixture *f)
{
        *f = (struct fixture){ 0 };
        web_files_init(&f->files);
        identity_init(&f->one, "one", NULL);
        identity_init(&f->two, "two", NULL);
        put(&f->files, "web.yml", CONFIG);
        put_certificate(&f->files, "s.crt", &f->one);
        put_key(&f->files, "s.key", &f->one);
}

static void teardown(struct fixture *f)
{
        identity_done(&f->one);
        identity_done(&f->two);
        buf_done(&f->problems);
        web_files_done(&f->files);
}

static int begin(struct fixture *f, struct web **ret)
{
        buf_clear(&f->problems);
        return web_new(path_of(&f->files, "web.yml").text, ret, &f->problems);
}

/* As two ticks of the main loop do. */
static int follow(struct fixture *f, struct web *w)
{
        int r;

        buf_clear(&f->problems);
        r = web_follow(w, false, &f->problems);
        return r != 0 ? r : web_follow(w, false, &f->problems);
}

static void rules_live_as_long_as_they_are_used(void **state)
{
        struct web_rules *old, *fresh;
        struct fixture f;
        struct web *w;

        setup(&f);
        assert_int_equal(begin(&f, &w), 0);
        assert_true(web_is_tls(w));
        old = web_rules(w);
        assert_non_null(old->tls);
        assert_null(old->auth);
        assert_int_equal(follow(&f, w), 0);
        put_certificate(&f.files, "s.crt", &f.two);
        put_key(&f.files, "s.key", &f.two);
        assert_int_equal(follow(&f, w), 1);
        assert_int_equal(follow(&f, w), 0);
        fresh = web_rules(w);
        assert_ptr_not_equal(old, fresh);
        web_free(w);
        web_rules_unref(old);
        web_rules_unref(fresh);
        teardown(&f);
}

static void every_file_is_followed(void **state)
{
        static const char with_users[] = CONFIG "  client_ca_file: ca.crt\n"
                                                "  client_auth_type: RequireAndVerifyClientCert\n"
                                                "basic_auth_users:\n  alice: " HASH_OF_SECRET "\n";
        struct web_rules *rules;
        struct fixture f;
        struct web *w;

        setup(&f);
        assert_int_equal(begin(&f, &w), 0);
        put_certificate(&f.files, "ca.crt", &f.one);
        assert_int_equal(follow(&f, w), 0);
        put(&f.files, "web.yml", with_users);
        assert_int_equal(follow(&f, w), 1);
        rules = web_rules(w);
        assert_non_null(rules->auth);
        web_rules_unref(rules);
        put_certificate(&f.files, "ca.crt", &f.two);
        assert_int_equal(follow(&f, w), 1);
        put_key(&f.files, "s.key", &f.one); /* the same one, in a new file */
        assert_int_equal(follow(&f, w), 1);
        assert_int_equal(web_follow(w, true, &f.problems), 1); /* as SIGHUP does */
        web_free(w);
        teardown(&f);
}

static void what_is_wrong_changes_nothing_and_is_said_once(void **state)
{
        struct web_rules *before, *after;
        struct fixture f;
        struct web *w;

        setup(&f);
        assert_int_equal(begin(&f, &w), 0);
        before = web_rules(w);
        put_key(&f.files, "s.key", &f.two);
        assert_int_equal(follow(&f, w), -EINVAL);
        assert_non_null(strstr(buf_cstr(&f.problems), "is not the key of the certificate"));
        assert_int_equal(follow(&f, w), 0);
        put(&f.files, "web.yml", "nonsense: 1\n");
        assert_int_equal(follow(&f, w), -EINVAL);
        assert_int_equal(unlink(path_of(&f.files, "web.yml").text), 0);
        assert_int_equal(follow(&f, w), -ENOENT);
        assert_int_equal(follow(&f, w), 0);
        put(&f.files, "web.yml", "{}\n");
        assert_int_equal(follow(&f, w), -EINVAL);
        assert_non_null(strstr(buf_cstr(&f.problems), "at the next restart"));
        after = web_rules(w);
        assert_ptr_equal(before, after);
        web_rules_unref(after);
        put(&f.files, "web.yml", CONFIG);
        assert_int_equal(follow(&f, w), -EINVAL); /* the key is still the wrong one */
        put_key(&f.files, "s.key", &f.one);
        assert_int_equal(follow(&f, w), 1);
        web_rules_unref(before);
        web_free(w);
        teardown(&f);
}

/* ---- what cannot be started with -------------------------------------------------------------------- */

static void expect_refusal(struct fixture *f, int error, const char *file, const char *why)
{
        struct web *w = NULL;
        int r = begin(f, &w);

        check_row(r == error, why);
        check_row(strstr(buf_cstr(&f->problems), path_of(&f->files, file).text), why);
        check_row(strstr(f->problems.data, why), why);
        check_row(
                strchr(f->problems.data, '\n') == f->problems.data + f->problems.len - 1, why); /* one line */
}

static void a_sentence_names_the_file_at_fault(void **state)
{
        struct fixture f;

        setup(&f);
        put(&f.files, "s.crt", "no certificate\n");
        expect_refusal(&f, -EINVAL, "s.crt", "cert_file: ");
        put_key(&f.files, "s.crt", &f.one);
        expect_refusal(&f, -EINVAL, "s.crt", "holds no certificate in PEM");
        put_certificate(&f.files, "s.crt", &f.one);
        put_certificate(&f.files, "s.key", &f.one);
        expect_refusal(&f, -EINVAL, "s.key", "holds no private key in PEM");
        put_key(&f.files, "s.key", &f.two);
        expect_refusal(&f, -EINVAL, "s.key", "is not the key of the certificate in ");
        put(&f.files, "s.key", "");
        expect_refusal(&f, -EINVAL, "s.key", "holds no private key in PEM");
        assert_int_equal(unlink(path_of(&f.files, "s.key").text), 0);
        expect_refusal(&f, -ENOENT, "s.key", "cannot be read: No such file");
        assert_int_equal(mkfifo(path_of(&f.files, "s.key").text, 0600), 0);
        expect_refusal(&f, -EINVAL, "s.key", "cannot be read");
        put_key(&f.files, "s.key", &f.one);
        put(&f.files, "web.yml",
                CONFIG "  client_ca_file: ca.crt\n  client_auth_type: RequireAndVerifyClientCert\n");
        expect_refusal(&f, -ENOENT, "ca.crt", "client_ca_file: ");
        put(&f.files, "ca.crt", "nothing\n");
        expect_refusal(&f, -EINVAL, "ca.crt", "holds no certificate in PEM");
        teardown(&f);
}

static void an_unreadable_key_is_told_from_a_missing_one(void **state)
{
        bool root = geteuid() == 0; /* who may read everything */
        struct fixture f;

        setup(&f);
        assert_int_equal(chmod(path_of(&f.files, "s.key").text, 0), 0);
        if (root) {
                assert_int_equal(chmod(f.files.dir, 0755), 0);
                assert_int_equal(seteuid(65534), 0);
        }
        expect_refusal(&f, -EACCES, "s.key", "let the service's user read it");
        if (root)
                assert_int_equal(seteuid(0), 0);
        teardown(&f);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(changes_are_seen_once_they_rest),
                cmocka_unit_test(files_come_and_go),
                cmocka_unit_test(rules_live_as_long_as_they_are_used),
                cmocka_unit_test(every_file_is_followed),
                cmocka_unit_test(what_is_wrong_changes_nothing_and_is_said_once),
                cmocka_unit_test(a_sentence_names_the_file_at_fault),
                cmocka_unit_test(an_unreadable_key_is_told_from_a_missing_one),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
