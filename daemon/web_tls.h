/* SPDX-License-Identifier: Apache-2.0 */
/* TLS by GnuTLS: certificate, key, authorities of clients and versions, as immutable credentials that each
 * session is given when it begins. So a new set is served to new connections, beside the old one. */
#ifndef DAEMON_WEB_TLS_H
#define DAEMON_WEB_TLS_H

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>

#include "base/scope.h"
#include "base/text.h"
#include "daemon/web_config.h"

struct web_tls;

/* Reads the files that the config (with TLS) names. path: of the web config file, for messages. 0; -errno
 * with a line in `problems`. */
int web_tls_load(
        const char *path, const struct web_config *config, struct web_tls **ret, struct buf *problems);
void web_tls_free(struct web_tls *t); /* after its sessions; NULL is fine */
DEFINE_SCOPE_FREE(struct web_tls *, web_tls_free);

/* Before the handshake. 0, -EIO: the session has no credentials and its handshake will fail. */
int web_tls_begin(const struct web_tls *t, gnutls_session_t session);
/* Has no certificate for anybody: for sessions that were not given credentials. */
gnutls_certificate_retrieve_function2 web_tls_no_certificate;

#endif
