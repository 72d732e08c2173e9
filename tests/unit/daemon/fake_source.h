/* SPDX-License-Identifier: Apache-2.0 */
/* A source whose behaviour a test sets: it blocks on a pipe as a read in the kernel would, fails, or has
 * nothing to say. */
#ifndef TESTS_UNIT_DAEMON_FAKE_SOURCE_H
#define TESTS_UNIT_DAEMON_FAKE_SOURCE_H

#include <assert.h>
#include <stdatomic.h>
#include <unistd.h>

#include "daemon/collector.h"

struct fake_source {
        int gate[2]; /* collect() reads a byte from gate[0] while `blocking` */
        atomic_bool blocking, silent;
        atomic_int error; /* what collect() returns */
        atomic_uint runs, running, destroyed;
        const char *name;
};

static const struct metric_family fake_family = {
        .name = "rdma_canary_fake_value",
        .type = METRIC_GAUGE,
        .help = "Runs of a fake source.",
        .labels = { "name" },
};

static int fake_collect(void *state, uint64_t deadline_ns, struct batch *b)
{
        struct fake_source *f = state;
        char byte;

        assert(atomic_fetch_add(&f->running, 1) == 0); /* never concurrently with itself */
        (void)atomic_fetch_add(&f->runs, 1);
        if (atomic_load(&f->blocking))
                (void)!read(f->gate[0], &byte, 1);
        if (!atomic_load(&f->silent))
                batch_add_u64(b, &fake_family, LABELS(f->name), atomic_load(&f->runs));
        (void)atomic_fetch_sub(&f->running, 1);
        return atomic_load(&f->error);
}

static void fake_destroy(void *state)
{
        struct fake_source *f = state;

        (void)atomic_fetch_add(&f->destroyed, 1);
}

static const struct source_class fake_class = {
        .name = "fake",
        .summary = "What a test wants.",
        .trigger = TRIGGER_SCRAPE,
        .scope = SCOPE_DEVICE,
        .families = &fake_family,
        .n_families = 1,
        .collect = fake_collect,
        .destroy = fake_destroy,
};

static inline void fake_init(struct fake_source *f, const char *name)
{
        *f = (struct fake_source){ .name = name };
        if (pipe(f->gate) < 0)
                abort();
}

/* Lets one blocked run go on. */
static inline void fake_open(struct fake_source *f)
{
        atomic_store(&f->blocking, false);
        if (write(f->gate[1], "", 1) != 1)
                abort();
}

static inline void fake_done(struct fake_source *f)
{
        (void)close(f->gate[0]);
        (void)close(f->gate[1]);
}

/* Waits for what another thread will bring about; aborts the test when it takes 10 s. */
#define wait_until(condition)                                                                                \
        do {                                                                                                 \
                for (unsigned tries_ = 0; !(condition); tries_++) {                                          \
                        if (tries_ > 10000)                                                                  \
                                fail_msg("never: %s", #condition);                                           \
                        (void)usleep(1000);                                                                  \
                }                                                                                            \
        } while (0)

#endif
