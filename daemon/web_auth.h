/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of names and passwords against bcrypt hashes. One costs some 70 ms of CPU at the usual cost of 10,
 * so verdicts are remembered by a keyed hash of name and password (never the password itself), and the checks
 * that are not are bounded: a few at once, then two a second, and one a second for an address that has been
 * wrong. So one who guesses from one address leaves turns to others. Thread-safe. */
#ifndef DAEMON_WEB_AUTH_H
#define DAEMON_WEB_AUTH_H

#include <stdint.h>
#include <sys/socket.h>

#include "base/option.h"
#include "base/scope.h"

enum web_verdict {
        WEB_WELCOME,
        WEB_UNKNOWN, /* wrong, or not said who */
        WEB_BUSY,    /* not looked at: too many checks of late */
};

#define WEB_AUTH_BURST       4
#define WEB_AUTH_INTERVAL_NS UINT64_C(500000000)  /* between checks, more when they take longer */
#define WEB_AUTH_PENALTY_NS  UINT64_C(1000000000) /* for an address that was wrong */

struct web_auth;

/* users: struct option_label of name and bcrypt hash; at least one; copied. 0, -ENOMEM, -errno. */
int web_auth_new(const struct option_list *users, struct web_auth **ret);
void web_auth_free(struct web_auth *a); /* NULL is fine */
DEFINE_SCOPE_FREE(struct web_auth *, web_auth_free);

/* authorization: the header's value; NULL: not there. from: the client's address; NULL: not known. */
enum web_verdict web_auth_check(
        struct web_auth *a, const char *authorization, const struct sockaddr *from, uint64_t now_ns);

#endif
