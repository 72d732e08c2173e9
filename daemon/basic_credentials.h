/* SPDX-License-Identifier: Apache-2.0 */
/* The value of an Authorization header of HTTP's basic scheme (RFC 7617). Pure. */
#ifndef DAEMON_BASIC_CREDENTIALS_H
#define DAEMON_BASIC_CREDENTIALS_H

#include <stddef.h>

#define BASIC_USER_MAX     255
#define BASIC_PASSWORD_MAX 255

struct basic_credentials {
        char user[BASIC_USER_MAX + 1], password[BASIC_PASSWORD_MAX + 1];
};

/* "Basic dXNlcjpwYXNz" → user, pass. -EINVAL: not of the form, or a zero byte in it, behind which a longer
 * password would pass for a shorter one. -ERANGE: longer than fits. *ret is untouched on failure. */
int basic_credentials_parse(const char *s, size_t len, struct basic_credentials *ret);

#endif
