/* SPDX-License-Identifier: Apache-2.0 */
/* The PCIe link of one RDMA device, and the errors the kernel has counted on it (AER). The link of a virtual
 * function is its physical function's. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sysfs.h"
#include "base/text.h"
#include "probes/passive.h"
#include "probes/pci_text.h"
#include "probes/readings.h"

enum pci_family {
        PCI_CURRENT_SPEED,
        PCI_MAX_SPEED,
        PCI_CURRENT_WIDTH,
        PCI_MAX_WIDTH,
        PCI_CORRECTABLE,
        PCI_NONFATAL,
        PCI_FATAL,
        PCI_CORRECTABLE_MESSAGES,
        PCI_NONFATAL_MESSAGES,
        PCI_FATAL_MESSAGES,
        N_PCI_FAMILIES,
};

#define LINK(suffix, what)                                                                                   \
        {                                                                                                    \
                .name = "rdma_canary_pci_link_" suffix, .type = METRIC_GAUGE,                                \
                .labels = { "device", "pci_address" }, .help = what,                                         \
        }
#define ERRORS(kind, file)                                                                                   \
        {                                                                                                    \
                .name = "rdma_canary_pci_" kind "_errors_total", .type = METRIC_COUNTER,                     \
                .labels = { "device", "pci_address", "error" },                                              \
                .help = "Errors of this kind that the device reported, by name (" file ").",                 \
        }
#define MESSAGES(kind, file, line)                                                                           \
        {                                                                                                    \
                .name = "rdma_canary_pci_" kind "_error_messages_total", .type = METRIC_COUNTER,             \
                .labels = { "device", "pci_address" },                                                       \
                .help = "Messages about errors of this kind; one may name several errors (" line " of " file \
                        ").",                                                                                \
        }

static const struct metric_family families[] = {
        [PCI_CURRENT_SPEED] = LINK("current_speed_transfers_per_second",
                "Speed of the PCIe link, each lane (current_link_speed)."),
        [PCI_MAX_SPEED] = LINK("max_speed_transfers_per_second",
                "Speed of the PCIe link that the device is capable of, each lane (max_link_speed)."),
        [PCI_CURRENT_WIDTH] =
                LINK("current_width_lanes", "Lanes of the PCIe link in use (current_link_width)."),
        [PCI_MAX_WIDTH] = LINK("max_width_lanes", "Lanes that the device is capable of (max_link_width)."),
        [PCI_CORRECTABLE] = ERRORS("correctable", "aer_dev_correctable"),
        [PCI_NONFATAL] = ERRORS("nonfatal", "aer_dev_nonfatal"),
        [PCI_FATAL] = ERRORS("fatal", "aer_dev_fatal"),
        [PCI_CORRECTABLE_MESSAGES] = MESSAGES("correctable", "aer_dev_correctable", "TOTAL_ERR_COR"),
        [PCI_NONFATAL_MESSAGES] = MESSAGES("nonfatal", "aer_dev_nonfatal", "TOTAL_ERR_NONFATAL"),
        [PCI_FATAL_MESSAGES] = MESSAGES("fatal", "aer_dev_fatal", "TOTAL_ERR_FATAL"),
};
static_assert(ARRAY_SIZE(families) == N_PCI_FAMILIES, "a family for every position");

static const struct {
        const char *file;
        enum pci_family family;
        int (*parse)(const char *text, size_t len, uint64_t *ret);
} links[] = {
        { "current_link_speed", PCI_CURRENT_SPEED, pci_parse_speed },
        { "max_link_speed", PCI_MAX_SPEED, pci_parse_speed },
        { "current_link_width", PCI_CURRENT_WIDTH, pci_parse_width },
        { "max_link_width", PCI_MAX_WIDTH, pci_parse_width },
};

static const struct {
        const char *file, *total; /* name of the line with the messages */
        enum pci_family errors, messages;
} reports[] = {
        { "device/aer_dev_correctable", "TOTAL_ERR_COR", PCI_CORRECTABLE, PCI_CORRECTABLE_MESSAGES },
        { "device/aer_dev_nonfatal", "TOTAL_ERR_NONFATAL", PCI_NONFATAL, PCI_NONFATAL_MESSAGES },
        { "device/aer_dev_fatal", "TOTAL_ERR_FATAL", PCI_FATAL, PCI_FATAL_MESSAGES },
};

#define LINES_MAX 64 /* of one report: there are 32 bits and a total */

struct report {
        struct kept_file file;
        size_t n, first; /* lines; position of the first one's series */
        struct pci_aer_line lines[LINES_MAX];
};

struct pci_source {
        struct passive passive; /* first: made by its functions */
        struct lookup lookup;
        char address[64];
        struct readings readings; /* of the link; its set has the reports' series too */
        struct report reports[ARRAY_SIZE(reports)];
};

static int create(const struct source_environment *env, const struct source_target *target,
        const void *config, void **ret_state)
{
        void *state;
        int r = passive_new(sizeof(struct pci_source), env, target, &state);

        if (r < 0)
                return r;
        for (size_t i = 0; i < ARRAY_SIZE(reports); i++)
                ((struct pci_source *)state)->reports[i].file = KEPT_FILE_INIT;
        *ret_state = state;
        return 0;
}

static void forget(struct pci_source *s)
{
        readings_done(&s->readings);
        for (size_t i = 0; i < ARRAY_SIZE(reports); i++) {
                kept_file_close(&s->reports[i].file);
                s->reports[i].n = 0;
        }
}

static void destroy(void *state)
{
        if (state)
                forget(state);
        passive_destroy(state);
}

static int prepare_links(struct pci_source *s, int dir)
{
        cleanup(close_fdp) int physical = sysfs_open_dir(dir, "device/physfn");
        int error = 0;

        for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
                char path[64];
                int r = text_format(path, sizeof(path), "%s/%s", physical >= 0 ? "device/physfn" : "device",
                        links[i].file);

                if (r == 0)
                        r = readings_add(&s->readings, s->passive.env->reader, dir, path, links[i].parse,
                                &families[links[i].family], LABELS(s->passive.device, s->address));
                sysfs_note_error(&error, r);
        }
        return error;
}

static bool is_there(const struct report *report, size_t n, const char *name)
{
        for (size_t i = 0; i < n; i++)
                if (text_equal(report->lines[i].name, name))
                        return true;
        return false;
}

/* -ESTALE: other lines than were prepared. */
static int read_report(struct pci_source *s, struct report *report, bool first)
{
        const struct source_environment *env = s->passive.env;
        char text[SYSFS_VALUE_MAX + 1];
        const char *rest = text;
        struct pci_aer_line line;
        size_t len, n = 0;
        int r = kept_file_read(
                &report->file, env->reader, clock_monotonic_ns(env->clock), text, sizeof(text));

        if (r < 0)
                return r;
        len = (size_t)r;
        while (n < LINES_MAX && (r = pci_aer_next(&rest, &len, &line)) != -ENODATA) {
                if (r < 0)
                        continue;
                if (first || n == report->n || !text_equal(line.name, report->lines[n].name)) {
                        if (is_there(report, n, line.name))
                                continue;
                        if (!first)
                                return -ESTALE;
                }
                report->lines[n++] = line;
        }
        if (!first && n != report->n)
                return -ESTALE;
        report->n = n;
        return 0;
}

static int prepare_report(struct pci_source *s, int dir, size_t which)
{
        struct report *report = &s->reports[which];
        int r = kept_file_open(&report->file, s->passive.env->reader, dir, reports[which].file);

        if (r == 0)
                r = read_report(s, report, true);
        report->first = series_set_size(s->readings.set);
        for (size_t i = 0; r >= 0 && i < report->n; i++) {
                const char *name = report->lines[i].name;
                bool total = text_equal(name, reports[which].total);

                r = series_set_add(s->readings.set,
                        &families[total ? reports[which].messages : reports[which].errors],
                        LABELS(s->passive.device, s->address, name));
        }
        if (r < 0)
                report->n = 0;
        return r < 0 ? r : 0;
}

static int prepare(struct pci_source *s, int dir)
{
        int error = readings_init(&s->readings);

        if (error < 0)
                return error;
        error = prepare_links(s, dir);
        for (size_t i = 0; i < ARRAY_SIZE(reports); i++)
                sysfs_note_error(&error, prepare_report(s, dir, i));
        return error;
}

static int look_up(struct pci_source *s)
{
        cleanup(close_fdp) int dir = -1;
        char address[sizeof(s->address)] = "";
        int error = 0;

        if (!lookup_due(&s->lookup, s->passive.env))
                return 0;
        dir = sysfs_open_device(s->passive.env->sysfs, s->passive.device);
        sysfs_note_error(&error, dir);
        if (dir >= 0)
                sysfs_note_error(&error, sysfs_read_link_name(dir, "device", address, sizeof(address)));
        if (s->readings.set && text_equal(address, s->address))
                return error;
        forget(s);
        (void)text_copy(s->address, sizeof(s->address), address); /* of that size too */
        if (address[0] != '\0')
                sysfs_note_error(&error, prepare(s, dir));
        return error;
}

static void note(struct pci_source *s, int *error, int r)
{
        if (r == -ENODEV || r == -ESTALE)
                lookup_again(&s->lookup);
        else
                sysfs_note_error(error, r);
}

static int read_all(struct pci_source *s)
{
        int error = look_up(s);

        for (size_t i = 0; i < s->readings.n; i++)
                note(s, &error, readings_read(&s->readings, i, s->passive.env));
        for (size_t i = 0; i < ARRAY_SIZE(reports); i++)
                if (s->reports[i].n > 0)
                        note(s, &error, read_report(s, &s->reports[i], false));
        return error;
}

static int collect(void *state, uint64_t deadline_ns, struct batch *b)
{
        struct pci_source *s = state;
        int error = read_all(s);

        if (!s->lookup.done) { /* perhaps it is there again already */
                forget(s);
                error = read_all(s);
        }
        readings_show(&s->readings, b);
        for (size_t i = 0; i < ARRAY_SIZE(reports); i++) {
                const struct report *report = &s->reports[i];

                for (size_t k = 0; report->file.error == 0 && k < report->n; k++)
                        batch_set_u64(b, report->first + k, report->lines[k].value);
        }
        return error;
}

const struct source_class source_pci = {
        .name = "pci",
        .summary = "The PCIe link of each RDMA device, and the errors counted on it.",
        .trigger = TRIGGER_SCRAPE,
        .scope = SCOPE_DEVICE,
        .families = families,
        .n_families = ARRAY_SIZE(families),
        .options = passive_options,
        .n_options = N_PASSIVE_OPTIONS,
        .config_size = sizeof(struct passive_config),
        .create = create,
        .collect = collect,
        .destroy = destroy,
};
