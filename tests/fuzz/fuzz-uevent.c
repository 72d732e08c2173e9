/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a uevent: refused without a result, or strings that lie within them. */
#include <errno.h>
#include <string.h>

#include "daemon/uevent.h"
#include "tests/fuzz/fuzz.h"

static void check_within(const char *text, const uint8_t *data, size_t size)
{
        const uint8_t *at = (const uint8_t *)text;

        require(at > data && at < data + size && memchr(at, '\0', (size_t)(data + size - at)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct uevent e = { 0 };
        int r = uevent_parse((const char *)data, size, &e);

        require(r == 0 || (r == -EBADMSG && !e.action && !e.devpath && !e.subsystem));
        if (r < 0)
                return 0;
        check_within(e.action, data, size);
        check_within(e.devpath, data, size);
        if (e.subsystem[0] != '\0')
                check_within(e.subsystem, data, size);
        require(uevent_concern(&e) <= UEVENT_DEVICE);
        return 0;
}
