/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/probes/support.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "tests/unit/unit.h"

int fixture_open(const char *name)
{
        char path[4096];
        int fd;

        assert_int_equal(text_format(path, sizeof(path), "%s/%s", TEST_DATA, name), 0);
        fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_true(fd >= 0);
        return fd;
}

void *source_create(
        const struct source_class *class, const struct source_environment *env, const char *device)
{
        struct source_target target = { .device = device };
        void *config = calloc(1, class->config_size), *source = NULL;

        assert_non_null(config);
        assert_int_equal(option_defaults(class->options, class->n_options, config), 0);
        assert_int_equal(class->create(env, &target, config, &source), 0);
        option_free(class->options, class->n_options, config);
        free(config);
        return source;
}

struct batch *collect_once(
        const struct source_class *class, int sysfs, int procfs, const char *device, int *ret_r)
{
        struct source_environment env = {
                .sysfs = sysfs, .procfs = procfs, .clock = &clock_system, .reader = &reader_system
        };
        struct batch *b = batch_new();
        void *source = source_create(class, &env, device);

        assert_non_null(b);
        *ret_r = class->collect(source, clock_now_ns() + NS_PER_SEC, b);
        class->destroy(source);
        assert_int_equal(batch_error(b), 0);
        return b;
}

const struct sample *sample_find(const struct batch *b, const char *family, const char *labels)
{
        const struct sample *found = NULL;

        for (size_t i = 0; i < batch_size(b); i++) {
                const struct sample *s = batch_sample(b, i);

                if (s->absent || strcmp(s->family->name, family) != 0 || strcmp(s->labels, labels) != 0)
                        continue;
                if (found)
                        fail_msg("%s{%s} is there twice", family, labels);
                found = s;
        }
        return found;
}

void assert_sample_u64(const struct batch *b, const char *family, const char *labels, uint64_t value)
{
        const struct sample *s = sample_find(b, family, labels);

        if (!s)
                fail_msg("%s{%s} is missing", family, labels);
        if (!s->integer || s->u64 != value)
                fail_msg("%s{%s} is %" PRIu64 ", not %" PRIu64, family, labels, s->u64, value);
}

void assert_no_sample(const struct batch *b, const char *family, const char *labels)
{
        if (sample_find(b, family, labels))
                fail_msg("%s{%s} is there", family, labels);
}

size_t samples_present(const struct batch *b)
{
        size_t n = 0;

        for (size_t i = 0; i < batch_size(b); i++)
                n += !batch_sample(b, i)->absent;
        return n;
}
