/* SPDX-License-Identifier: Apache-2.0 */
/* What every source class and every metric family must keep to. */
#include "tests/unit/unit.h"

#include "base/text.h"
#include "probes/device_files.h"
#include "probes/probe.h"

static void classes_are_in_order_and_found(void **state)
{
        assert_true(n_source_classes > 0);
        for (size_t i = 0; i < n_source_classes; i++) {
                const char *name = source_classes[i]->name;

                check_row(i == 0 || strcmp(source_classes[i - 1]->name, name) < 0, name);
                check_row(source_class_find(name) == source_classes[i], name);
        }
        assert_null(source_class_find("no such source"));
}

static void classes_are_complete(void **state)
{
        for (size_t i = 0; i < n_source_classes; i++) {
                const struct source_class *c = source_classes[i];
                bool timer = c->trigger == TRIGGER_TIMER;

                check_row(c->summary && c->create && c->destroy, c->name);
                check_row(timer == (c->run && c->interval_ns && c->timeout_ns), c->name);
                check_row(timer == !c->collect, c->name);
                check_row(timer == (c->n_families == 0), c->name);
                check_row(timer == (c->scope == SCOPE_PAIR), c->name);
        }
}

static void options_have_defaults(void **state)
{
        for (size_t i = 0; i < n_source_classes; i++) {
                const struct source_class *c = source_classes[i];
                cleanup(freep) struct source_config *config = calloc(1, c->config_size);

                assert_non_null(config);
                check_row(option_defaults(c->options, c->n_options, config) == 0, c->name);
                check_row(strcmp(c->options[0].key, "enabled") == 0 && config->enabled, c->name);
                if (c->trigger == TRIGGER_TIMER) {
                        check_row(c->interval_ns(config) == 30 * NS_PER_SEC, c->name);
                        check_row(c->timeout_ns(config) == 5 * NS_PER_SEC, c->name);
                }
                for (size_t k = 0; k < c->n_options; k++)
                        check_row(c->options[k].help && c->options[k].help[0], c->options[k].key);
                option_free(c->options, c->n_options, config);
        }
}

static bool ends(const char *s, const char *suffix)
{
        size_t n = strlen(s), m = strlen(suffix);

        return n >= m && strcmp(s + n - m, suffix) == 0;
}

static void check_labels(const struct metric_family *f)
{
        for (size_t i = 0; f->labels[i]; i++) {
                check_row(i < METRIC_LABELS_MAX, f->name);
                check_row(
                        strspn(f->labels[i], "abcdefghijklmnopqrstuvwxyz_") == strlen(f->labels[i]), f->name);
                check_row(strcmp(f->labels[i], "le") != 0 && strcmp(f->labels[i], "instance") != 0, f->name);
        }
}

/* promtool's rules, as far as they are ours to break. */
static void check_family(const struct metric_family *f)
{
        check_row(text_starts(f->name, "rdma_canary_") || text_starts(f->name, "process_"), f->name);
        check_row(strspn(f->name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(f->name), f->name);
        check_row((f->type == METRIC_COUNTER) == ends(f->name, "_total"), f->name);
        check_row(!ends(f->name, "_count") && !ends(f->name, "_sum") && !ends(f->name, "_bucket"), f->name);
        check_row(f->help && ends(f->help, ".") && !strchr(f->help, '\n'), f->name);
        check_row((f->type == METRIC_HISTOGRAM) == (f->n_bounds > 0), f->name);
        for (size_t i = 1; i < f->n_bounds; i++)
                check_row(f->bounds[i - 1] < f->bounds[i], f->name);
        check_labels(f);
}

/* OpenMetrics names a counter without its _total: so must differ what is left. */
static size_t base_length(const struct metric_family *f)
{
        return strlen(f->name) - (ends(f->name, "_total") ? strlen("_total") : 0);
}

static void check_unique(const struct metric_family *f, const struct metric_family *others, size_t n)
{
        size_t length = base_length(f);

        for (size_t i = 0; i < n; i++)
                check_row(&others[i] == f || base_length(&others[i]) != length ||
                                  strncmp(others[i].name, f->name, length) != 0,
                        f->name);
}

static void families_keep_the_rules(void **state)
{
        for (size_t i = 0; i < n_outcome_families; i++) {
                check_family(&outcome_families[i]);
                check_unique(&outcome_families[i], outcome_families, n_outcome_families);
        }
        for (size_t i = 0; i < n_collector_families; i++)
                check_family(&collector_families[i]);
        for (size_t i = 0; i < n_source_classes; i++)
                for (size_t k = 0; k < source_classes[i]->n_families; k++) {
                        const struct metric_family *f = &source_classes[i]->families[k];

                        check_family(f);
                        for (size_t j = 0; j < n_source_classes; j++)
                                check_unique(f, source_classes[j]->families, source_classes[j]->n_families);
                }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(classes_are_in_order_and_found),
                cmocka_unit_test(classes_are_complete),
                cmocka_unit_test(options_have_defaults),
                cmocka_unit_test(families_keep_the_rules),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
