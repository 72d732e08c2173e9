/* SPDX-License-Identifier: Apache-2.0 */
/* One libmicrohttpd daemon (an epoll thread) for each listening socket; all share this server's lock, which
 * is taken for a few fields at a time. A scrape's request is held by its connection and by the collectors'
 * pass, whichever ends last; the server's memory outlives http_free() while a pass still owes an answer. */
#include "daemon/http.h"

#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/http_clients.h"
#include "daemon/http_listen.h"
#include "daemon/http_metrics.h"
#include "daemon/http_negotiate.h"
#include "daemon/http_page.h"
#include "daemon/http_route.h"
#include "daemon/web.h"

#define STOP_NS      (1 * NS_PER_SEC) /* for answers under way when the server stops */
#define INACTIVITY_S 120u
#define CONNECTION_MEMORY                                                                                    \
        ((size_t)16 * 1024) /* request head and answer head; 32 KiB is the library's default */

/* One scrape. The server's lock. */
struct scrape {
        struct http *http;
        struct scrape *previous, *next;   /* of those suspended */
        struct MHD_Connection *suspended; /* to be resumed by whoever sets it to NULL */
        bool done, complete;
        unsigned references;
};

/* What the library keeps for a connection. */
struct connection {
        struct http_client *client;
        struct web_rules *rules; /* whose TLS credentials it uses; NULL without a web config */
};

struct http {
        struct http_callbacks callbacks;
        struct http_metrics *metrics;
        struct collectors *collectors;
        struct web *web;
        char *telemetry_path;
        uint64_t scrape_timeout_ns;
        unsigned connection_limit, max_requests;
        bool allow_reload;
        uint16_t port;
        size_t n_daemons;
        struct MHD_Daemon **daemons;
        struct http_clients *clients;

        pthread_mutex_t lock; /* all below */
        struct scrape *suspended;
        size_t owed;       /* scrapes the collectors have not called back for */
        unsigned requests; /* scrapes whose answer is not through */
        bool stopping, stopped;
        struct http_stats stats;
};

static void lock(struct http *h)
{
        (void)pthread_mutex_lock(&h->lock);
}

static void unlock(struct http *h)
{
        (void)pthread_mutex_unlock(&h->lock);
}

static void http_destroy(struct http *h)
{
        (void)pthread_mutex_destroy(&h->lock);
        http_clients_free(h->clients);
        http_metrics_free(h->metrics);
        free(h->telemetry_path);
        free(h->daemons);
        free(h);
}

/* ---- connections -------------------------------------------------------------------------------- */

static struct http_client *client_of(struct MHD_Connection *connection)
{
        const union MHD_ConnectionInfo *info =
                MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
        const struct connection *c = info ? info->socket_context : NULL;

        return c ? c->client : NULL;
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
        return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* The handshake comes after this. Without memory it is refused by web_tls_no_certificate(). */
static void begin_tls(struct MHD_Connection *connection, const struct web_rules *rules)
{
        const union MHD_ConnectionInfo *info =
                MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);

        if (rules->tls && info)
                (void)web_tls_begin(rules->tls, info->tls_session);
}

static struct connection *connection_open(struct http *h, struct MHD_Connection *connection)
{
        const union MHD_ConnectionInfo *info =
                MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        struct connection *c = calloc(1, sizeof(*c));

        if (!c)
                return NULL;
        if (info)
                c->client = http_clients_add(h->clients, info->connect_fd);
        if (h->web) {
                c->rules = web_rules(h->web);
                begin_tls(connection, c->rules);
        }
        return c;
}

/* The TLS session is gone by now. */
static void connection_close(struct http *h, struct connection *c)
{
        if (!c)
                return;
        http_clients_remove(h->clients, c->client);
        web_rules_unref(c->rules);
        free(c);
}

/* The library closes the socket after this returns, so a descriptor in the list is never another's. */
static void on_connection(void *context, struct MHD_Connection *connection, void **socket_context,
        enum MHD_ConnectionNotificationCode what)
{
        struct http *h = context;

        if (what == MHD_CONNECTION_NOTIFY_STARTED)
                *socket_context = connection_open(h, connection);
        else
                connection_close(h, *socket_context);
}

/* The library's own limit counts per listening socket. */
static enum MHD_Result on_accept(void *context, const struct sockaddr *address, socklen_t len)
{
        struct http *h = context;

        return http_clients_count(h->clients) < h->connection_limit ? MHD_YES : MHD_NO;
}

void http_tick(struct http *h)
{
        http_clients_cut(h->clients, clock_now_ns());
}

/* ---- answers ------------------------------------------------------------------------------------ */

#define TEXT "text/plain; charset=utf-8"
#define HTML "text/html; charset=utf-8"

/* Destroys the response. MHD_NO makes the library close the connection. */
static enum MHD_Result queue(struct http *h, struct MHD_Connection *connection, unsigned status,
        const char *content_type, struct MHD_Response *response)
{
        enum MHD_Result r;

        if (!response)
                return MHD_NO;
        (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, content_type);
        http_clients_enter(h->clients, client_of(connection), HTTP_SENDING);
        lock(h);
        h->stats.requests_total[status / 100]++;
        unlock(h);
        r = MHD_queue_response(connection, status, response);
        MHD_destroy_response(response);
        return r;
}

static struct MHD_Response *text_response(const char *text)
{
        /* The library does not write to it. */
        return MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);
}

static enum MHD_Result answer_text(
        struct http *h, struct MHD_Connection *connection, unsigned status, const char *text)
{
        return queue(h, connection, status, TEXT, text_response(text));
}

/* Takes the buffer's memory. */
static enum MHD_Result answer_buf(
        struct http *h, struct MHD_Connection *connection, const char *content_type, struct buf *page)
{
        struct MHD_Response *response;

        if (!buf_cstr(page)) {
                buf_done(page);
                return answer_text(h, connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory\n");
        }
        response = MHD_create_response_from_buffer(page->len, page->data, MHD_RESPMEM_MUST_FREE);
        if (response)
                buf_init(page);
        else
                buf_done(page);
        return queue(h, connection, MHD_HTTP_OK, content_type, response);
}

static enum MHD_Result refuse(
        struct http *h, struct MHD_Connection *connection, enum http_endpoint endpoint, unsigned status)
{
        struct http_refusal refusal = http_refuse(endpoint, status);
        struct MHD_Response *response = text_response(refusal.text);

        if (response && refusal.field)
                (void)MHD_add_response_header(response, refusal.field, refusal.value);
        return queue(h, connection, status, TEXT, response);
}

/* ---- scrapes ------------------------------------------------------------------------------------ */

/* Takes the page's memory. */
static enum MHD_Result send_metrics(struct http *h, struct MHD_Connection *connection,
        const char *content_type, bool gzip, struct buf *page)
{
        struct MHD_Response *response =
                MHD_create_response_from_buffer(page->len, page->data, MHD_RESPMEM_MUST_FREE);

        if (!response) {
                buf_done(page);
                return MHD_NO;
        }
        (void)MHD_add_response_header(response, MHD_HTTP_HEADER_VARY, "Accept-Encoding, Accept");
        if (gzip)
                (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
        return queue(h, connection, MHD_HTTP_OK, content_type, response);
}

static enum MHD_Result answer_metrics(struct http *h, struct MHD_Connection *connection, bool complete)
{
        const struct http_page_type *type = http_page_type(header(connection, MHD_HTTP_HEADER_ACCEPT));
        bool gzip = http_takes_gzip(header(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING));
        struct buf page = { 0 };
        size_t duplicates = 0;
        int r;

        lock(h);
        h->stats.scrapes_total++;
        h->stats.scrapes_late_total += !complete;
        unlock(h);
        r = http_metrics_render(h->metrics, type->format, gzip, &page, &duplicates);
        if (r < 0 || !buf_cstr(&page)) {
                buf_done(&page);
                return answer_text(h, connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory\n");
        }
        lock(h);
        h->stats.duplicate_samples_total += duplicates;
        unlock(h);
        return send_metrics(h, connection, type->content_type, gzip, &page);
}

/* A place among those served at once, given back in on_completed(). */
static bool enter_scrape(struct http *h)
{
        bool free_place;

        lock(h);
        free_place = h->max_requests == 0 || h->requests < h->max_requests;
        h->requests += free_place;
        h->stats.scrapes_refused_total += !free_place;
        h->owed += free_place;
        unlock(h);
        return free_place;
}

static enum MHD_Result answer_busy(struct http *h, struct MHD_Connection *connection)
{
        cleanup(buf_done) struct buf text = { 0 };

        buf_format(&text, "%u scrape%s being served, the limit set by --web.max-requests; try again later\n",
                h->max_requests, h->max_requests == 1 ? " is" : "s are");
        if (!buf_cstr(&text))
                return MHD_NO;
        return queue(h, connection, MHD_HTTP_SERVICE_UNAVAILABLE, TEXT,
                MHD_create_response_from_buffer(text.len, text.data, MHD_RESPMEM_MUST_COPY));
}

/* With the lock. */
static void suspend(struct scrape *s, struct MHD_Connection *connection)
{
        struct http *h = s->http;

        MHD_suspend_connection(connection);
        s->suspended = connection;
        s->previous = NULL;
        s->next = h->suspended;
        if (s->next)
                s->next->previous = s;
        h->suspended = s;
}

/* With the lock. */
static void resume(struct scrape *s)
{
        if (!s->suspended)
                return;
        if (s->previous)
                s->previous->next = s->next;
        else
                s->http->suspended = s->next;
        if (s->next)
                s->next->previous = s->previous;
        MHD_resume_connection(take_ptr(s->suspended));
}

/* On a collector's thread, the main loop's, or this one's own before collectors_scrape() returns. */
static void on_scraped(void *context, bool complete)
{
        struct scrape *s = context;
        struct http *h = s->http;
        bool last_use, last_scrape;

        lock(h);
        s->done = true;
        s->complete = complete;
        resume(s);
        last_use = --s->references == 0;
        last_scrape = --h->owed == 0 && h->stopped;
        unlock(h);
        if (last_use)
                free(s);
        if (last_scrape)
                http_destroy(h);
}

static enum MHD_Result answer_stopping(struct http *h, struct MHD_Connection *connection)
{
        return answer_text(h, connection, MHD_HTTP_SERVICE_UNAVAILABLE, "stopping\n");
}

/* When all sources answer at once the page is sent without suspending. */
static enum MHD_Result begin_scrape(struct http *h, struct MHD_Connection *connection, void **ret_context)
{
        const char *timeout = header(connection, "X-Prometheus-Scrape-Timeout-Seconds");
        uint64_t deadline_ns = clock_now_ns() + http_scrape_timeout_ns(timeout, h->scrape_timeout_ns);
        struct scrape *s = calloc(1, sizeof(*s));
        bool suspended = false, stopping, complete;

        if (!s)
                return answer_text(h, connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory\n");
        if (!enter_scrape(h)) {
                free(s);
                return answer_busy(h, connection);
        }
        *s = (struct scrape){ .http = h, .references = 2 };
        *ret_context = s;
        http_clients_enter(h->clients, client_of(connection), HTTP_COLLECTING);
        collectors_scrape(h->collectors, deadline_ns, on_scraped, s);
        lock(h);
        stopping = h->stopping && !s->done;
        complete = s->complete;
        if (!s->done && !stopping) {
                suspend(s, connection);
                suspended = true;
        }
        unlock(h);
        if (stopping)
                return answer_stopping(h, connection);
        return suspended ? MHD_YES : answer_metrics(h, connection, complete);
}

static enum MHD_Result end_scrape(struct http *h, struct MHD_Connection *connection, const struct scrape *s)
{
        bool done, complete;

        lock(h);
        done = s->done;
        complete = s->complete;
        unlock(h);
        return done ? answer_metrics(h, connection, complete) : answer_stopping(h, connection);
}

/* ---- requests ----------------------------------------------------------------------------------- */

/* What the library keeps for a request: NULL, then this, then the scrape if it is one. */
static char accepted;
#define ACCEPTED ((void *)&accepted)

static enum MHD_Result answer_landing(struct http *h, struct MHD_Connection *connection)
{
        struct buf page;

        buf_init(&page);
        http_page_begin(&page, h->telemetry_path);
        if (h->callbacks.status_page)
                h->callbacks.status_page(h->callbacks.context, &page);
        http_page_end(&page);
        return answer_buf(h, connection, HTML, &page);
}

static bool is_ready(const struct http *h)
{
        return !h->callbacks.ready || h->callbacks.ready(h->callbacks.context);
}

static enum MHD_Result answer_starting(struct http *h, struct MHD_Connection *connection)
{
        return answer_text(h, connection, MHD_HTTP_SERVICE_UNAVAILABLE, "not ready\n");
}

static enum MHD_Result answer_ready(struct http *h, struct MHD_Connection *connection)
{
        return is_ready(h) ? answer_text(h, connection, MHD_HTTP_OK, "ready\n")
                           : answer_starting(h, connection);
}

static enum MHD_Result answer_reload(struct http *h, struct MHD_Connection *connection)
{
        if (h->callbacks.reload)
                h->callbacks.reload(h->callbacks.context);
        return answer_text(h, connection, MHD_HTTP_OK, "reload requested\n");
}

/* By the rules of now, not those the connection began with: a user who is taken out is out. The status. */
static unsigned authorize(struct http *h, struct MHD_Connection *connection)
{
        static const unsigned statuses[] = {
                [WEB_WELCOME] = MHD_HTTP_OK,
                [WEB_UNKNOWN] = MHD_HTTP_UNAUTHORIZED,
                [WEB_BUSY] = MHD_HTTP_TOO_MANY_REQUESTS,
        };
        cleanup(web_rules_unrefp) struct web_rules *rules = h->web ? web_rules(h->web) : NULL;
        const union MHD_ConnectionInfo *info =
                MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

        if (!rules || !rules->auth)
                return MHD_HTTP_OK;
        return statuses[web_auth_check(rules->auth, header(connection, MHD_HTTP_HEADER_AUTHORIZATION),
                info ? info->client_addr : NULL, clock_now_ns())];
}

/* The first call, when the head is there. Refusals are queued here, after which the library closes the
 * connection: later, a client that sends a body would see a closed connection and no answer. */
static enum MHD_Result begin_request(
        struct http *h, struct MHD_Connection *connection, struct http_head *head, void **request)
{
        enum http_endpoint endpoint = http_find(head->path, h->telemetry_path);
        unsigned status = authorize(h, connection);

        head->content_length = header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
        head->transfer_encoding = header(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING);
        if (status == MHD_HTTP_OK)
                status = http_check(endpoint, head, h->allow_reload);
        if (status != MHD_HTTP_OK)
                return refuse(h, connection, endpoint, status);
        *request = ACCEPTED;
        return MHD_YES;
}

/* The second call. Answers to what is accepted are queued here, so that the connection is kept alive. */
static enum MHD_Result serve(
        struct http *h, struct MHD_Connection *connection, const char *path, void **request)
{
        switch (http_find(path, h->telemetry_path)) {
        case HTTP_METRICS:
                /* A page without any device would look as if all had gone. */
                return is_ready(h) ? begin_scrape(h, connection, request) : answer_starting(h, connection);
        case HTTP_LANDING:
                return answer_landing(h, connection);
        case HTTP_HEALTHY:
                return answer_text(h, connection, MHD_HTTP_OK, "healthy\n");
        case HTTP_READY:
                return answer_ready(h, connection);
        case HTTP_RELOAD:
                return answer_reload(h, connection);
        case N_HTTP_ENDPOINTS:
                break;
        }
        return MHD_NO; /* begin_request() has refused it */
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *path,
        const char *method, const char *version, const char *body, size_t *body_size, void **request)
{
        struct http_head head = { .method = method, .path = path };

        if (!*request)
                return begin_request(context, connection, &head, request);
        if (*request == ACCEPTED)
                return serve(context, connection, path, request);
        return end_scrape(context, connection, *request); /* the third call, after it was resumed */
}

/* A request line has come: the rest of the head has a deadline of its own. */
static void *on_request_line(void *context, const char *uri, struct MHD_Connection *connection)
{
        struct http *h = context;

        http_clients_enter(h->clients, client_of(connection), HTTP_RECEIVING);
        return NULL;
}

static void on_completed(
        void *context, struct MHD_Connection *connection, void **request, enum MHD_RequestTerminationCode why)
{
        struct scrape *s = *request == ACCEPTED ? NULL : *request;
        struct http *h = context;
        bool last_use = false;

        *request = NULL;
        lock(h);
        if (s) {
                last_use = --s->references == 0;
                h->requests--;
        }
        unlock(h);
        if (last_use)
                free(s);
        http_clients_enter(h->clients, client_of(connection), HTTP_IDLE);
}

/* ---- starting and stopping ---------------------------------------------------------------------- */

/* Takes fd. */
static int start_daemon(struct http *h, const struct http_options *o, int fd, char *why, size_t why_size)
{
        unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
        struct MHD_Daemon *daemon;

        if (h->web && web_is_tls(h->web))
                flags |= MHD_USE_TLS;
        errno = 0;
        daemon = MHD_start_daemon(flags, 0, on_accept, h, on_request, h, MHD_OPTION_LISTEN_SOCKET, fd,
                MHD_OPTION_CONNECTION_LIMIT, o->connection_limit, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
                o->per_address_limit, MHD_OPTION_CONNECTION_TIMEOUT, INACTIVITY_S,
                MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY, MHD_OPTION_NOTIFY_CONNECTION,
                on_connection, h, MHD_OPTION_NOTIFY_COMPLETED, on_completed, h, MHD_OPTION_URI_LOG_CALLBACK,
                on_request_line, h, MHD_OPTION_HTTPS_CERT_CALLBACK, web_tls_no_certificate, MHD_OPTION_END);
        if (!daemon) {
                int r = errno > 0 ? -errno : -ENOMEM;

                text_message(why, why_size, "cannot start the HTTP server: %s", strerror(-r));
                return r; /* the library has closed the socket or not, as the case may be */
        }
        h->daemons[h->n_daemons++] = daemon;
        return 0;
}

static int start_at(
        struct http *h, const struct http_options *o, const char *address, char *why, size_t why_size)
{
        int fd = -1, r = http_listen(address, &fd, why, why_size);

        if (r < 0)
                return r;
        if (h->port == 0)
                h->port = http_listen_port(fd);
        return start_daemon(h, o, fd, why, why_size);
}

static int start(struct http *h, const struct http_options *o, char *why, size_t why_size)
{
        int r = 0;

        if (o->listen_fd >= 0) {
                r = http_listen_adopt(o->listen_fd);
                if (r < 0) {
                        text_message(why, why_size, "the inherited socket is not fit to serve HTTP: %s",
                                strerror(-r));
                        return r;
                }
                h->port = http_listen_port(o->listen_fd);
                return start_daemon(h, o, o->listen_fd, why, why_size);
        }
        for (size_t i = 0; i < o->n_listen_addresses && r == 0; i++)
                r = start_at(h, o, o->listen_addresses[i], why, why_size);
        return r;
}

static struct http *http_alloc(const struct http_options *o)
{
        size_t n_daemons = o->listen_fd >= 0 ? 1 : o->n_listen_addresses;
        struct http *h = calloc(1, sizeof(*h));

        if (!h)
                return NULL;
        (void)pthread_mutex_init(&h->lock, NULL); /* cannot fail without attributes */
        h->telemetry_path = strdup(o->telemetry_path);
        h->daemons = calloc(n_daemons > 0 ? n_daemons : 1, sizeof(struct MHD_Daemon *));
        if (!h->telemetry_path || !h->daemons || http_clients_new(o->request_timeout_ns, &h->clients) < 0) {
                http_destroy(h);
                return NULL;
        }
        return h;
}

int http_new(const struct http_options *o, const struct http_callbacks *cb, struct slots *slots,
        struct collectors *collectors, struct http **ret, char *why, size_t why_size)
{
        struct http *h = http_alloc(o);
        int r;

        if (!h) {
                text_message(why, why_size, "cannot start the HTTP server: out of memory");
                return -ENOMEM;
        }
        h->callbacks = *cb;
        h->collectors = collectors;
        h->web = o->web;
        h->scrape_timeout_ns = o->scrape_timeout_ns;
        h->connection_limit = o->connection_limit;
        h->max_requests = o->max_requests;
        h->allow_reload = o->allow_reload;
        r = http_metrics_new(slots, &h->callbacks, &h->metrics);
        if (r < 0) {
                text_message(why, why_size, "cannot start the HTTP server: out of memory");
                http_free(h);
                return r;
        }
        http_metrics_set_max_series(h->metrics, o->max_series);
        r = start(h, o, why, why_size);
        if (r < 0) {
                http_free(h);
                return r;
        }
        *ret = h;
        return 0;
}

/* A daemon with a suspended connection must not be stopped: the library aborts the process. */
static void resume_all(struct http *h)
{
        lock(h);
        h->stopping = true;
        while (h->suspended)
                resume(h->suspended);
        unlock(h);
}

void http_free(struct http *h)
{
        bool last;

        if (!h)
                return;
        resume_all(h);
        http_clients_wait(h->clients, clock_now_ns() + STOP_NS);
        for (size_t i = 0; i < h->n_daemons; i++)
                MHD_stop_daemon(h->daemons[i]);
        lock(h);
        h->stopped = true;
        last = h->owed == 0;
        unlock(h);
        if (last)
                http_destroy(h);
}

uint16_t http_port(const struct http *h)
{
        return h->port;
}

void http_stats_get(struct http *h, struct http_stats *ret)
{
        lock(h);
        *ret = h->stats;
        unlock(h);
        ret->connections = http_clients_count(h->clients);
        ret->timed_out_total = http_clients_timed_out(h->clients);
}

void http_set_max_series(struct http *h, uint64_t max)
{
        http_metrics_set_max_series(h->metrics, max);
}

bool http_dropped(struct http *h, struct buf *ret)
{
        return http_metrics_dropped(h->metrics, ret);
}
