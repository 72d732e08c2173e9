/* SPDX-License-Identifier: Apache-2.0 */
/* The connections of the HTTP server, and how long each may stay in what it does. The library's own timeout
 * counts inactivity only, so a client that sends a byte now and then would outlive it. Thread-safe. */
#ifndef DAEMON_HTTP_CLIENTS_H
#define DAEMON_HTTP_CLIENTS_H

#include <stdint.h>

enum http_phase {
        HTTP_RECEIVING,  /* the head of a request; bounded by the request timeout */
        HTTP_COLLECTING, /* waiting for a scrape's pass, which has a deadline of its own */
        HTTP_SENDING,    /* taking its answer; bounded by HTTP_SEND_NS */
        HTTP_IDLE,       /* kept alive between requests; bounded by HTTP_IDLE_NS */
        HTTP_CUT,        /* shut down, but not gone yet */
};

#define HTTP_SEND_NS UINT64_C(30000000000)
#define HTTP_IDLE_NS UINT64_C(120000000000) /* longer than the usual scrape intervals */

struct http_clients;
struct http_client;

int http_clients_new(uint64_t request_timeout_ns, struct http_clients **ret);
void http_clients_free(struct http_clients *c); /* NULL is fine; none may be left */
/* A new connection, HTTP_RECEIVING. `fd` must stay open until http_clients_remove(). NULL: no memory; the
 * other calls take that as a client they do not watch. */
struct http_client *http_clients_add(struct http_clients *c, int fd);
void http_clients_remove(struct http_clients *c, struct http_client *client);
void http_clients_enter(struct http_clients *c, struct http_client *client, enum http_phase phase);
/* Shuts down those that have been too long in their phase, or are idle and have said that no more will come.
 */
void http_clients_cut(struct http_clients *c, uint64_t now_ns);
/* Returns when no answer is under way (collecting, sending), or at the deadline (CLOCK_MONOTONIC). */
void http_clients_wait(struct http_clients *c, uint64_t deadline_ns);
unsigned http_clients_count(struct http_clients *c);
/* Cut so far, those that were idle left out. */
uint64_t http_clients_timed_out(struct http_clients *c);

#endif
