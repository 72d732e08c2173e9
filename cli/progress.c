/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/progress.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/scope.h"
#include "base/sync.h"
#include "base/text.h"

#define WANTED_ABOVE_NS (2 * NS_PER_SEC)
#define REDRAW_NS       (250 * NS_PER_MS)
#define BAR_COLUMNS     40
#define ERASE           "\r\033[K"

struct progress {
        uint64_t begun_ns, duration_ns;
        pthread_t thread;
        pthread_mutex_t lock; /* over */
        pthread_cond_t ended;
        bool over;
};

bool progress_is_wanted(uint64_t duration_ns)
{
        return duration_ns > WANTED_ABOVE_NS && isatty(STDERR_FILENO) && isatty(STDOUT_FILENO);
}

const char *progress_line(char *dst, uint64_t elapsed_ns, uint64_t duration_ns)
{
        char bar[BAR_COLUMNS + 1];
        uint64_t at = elapsed_ns < duration_ns ? elapsed_ns : duration_ns;
        size_t full = duration_ns > 0 ? (size_t)((double)at / (double)duration_ns * BAR_COLUMNS) : 0;
        memset(bar, ' ', BAR_COLUMNS);
        memset(bar, '#', full);
        bar[BAR_COLUMNS] = '\0';
        text_message(dst, PROGRESS_MAX, "[%s] %" PRIu64 " of %" PRIu64 " s", bar, at / NS_PER_SEC,
                (duration_ns + NS_PER_SEC - 1) / NS_PER_SEC);
        return dst;
}

static void *draw(void *argument)
{
        struct progress *p = argument;
        char line[PROGRESS_MAX];
        pthread_mutex_lock(&p->lock);
        while (!p->over) {
                uint64_t now = clock_now_ns();
                fprintf(stderr, "\r%s", progress_line(line, now - p->begun_ns, p->duration_ns));
                (void)cond_wait_until(&p->ended, &p->lock, now + REDRAW_NS); /* the loop looks again */
        }
        pthread_mutex_unlock(&p->lock);
        fprintf(stderr, ERASE);
        return NULL;
}

struct progress *progress_new(uint64_t duration_ns)
{
        struct progress *p = calloc(1, sizeof(*p));
        if (!p)
                return NULL;
        p->begun_ns = clock_now_ns();
        p->duration_ns = duration_ns;
        cond_init(&p->ended);
        (void)pthread_mutex_init(&p->lock, NULL);
        if (pthread_create(&p->thread, NULL, draw, p) == 0)
                return p;
        pthread_cond_destroy(&p->ended);
        pthread_mutex_destroy(&p->lock);
        free(p);
        return NULL;
}

void progress_free(struct progress *p)
{
        if (!p)
                return;
        pthread_mutex_lock(&p->lock);
        p->over = true;
        pthread_cond_signal(&p->ended);
        pthread_mutex_unlock(&p->lock);
        (void)pthread_join(p->thread, NULL); /* fails for threads that are not there only */
        pthread_cond_destroy(&p->ended);
        pthread_mutex_destroy(&p->lock);
        free(p);
}
