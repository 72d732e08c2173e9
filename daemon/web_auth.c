/* SPDX-License-Identifier: Apache-2.0 */
/* Names that are not known are checked against the hash of one that is, so that they take as long. A reload
 * makes a new object, so nothing remembered here outlives the users it was found with. */
#include "daemon/web_auth.h"

#include <crypt.h>
#include <errno.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/clock.h"
#include "base/text.h"
#include "daemon/basic_credentials.h"

#define REMEMBERED 64
#define DIGEST     32 /* SHA-256 */
#define CPU_SHARE  4  /* at most a fourth of one CPU goes to checks, however costly the hashes */

/* The last ones, oldest overwritten first. Right and wrong ones apart: guesses push no scraper out. */
struct digests {
        unsigned char items[REMEMBERED][DIGEST];
        size_t n, next;
};

struct penalties {
        struct penalty {
                uint64_t address, until_ns;
        } items[REMEMBERED];
        size_t next;
};

struct user {
        char *name, *hash;
};

struct web_auth {
        struct user *users;
        size_t n_users;
        unsigned char key[DIGEST];

        pthread_mutex_t lock; /* all below */
        struct digests right, wrong;
        struct penalties penalties;
        uint64_t turn_ns; /* when the next check would be due if they came evenly */
        uint64_t interval_ns;
};

void web_auth_free(struct web_auth *a)
{
        if (!a)
                return;
        for (size_t i = 0; i < a->n_users; i++) {
                free(a->users[i].name);
                free(a->users[i].hash);
        }
        free(a->users);
        (void)pthread_mutex_destroy(&a->lock);
        explicit_bzero(a, sizeof(*a));
        free(a);
}

int web_auth_new(const struct option_list *users, struct web_auth **ret)
{
        cleanup(web_auth_freep) struct web_auth *a = calloc(1, sizeof(*a));

        if (!a)
                return -ENOMEM;
        (void)pthread_mutex_init(&a->lock, NULL); /* cannot fail without attributes */
        a->interval_ns = WEB_AUTH_INTERVAL_NS;
        if (getrandom(a->key, sizeof(a->key), 0) != (ssize_t)sizeof(a->key))
                return -errno;
        a->users = calloc(users->n, sizeof(a->users[0]));
        if (!a->users)
                return -ENOMEM;
        for (size_t i = 0; i < users->n; i++) {
                const struct option_label *label = (const struct option_label *)users->items + i;
                struct user *user = &a->users[a->n_users++];

                user->name = strdup(label->name);
                user->hash = strdup(label->value);
                if (!user->name || !user->hash)
                        return -ENOMEM;
        }
        *ret = take_ptr(a);
        return 0;
}

/* ---- what is remembered; with the lock --------------------------------------------------------------- */

static bool digests_have(const struct digests *d, const unsigned char *digest)
{
        bool found = false;

        for (size_t i = 0; i < d->n; i++)
                found |= gnutls_memcmp(d->items[i], digest, DIGEST) == 0;
        return found;
}

static void digests_add(struct digests *d, const unsigned char *digest)
{
        memcpy(d->items[d->next], digest, DIGEST);
        d->next = (d->next + 1) % REMEMBERED;
        d->n += d->n < REMEMBERED;
}

/* A network of IPv6 hosts is one address: its hosts have as many as they like. */
static uint64_t address_key(const struct sockaddr *from)
{
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        uint64_t network;

        if (from && from->sa_family == AF_INET) {
                memcpy(&v4, from, sizeof(v4));
                return v4.sin_addr.s_addr;
        }
        if (!from || from->sa_family != AF_INET6)
                return 0;
        memcpy(&v6, from, sizeof(v6));
        memcpy(&network, v6.sin6_addr.s6_addr + (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr) ? 8 : 0),
                sizeof(network));
        return network;
}

static bool is_punished(const struct penalties *p, uint64_t address, uint64_t now_ns)
{
        for (size_t i = 0; i < ARRAY_SIZE(p->items); i++) {
                if (p->items[i].address == address && p->items[i].until_ns > now_ns)
                        return true;
        }
        return false;
}

static void punish(struct penalties *p, uint64_t address, uint64_t now_ns)
{
        p->items[p->next] = (struct penalty){ address, now_ns + WEB_AUTH_PENALTY_NS };
        p->next = (p->next + 1) % REMEMBERED;
}

static bool take_turn(struct web_auth *a, uint64_t now_ns)
{
        uint64_t turn_ns = a->turn_ns > now_ns ? a->turn_ns : now_ns;

        if (turn_ns - now_ns > (WEB_AUTH_BURST - 1) * a->interval_ns)
                return false;
        a->turn_ns = turn_ns + a->interval_ns;
        return true;
}

/* WEB_BUSY when there is nothing to remember and no turn is left; else *ret_check says whether to check. */
static enum web_verdict look_up(
        struct web_auth *a, const unsigned char *digest, uint64_t address, uint64_t now_ns, bool *ret_check)
{
        *ret_check = false;
        if (digests_have(&a->right, digest))
                return WEB_WELCOME;
        if (digests_have(&a->wrong, digest))
                return WEB_UNKNOWN;
        if (is_punished(&a->penalties, address, now_ns) || !take_turn(a, now_ns))
                return WEB_BUSY;
        *ret_check = true;
        return WEB_UNKNOWN;
}

/* ---- checks ------------------------------------------------------------------------------------------- */

static const struct user *find_user(const struct web_auth *a, const char *name)
{
        for (size_t i = 0; i < a->n_users; i++) {
                if (text_equal(a->users[i].name, name))
                        return &a->users[i];
        }
        return NULL;
}

static uint64_t thread_cpu_ns(void)
{
        struct timespec t = { 0 };

        (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* cannot fail for the calling thread */
        return (uint64_t)t.tv_sec * NS_PER_SEC + (uint64_t)t.tv_nsec;
}

/* crypt_rn() rather than crypt_r(): NULL when it fails, not a text; and the sanitizers' own crypt_r() makes the
 * linker think that libcrypt is not needed. */
static bool matches(const char *password, const char *hash)
{
        struct crypt_data *data = calloc(1, sizeof(*data)); /* 32 KiB */
        const char *made = data ? crypt_rn(password, hash, data, (int)sizeof(*data)) : NULL;
        size_t len = strlen(hash);
        bool same = made && strlen(made) == len && gnutls_memcmp(made, hash, len) == 0;

        if (data)
                explicit_bzero(data, sizeof(*data));
        free(data);
        return same;
}

/* The stand-in of an unknown name is always the same, and not to be foreseen: with hashes of several costs,
 * its time tells as little as theirs. */
static bool is_right(const struct web_auth *a, const struct basic_credentials *c, const unsigned char *digest)
{
        const struct user *user = find_user(a, c->user);
        const struct user *checked = user ? user : &a->users[digest[0] % a->n_users];

        return matches(c->password, checked->hash) && user;
}

static int make_digest(const struct web_auth *a, const void *data, size_t len, unsigned char digest[DIGEST])
{
        return gnutls_hmac_fast(GNUTLS_MAC_SHA256, a->key, sizeof(a->key), data, len, digest) < 0 ? -ENOMEM
                                                                                                  : 0;
}

static enum web_verdict check(
        struct web_auth *a, const struct basic_credentials *c, uint64_t address, uint64_t now_ns)
{
        unsigned char whole[DIGEST], name[DIGEST];
        enum web_verdict verdict;
        uint64_t begun_ns, cost_ns;
        bool unseen, right;

        /* The struct's unused bytes are zero: equal credentials are equal bytes. */
        if (make_digest(a, c, sizeof(*c), whole) < 0 || make_digest(a, c->user, strlen(c->user), name) < 0)
                return WEB_BUSY;
        (void)pthread_mutex_lock(&a->lock);
        verdict = look_up(a, whole, address, now_ns, &unseen);
        (void)pthread_mutex_unlock(&a->lock);
        if (!unseen)
                return verdict;
        begun_ns = thread_cpu_ns();
        right = is_right(a, c, name);
        cost_ns = thread_cpu_ns() - begun_ns;
        (void)pthread_mutex_lock(&a->lock);
        digests_add(right ? &a->right : &a->wrong, whole);
        if (!right)
                punish(&a->penalties, address, now_ns);
        a->interval_ns =
                cost_ns * CPU_SHARE > WEB_AUTH_INTERVAL_NS ? cost_ns * CPU_SHARE : WEB_AUTH_INTERVAL_NS;
        (void)pthread_mutex_unlock(&a->lock);
        return right ? WEB_WELCOME : WEB_UNKNOWN;
}

enum web_verdict web_auth_check(
        struct web_auth *a, const char *authorization, const struct sockaddr *from, uint64_t now_ns)
{
        struct basic_credentials credentials;
        enum web_verdict verdict;

        if (!authorization || basic_credentials_parse(authorization, strlen(authorization), &credentials) < 0)
                return WEB_UNKNOWN;
        verdict = check(a, &credentials, address_key(from), now_ns);
        explicit_bzero(&credentials, sizeof(credentials));
        return verdict;
}
