/* SPDX-License-Identifier: Apache-2.0 */
/* The passive side: an acceptor thread, and for each admitted client a thread of its own. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "base/sync.h"
#include "base/text.h"
#include "engine/internal.h"
#include "engine/served.h"
#include "engine/session.h"

#define DEFAULT_SESSION_NS  (60 * NS_PER_SEC)
#define DEFAULT_MAX_BYTES   (UINT64_C(64) << 20)
#define DEFAULT_QUEUE_PAIRS 16
#define OPERATOR_SESSION_NS (3600 * NS_PER_SEC)
#define OPERATOR_MAX_BYTES  (UINT64_C(4) << 30)
#define BACKLOG             64
#define STACK_BYTES         (512 * 1024) /* drivers keep buffers on it; with sanitizers it all grows */
#define ACCEPT_BACKOFF_MS   100
#define FREE_WAIT_NS        NS_PER_SEC

struct slot {
        bool taken;
        int fd; /* of its connection, -1 before and after */
};

struct responder {
        struct engine *engine; /* a reference */
        struct session_limits limits[N_ROLES];
        int listener, wake;
        uint16_t port;
        pthread_t acceptor;
        atomic_bool stop;
        atomic_uint references; /* of the owner and of each session thread */
        bool anyone;            /* is admitted */
        atomic_uint_fast64_t connections, sessions, refused, malformed, received_bytes;
        atomic_uint_fast64_t last_activity_ns;

        pthread_mutex_t lock; /* what follows */
        pthread_cond_t ended; /* a slot was given back */
        struct slot slots[RESPONDER_SESSIONS];
        struct in6_addr *peers; /* IPv4 mapped */
        size_t n_peers;
        struct served served;
};

/* ---- who may come ----------------------------------------------------------------------------------- */

static void map_ipv4(const struct in_addr *from, struct in6_addr *ret)
{
        memset(ret, 0, sizeof(*ret));
        ret->s6_addr[10] = ret->s6_addr[11] = 0xff;
        memcpy(&ret->s6_addr[12], from, sizeof(*from));
}

static bool address_parse(const char *text, struct in6_addr *ret)
{
        char plain[INET6_ADDRSTRLEN];
        struct in_addr four;
        size_t len = strcspn(text, "%"); /* a scope says which link, not who */
        if (len >= sizeof(plain))
                return false;
        memcpy(plain, text, len);
        plain[len] = '\0';
        if (inet_pton(AF_INET, plain, &four) == 1) {
                map_ipv4(&four, ret);
                return true;
        }
        return inet_pton(AF_INET6, plain, ret) == 1;
}

static void address_of(const struct sockaddr *a, struct in6_addr *ret)
{
        if (a->sa_family == AF_INET)
                map_ipv4(&((const struct sockaddr_in *)a)->sin_addr, ret);
        else
                *ret = ((const struct sockaddr_in6 *)a)->sin6_addr;
}

static bool is_loopback(const struct in6_addr *a)
{
        return IN6_IS_ADDR_LOOPBACK(a) || (IN6_IS_ADDR_V4MAPPED(a) && a->s6_addr[12] == 127);
}

static bool is_admitted(struct responder *r, const struct in6_addr *a)
{
        bool found = r->anyone || is_loopback(a);
        pthread_mutex_lock(&r->lock);
        for (size_t i = 0; i < r->n_peers && !found; i++)
                found = IN6_ARE_ADDR_EQUAL(&r->peers[i], a);
        pthread_mutex_unlock(&r->lock);
        return found;
}

int responder_set_peers(struct responder *r, const char *const *addresses, size_t n)
{
        struct in6_addr *peers = calloc(n > 0 ? n : 1, sizeof(*peers));
        size_t count = 0;
        if (!peers)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++)
                count += address_parse(addresses[i], &peers[count]);
        pthread_mutex_lock(&r->lock);
        struct in6_addr *old = r->peers;
        r->peers = peers;
        r->n_peers = count;
        pthread_mutex_unlock(&r->lock);
        free(old);
        return 0;
}

/* ---- sessions --------------------------------------------------------------------------------------- */

static void responder_unref(struct responder *r)
{
        if (atomic_fetch_sub(&r->references, 1) != 1)
                return;
        close_fdp(&r->listener);
        close_fdp(&r->wake);
        pthread_cond_destroy(&r->ended);
        pthread_mutex_destroy(&r->lock);
        engine_free(r->engine);
        free(r->peers);
        served_done(&r->served);
        free(r);
}

static struct slot *slot_take(struct responder *r, int fd)
{
        struct slot *found = NULL;
        pthread_mutex_lock(&r->lock);
        for (size_t i = 0; i < RESPONDER_SESSIONS && !found; i++)
                if (!r->slots[i].taken)
                        found = &r->slots[i];
        if (found)
                *found = (struct slot){ true, fd };
        pthread_mutex_unlock(&r->lock);
        return found;
}

/* The socket first, so that nobody shuts down a number that is somebody else's by now. */
static void slot_forget_fd(struct responder *r, struct slot *s)
{
        pthread_mutex_lock(&r->lock);
        s->fd = -1;
        pthread_mutex_unlock(&r->lock);
}

static void slot_give_back(struct responder *r, struct slot *s)
{
        atomic_store(&r->last_activity_ns, clock_now_ns());
        pthread_mutex_lock(&r->lock);
        s->taken = false;
        pthread_cond_broadcast(&r->ended);
        pthread_mutex_unlock(&r->lock);
}

struct visit {
        struct responder *responder;
        struct slot *slot;
        struct dialogue *dialogue;
};

static void note_served(struct responder *r, const struct responder_served *one)
{
        if (one->completed_total == 0)
                return;
        pthread_mutex_lock(&r->lock);
        served_add(&r->served, one);
        pthread_mutex_unlock(&r->lock);
}

size_t responder_served_get(struct responder *r, struct responder_served *ret, size_t max)
{
        pthread_mutex_lock(&r->lock);
        size_t n = r->served.n < max ? r->served.n : max;
        if (n > 0)
                memcpy(ret, r->served.items, n * sizeof(ret[0]));
        pthread_mutex_unlock(&r->lock);
        return n;
}

static void *visit_thread(void *argument)
{
        struct visit v = *(struct visit *)argument;
        struct responder *r = v.responder;
        struct session_outcome outcome;
        free(argument);
        session_run(r->engine, v.dialogue, r->limits, &r->stop, &outcome);
        atomic_fetch_add(&r->refused, outcome.refused);
        atomic_fetch_add(&r->malformed, outcome.malformed);
        atomic_fetch_add(&r->received_bytes, outcome.received_bytes);
        note_served(r, &outcome.served);
        slot_forget_fd(r, v.slot);
        dialogue_free(v.dialogue);
        slot_give_back(r, v.slot);
        responder_unref(r);
        return NULL;
}

static int visit_start(struct visit *v)
{
        pthread_attr_t attributes;
        pthread_t thread;
        (void)pthread_attr_init(&attributes); /* does not fail on Linux */
        (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
        atomic_fetch_add(&v->responder->references, 1);
        int error = pthread_create(&thread, &attributes, visit_thread, v);
        (void)pthread_attr_destroy(&attributes);
        if (error == 0)
                return 0;
        responder_unref(v->responder);
        return -error;
}

static void turn_away(struct responder *r, struct dialogue *d, enum refusal kind, const char *reason)
{
        atomic_fetch_add(&r->refused, 1);
        dialogue_refuse(d, kind, reason);
        dialogue_free(d);
}

/* Takes the connection. */
static void admit(struct responder *r, struct dialogue *d)
{
        char why[ENGINE_REASON_MAX];
        struct slot *slot = slot_take(r, dialogue_fd(d));
        if (!slot) {
                text_message(why, sizeof(why), "%s is busy: all %d sessions are taken", r->engine->node,
                        RESPONDER_SESSIONS);
                turn_away(r, d, REFUSAL_BUSY, why);
                return;
        }
        struct visit *v = malloc(sizeof(*v));
        int error = -ENOMEM;
        if (v) {
                *v = (struct visit){ r, slot, d };
                error = visit_start(v);
        }
        if (error == 0) {
                atomic_fetch_add(&r->sessions, 1);
                atomic_store(&r->last_activity_ns, clock_now_ns());
                return;
        }
        free(v);
        slot_forget_fd(r, slot);
        slot_give_back(r, slot);
        text_message(why, sizeof(why), "%s cannot start a session: %s (TasksMax, LimitNPROC?)",
                r->engine->node, strerror(-error));
        turn_away(r, d, REFUSAL_LOCAL, why);
}

static void welcome_or_not(struct responder *r, int fd, const struct sockaddr *from)
{
        char address[SOCKET_ADDRESS_TEXT_MAX], why[ENGINE_REASON_MAX];
        struct in6_addr who;
        struct channel *c;
        struct dialogue *d;
        socket_address_format(from, address, sizeof(address));
        atomic_fetch_add(&r->connections, 1);
        if (channel_adopt(fd, address, &c) < 0 || dialogue_new(c, &d) < 0)
                return; /* no memory; the client sees a hang-up */
        address_of(from, &who);
        if (is_admitted(r, &who)) {
                admit(r, d);
                return;
        }
        text_message(why, sizeof(why),
                "%s does not know %s: add that address there, to the peers of rdma-canaryd or to respond "
                "--allow",
                r->engine->node, address);
        turn_away(r, d, REFUSAL_REFUSED, why);
}

/* ---- the acceptor ----------------------------------------------------------------------------------- */

/* False when there is no room for another connection (descriptors, memory): the listener stays readable, so
 * the acceptor must not ask it again at once. */
static bool accept_one(struct responder *r)
{
        struct sockaddr_storage from = { 0 };
        socklen_t len = sizeof(from);
        int fd = accept4(r->listener, (struct sockaddr *)&from, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0)
                welcome_or_not(r, fd, (const struct sockaddr *)&from);
        return fd >= 0 || errno == EAGAIN || errno == EINTR || errno == ECONNABORTED;
}

static void *acceptor_thread(void *argument)
{
        struct responder *r = argument;
        bool room = true;
        while (!atomic_load(&r->stop)) {
                struct pollfd fds[] = {
                        { .fd = r->wake, .events = POLLIN },
                        { .fd = room ? r->listener : -1, .events = POLLIN },
                };
                int n = poll(fds, ARRAY_SIZE(fds), room ? -1 : ACCEPT_BACKOFF_MS);
                if (n < 0 && errno != EINTR) /* no memory in the kernel */
                        (void)usleep(ACCEPT_BACKOFF_MS * 1000);
                if (n >= 0)
                        room = !room || fds[1].revents == 0 || accept_one(r);
        }
        return NULL;
}

/* ---- making and ending ------------------------------------------------------------------------------ */

static int listen_on(int family, const struct sockaddr *a, socklen_t len, int *ret)
{
        static const int on = 1, off = 0;
        cleanup(close_fdp) int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (fd < 0)
                return -errno;
        (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)); /* restart while old ones linger */
        if (family == AF_INET6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) < 0)
                return -errno;
        if (bind(fd, a, len) < 0 || listen(fd, BACKLOG) < 0)
                return -errno;
        *ret = take_fd(&fd);
        return 0;
}

/* Both families by one socket; IPv4 alone where the kernel has no IPv6. */
static int listen_everywhere(uint16_t port, int *ret)
{
        struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
        struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons(port) };
        int r = listen_on(AF_INET6, (const struct sockaddr *)&six, sizeof(six), ret);
        if (r == -EAFNOSUPPORT || r == -EADDRNOTAVAIL)
                r = listen_on(AF_INET, (const struct sockaddr *)&four, sizeof(four), ret);
        return r;
}

static int listen_at(const char *host, uint16_t port, int *ret, char *why)
{
        struct addrinfo *found = NULL, hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE };
        char service[8];
        text_message(service, sizeof(service), "%u", port);
        int error = getaddrinfo(host, service, &hints, &found);
        if (error != 0) {
                text_message(why, ENGINE_REASON_MAX, "cannot listen on %s: %s", host, gai_strerror(error));
                return -EADDRNOTAVAIL;
        }
        int r = listen_on(found->ai_family, found->ai_addr, found->ai_addrlen, ret);
        freeaddrinfo(found);
        return r;
}

static int responder_listen(struct responder *r, const struct responder_options *o, char *why)
{
        const char *host = o->listen_host ? o->listen_host : "";
        text_message(why, ENGINE_REASON_MAX, "%s", "");
        int error = *host ? listen_at(host, o->port, &r->listener, why)
                          : listen_everywhere(o->port, &r->listener);
        if (error < 0) {
                if (!*why)
                        text_message(why, ENGINE_REASON_MAX, "cannot listen on %s port %u: %s",
                                *host ? host : "any address", o->port, strerror(-error));
                return error;
        }
        struct sockaddr_in6 bound = { 0 };
        socklen_t len = sizeof(bound);
        if (getsockname(r->listener, (struct sockaddr *)&bound, &len) < 0)
                return -errno;
        r->port = ntohs(bound.sin6_port); /* IPv4 has it at the same place */
        return 0;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
        return a > b ? a : b;
}

static struct responder *responder_make(struct engine *e, const struct responder_options *o)
{
        struct responder *r = calloc(1, sizeof(*r));
        if (!r)
                return NULL;
        r->limits[ROLE_PEER] = (struct session_limits){
                .max_session_ns = o->max_session_ns ? o->max_session_ns : DEFAULT_SESSION_NS,
                .max_bytes = o->max_bytes ? o->max_bytes : DEFAULT_MAX_BYTES,
                .max_queue_pairs = o->max_queue_pairs ? o->max_queue_pairs : DEFAULT_QUEUE_PAIRS,
        };
        r->limits[ROLE_OPERATOR] = (struct session_limits){
                .max_session_ns = larger(o->max_session_ns, OPERATOR_SESSION_NS),
                .max_bytes = larger(o->max_bytes, OPERATOR_MAX_BYTES),
                .max_queue_pairs = ENDPOINT_QPS_MAX,
        };
        r->anyone = o->anyone;
        atomic_init(&r->last_activity_ns, clock_now_ns());
        cond_init(&r->ended);
        (void)pthread_mutex_init(&r->lock, NULL);
        atomic_init(&r->references, 1);
        r->listener = r->wake = -1;
        r->engine = engine_ref(e);
        return r;
}

static int responder_start(struct responder *r, char *why)
{
        pthread_attr_t attributes;
        r->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        int error = r->wake < 0 ? errno : 0;
        if (error == 0) {
                (void)pthread_attr_init(&attributes); /* does not fail on Linux */
                (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
                error = pthread_create(&r->acceptor, &attributes, acceptor_thread, r);
                (void)pthread_attr_destroy(&attributes);
        }
        if (error != 0)
                text_message(why, ENGINE_REASON_MAX, "cannot start the responder: %s", strerror(error));
        return -error;
}

int responder_new(struct engine *e, const struct responder_options *o, struct responder **ret, char *why)
{
        struct responder *r = responder_make(e, o);
        if (!r) {
                text_message(why, ENGINE_REASON_MAX, "no memory");
                return -ENOMEM;
        }
        int error = responder_listen(r, o, why);
        if (error == 0)
                error = responder_start(r, why);
        if (error < 0) {
                responder_unref(r);
                return error;
        }
        *ret = r;
        return 0;
}

uint16_t responder_port(const struct responder *r)
{
        return r->port;
}

/* Under the lock. */
static unsigned sessions_now(const struct responder *r)
{
        unsigned n = 0;
        for (size_t i = 0; i < RESPONDER_SESSIONS; i++)
                n += r->slots[i].taken;
        return n;
}

void responder_stats_get(struct responder *r, struct responder_stats *ret)
{
        *ret = (struct responder_stats){
                .connections_total = atomic_load(&r->connections),
                .sessions_total = atomic_load(&r->sessions),
                .refused_total = atomic_load(&r->refused),
                .malformed_total = atomic_load(&r->malformed),
                .received_bytes_total = atomic_load(&r->received_bytes),
                .last_activity_ns = atomic_load(&r->last_activity_ns),
        };
        pthread_mutex_lock(&r->lock);
        ret->sessions = sessions_now(r);
        pthread_mutex_unlock(&r->lock);
}

static void end_sessions(struct responder *r)
{
        uint64_t deadline_ns = clock_now_ns() + FREE_WAIT_NS;
        pthread_mutex_lock(&r->lock);
        for (size_t i = 0; i < RESPONDER_SESSIONS; i++)
                if (r->slots[i].fd >= 0 && r->slots[i].taken)
                        (void)shutdown(r->slots[i].fd, SHUT_RDWR); /* wakes whoever waits on it */
        while (sessions_now(r) > 0 && clock_now_ns() < deadline_ns)
                (void)cond_wait_until(&r->ended, &r->lock, deadline_ns); /* the loop looks again */
        pthread_mutex_unlock(&r->lock);
}

/* A session stuck in the kernel is left behind with what it stands on. */
void responder_free(struct responder *r)
{
        if (!r)
                return;
        static const uint64_t one = 1;
        atomic_store(&r->stop, true);
        (void)!write(r->wake, &one, sizeof(one)); /* an eventfd at 0 takes it */
        (void)pthread_join(r->acceptor, NULL);
        int listener = take_fd(&r->listener);
        close_fdp(&listener); /* at once, also when a session stays behind */
        end_sessions(r);
        responder_unref(r);
}
