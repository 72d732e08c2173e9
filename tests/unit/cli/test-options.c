/* SPDX-License-Identifier: Apache-2.0 */
/* What no single option of bw and lat can tell. */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "cli/commands.h"
#include "cli/measure_options.h"

static void check(const struct command *c, const char *line, enum arguments_result wanted, const char *says)
{
        char words[256], *argv[16] = { (char *)"bw" }, *rest;
        struct measure_options o = { 0 };
        const char *target = NULL;
        struct arguments a = { .operands = &target, .max = 1 };
        int argc = 1;

        (void)snprintf(words, sizeof(words), "%s", line);
        for (char *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
                argv[argc++] = w;
        enum arguments_result r = measure_options_parse(c, argc, argv, &o, &a);
        check_row(r == wanted, line);
        if (!strstr(buf_cstr(&a.text), says))
                fail_msg("%s: %s", line, a.text.data);
        arguments_free(c, &o);
        buf_done(&a.text);
}

static void options_that_exclude_each_other(void **state)
{
        check(&command_bw, "host", ARGUMENTS_GO, "");
        check(&command_bw, "--loopback", ARGUMENTS_GO, "");
        check(&command_bw, "", ARGUMENTS_WRONG, "which HOST?");
        check(&command_bw, "host --loopback", ARGUMENTS_WRONG, "--loopback needs no HOST");
        check(&command_bw, "host --json --csv", ARGUMENTS_WRONG, "--json and --csv");
        check(&command_bw, "host --note words", ARGUMENTS_WRONG, "--record DIR is missing");
        check(&command_bw, "host --record= --note words", ARGUMENTS_WRONG, "--record: ");
        check(&command_bw, "host --record /tmp --note words", ARGUMENTS_GO, "");
        check(&command_bw, "host --max-p50 5us", ARGUMENTS_WRONG, "no option --max-p50");
        check(&command_lat, "host --max-p50 5us", ARGUMENTS_GO, "");
        check(&command_lat, "host --min-bw 1GB/s", ARGUMENTS_WRONG, "no option --min-bw");
        check(&command_lat, "host --help", ARGUMENTS_HELPED, "--max-p999");
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(options_that_exclude_each_other),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
