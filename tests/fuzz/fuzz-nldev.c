/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the answer to each question: only the documented errors, and names that lie within. */
#include <errno.h>
#include <string.h>

#include "probes/nldev_message.h"
#include "tests/fuzz/fuzz.h"

struct bounds {
        const char *data;
        size_t len;
};

static int check_entry(void *context, const struct nldev_entry *e)
{
        const struct bounds *b = context;

        require(e->has_value || e->value == 0);
        if (e->name)
                require(e->name > b->data && e->name < b->data + b->len &&
                        memchr(e->name, '\0', (size_t)(b->data + b->len - e->name)));
        return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        char *copy = malloc(size ? size : 1); /* aligned, and its end is watched */
        struct bounds b = { .data = copy, .len = size };

        require(copy);
        if (size)
                memcpy(copy, data, size);
        for (enum nldev_question q = 0; q < N_NLDEV_QUESTIONS; q++) {
                int r = nldev_read(q, 1, copy, size, check_entry, &b);

                require(r <= 1 && r >= -4095);
        }
        free(copy);
        return 0;
}
