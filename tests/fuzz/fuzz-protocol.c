/* SPDX-License-Identifier: Apache-2.0 */
/* The control protocol, both directions: what is understood can be said again and is then understood as the
 * same. */
#include <errno.h>
#include <string.h>

#include "base/scope.h"
#include "engine/protocol.h"
#include "tests/fuzz/fuzz.h"

#define ANY ((1u << N_MESSAGE_TYPES) - 1)

static struct message first, second;

static void check_header(const uint8_t *data)
{
        char why[ENGINE_REASON_MAX] = "";
        uint8_t again[PROTOCOL_HEADER_BYTES];
        uint32_t len = 0;
        int r = frame_header_decode(data, &len, why);
        require(r == 0 || (r == -EPROTO && why[0] != '\0'));
        frame_header_encode(len, again);
        require(r != 0 || (len >= 1 && len <= PROTOCOL_FRAME_MAX && memcmp(again, data, sizeof(again)) == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        char why[ENGINE_REASON_MAX] = "";
        cleanup(freep) char *text = NULL;
        size_t len = 0;
        if (size >= PROTOCOL_HEADER_BYTES)
                check_header(data);
        int r = message_decode(data, size, ANY, &first, why);
        require(r == 0 || (r == -EPROTO && why[0] != '\0'));
        if (r < 0)
                return 0;
        r = message_encode(&first, &text, &len, why);
        require(r == 0 ||
                (r == -EMSGSIZE && size > PROTOCOL_FRAME_MAX / 4)); /* absent fields are said, too */
        if (r < 0)
                return 0;
        require(len <= PROTOCOL_FRAME_MAX);
        require(message_decode(text, len, ANY, &second, why) == 0);
        require(memcmp(&first, &second, sizeof(first)) == 0);
        return 0;
}
