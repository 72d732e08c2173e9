/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/uevent.h"

#include <errno.h>
#include <string.h>

#include "base/scope.h"

/* What follows `key` in text; NULL: text does not begin with it. */
static const char *value_of(const char *text, const char *key)
{
        size_t len = strlen(key);

        return strncmp(text, key, len) == 0 ? text + len : NULL;
}

static void take(const char *text, const char *key, const char **ret)
{
        const char *value = value_of(text, key);

        if (value)
                *ret = value;
}

int uevent_parse(const char *data, size_t len, struct uevent *ret)
{
        struct uevent e = { .subsystem = "" };
        const char *at;

        if (len == 0 || data[len - 1] != '\0')
                return -EBADMSG;
        for (at = data + strlen(data) + 1; at < data + len; at += strlen(at) + 1) {
                if (!strchr(at, '='))
                        return -EBADMSG;
                take(at, "ACTION=", &e.action);
                take(at, "DEVPATH=", &e.devpath);
                take(at, "SUBSYSTEM=", &e.subsystem);
        }
        if (!e.action || !e.devpath)
                return -EBADMSG;
        /* The heading says the same; udev's own messages begin with "libudev". */
        at = value_of(data, e.action);
        if (!at || *at != '@' || strcmp(at + 1, e.devpath) != 0)
                return -EBADMSG;
        *ret = e;
        return 0;
}

enum uevent_concern uevent_concern(const struct uevent *e)
{
        static const char *const actions[] = { "add", "remove", "move" };

        for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
                if (strcmp(e->action, actions[i]) != 0)
                        continue;
                if (strcmp(e->subsystem, "infiniband") == 0)
                        return UEVENT_DEVICE;
                if (strcmp(e->subsystem, "net") == 0)
                        return UEVENT_INTERFACE;
        }
        return UEVENT_NONE;
}
