/* SPDX-License-Identifier: Apache-2.0 */
/* A directory of files for web configs, with certificates made on the fly. */
#ifndef TESTS_UNIT_DAEMON_WEB_FILES_H
#define TESTS_UNIT_DAEMON_WEB_FILES_H

#include "tests/unit/unit.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <gnutls/x509.h>

#include "base/text.h"

/* Hashes of "secret" and "other", of the least cost: a test's checks take a millisecond. */
#define HASH_OF_SECRET "$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"
#define HASH_OF_OTHER  "$2y$04$ABCDEFGHIJKLMNOPQRSTUubdTkc8VfDg3xLFFedNQLivmNw6I3T6K"

struct web_files {
        char dir[64];
};

struct file_path {
        char text[128];
};

static inline struct file_path path_of(const struct web_files *f, const char *name)
{
        struct file_path p;

        assert_int_equal(text_format(p.text, sizeof(p.text), "%s/%s", f->dir, name), 0);
        return p;
}

static inline void web_files_init(struct web_files *f)
{
        *f = (struct web_files){ .dir = "/tmp/rdma-canary-web-XXXXXX" };
        assert_non_null(mkdtemp(f->dir));
}

static inline void web_files_done(struct web_files *f)
{
        DIR *dir = opendir(f->dir);

        assert_non_null(dir);
        for (const struct dirent *e = readdir(dir); e; e = readdir(dir))
                (void)unlinkat(dirfd(dir), e->d_name, 0); /* "." and ".." cannot be */
        (void)closedir(dir);
        assert_int_equal(rmdir(f->dir), 0);
}

/* Replaced as careful programs do: another inode under the old name. */
static inline void put_bytes(const struct web_files *f, const char *name, const void *data, size_t len)
{
        struct file_path to = path_of(f, name), fresh = path_of(f, "fresh");
        FILE *file = fopen(fresh.text, "we");

        assert_non_null(file);
        assert_int_equal(fwrite(data, 1, len, file), len);
        assert_int_equal(fclose(file), 0);
        assert_int_equal(rename(fresh.text, to.text), 0);
}

static inline void put(const struct web_files *f, const char *name, const char *text)
{
        put_bytes(f, name, text, strlen(text));
}

/* A key pair and its certificate. */
struct identity {
        gnutls_x509_privkey_t key;
        gnutls_x509_crt_t certificate;
};

static inline void identity_done(struct identity *i)
{
        gnutls_x509_crt_deinit(i->certificate);
        gnutls_x509_privkey_deinit(i->key);
}

/* By nobody's authority but its own when issuer is NULL. */
static inline void identity_init(struct identity *i, const char *name, const struct identity *issuer)
{
        const struct identity *by = issuer ? issuer : i;
        static unsigned char serial;

        serial++;
        assert_int_equal(gnutls_x509_privkey_init(&i->key), 0);
        assert_int_equal(gnutls_x509_privkey_generate(i->key, GNUTLS_PK_ECDSA,
                                 GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0),
                0);
        assert_int_equal(gnutls_x509_crt_init(&i->certificate), 0);
        assert_int_equal(gnutls_x509_crt_set_version(i->certificate, 3), 0);
        assert_int_equal(gnutls_x509_crt_set_serial(i->certificate, &serial, 1), 0);
        assert_int_equal(gnutls_x509_crt_set_dn_by_oid(i->certificate, GNUTLS_OID_X520_COMMON_NAME, 0, name,
                                 (unsigned)strlen(name)),
                0);
        assert_int_equal(gnutls_x509_crt_set_activation_time(i->certificate, time(NULL) - 60), 0);
        assert_int_equal(gnutls_x509_crt_set_expiration_time(i->certificate, time(NULL) + 3600), 0);
        assert_int_equal(gnutls_x509_crt_set_basic_constraints(i->certificate, !issuer, -1), 0);
        assert_int_equal(gnutls_x509_crt_set_key(i->certificate, i->key), 0);
        assert_int_equal(
                gnutls_x509_crt_sign2(i->certificate, by->certificate, by->key, GNUTLS_DIG_SHA256, 0), 0);
}

static inline void put_certificate(const struct web_files *f, const char *name, const struct identity *i)
{
        gnutls_datum_t pem;

        assert_int_equal(gnutls_x509_crt_export2(i->certificate, GNUTLS_X509_FMT_PEM, &pem), 0);
        put_bytes(f, name, pem.data, pem.size);
        gnutls_free(pem.data);
}

static inline void put_key(const struct web_files *f, const char *name, const struct identity *i)
{
        gnutls_datum_t pem;

        assert_int_equal(gnutls_x509_privkey_export2(i->key, GNUTLS_X509_FMT_PEM, &pem), 0);
        put_bytes(f, name, pem.data, pem.size);
        gnutls_free(pem.data);
}

#endif
