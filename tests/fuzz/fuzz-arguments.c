/* SPDX-License-Identifier: Apache-2.0 */
/* Any words as a command line of bw or lat, and any text as a HOST: what is taken is within the rows' bounds,
 * what is refused is said in a whole line. */
#include <string.h>

#include "base/scope.h"
#include "cli/measure_options.h"
#include "cli/target.h"
#include "tests/fuzz/fuzz.h"

#define WORDS_MAX 32

static const struct option_group *const groups[] = { &group_ends, &group_traffic, &group_bandwidth_limits,
        &group_latency_limits, &group_output, NULL };
static const struct command command = { "try", "HOST", "Tries.", groups, NULL };

static void check_bounds(const struct measure_options *o)
{
        require(o->port <= 255 && o->queue_pairs <= 1024 && o->mtu <= 4096);
        require(o->timeout_ns >= 1000000 && o->duration_ns <= UINT64_C(86400000000000));
        require(!(o->json && o->csv));
}

static void check_target(const char *s, size_t len)
{
        char host[64] = "as before";
        uint16_t port = 7;
        int r = target_parse(s, len, host, sizeof(host), &port);

        require(r == 0 || r == -EINVAL || r == -ERANGE);
        require(r == 0 || (port == 7 && strcmp(host, "as before") == 0));
        require(r != 0 || (*host && strlen(host) <= len && !strpbrk(host, " []/@\n")));
}

/* Words end at a NUL or a newline. `text` is changed. */
static int split(char *text, size_t len, char **argv)
{
        int argc = 1;

        for (char *at = text; at < text + len && argc < WORDS_MAX; at += strlen(at) + 1) {
                at[strcspn(at, "\n")] = '\0';
                argv[argc++] = at;
        }
        return argc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        cleanup(freep) char *text = calloc(1, size + 1);
        char *argv[WORDS_MAX] = { (char *)"try" };
        const char *target;
        struct measure_options o = { 0 };
        struct arguments a = { .operands = &target, .max = 1 };

        require(text);
        if (size > 0)
                memcpy(text, data, size);
        check_target((const char *)data, size);
        enum arguments_result r = measure_options_parse(&command, split(text, size, argv), argv, &o, &a);
        if (r == ARGUMENTS_GO)
                check_bounds(&o);
        else
                require(a.text.len > 0 && a.text.data[a.text.len - 1] == '\n');
        require(r != ARGUMENTS_GO || (a.text.len == 0 && (a.n_operands == 1) != o.loopback));
        arguments_free(&command, &o);
        buf_done(&a.text);
        return 0;
}
