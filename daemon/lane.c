/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/lane.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/scope.h"
#include "base/sync.h"
#include "base/text.h"

struct lane {
        void (*done)(void *context, struct job *job);
        void *context;
        pthread_t thread;
        pthread_mutex_t lock; /* guards what follows */
        pthread_cond_t changed;
        struct job *first, **last;
        bool stopping, ended;
};

static struct job *take_job(struct lane *lane)
{
        struct job *job = NULL;

        (void)pthread_mutex_lock(&lane->lock);
        while (!lane->first && !lane->stopping)
                (void)pthread_cond_wait(&lane->changed, &lane->lock);
        if (lane->first) {
                job = lane->first;
                lane->first = job->next;
                if (!lane->first)
                        lane->last = &lane->first;
        }
        (void)pthread_mutex_unlock(&lane->lock);
        return job;
}

static void run_job(struct job *job)
{
        uint64_t now_ns = clock_now_ns();

        atomic_store(&job->started_ns, now_ns);
        if (atomic_load(job->cancel))
                job->outcome.fault.kind = OUTCOME_CANCELLED;
        else
                job->class->run(job->state, now_ns + job->timeout_ns, job->cancel, &job->outcome);
}

static void *lane_main(void *arg)
{
        struct lane *lane = arg;
        struct job *job;

        while ((job = take_job(lane))) {
                run_job(job);
                lane->done(lane->context, job);
        }
        (void)pthread_mutex_lock(&lane->lock);
        lane->ended = true;
        (void)pthread_cond_broadcast(&lane->changed);
        (void)pthread_mutex_unlock(&lane->lock);
        return NULL;
}

int lane_new(
        const char *device, void (*done)(void *context, struct job *job), void *context, struct lane **ret)
{
        cleanup(freep) struct lane *lane = calloc(1, sizeof(*lane));
        char name[16];
        int r;

        if (!lane)
                return -ENOMEM;
        lane->done = done;
        lane->context = context;
        lane->last = &lane->first;
        cond_init(&lane->changed);
        (void)pthread_mutex_init(&lane->lock, NULL); /* cannot fail on Linux */
        r = -pthread_create(&lane->thread, NULL, lane_main, lane);
        if (r < 0)
                return r;
        text_message(name, sizeof(name), "lane-%s", device);
        (void)pthread_setname_np(lane->thread, name); /* for ps and gdb only */
        *ret = take_ptr(lane);
        return 0;
}

void lane_submit(struct lane *lane, struct job *job)
{
        job->next = NULL;
        (void)pthread_mutex_lock(&lane->lock);
        *lane->last = job;
        lane->last = &job->next;
        (void)pthread_cond_signal(&lane->changed);
        (void)pthread_mutex_unlock(&lane->lock);
}

int lane_free(struct lane *lane, uint64_t deadline_ns)
{
        bool ended;

        (void)pthread_mutex_lock(&lane->lock);
        lane->stopping = true;
        (void)pthread_cond_broadcast(&lane->changed);
        while (!lane->ended && cond_wait_until(&lane->changed, &lane->lock, deadline_ns))
                ;
        ended = lane->ended;
        (void)pthread_mutex_unlock(&lane->lock);
        if (!ended) {
                (void)pthread_detach(lane->thread);
                return -ETIMEDOUT;
        }
        (void)pthread_join(lane->thread, NULL);
        (void)pthread_mutex_destroy(&lane->lock);
        (void)pthread_cond_destroy(&lane->changed);
        free(lane);
        return 0;
}
