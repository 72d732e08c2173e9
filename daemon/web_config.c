/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/web_config.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "daemon/basic_credentials.h"
#include "daemon/loader.h"

/* A check of cost 12 takes 0.3 s of CPU, on the thread that serves the pages; each step doubles it. */
#define COST_MIN 4
#define COST_MAX 12
#define HASH_LEN 60 /* "$2b$10$", 22 digits of salt, 31 of hash */

static const char *const client_auth_types[] = {
        [WEB_NO_CLIENT_CERT] = "NoClientCert",
        [WEB_REQUIRE_CLIENT_CERT] = "RequireAndVerifyClientCert",
        NULL,
};
static const char *const min_versions[] = {
        [WEB_TLS12] = "TLS12",
        [WEB_TLS13] = "TLS13",
        NULL,
};

#define TLS_MEMBER(field) (offsetof(struct web_config, tls.field) - offsetof(struct web_config, tls))

static const struct option tls_rows[] = {
        { .key = "cert_file",
                .kind = OPTION_TEXT,
                .offset = TLS_MEMBER(cert_file),
                .min = 1,
                .max = PATH_MAX - 1,
                .help = "the server's certificate and those up to its authority, PEM" },
        { .key = "key_file",
                .kind = OPTION_TEXT,
                .offset = TLS_MEMBER(key_file),
                .min = 1,
                .max = PATH_MAX - 1,
                .help = "the private key of the certificate, PEM without a password" },
        { .key = "client_ca_file",
                .kind = OPTION_TEXT,
                .offset = TLS_MEMBER(client_ca_file),
                .optional = true,
                .min = 1,
                .max = PATH_MAX - 1,
                .help = "certificates of the authorities of clients, PEM" },
        { .key = "client_auth_type",
                .kind = OPTION_CHOICE,
                .offset = TLS_MEMBER(client_auth_type),
                .fallback = "NoClientCert",
                .choices = client_auth_types,
                .help = "whether clients need a certificate of client_ca_file" },
        { .key = "min_version",
                .kind = OPTION_CHOICE,
                .offset = TLS_MEMBER(min_version),
                .fallback = "TLS12",
                .choices = min_versions,
                .help = "the oldest version of TLS that is spoken" },
};

static const struct option top_rows[] = {
        { .key = "tls_server_config",
                .kind = OPTION_MAP,
                .offset = offsetof(struct web_config, tls),
                .optional = true,
                .children = tls_rows,
                .n_children = ARRAY_SIZE(tls_rows),
                .help = "without it HTTP is served, not HTTPS" },
        { .key = "basic_auth_users",
                .kind = OPTION_LABELS,
                .offset = offsetof(struct web_config, users),
                .help = "user names and bcrypt hashes of their passwords; empty: no password is asked for" },
};

static void check_client_auth(const struct web_config *c, const char *path, struct buf *problems)
{
        bool required = c->tls.client_auth_type == WEB_REQUIRE_CLIENT_CERT;

        if (required && !c->tls.client_ca_file)
                buf_format(problems,
                        "%s: tls_server_config.client_ca_file: missing; client_auth_type %s needs it\n", path,
                        client_auth_types[WEB_REQUIRE_CLIENT_CERT]);
        if (!required && c->tls.client_ca_file)
                buf_format(problems,
                        "%s: tls_server_config.client_ca_file: not used by client_auth_type %s; leave it "
                        "out, "
                        "or write %s\n",
                        path, client_auth_types[WEB_NO_CLIENT_CERT],
                        client_auth_types[WEB_REQUIRE_CLIENT_CERT]);
}

/* 0: not bcrypt. */
static unsigned bcrypt_cost(const char *hash)
{
        static const char digits[] = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

        if (strlen(hash) != HASH_LEN || strspn(hash + 7, digits) != HASH_LEN - 7)
                return 0;
        if (!text_starts(hash, "$2a$") && !text_starts(hash, "$2b$") && !text_starts(hash, "$2y$"))
                return 0;
        if (strspn(hash + 4, "0123456789") != 2 || hash[6] != '$')
                return 0;
        return (unsigned)(hash[4] - '0') * 10 + (unsigned)(hash[5] - '0');
}

static void check_user(const struct option_label *user, const char *path, struct buf *problems)
{
        unsigned cost = bcrypt_cost(user->value);
        size_t len = strlen(user->name);

        if (len == 0 || len > BASIC_USER_MAX || strchr(user->name, ':'))
                buf_format(problems,
                        "%s: basic_auth_users: \"%.40s\" is no user name; 1 to %d bytes without a colon "
                        "are\n",
                        path, user->name, BASIC_USER_MAX);
        else if (cost == 0)
                buf_format(problems,
                        "%s: basic_auth_users.%s: not a bcrypt hash; htpasswd -nBC 10 %s makes one\n", path,
                        user->name, user->name);
        else if (cost < COST_MIN || cost > COST_MAX)
                buf_format(problems, "%s: basic_auth_users.%s: bcrypt of cost %u; %d to %d are accepted\n",
                        path, user->name, cost, COST_MIN, COST_MAX);
}

/* A relative name is relative to the file that holds it. */
static int resolve(const char *path, char **name)
{
        const char *slash = strrchr(path, '/');
        struct buf whole = { 0 };

        if (!*name || (*name)[0] == '/' || !slash)
                return 0;
        buf_bytes(&whole, path, (size_t)(slash + 1 - path));
        buf_text(&whole, *name);
        if (!buf_cstr(&whole)) {
                buf_done(&whole);
                return -ENOMEM;
        }
        free(*name);
        *name = whole.data;
        return 0;
}

static int check(struct web_config *c, const char *path, struct buf *problems)
{
        const struct option_label *users = c->users.items;
        size_t before = problems->len;
        int r;

        check_client_auth(c, path, problems);
        for (size_t i = 0; i < c->users.n; i++)
                check_user(&users[i], path, problems);
        if (problems->len > before)
                return problems->error < 0 ? problems->error : -EINVAL;
        r = resolve(path, &c->tls.cert_file);
        if (r == 0)
                r = resolve(path, &c->tls.key_file);
        return r < 0 ? r : resolve(path, &c->tls.client_ca_file);
}

int web_config_load(const char *path, struct web_config *ret, struct buf *problems)
{
        int r = loader_file(path, top_rows, ARRAY_SIZE(top_rows), ret, problems);

        if (r < 0)
                return r;
        r = check(ret, path, problems);
        if (r < 0)
                web_config_done(ret);
        return r;
}

void web_config_done(struct web_config *c)
{
        option_free(top_rows, ARRAY_SIZE(top_rows), c);
}

void web_config_document(struct buf *out)
{
        loader_document(out, top_rows, ARRAY_SIZE(top_rows));
}
