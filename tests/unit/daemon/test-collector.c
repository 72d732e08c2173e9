/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "tests/unit/daemon/fake_source.h"

#define SOURCES 9

/* A pool on a virtual clock, whose main loop is the test itself. */
struct fixture {
        _Atomic uint64_t now_ns;
        struct clock clock;
        struct slots *slots;
        struct collectors *pool;
        struct fake_source fakes[SOURCES];
        struct collector *sources[SOURCES];
        size_t n;
        atomic_uint wakes;
};

/* What became of one scrape. */
struct scrape {
        atomic_uint done, complete;
};

static uint64_t virtual_now_ns(void *context)
{
        struct fixture *f = context;

        return atomic_load(&f->now_ns);
}

static void count_wake(void *context)
{
        struct fixture *f = context;

        (void)atomic_fetch_add(&f->wakes, 1);
}

static void setup(struct fixture *f, size_t n)
{
        static const char *const names[SOURCES] = { "a", "b", "c", "d", "e", "f", "g", "h", "i" };

        *f = (struct fixture){ .now_ns = NS_PER_SEC, .n = n };
        f->clock = (struct clock){ .monotonic_ns = virtual_now_ns, .context = f };
        assert_int_equal(slots_new(&f->slots), 0);
        assert_int_equal(collectors_new(&f->clock, f->slots, &f->pool), 0);
        collectors_set_wake(f->pool, count_wake, f);
        for (size_t i = 0; i < n; i++) {
                fake_init(&f->fakes[i], names[i]);
                assert_int_equal(
                        collector_add(f->pool, &fake_class, names[i], &f->fakes[i], &f->sources[i]), 0);
        }
}

static void teardown(struct fixture *f)
{
        collectors_free(f->pool, clock_now_ns() + 10 * NS_PER_SEC);
        slots_free(f->slots);
        for (size_t i = 0; i < f->n; i++) {
                assert_int_equal(atomic_load(&f->fakes[i].destroyed), 1);
                fake_done(&f->fakes[i]);
        }
}

static void note(void *context, bool complete)
{
        struct scrape *s = context;

        atomic_store(&s->complete, complete);
        (void)atomic_fetch_add(&s->done, 1);
}

static void begin(struct fixture *f, struct scrape *s, uint64_t timeout_ns)
{
        *s = (struct scrape){ 0 };
        collectors_scrape(f->pool, atomic_load(&f->now_ns) + timeout_ns, note, s);
}

static void finish(struct fixture *f, struct scrape *s)
{
        wait_until(atomic_load(&s->done) == 1);
}

static void scrape(struct fixture *f)
{
        struct scrape s;

        begin(f, &s, 5 * NS_PER_SEC);
        finish(f, &s);
        assert_true(atomic_load(&s.complete));
}

static void advance(struct fixture *f, uint64_t ns)
{
        (void)atomic_fetch_add(&f->now_ns, ns);
        collectors_expire(f->pool);
}

/* The run count a source shows; 0: nothing. */
static uint64_t shown(struct fixture *f, const char *name)
{
        struct batch **batches;
        uint64_t value = 0;
        char labels[32];
        size_t n;

        text_message(labels, sizeof(labels), "name=\"%s\"", name);
        assert_int_equal(slots_collect(f->slots, &batches, &n), 0);
        for (size_t i = 0; i < n; i++) {
                if (batch_size(batches[i]) > 0 && text_equal(batch_sample(batches[i], 0)->labels, labels))
                        value = batch_sample(batches[i], 0)->u64;
        }
        slots_release(batches, n);
        return value;
}

static struct collector_state state_at(struct fixture *f, size_t i)
{
        struct collector_state *states, state;
        size_t n;

        assert_int_equal(collectors_states(f->pool, &states, &n), 0);
        assert_true(i < n);
        state = states[i];
        free(states);
        return state;
}

static void block(struct fixture *f, size_t i)
{
        atomic_store(&f->fakes[i].blocking, true);
}

static void a_pool_without_sources_answers_at_once(void **state)
{
        struct collector_state *states;
        struct fixture f;
        struct scrape s;
        size_t n;

        setup(&f, 0);
        begin(&f, &s, NS_PER_SEC);
        assert_int_equal(atomic_load(&s.done), 1);
        assert_true(atomic_load(&s.complete));
        assert_int_equal(collectors_states(f.pool, &states, &n), 0);
        assert_int_equal(n, 0);
        free(states);
        assert_true(collectors_next_deadline(f.pool) == DEADLINE_NEVER);
        teardown(&f);
}

static void every_source_is_read_for_every_scrape(void **state)
{
        struct fixture f;

        setup(&f, 3);
        scrape(&f);
        scrape(&f);
        assert_int_equal(shown(&f, "a"), 2);
        assert_int_equal(shown(&f, "b"), 2);
        assert_int_equal(shown(&f, "c"), 2);
        for (size_t i = 0; i < 3; i++) {
                assert_true(state_at(&f, i).ran);
                assert_true(state_at(&f, i).success);
                assert_true(state_at(&f, i).overdue_ns == 0);
                assert_int_equal(state_at(&f, i).failures_total, 0);
        }
        assert_string_equal(state_at(&f, 1).device, "b");
        assert_string_equal(state_at(&f, 1).source, "fake");
        teardown(&f);
}

static void states_are_sorted(void **state)
{
        struct collector *source = NULL;
        struct fake_source first;
        struct fixture f;

        setup(&f, 2);
        fake_init(&first, "0");
        assert_int_equal(collector_add(f.pool, &fake_class, "0", &first, &source), 0);
        assert_string_equal(state_at(&f, 0).device, "0");
        assert_string_equal(state_at(&f, 1).device, "a");
        assert_false(state_at(&f, 0).ran);
        collector_remove(source);
        assert_int_equal(atomic_load(&first.destroyed), 1);
        fake_done(&first);
        teardown(&f);
}

static void a_device_name_that_is_too_long_is_refused(void **state)
{
        char name[ENGINE_NAME_MAX + 1] = { 0 };
        struct collector *source = NULL;
        struct fake_source fake;
        struct fixture f;

        setup(&f, 0);
        fake_init(&fake, "x");
        memset(name, 'x', ENGINE_NAME_MAX);
        assert_int_equal(collector_add(f.pool, &fake_class, name, &fake, &source), -ENAMETOOLONG);
        assert_int_equal(atomic_load(&fake.destroyed), 0);
        fake_done(&fake);
        teardown(&f);
}

static void ten_scrapes_share_one_pass(void **state)
{
        struct scrape scrapes[10];
        struct fixture f;

        setup(&f, 2);
        block(&f, 0);
        for (size_t i = 0; i < ARRAY_SIZE(scrapes); i++)
                begin(&f, &scrapes[i], 5 * NS_PER_SEC);
        wait_until(atomic_load(&f.fakes[0].running) == 1 && shown(&f, "b") == 1);
        for (size_t i = 0; i < ARRAY_SIZE(scrapes); i++)
                assert_int_equal(atomic_load(&scrapes[i].done), 0);
        fake_open(&f.fakes[0]);
        for (size_t i = 0; i < ARRAY_SIZE(scrapes); i++) {
                finish(&f, &scrapes[i]);
                assert_true(atomic_load(&scrapes[i].complete));
        }
        assert_int_equal(atomic_load(&f.fakes[0].runs), 1);
        assert_int_equal(atomic_load(&f.fakes[1].runs), 1);
        teardown(&f);
}

static void note_thread(void *context, bool complete)
{
        *(_Atomic pthread_t *)context = pthread_self();
}

/* Not each time: on a loaded machine a worker may take longer than is waited for. */
static void a_fast_pass_is_answered_before_the_call_returns(void **state)
{
        bool at_once = false;
        struct fixture f;

        setup(&f, 3);
        for (unsigned i = 0; i < 1000 && !at_once; i++) {
                _Atomic pthread_t thread = 0;
                unsigned wakes = atomic_load(&f.wakes);

                collectors_scrape(f.pool, 6 * NS_PER_SEC, note_thread, (void *)&thread);
                at_once = atomic_load(&thread) == pthread_self();
                if (at_once)
                        assert_int_equal(atomic_load(&f.wakes), wakes);
                wait_until(atomic_load(&thread) != 0);
        }
        assert_true(at_once);
        teardown(&f);
}

static void a_failing_source_shows_what_it_could_read(void **state)
{
        struct fixture f;

        setup(&f, 2);
        atomic_store(&f.fakes[0].error, -EIO);
        scrape(&f);
        assert_false(state_at(&f, 0).success);
        assert_true(state_at(&f, 0).ran);
        assert_int_equal(state_at(&f, 0).failures_total, 1);
        assert_true(state_at(&f, 1).success);
        assert_int_equal(shown(&f, "a"), 1);
        atomic_store(&f.fakes[0].error, 0);
        scrape(&f);
        assert_true(state_at(&f, 0).success);
        assert_int_equal(state_at(&f, 0).failures_total, 1);
        teardown(&f);
}

static void a_vanished_device_shows_nothing_and_is_no_failure(void **state)
{
        struct fixture f;

        setup(&f, 1);
        scrape(&f);
        assert_int_equal(shown(&f, "a"), 1);
        atomic_store(&f.fakes[0].silent, true);
        scrape(&f);
        assert_int_equal(shown(&f, "a"), 0);
        assert_true(state_at(&f, 0).success);
        teardown(&f);
}

static void a_stuck_source_hides_itself_only(void **state)
{
        struct fixture f;
        struct scrape s;

        setup(&f, 2);
        scrape(&f);
        block(&f, 0);
        begin(&f, &s, 2 * NS_PER_SEC);
        assert_true(collectors_next_deadline(f.pool) <= 3 * NS_PER_SEC);
        wait_until(shown(&f, "b") == 2);
        assert_int_equal(shown(&f, "a"), 1); /* it may still come */
        advance(&f, 1999 * NS_PER_MS);
        assert_int_equal(atomic_load(&s.done), 0);
        advance(&f, NS_PER_MS);
        assert_int_equal(atomic_load(&s.done), 1);
        assert_false(atomic_load(&s.complete));
        assert_int_equal(shown(&f, "a"), 0); /* missing, not what it was before */
        assert_false(state_at(&f, 0).success);
        assert_int_equal(state_at(&f, 0).failures_total, 1);
        assert_true(state_at(&f, 1).success);

        /* The next pages do without it, at once, and say for how long. */
        advance(&f, 3 * NS_PER_SEC);
        scrape(&f);
        scrape(&f);
        assert_int_equal(shown(&f, "b"), 4);
        assert_int_equal(atomic_load(&f.fakes[0].runs), 2);
        assert_true(state_at(&f, 0).overdue_ns == 3 * NS_PER_SEC);
        assert_int_equal(state_at(&f, 0).failures_total, 1);

        /* It comes back by itself. */
        fake_open(&f.fakes[0]);
        wait_until(state_at(&f, 0).success);
        assert_int_equal(shown(&f, "a"), 2);
        assert_true(state_at(&f, 0).overdue_ns == 0);
        assert_true(state_at(&f, 0).duration_ns == 5 * NS_PER_SEC);
        scrape(&f);
        assert_int_equal(shown(&f, "a"), 3);
        teardown(&f);
}

static void each_scrape_has_its_own_deadline(void **state)
{
        struct scrape patient, hasty;
        struct fixture f;

        setup(&f, 1);
        scrape(&f);
        block(&f, 0);
        begin(&f, &patient, 5 * NS_PER_SEC);
        advance(&f, NS_PER_SEC);
        begin(&f, &hasty, NS_PER_SEC);
        advance(&f, NS_PER_SEC);
        assert_int_equal(atomic_load(&hasty.done), 1);
        assert_false(atomic_load(&hasty.complete));
        assert_int_equal(atomic_load(&patient.done), 0);
        assert_int_equal(shown(&f, "a"), 0);
        assert_false(state_at(&f, 0).success);
        fake_open(&f.fakes[0]);
        finish(&f, &patient);
        assert_true(atomic_load(&patient.complete));
        assert_int_equal(shown(&f, "a"), 2);
        assert_true(state_at(&f, 0).success);
        assert_int_equal(state_at(&f, 0).failures_total, 0);
        teardown(&f);
}

static void a_joiner_prolongs_the_pass_within_bounds(void **state)
{
        struct scrape first, second;
        struct fixture f;

        setup(&f, 1);
        block(&f, 0);
        begin(&f, &first, 2 * NS_PER_SEC);
        begin(&f, &second, 100 * NS_PER_SEC);
        advance(&f, 2 * NS_PER_SEC);
        assert_int_equal(atomic_load(&first.done), 1);
        assert_int_equal(atomic_load(&second.done), 0);
        assert_int_equal(state_at(&f, 0).failures_total, 0);
        advance(&f, COLLECTORS_PASS_MAX_NS - 2 * NS_PER_SEC);
        assert_int_equal(atomic_load(&second.done), 1);
        assert_int_equal(state_at(&f, 0).failures_total, 1);
        fake_open(&f.fakes[0]);
        teardown(&f);
}

static void an_absurd_timeout_harms_nobody_else(void **state)
{
        struct scrape s;
        struct fixture f;

        setup(&f, 1);
        block(&f, 0);
        begin(&f, &s, 1);
        advance(&f, 10 * NS_PER_MS);
        assert_int_equal(atomic_load(&s.done), 1);
        fake_open(&f.fakes[0]);
        wait_until(state_at(&f, 0).success);
        assert_int_equal(state_at(&f, 0).failures_total, 0);
        scrape(&f);
        teardown(&f);
}

static void slow_sources_do_not_hold_up_the_others(void **state)
{
        struct scrape s;
        struct fixture f;

        setup(&f, 6);
        for (size_t i = 0; i < 4; i++)
                block(&f, i);
        begin(&f, &s, 5 * NS_PER_SEC);
        for (unsigned i = 1; i <= 2; i++) {
                wait_until(atomic_load(&f.fakes[2 * i - 1].running) == 1);
                wait_until(atomic_load(&f.fakes[2 * i - 2].running) == 1);
                advance(&f, COLLECTORS_SLOW_NS);
        }
        wait_until(shown(&f, "e") == 1 && shown(&f, "f") == 1);
        assert_int_equal(collectors_workers(f.pool), 6);
        for (size_t i = 0; i < 4; i++)
                fake_open(&f.fakes[i]);
        finish(&f, &s);
        assert_true(atomic_load(&s.complete));
        wait_until(collectors_workers(f.pool) == COLLECTORS_WORKERS_MIN);
        teardown(&f);
}

/* Blocks as many sources as there may be workers, until all are stuck past their deadline. */
static void stick_all_workers(struct fixture *f)
{
        struct scrape s;

        for (size_t i = 0; i < COLLECTORS_WORKERS_MAX; i++)
                block(f, i);
        begin(f, &s, 5 * NS_PER_SEC);
        for (size_t i = 0; i < COLLECTORS_WORKERS_MAX; i += 2) {
                wait_until(atomic_load(&f->fakes[i].running) == 1);
                wait_until(atomic_load(&f->fakes[i + 1].running) == 1);
                advance(f, COLLECTORS_SLOW_NS);
        }
        assert_int_equal(collectors_workers(f->pool), COLLECTORS_WORKERS_MAX);
        advance(f, 5 * NS_PER_SEC);
        assert_int_equal(atomic_load(&s.done), 1);
        assert_false(atomic_load(&s.complete));
}

static void with_all_workers_stuck_pages_come_at_once(void **state)
{
        struct fixture f;
        struct scrape s;

        setup(&f, COLLECTORS_WORKERS_MAX + 1);
        scrape(&f);
        stick_all_workers(&f);
        assert_int_equal(shown(&f, "i"), 0);
        for (unsigned i = 0; i < 1000; i++) {
                begin(&f, &s, 5 * NS_PER_SEC);
                assert_int_equal(atomic_load(&s.done), 1);
                assert_false(atomic_load(&s.complete));
        }
        assert_false(state_at(&f, COLLECTORS_WORKERS_MAX).success);
        assert_int_equal(collectors_workers(f.pool), COLLECTORS_WORKERS_MAX);
        for (size_t i = 0; i < COLLECTORS_WORKERS_MAX; i++)
                fake_open(&f.fakes[i]);
        wait_until(collectors_workers(f.pool) == COLLECTORS_WORKERS_MIN);
        scrape(&f);
        assert_int_equal(shown(&f, "i"), 2);
        for (size_t i = 0; i < f.n; i++)
                assert_true(state_at(&f, i).success);
        teardown(&f);
}

static void removal_hides_a_source_at_once(void **state)
{
        struct collector_state *states;
        struct fixture f;
        size_t n;

        setup(&f, 2);
        scrape(&f);
        collector_remove(f.sources[0]);
        assert_int_equal(atomic_load(&f.fakes[0].destroyed), 1);
        assert_int_equal(shown(&f, "a"), 0);
        assert_int_equal(collectors_states(f.pool, &states, &n), 0);
        assert_int_equal(n, 1);
        free(states);
        collector_remove(NULL);
        scrape(&f);
        teardown(&f);
}

static void removal_in_mid_pass_ends_the_wait(void **state)
{
        struct fixture f;
        struct scrape s;

        setup(&f, 4);
        scrape(&f);
        block(&f, 0);
        block(&f, 1);
        block(&f, 3);
        begin(&f, &s, 5 * NS_PER_SEC);
        wait_until(atomic_load(&f.fakes[0].running) == 1 && atomic_load(&f.fakes[1].running) == 1);
        collector_remove(f.sources[3]); /* still queued */
        assert_int_equal(atomic_load(&f.fakes[3].destroyed), 1);
        collector_remove(f.sources[0]);
        assert_int_equal(atomic_load(&f.fakes[0].destroyed), 0);
        assert_int_equal(shown(&f, "a"), 0);
        fake_open(&f.fakes[1]);
        finish(&f, &s);
        assert_true(atomic_load(&s.complete));
        assert_int_equal(shown(&f, "c"), 2);
        fake_open(&f.fakes[0]);
        wait_until(atomic_load(&f.fakes[0].destroyed) == 1);
        assert_int_equal(shown(&f, "a"), 0);
        teardown(&f);
}

static void removal_while_stuck_frees_on_return(void **state)
{
        struct fixture f;
        struct scrape s;

        setup(&f, 2);
        block(&f, 0);
        begin(&f, &s, 2 * NS_PER_SEC);
        wait_until(atomic_load(&f.fakes[0].running) == 1);
        advance(&f, 2 * NS_PER_SEC);
        collector_remove(f.sources[0]);
        assert_int_equal(atomic_load(&f.fakes[0].destroyed), 0);
        scrape(&f);
        fake_open(&f.fakes[0]);
        wait_until(atomic_load(&f.fakes[0].destroyed) == 1);
        assert_int_equal(shown(&f, "a"), 0);
        scrape(&f);
        teardown(&f);
}

static void stopping_answers_who_waits_and_leaves_the_stuck(void **state)
{
        struct fixture f;
        struct scrape s;

        setup(&f, 2);
        block(&f, 0);
        begin(&f, &s, 5 * NS_PER_SEC);
        wait_until(atomic_load(&f.fakes[0].running) == 1 && shown(&f, "b") == 1);
        collectors_free(f.pool, clock_now_ns() + 50 * NS_PER_MS);
        assert_int_equal(atomic_load(&s.done), 1);
        assert_false(atomic_load(&s.complete));
        assert_int_equal(shown(&f, "b"), 0);
        slots_free(f.slots);
        assert_int_equal(atomic_load(&f.fakes[1].destroyed), 1);
        assert_int_equal(atomic_load(&f.fakes[0].destroyed), 0);
        fake_open(&f.fakes[0]);
        wait_until(atomic_load(&f.fakes[0].destroyed) == 1);
        fake_done(&f.fakes[0]);
        fake_done(&f.fakes[1]);
        (void)usleep(20000); /* the last worker's way out, which takes the pool with it */
}

static void the_main_loop_is_told_of_nearer_deadlines(void **state)
{
        struct scrape first, second, third;
        unsigned wakes;
        struct fixture f;

        setup(&f, 1);
        assert_true(collectors_next_deadline(f.pool) == DEADLINE_NEVER);
        block(&f, 0);
        begin(&f, &first, 5 * NS_PER_SEC);
        assert_true(atomic_load(&f.wakes) > 0);
        wait_until(atomic_load(&f.fakes[0].running) == 1);
        assert_true(collectors_next_deadline(f.pool) == 6 * NS_PER_SEC);
        wakes = atomic_load(&f.wakes);
        begin(&f, &second, 6 * NS_PER_SEC);
        assert_int_equal(atomic_load(&f.wakes), wakes);
        begin(&f, &third, 2 * NS_PER_SEC);
        assert_int_equal(atomic_load(&f.wakes), wakes + 1);
        assert_true(collectors_next_deadline(f.pool) == 3 * NS_PER_SEC);
        fake_open(&f.fakes[0]);
        finish(&f, &first);
        finish(&f, &second);
        finish(&f, &third);
        assert_true(collectors_next_deadline(f.pool) == DEADLINE_NEVER);
        teardown(&f);
}

/* ---- everything at once, on the real clock ------------------------------------------------------- */

struct storm {
        struct slots *slots;
        struct collectors *pool;
        struct fake_source fakes[4];
        atomic_bool stop;
        atomic_uint begun, ended;
};

static void end_in_storm(void *context, bool complete)
{
        struct storm *storm = context;

        (void)atomic_fetch_add(&storm->ended, 1);
}

static void *scrape_without_end(void *context)
{
        struct storm *storm = context;
        unsigned seed = (unsigned)clock_now_ns();

        while (!atomic_load(&storm->stop)) {
                struct batch **batches;
                size_t n;

                (void)atomic_fetch_add(&storm->begun, 1);
                collectors_scrape(storm->pool, clock_now_ns() + (uint64_t)(rand_r(&seed) % 5) * NS_PER_MS,
                        end_in_storm, storm);
                if (slots_collect(storm->slots, &batches, &n) == 0)
                        slots_release(batches, n);
                (void)usleep((useconds_t)(rand_r(&seed) % 500));
        }
        return NULL;
}

static void *add_and_remove_without_end(void *context)
{
        struct storm *storm = context;

        while (!atomic_load(&storm->stop)) {
                struct fake_source fake;
                struct collector *source = NULL;

                fake_init(&fake, "x");
                if (collector_add(storm->pool, &fake_class, "x", &fake, &source) < 0)
                        abort();
                (void)usleep(300);
                collector_remove(source);
                while (atomic_load(&fake.destroyed) == 0)
                        (void)usleep(50);
                fake_done(&fake);
        }
        return NULL;
}

static void *expire_without_end(void *context)
{
        struct storm *storm = context;

        while (!atomic_load(&storm->stop)) {
                struct collector_state *states;
                size_t n;

                (void)collectors_next_deadline(storm->pool);
                collectors_expire(storm->pool);
                if (collectors_states(storm->pool, &states, &n) == 0)
                        free(states);
                (void)usleep(200);
        }
        return NULL;
}

static void *block_and_open_without_end(void *context)
{
        struct storm *storm = context;

        for (unsigned i = 0; !atomic_load(&storm->stop); i++) {
                struct fake_source *fake = &storm->fakes[i % 2];

                atomic_store(&fake->blocking, true);
                (void)usleep(2000);
                fake_open(fake);
        }
        return NULL;
}

static void ten_scrapers_in_a_storm_are_all_answered(void **state)
{
        void *(*const parts[])(void *) = { add_and_remove_without_end, expire_without_end,
                block_and_open_without_end, scrape_without_end, scrape_without_end, scrape_without_end,
                scrape_without_end, scrape_without_end, scrape_without_end, scrape_without_end,
                scrape_without_end, scrape_without_end, scrape_without_end };
        static const char *const names[] = { "a", "b", "c", "d" };
        pthread_t threads[ARRAY_SIZE(parts)];
        struct storm storm = { 0 };

        assert_int_equal(slots_new(&storm.slots), 0);
        assert_int_equal(collectors_new(&clock_system, storm.slots, &storm.pool), 0);
        for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
                struct collector *source = NULL;

                fake_init(&storm.fakes[i], names[i]);
                assert_int_equal(
                        collector_add(storm.pool, &fake_class, names[i], &storm.fakes[i], &source), 0);
        }
        for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
                assert_int_equal(pthread_create(&threads[i], NULL, parts[i], &storm), 0);
        (void)usleep(2000000);
        atomic_store(&storm.stop, true);
        for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
                assert_int_equal(pthread_join(threads[i], NULL), 0);
        for (size_t i = 0; i < ARRAY_SIZE(names); i++)
                fake_open(&storm.fakes[i]);
        assert_true(collectors_workers(storm.pool) <= COLLECTORS_WORKERS_MAX);
        collectors_free(storm.pool, clock_now_ns() + 10 * NS_PER_SEC);
        assert_int_equal(atomic_load(&storm.ended), atomic_load(&storm.begun));
        slots_free(storm.slots);
        for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
                assert_int_equal(atomic_load(&storm.fakes[i].destroyed), 1);
                fake_done(&storm.fakes[i]);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_pool_without_sources_answers_at_once),
                cmocka_unit_test(every_source_is_read_for_every_scrape),
                cmocka_unit_test(states_are_sorted),
                cmocka_unit_test(a_device_name_that_is_too_long_is_refused),
                cmocka_unit_test(ten_scrapes_share_one_pass),
                cmocka_unit_test(a_fast_pass_is_answered_before_the_call_returns),
                cmocka_unit_test(a_failing_source_shows_what_it_could_read),
                cmocka_unit_test(a_vanished_device_shows_nothing_and_is_no_failure),
                cmocka_unit_test(a_stuck_source_hides_itself_only),
                cmocka_unit_test(each_scrape_has_its_own_deadline),
                cmocka_unit_test(a_joiner_prolongs_the_pass_within_bounds),
                cmocka_unit_test(an_absurd_timeout_harms_nobody_else),
                cmocka_unit_test(slow_sources_do_not_hold_up_the_others),
                cmocka_unit_test(with_all_workers_stuck_pages_come_at_once),
                cmocka_unit_test(removal_hides_a_source_at_once),
                cmocka_unit_test(removal_in_mid_pass_ends_the_wait),
                cmocka_unit_test(removal_while_stuck_frees_on_return),
                cmocka_unit_test(stopping_answers_who_waits_and_leaves_the_stuck),
                cmocka_unit_test(the_main_loop_is_told_of_nearer_deadlines),
                cmocka_unit_test(ten_scrapers_in_a_storm_are_all_answered),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
