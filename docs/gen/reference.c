/* SPDX-License-Identifier: Apache-2.0 */
#include "docs/gen/reference.h"

#include <stdbool.h>

#include "base/metric.h"
#include "base/scope.h"
#include "daemon/config.h"
#include "daemon/detector.h"
#include "daemon/loader.h"
#include "daemon/service_families.h"
#include "probes/device_files.h"
#include "probes/hw_rows.h"
#include "probes/probe.h"

#define GENERATED                                                                                            \
        "<!-- Made from the tables in the code; `meson compile -C build reference-pages` writes it anew. "   \
        "-->\n\n"

static const char *type_name(enum metric_type type)
{
        static const char *const names[] = {
                [METRIC_GAUGE] = "gauge",
                [METRIC_COUNTER] = "counter",
                [METRIC_HISTOGRAM] = "histogram",
                [METRIC_UNTYPED] = "untyped",
        };

        return names[type];
}

static void write_family(struct buf *out, const struct metric_family *f)
{
        buf_format(out, "| `%s` | %s | ", f->name, type_name(f->type));
        for (size_t i = 0; f->labels[i]; i++)
                buf_format(out, "%s%s", i > 0 ? ", " : "", f->labels[i]);
        buf_text(out, f->labels[0] ? " | " : "| ");
        for (const char *s = f->help; *s; s++) {
                if (*s == '|')
                        buf_char(out, '\\');
                buf_char(out, *s);
        }
        buf_text(out, " |\n");
}

static void write_families(struct buf *out, const struct metric_family *families, size_t n)
{
        buf_text(out, "| metric | type | labels | what |\n|---|---|---|---|\n");
        for (size_t i = 0; i < n; i++)
                write_family(out, &families[i]);
        buf_char(out, '\n');
}

static void write_source(struct buf *out, const struct source_class *c)
{
        buf_format(out, "### %s\n\n%s [More](sources/%s.md).\n\n", c->name, c->summary, c->name);
        if (c->n_families > 0)
                write_families(out, c->families, c->n_families);
        buf_format(out, "Options, under `%s.%s` in the configuration:\n\n",
                c->trigger == TRIGGER_TIMER ? "probes" : "collectors", c->name);
        buf_text(out, "| key | kind | default | what |\n|---|---|---|---|\n");
        loader_document(out, c->options, c->n_options);
        buf_char(out, '\n');
}

static void write_sources(struct buf *out, enum trigger trigger)
{
        for (size_t i = 0; i < n_source_classes; i++)
                if (source_classes[i]->trigger == trigger)
                        write_source(out, source_classes[i]);
}

static void write_feeders(struct buf *out, const struct metric_family *f)
{
        const char *separator = "";

        for (size_t i = 0; i < n_hw_drivers; i++)
                for (size_t k = 0; k < hw_drivers[i].n_counters; k++) {
                        const struct hw_counter *c = &hw_drivers[i].counters[k];

                        if (c->canonical != f)
                                continue;
                        buf_format(out, "%s%s `%s`", separator, hw_drivers[i].name, c->name);
                        separator = ", ";
                }
}

static bool is_canonical(const struct metric_family *f)
{
        for (size_t i = 0; i < n_hw_drivers; i++)
                for (size_t k = 0; k < hw_drivers[i].n_counters; k++)
                        if (hw_drivers[i].counters[k].canonical == f)
                                return true;
        return false;
}

/* What alerts stand on, and which driver's counter it is made of. */
static void write_canonical(struct buf *out)
{
        buf_text(out, "### Canonical families\n\n| metric | fed by |\n|---|---|\n");
        for (size_t i = 0; i < N_HW_FAMILIES; i++) {
                if (!is_canonical(&hw_families[i]))
                        continue;
                buf_format(out, "| `%s` | ", hw_families[i].name);
                write_feeders(out, &hw_families[i]);
                buf_text(out, " |\n");
        }
        buf_char(out, '\n');
}

static void write_metrics(struct buf *out)
{
        buf_text(out,
                "# Metrics\n\n" GENERATED "A sample that cannot be read is missing; it is never 0 for "
                "unknown. Units are base units.\n\n"
                "From version 1.0 on, names, labels, types and units stay: what is here is not renamed or\n"
                "removed within a major version; new metrics and new values of a label may come. A metric\n"
                "that is to get another name is shown under both for one release, and the old one's text\n"
                "says so. A label that depends on the kernel (`counter`, `driver`, `firmware`) follows the\n"
                "kernel. What others call them: [other-exporters.md](other-exporters.md).\n\n"
                "## Active probes\n\n"
                "They run on a schedule of their own, not at the scrape: "
                "`rdma_canary_probe_last_run_timestamp_seconds`\nsays when. All share these, told apart "
                "by the label `probe`:\n\n");
        write_families(out, outcome_families, n_outcome_families);
        write_sources(out, TRIGGER_TIMER);
        buf_text(out, "## Collectors\n\nThey read at each scrape. Those of `counters/` and `hw_counters/` "
                      "share:\n\n");
        write_families(out, collector_families, n_collector_families);
        write_sources(out, TRIGGER_SCRAPE);
        write_canonical(out);
        buf_text(out, "## Detection\n\n");
        write_families(out, detector_families, n_detector_families);
        buf_text(out, "## The service itself\n\n");
        write_families(out, service_families, n_service_families);
        /* One newline ends the file, not two. */
        if (out->len > 0 && !out->error)
                out->data[--out->len] = '\0';
}

static void write_config(struct buf *out)
{
        buf_text(out,
                "# Configuration\n\n" GENERATED
                "`/etc/rdma-canary/rdma-canary.yml`, or what `--config.file` names. Keys of mappings are "
                "joined by a dot;\n`[]` stands for each item of a sequence.\n\n");
        config_document(out);
}

const struct reference_page reference_pages[] = {
        { "CONFIG", write_config },
        { "METRICS", write_metrics },
};
const size_t n_reference_pages = ARRAY_SIZE(reference_pages);
