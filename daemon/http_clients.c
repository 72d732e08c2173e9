/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/http_clients.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/sync.h"

struct http_client {
        struct http_client *previous, *next;
        int fd;
        enum http_phase phase;
        uint64_t since_ns;
};

struct http_clients {
        uint64_t request_timeout_ns;
        pthread_mutex_t lock; /* all below and every client */
        pthread_cond_t ended; /* a request or a connection; CLOCK_MONOTONIC */
        struct http_client *first;
        unsigned n;
        uint64_t timed_out;
};

int http_clients_new(uint64_t request_timeout_ns, struct http_clients **ret)
{
        struct http_clients *c = calloc(1, sizeof(*c));

        if (!c)
                return -ENOMEM;
        c->request_timeout_ns = request_timeout_ns;
        cond_init(&c->ended);
        (void)pthread_mutex_init(&c->lock, NULL); /* cannot fail on Linux */
        *ret = c;
        return 0;
}

void http_clients_free(struct http_clients *c)
{
        if (!c)
                return;
        assert(!c->first);
        (void)pthread_cond_destroy(&c->ended);
        (void)pthread_mutex_destroy(&c->lock);
        free(c);
}

struct http_client *http_clients_add(struct http_clients *c, int fd)
{
        struct http_client *client = calloc(1, sizeof(*client));

        if (!client)
                return NULL;
        *client = (struct http_client){ .fd = fd, .since_ns = clock_now_ns() };
        (void)pthread_mutex_lock(&c->lock);
        client->next = c->first;
        if (client->next)
                client->next->previous = client;
        c->first = client;
        c->n++;
        (void)pthread_mutex_unlock(&c->lock);
        return client;
}

void http_clients_remove(struct http_clients *c, struct http_client *client)
{
        if (!client)
                return;
        (void)pthread_mutex_lock(&c->lock);
        if (client->previous)
                client->previous->next = client->next;
        else
                c->first = client->next;
        if (client->next)
                client->next->previous = client->previous;
        c->n--;
        (void)pthread_cond_broadcast(&c->ended);
        (void)pthread_mutex_unlock(&c->lock);
        free(client);
}

void http_clients_enter(struct http_clients *c, struct http_client *client, enum http_phase phase)
{
        if (!client)
                return;
        (void)pthread_mutex_lock(&c->lock);
        if (client->phase != HTTP_CUT) {
                client->phase = phase;
                client->since_ns = clock_now_ns();
        }
        if (phase == HTTP_IDLE)
                (void)pthread_cond_broadcast(&c->ended);
        (void)pthread_mutex_unlock(&c->lock);
}

static uint64_t limit_ns(const struct http_clients *c, enum http_phase phase)
{
        switch (phase) {
        case HTTP_RECEIVING:
                return c->request_timeout_ns;
        case HTTP_SENDING:
                return HTTP_SEND_NS;
        case HTTP_IDLE:
                return HTTP_IDLE_NS;
        case HTTP_COLLECTING:
        case HTTP_CUT:
                break;
        }
        return DEADLINE_NEVER;
}

/* The library overlooks an end of input that comes together with a request (seen with 0.9.75), and would keep
 * such a connection for good. */
static bool has_left(const struct http_client *client)
{
        char byte;

        return client->phase == HTTP_IDLE && recv(client->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static bool is_late(const struct http_clients *c, const struct http_client *client, uint64_t now_ns)
{
        return now_ns > client->since_ns && now_ns - client->since_ns > limit_ns(c, client->phase);
}

void http_clients_cut(struct http_clients *c, uint64_t now_ns)
{
        (void)pthread_mutex_lock(&c->lock);
        for (struct http_client *client = c->first; client; client = client->next) {
                if (!is_late(c, client, now_ns) && !has_left(client))
                        continue;
                c->timed_out += client->phase != HTTP_IDLE;
                client->phase = HTTP_CUT;
                (void)shutdown(client->fd, SHUT_RDWR); /* fails only when the peer is gone already */
        }
        (void)pthread_mutex_unlock(&c->lock);
}

static bool is_answering(const struct http_clients *c)
{
        for (const struct http_client *client = c->first; client; client = client->next) {
                if (client->phase == HTTP_COLLECTING || client->phase == HTTP_SENDING)
                        return true;
        }
        return false;
}

void http_clients_wait(struct http_clients *c, uint64_t deadline_ns)
{
        (void)pthread_mutex_lock(&c->lock);
        while (is_answering(c) && cond_wait_until(&c->ended, &c->lock, deadline_ns))
                ;
        (void)pthread_mutex_unlock(&c->lock);
}

unsigned http_clients_count(struct http_clients *c)
{
        unsigned n;

        (void)pthread_mutex_lock(&c->lock);
        n = c->n;
        (void)pthread_mutex_unlock(&c->lock);
        return n;
}

uint64_t http_clients_timed_out(struct http_clients *c)
{
        uint64_t n;

        (void)pthread_mutex_lock(&c->lock);
        n = c->timed_out;
        (void)pthread_mutex_unlock(&c->lock);
        return n;
}
