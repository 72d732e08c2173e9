/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/web_tls.h"

#include <errno.h>
#include <fcntl.h>
#include <gnutls/x509.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PEM_MAX (1 << 20)

/* Without the key exchange that gives recorded traffic away with the key. */
static const char *const priorities[] = {
        [WEB_TLS12] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA",
        [WEB_TLS13] = "NORMAL:-VERS-ALL:+VERS-TLS1.3",
};

struct web_tls {
        gnutls_certificate_credentials_t credentials;
        gnutls_priority_t priority;
        bool client_cert;
};

/* A file that a key of the config names. */
struct pem {
        const char *config, *key, *name;
        gnutls_datum_t text;
};

static void pem_done(struct pem *p)
{
        if (p->text.data)
                explicit_bzero(p->text.data, p->text.size);
        free(p->text.data);
        p->text = (gnutls_datum_t){ 0 };
}

static int complain(struct buf *problems, const struct pem *p, int r, const char *what, const char *detail)
{
        buf_format(
                problems, "%s: tls_server_config.%s: %s %s: %s\n", p->config, p->key, p->name, what, detail);
        return r;
}

static int read_fd(int fd, struct pem *p)
{
        struct stat st;
        ssize_t n;

        if (fd < 0 || fstat(fd, &st) < 0)
                return -errno;
        if (!S_ISREG(st.st_mode))
                return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL; /* others could block */
        if (st.st_size > PEM_MAX)
                return -EFBIG;
        p->text.data = malloc((size_t)st.st_size + 1);
        if (!p->text.data)
                return -ENOMEM;
        n = read(fd, p->text.data, (size_t)st.st_size); /* whole, as regular files are */
        if (n < 0)
                return -errno;
        p->text.size = (unsigned)n;
        return 0;
}

static int pem_read(struct pem *p, struct buf *problems)
{
        cleanup(close_fdp) int fd = open(p->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        int r = read_fd(fd, p);

        if (r == -EACCES)
                return complain(problems, p, r, "cannot be read", "let the service's user read it");
        return r < 0 ? complain(problems, p, r, "cannot be read", strerror(-r)) : 0;
}

static void free_certificates(gnutls_x509_crt_t *list, unsigned n)
{
        for (unsigned i = 0; i < n; i++)
                gnutls_x509_crt_deinit(list[i]);
        gnutls_free(list);
}

/* In steps: the one call that GnuTLS has for all this does not tell which file is wrong. */
static int set_pair(struct web_tls *t, const struct pem *cert, const struct pem *key, struct buf *problems)
{
        gnutls_x509_privkey_t private_key = NULL;
        gnutls_x509_crt_t *chain = NULL;
        unsigned n = 0;
        int r;

        r = gnutls_x509_crt_list_import2(
                &chain, &n, &cert->text, GNUTLS_X509_FMT_PEM, GNUTLS_X509_CRT_LIST_SORT);
        if (r < 0)
                return complain(problems, cert, -EINVAL, "holds no certificate in PEM", gnutls_strerror(r));
        r = gnutls_x509_privkey_init(&private_key);
        if (r == 0)
                r = gnutls_x509_privkey_import2(private_key, &key->text, GNUTLS_X509_FMT_PEM, NULL, 0);
        if (r < 0) {
                (void)complain(problems, key, -EINVAL, "holds no private key in PEM without a password",
                        gnutls_strerror(r));
        } else {
                r = gnutls_certificate_set_x509_key(t->credentials, chain, (int)n, private_key);
                if (r < 0)
                        buf_format(problems,
                                "%s: tls_server_config.key_file: %s is not the key of the certificate in %s "
                                "(%s); name the two that belong together\n",
                                key->config, key->name, cert->name, gnutls_strerror(r));
        }
        gnutls_x509_privkey_deinit(private_key);
        free_certificates(chain, n);
        return r < 0 ? -EINVAL : 0;
}

static int load_pair(
        struct web_tls *t, const char *path, const struct web_config *config, struct buf *problems)
{
        cleanup(pem_done) struct pem cert = { path, "cert_file", config->tls.cert_file };
        cleanup(pem_done) struct pem key = { path, "key_file", config->tls.key_file };
        int r = pem_read(&cert, problems);

        if (r == 0)
                r = pem_read(&key, problems);
        return r < 0 ? r : set_pair(t, &cert, &key, problems);
}

static int load_authorities(
        struct web_tls *t, const char *path, const struct web_config *config, struct buf *problems)
{
        cleanup(pem_done) struct pem ca = { path, "client_ca_file", config->tls.client_ca_file };
        int r;

        if (config->tls.client_auth_type == WEB_NO_CLIENT_CERT)
                return 0;
        t->client_cert = true;
        r = pem_read(&ca, problems);
        if (r < 0)
                return r;
        r = gnutls_certificate_set_x509_trust_mem(t->credentials, &ca.text, GNUTLS_X509_FMT_PEM);
        if (r <= 0)
                return complain(problems, &ca, -EINVAL, "holds no certificate in PEM",
                        r < 0 ? gnutls_strerror(r) : "it is empty");
        return 0;
}

int web_tls_load(
        const char *path, const struct web_config *config, struct web_tls **ret, struct buf *problems)
{
        cleanup(web_tls_freep) struct web_tls *t = calloc(1, sizeof(*t));
        int r;

        if (!t || gnutls_certificate_allocate_credentials(&t->credentials) < 0)
                return -ENOMEM;
        if (gnutls_priority_init(&t->priority, priorities[config->tls.min_version], NULL) < 0) {
                buf_format(
                        problems, "%s: tls_server_config.min_version: refused by this host's GnuTLS\n", path);
                return -EOPNOTSUPP;
        }
        r = load_pair(t, path, config, problems);
        if (r == 0)
                r = load_authorities(t, path, config, problems);
        if (r < 0)
                return r;
        *ret = take_ptr(t);
        return 0;
}

void web_tls_free(struct web_tls *t)
{
        if (!t)
                return;
        if (t->credentials)
                gnutls_certificate_free_credentials(t->credentials);
        if (t->priority)
                gnutls_priority_deinit(t->priority);
        free(t);
}

int web_tls_begin(const struct web_tls *t, gnutls_session_t session)
{
        if (gnutls_priority_set(session, t->priority) < 0 ||
                gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, t->credentials) < 0)
                return -EIO;
        if (!t->client_cert)
                return 0;
        gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUIRE);
        /* Without it GnuTLS asks for a certificate and takes any. */
        gnutls_session_set_verify_cert(session, NULL, 0);
        return 0;
}

int web_tls_no_certificate(gnutls_session_t session, const gnutls_datum_t *authorities, int n_authorities,
        const gnutls_pk_algorithm_t *algorithms, int n_algorithms, gnutls_pcert_st **ret_chain,
        unsigned *ret_n, gnutls_privkey_t *ret_key)
{
        return -1;
}
