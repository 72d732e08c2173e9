/* SPDX-License-Identifier: Apache-2.0 */
/* The web configuration file: who may talk to the HTTP server, and how. Its form is that of Prometheus's
 * exporters (docs/web-config.md says which part of it). */
#ifndef DAEMON_WEB_CONFIG_H
#define DAEMON_WEB_CONFIG_H

#include "base/option.h"
#include "base/text.h"

enum web_client_auth { /* as the file's choices stand */
        WEB_NO_CLIENT_CERT,
        WEB_REQUIRE_CLIENT_CERT,
};

enum web_min_version {
        WEB_TLS12,
        WEB_TLS13,
};

struct web_config {
        struct {
                char *cert_file, *key_file; /* absolute, or relative to the working directory; NULL: no TLS */
                char *client_ca_file;       /* NULL: none */
                unsigned client_auth_type, min_version; /* enum web_client_auth, web_min_version */
        } tls;
        struct option_list users; /* struct option_label: name, bcrypt hash; empty: everybody may */
};

/* *ret must be zeroed, and is again on failure, when there is a line in `problems` for each thing that is
 * wrong. The files it names are not looked at. 0, -EINVAL, -ENOMEM, -errno. */
int web_config_load(const char *path, struct web_config *ret, struct buf *problems);
void web_config_done(struct web_config *c);
/* The keys as lines of a Markdown table. */
void web_config_document(struct buf *out);

#endif
