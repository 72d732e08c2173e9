/* SPDX-License-Identifier: Apache-2.0 */
/* rdma-canary devices: what there is on this host. */
#include <errno.h>
#include <string.h>

#include "base/scope.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/devices_report.h"
#include "cli/document.h"
#include "cli/names.h"

struct devices_options {
        bool json;
};

static const struct option rows[] = {
        { .key = "json",
                .kind = OPTION_BOOL,
                .offset = offsetof(struct devices_options, json),
                .help = "one JSON document" },
};
static const struct option_group group = { "the list", rows, ARRAY_SIZE(rows) };
static const struct option_group *const groups[] = { &group, NULL };

static void find(struct devices_report *report)
{
        struct fault *f = &report->fault;
        int r = device_list(&report->devices, &report->n_devices);
        if (r == 0 && report->n_devices > 0)
                return;
        *f = (struct fault){ .kind = OUTCOME_LOCAL, .error = r < 0 ? r : -ENODEV };
        if (r == -ENOSYS)
                text_message(f->reason, sizeof(f->reason),
                        "cannot list RDMA devices: the kernel has no RDMA support; is ib_uverbs loaded?");
        else if (r < 0)
                text_message(f->reason, sizeof(f->reason), "cannot list RDMA devices: %s", strerror(-r));
        else
                text_message(f->reason, sizeof(f->reason), "this host has no RDMA device");
}

static int print_document(const struct devices_report *report)
{
        cleanup(json_decrefp) json_t *document = json_object();
        int r = devices_report_json(report, document);
        if (r == 0)
                r = document_print(document, stdout);
        if (r < 0)
                fprintf(stderr, "rdma-canary: no memory for the result\n");
        return r < 0 ? CLI_LOCAL : CLI_OK;
}

static int list(const struct devices_options *o)
{
        struct devices_report report;
        devices_report_init(&report);
        name_of_host(report.node, sizeof(report.node));
        find(&report);
        int code = CLI_OK;
        if (o->json)
                code = print_document(&report);
        else
                devices_report_human(&report, stdout);
        if (code == CLI_OK)
                code = document_flush();
        if (report.fault.kind != OUTCOME_OK) {
                fprintf(stderr, "rdma-canary: %s\n", report.fault.reason);
                code = CLI_LOCAL;
        }
        devices_report_done(&report);
        return code;
}

static int devices(const struct command *self, int argc, char **argv)
{
        struct devices_options o = { 0 };
        struct arguments a = { 0 };
        enum arguments_result parsed = arguments_parse(self, argc, argv, &o, &a);
        return parsed == ARGUMENTS_GO ? list(&o) : arguments_end(parsed, &a);
}

const struct command command_devices = {
        .name = "devices",
        .synopsis = "[OPTION...]",
        .summary = "Lists this host's RDMA devices, ports and addresses.",
        .groups = groups,
        .run = devices,
};
