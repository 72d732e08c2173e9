/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/measurement.h"

#include <errno.h>
#include <string.h>

#include "base/scope.h"
#include "cli/document.h"
#include "cli/human.h"
#include "cli/loopback.h"
#include "cli/measure_options.h"
#include "cli/names.h"
#include "cli/progress.h"
#include "cli/record.h"
#include "cli/report.h"
#include "cli/request.h"
#include "cli/target.h"

/* ---- the run ---------------------------------------------------------------------------------------- */

static void fault_local(struct fault *f, int error, const char *what)
{
        *f = (struct fault){ .kind = OUTCOME_LOCAL, .error = error };
        text_message(f->reason, sizeof(f->reason), "%s: %s", what, strerror(-error));
}

static void run(const struct measure_request *request, struct report *report)
{
        struct engine *e;
        int r = engine_new(report->node, &e);
        if (r < 0) {
                fault_local(&report->result.fault, r, "cannot start");
                return;
        }
        uint64_t duration_ns = request->plan.budget_ns;
        struct progress *p = progress_is_wanted(duration_ns) ? progress_new(duration_ns) : NULL;
        (void)engine_measure(e, request, &report->result); /* the result says it */
        progress_free(p);
        engine_free(e);
}

static void run_loopback(struct measure_request *request, struct report *report)
{
        struct loopback *l;
        if (loopback_new(report->node, &l, &report->result.fault) < 0)
                return;
        request->peer = LOOPBACK_ADDRESS;
        request->peer_tcp_port = loopback_port(l);
        run(request, report);
        loopback_free(l);
}

/* Who is asked. */
struct target {
        char host[REPORT_PEER_MAX];
        uint16_t port;
};

static int find_target(const char *text, struct target *ret, struct report *report)
{
        const char *shown = text ? text : "loopback";
        text_message(report->peer, sizeof(report->peer), "%s", shown);
        if (!text || target_parse(text, strlen(text), ret->host, sizeof(ret->host), &ret->port) == 0)
                return CLI_OK;
        fprintf(stderr, "rdma-canary: \"%s\" is not a HOST, HOST:PORT or [ADDRESS]:PORT\n", text);
        return CLI_USAGE;
}

static int run_from(const struct measure_options *o, const struct device_facts *device, unsigned rail,
        const struct target *target, struct report *report)
{
        struct measure_request request;
        char why[ENGINE_REASON_MAX];
        request_fill(&request, o, report->measure, device, rail);
        if (plan_check(&request.plan, why) < 0) {
                fprintf(stderr, "rdma-canary: %s\n", why);
                return CLI_USAGE;
        }
        request.peer = target->host;
        request.peer_tcp_port = target->port;
        if (o->loopback)
                run_loopback(&request, report);
        else
                run(&request, report);
        return CLI_OK;
}

/* CLI_USAGE after saying why, else CLI_OK: the report has what came of it. */
static int measure(const struct measure_options *o, const char *text, struct report *report)
{
        cleanup(freep) struct device_facts *list = NULL;
        const struct device_facts *device;
        struct target target = { 0 };
        unsigned rail = 0;
        size_t n = 0;
        int code = find_target(text, &target, report);
        if (code != CLI_OK)
                return code;
        int r = device_list(&list, &n);
        if (r < 0 && r != -ENOSYS) {
                fault_local(&report->result.fault, r, "cannot list RDMA devices");
                return CLI_OK;
        }
        if (request_find_device(o, list, n, &device, &rail, &report->result.fault) < 0)
                return CLI_OK;
        return run_from(o, device, rail, &target, report);
}

/* ---- what comes of it ------------------------------------------------------------------------------- */

static int print_document(const struct report *report)
{
        cleanup(json_decrefp) json_t *document = json_object();
        return report_json(report, document) < 0 ? -ENOMEM : document_print(document, stdout);
}

static int keep(int directory, const struct measure_options *o, const struct report *report)
{
        cleanup(json_decrefp) json_t *document = json_object();
        char name[RECORD_NAME_MAX];
        int r = report_json(report, document);
        if (r == 0)
                r = record_write(
                        directory, document, report->begun_realtime_ns, report->command, report->peer, name);
        if (r < 0)
                fprintf(stderr, "rdma-canary: --record %s: the record cannot be written: %s\n", o->record,
                        strerror(-r));
        return r < 0 ? CLI_LOCAL : CLI_OK;
}

static int print_csv(const struct report *report)
{
        cleanup(buf_done) struct buf out = { 0 };
        report_csv(report, &out);
        if (out.error == 0)
                fputs(out.data, stdout);
        return out.error;
}

static int print(const struct measure_options *o, const struct report *report)
{
        int r = 0;
        if (o->json)
                r = print_document(report);
        else if (o->csv)
                r = print_csv(report);
        else if (report->result.fault.kind == OUTCOME_OK)
                human_report(report, stdout);
        if (r < 0)
                fprintf(stderr, "rdma-canary: no memory for the result\n");
        return r < 0 ? CLI_LOCAL : document_flush();
}

/* Says what is wrong with the run. */
static int judge(const struct report *report, const struct buf *missed)
{
        const struct fault *f = &report->result.fault;
        if (f->kind != OUTCOME_OK) {
                fprintf(stderr, "rdma-canary: %s (%s; got as far as stage %s)\n", f->reason,
                        outcome_kind_name(f->kind), stage_name(report->result.stage));
                return f->kind == OUTCOME_LOCAL ? CLI_LOCAL : CLI_PEER;
        }
        if (report->limits_met)
                return CLI_OK;
        fprintf(stderr, "%s", missed->data ? missed->data : "");
        return CLI_MISSED;
}

/* The first thing that went wrong is the exit code. directory: for the record, -1: none. */
static int tell(const struct measure_options *o, struct report *report, int directory)
{
        cleanup(buf_done) struct buf missed = { 0 };
        report->limits_met = limits_missed(&o->limits, report->measure, &report->result, &missed) == 0;
        int kept = directory >= 0 ? keep(directory, o, report) : CLI_OK;
        int printed = print(o, report), judged = judge(report, &missed);
        if (judged != CLI_OK)
                return judged;
        return printed != CLI_OK ? printed : kept;
}

static int measure_and_tell(
        const struct command *self, const struct measure_options *o, const char *target, enum measure what)
{
        struct report report;
        char node[ENGINE_NAME_MAX];
        cleanup(close_fdp) int directory = -1;
        int r = o->record ? record_open(o->record, &directory) : 0;
        if (r < 0) {
                fprintf(stderr, "rdma-canary: --record %s: no file can be made there: %s\n", o->record,
                        strerror(-r));
                return CLI_LOCAL;
        }
        name_of_host(node, sizeof(node));
        report_init(&report, self->name, what, node);
        report.limits = o->limits;
        report.note = o->note;
        int code = measure(o, target, &report);
        if (code == CLI_OK)
                code = tell(o, &report, directory);
        report_done(&report);
        return code;
}

int measurement_command(const struct command *self, int argc, char **argv, enum measure what)
{
        struct measure_options o = { 0 };
        const char *target = NULL;
        struct arguments a = { .operands = &target, .max = 1 };
        enum arguments_result parsed = measure_options_parse(self, argc, argv, &o, &a);
        int code =
                parsed == ARGUMENTS_GO ? measure_and_tell(self, &o, target, what) : arguments_end(parsed, &a);
        arguments_free(self, &o);
        return code;
}
