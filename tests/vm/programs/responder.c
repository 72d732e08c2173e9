/* SPDX-License-Identifier: Apache-2.0 */
/* The engine's responder alone, for scenarios: responder NODE PORT [PEER ADDRESS...]. Says "ready PORT",
 * serves until SIGTERM, then prints its counters. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/engine.h"

static void print_stats(struct responder *r)
{
        struct responder_stats s;
        responder_stats_get(r, &s);
        printf("connections %llu sessions %llu refused %llu malformed %llu bytes %llu now %u\n",
                (unsigned long long)s.connections_total, (unsigned long long)s.sessions_total,
                (unsigned long long)s.refused_total, (unsigned long long)s.malformed_total,
                (unsigned long long)s.received_bytes_total, s.sessions);
}

int main(int argc, char **argv)
{
        struct engine *e;
        struct responder *r;
        char why[ENGINE_REASON_MAX];
        sigset_t end;
        int signal;
        if (argc < 3 || engine_new(argv[1], &e) < 0)
                return 2;
        sigemptyset(&end);
        sigaddset(&end, SIGTERM);
        sigprocmask(SIG_BLOCK, &end, NULL); /* before the responder's threads, which inherit it */
        struct responder_options options = { .listen_host = "", .port = (uint16_t)atoi(argv[2]) };
        if (responder_new(e, &options, &r, why) < 0) {
                fprintf(stderr, "%s\n", why);
                return 1;
        }
        if (responder_set_peers(r, (const char *const *)argv + 3, (size_t)argc - 3) < 0)
                return 1;
        printf("ready %u\n", responder_port(r));
        fflush(stdout);
        sigwait(&end, &signal);
        print_stats(r);
        responder_free(r);
        engine_free(e);
        return 0;
}
