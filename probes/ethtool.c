/* SPDX-License-Identifier: Apache-2.0 */
/* The drivers' own statistics of the network interfaces behind one RDMA device: PFC, pause, physical layer,
 * PCIe. Mapped to one vocabulary; all others when asked for by name.
 *
 * The kernel answers under its network lock and takes long, so it is asked at most every min_age; between, the
 * last values are shown again. Names are read again when their number changes, and every minute, because
 * moving priority flow control from one priority to another changes names but not how many there are. */
#include "probes/ethtool.h"

#include <errno.h>
#include <fnmatch.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/vfs.h>

#include "base/sysfs.h"
#include "base/text.h"
#include "probes/ethtool_names.h"
#include "probes/netdevs.h"
#include "probes/passive.h"
#include "probes/readings.h"

#define NAMES_AGE_NS (60 * NS_PER_SEC)

struct ethtool_config {
        struct source_config base;
        uint64_t min_age_ns;
        struct option_list include; /* char * */
};

/* One statistic that is shown. Its position in the list is that of its series. */
struct statistic {
        uint64_t series; /* hash of family and labels */
        uint32_t index;  /* among the driver's, or enum ethtool_standard */
        enum ethtool_unit unit;
        bool known;
        uint64_t value;
};

struct interface {
        uint32_t n_names;
        uint64_t names_hash, names_at_ns;
        size_t first, standard, end; /* its statistics; where the standard ones begin */
};

struct ethtool_source {
        struct passive passive; /* first: made by its functions */
        uint64_t min_age_ns;
        size_t n_include;
        char **include;
        int socket; /* -1: not open */
        struct ethtool_netlink netlink;
        struct ethtool_caller caller;
        struct lookup lookup;
        struct netdevs netdevs;
        struct interface interfaces[NETDEVS_MAX];
        struct series_set *set; /* NULL: to be prepared */
        size_t n, cap;
        struct statistic *statistics;
        uint64_t read_at_ns; /* 0: never */
        int error;           /* of that reading */
};

static const struct option options[] = {
        SOURCE_OPTION_ENABLED(struct ethtool_config, "true"),
        { .key = "min_age",
                .kind = OPTION_DURATION,
                .offset = offsetof(struct ethtool_config, min_age_ns),
                .fallback = "10s",
                .max = 10 * 60 * NS_PER_SEC,
                .help = "the kernel is not asked again sooner than this; the last values are shown again" },
        { .key = "include",
                .kind = OPTION_TEXTS,
                .offset = offsetof(struct ethtool_config, include),
                .help = "shell patterns of statistics to show although they have no family of their own" },
};

static void destroy(void *state)
{
        struct ethtool_source *s = state;

        if (!s)
                return;
        close_fdp(&s->socket);
        ethtool_netlink_close(&s->netlink);
        for (size_t i = 0; i < s->n_include; i++)
                free(s->include[i]);
        free(s->include);
        free(s->statistics);
        series_set_unref(s->set);
        passive_destroy(s);
}

static int copy_include(struct ethtool_source *s, const struct option_list *list)
{
        char *const *patterns = list->items;

        if (list->n == 0)
                return 0;
        s->include = calloc(list->n, sizeof(*s->include));
        for (size_t i = 0; s->include && i < list->n; i++) {
                s->include[i] = strdup(patterns[i]);
                if (!s->include[i])
                        return -ENOMEM;
                s->n_include++;
        }
        return s->include ? 0 : -ENOMEM;
}

static int create(const struct source_environment *env, const struct source_target *target,
        const void *config, void **ret_state)
{
        const struct ethtool_config *c = config;
        struct ethtool_source *s = calloc(1, sizeof(*s));
        int r;

        if (!s)
                return -ENOMEM;
        s->socket = s->netlink.fd = -1;
        s->min_age_ns = c->min_age_ns;
        r = passive_init(&s->passive, env, target);
        if (r == 0)
                r = copy_include(s, &c->include);
        if (r < 0) {
                destroy(s);
                return r;
        }
        *ret_state = s;
        return 0;
}

void ethtool_ask(void *state, struct ethtool_caller caller)
{
        ((struct ethtool_source *)state)->caller = caller;
}

/* Of a tree that only looks like sysfs the kernel knows nothing: -ENODEV. */
static int find_caller(struct ethtool_source *s)
{
        struct statfs st;

        if (s->caller.call)
                return 0;
        if (fstatfs(s->passive.env->sysfs, &st) < 0)
                return -errno;
        if (st.f_type != SYSFS_MAGIC)
                return -ENODEV;
        s->socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (s->socket < 0)
                return -errno;
        s->caller = (struct ethtool_caller){ .call = ethtool_ioctl,
                .context = &s->socket,
                .standard = ethtool_standard_ask,
                .standard_context = &s->netlink };
        return 0;
}

static bool is_included(const struct ethtool_source *s, const char *name)
{
        for (size_t i = 0; i < s->n_include; i++)
                if (fnmatch(s->include[i], name, 0) == 0)
                        return true;
        return false;
}

static int make_room(struct ethtool_source *s)
{
        size_t cap = s->cap ? 2 * s->cap : 64;
        struct statistic *statistics;

        if (s->n < s->cap)
                return 0;
        statistics = reallocarray(s->statistics, cap, sizeof(*statistics));
        if (!statistics)
                return -ENOMEM;
        s->statistics = statistics;
        s->cap = cap;
        return 0;
}

static uint64_t series_hash(const struct metric_family *f, const char *netdev, const char *third)
{
        return text_hash(third, text_hash(" ", text_hash(netdev, text_hash(f->name, TEXT_HASH_SEED))));
}

/* Drivers have given two statistics the same name: the first one stands. */
static bool is_there(const struct ethtool_source *s, size_t first, uint64_t series)
{
        for (size_t i = first; i < s->n; i++)
                if (s->statistics[i].series == series)
                        return true;
        return false;
}

static int add(struct ethtool_source *s, const char *netdev, uint32_t index, size_t first,
        const struct ethtool_meaning *meaning, const char *third)
{
        uint64_t series = series_hash(meaning->family, netdev, third);
        int r;

        if (is_there(s, first, series))
                return 0;
        r = make_room(s);
        if (r == 0)
                r = series_set_add(s->set, meaning->family, LABELS(s->passive.device, netdev, third));
        if (r < 0)
                return r;
        s->statistics[s->n++] = (struct statistic){ .series = series, .index = index, .unit = meaning->unit };
        return 0;
}

static int add_named(struct ethtool_source *s, const char *netdev, const char *driver, const char *names,
        uint32_t index, size_t first)
{
        struct ethtool_meaning meaning = { .family = ethtool_other };
        char name[ETHTOOL_NAME_SIZE + 1];
        size_t len = ethtool_name_length(names, index);

        memcpy(name, names + (size_t)index * ETHTOOL_NAME_SIZE, len);
        name[len] = '\0';
        if (ethtool_meaning(driver, name, len, &meaning) == 0)
                return add(s, netdev, index, first, &meaning, meaning.number);
        if (len > 0 && is_included(s, name))
                return add(
                        s, netdev, index, first, &(struct ethtool_meaning){ .family = ethtool_other }, name);
        return 0;
}

static uint64_t hash_names(const char *names, uint32_t n)
{
        uint64_t hash = TEXT_HASH_SEED;

        for (uint32_t i = 0; i < n; i++) {
                char name[ETHTOOL_NAME_SIZE + 1];
                size_t len = ethtool_name_length(names, i);

                memcpy(name, names + (size_t)i * ETHTOOL_NAME_SIZE, len);
                name[len] = '\0';
                hash = text_hash("\n", text_hash(name, hash));
        }
        return hash;
}

static int prepare_driver(struct ethtool_source *s, const char *netdev, struct interface *interface)
{
        char driver[ETHTOOL_NAME_SIZE + 1];
        cleanup(freep) char *names = NULL;
        uint32_t n = 0;
        int r = ethtool_driver(&s->caller, netdev, driver);

        if (r == 0)
                r = ethtool_names(&s->caller, netdev, &names, &n);
        if (r < 0)
                return r;
        interface->n_names = n;
        interface->names_hash = hash_names(names, n);
        for (uint32_t i = 0; r == 0 && i < n; i++)
                r = add_named(s, netdev, driver, names, i, interface->first);
        return r;
}

/* What the driver's own names did not give already. */
static int prepare_standard(struct ethtool_source *s, const char *netdev, const struct interface *interface)
{
        struct ethtool_standard_values values = { 0 };
        int r = s->caller.standard ? s->caller.standard(s->caller.standard_context, netdev, &values) : 0;

        for (uint32_t i = 0; r == 0 && i < N_ETHTOOL_STANDARD; i++) {
                struct ethtool_meaning meaning;

                if (!(values.known & 1U << i))
                        continue;
                ethtool_standard_meaning(i, &meaning);
                r = add(s, netdev, i, interface->first, &meaning, "");
        }
        return r;
}

/* An interface that has no such statistics, as a bond, has none to prepare: no failure. */
static int prepare_interface(struct ethtool_source *s, size_t which)
{
        const char *netdev = s->netdevs.items[which].name;
        struct interface *interface = &s->interfaces[which];
        int error = 0;

        *interface = (struct interface){ .first = s->n, .names_hash = hash_names(NULL, 0) };
        interface->names_at_ns = clock_monotonic_ns(s->passive.env->clock);
        sysfs_note_error(&error, prepare_driver(s, netdev, interface));
        interface->standard = s->n;
        sysfs_note_error(&error, prepare_standard(s, netdev, interface));
        interface->end = s->n;
        return error;
}

static int prepare(struct ethtool_source *s)
{
        int error = 0;

        series_set_unref(s->set);
        s->n = 0;
        s->set = series_set_new();
        if (!s->set)
                return -ENOMEM;
        for (size_t i = 0; i < s->netdevs.n; i++)
                sysfs_note_error(&error, prepare_interface(s, i));
        return error;
}

static int look_up(struct ethtool_source *s)
{
        struct netdevs found;
        int r = 0;

        if (lookup_due(&s->lookup, s->passive.env)) {
                r = netdevs_find(s->passive.env->sysfs, s->passive.device, &found);
                if (s->set && netdevs_equal(&found, &s->netdevs))
                        return r;
                s->netdevs = found;
                sysfs_note_error(&r, prepare(s));
        } else if (!s->set) {
                r = prepare(s);
        }
        return r;
}

static bool names_changed(const struct ethtool_source *s, const char *netdev, struct interface *interface)
{
        uint64_t now = clock_monotonic_ns(s->passive.env->clock);
        cleanup(freep) char *names = NULL;
        uint32_t n = 0;

        if (now - interface->names_at_ns < NAMES_AGE_NS)
                return false;
        interface->names_at_ns = now;
        if (ethtool_names(&s->caller, netdev, &names, &n) < 0)
                return false; /* nor will there be values */
        return n != interface->n_names || hash_names(names, n) != interface->names_hash;
}

/* -ESTALE: these are not the statistics that were prepared. */
static int read_driver(struct ethtool_source *s, const char *netdev, const struct interface *interface)
{
        cleanup(freep) uint64_t *values = NULL;
        uint32_t n = 0;
        int r;

        if (interface->first == interface->standard)
                return 0;
        r = ethtool_values(&s->caller, netdev, &values, &n);
        if (r == 0 && n != interface->n_names)
                return -ESTALE;
        for (size_t i = interface->first; i < interface->standard; i++) {
                s->statistics[i].known = r == 0;
                if (r == 0)
                        s->statistics[i].value = values[s->statistics[i].index];
        }
        return r;
}

static int read_standard(struct ethtool_source *s, const char *netdev, const struct interface *interface)
{
        struct ethtool_standard_values values = { 0 };
        int r;

        if (interface->standard == interface->end)
                return 0;
        r = s->caller.standard(s->caller.standard_context, netdev, &values);
        for (size_t i = interface->standard; i < interface->end; i++) {
                struct statistic *one = &s->statistics[i];

                one->known = r == 0 && values.known & 1U << one->index;
                one->value = values.values[one->index];
        }
        return r;
}

static int read_interface(struct ethtool_source *s, size_t which)
{
        const char *netdev = s->netdevs.items[which].name;
        struct interface *interface = &s->interfaces[which];
        int r;

        if (names_changed(s, netdev, interface))
                return -ESTALE;
        r = read_driver(s, netdev, interface);
        if (r != -ESTALE)
                sysfs_note_error(&r, read_standard(s, netdev, interface));
        return r;
}

static int read_all(struct ethtool_source *s)
{
        int error = look_up(s);

        for (size_t i = 0; s->set && i < s->netdevs.n; i++) {
                int r = read_interface(s, i);

                if (r == -ESTALE) {
                        series_set_unref(take_ptr(s->set));
                        return r;
                }
                sysfs_note_error(&error, r);
        }
        return error;
}

static void show(const struct ethtool_source *s, struct batch *b)
{
        if (!s->set)
                return;
        batch_prepare(b, s->set);
        for (size_t i = 0; i < s->n; i++) {
                const struct statistic *one = &s->statistics[i];

                if (!one->known)
                        continue;
                if (one->unit == ETHTOOL_MICROSECONDS)
                        batch_set_double(b, i, (double)one->value / 1e6);
                else if (one->unit == ETHTOOL_PERCENT)
                        batch_set_double(b, i, (double)one->value / 100);
                else
                        batch_set_u64(b, i, one->value);
        }
}

static int collect(void *state, uint64_t deadline_ns, struct batch *b)
{
        struct ethtool_source *s = state;
        uint64_t now = clock_monotonic_ns(s->passive.env->clock);
        int r = find_caller(s);

        if (r < 0)
                return sysfs_is_absent(r) ? 0 : r;
        if (s->read_at_ns == 0 || now - s->read_at_ns >= s->min_age_ns) {
                s->read_at_ns = now;
                s->error = read_all(s);
                if (s->error == -ESTALE)
                        s->error = read_all(s);
        }
        show(s, b);
        return s->error;
}

const struct source_class source_ethtool = {
        .name = "ethtool",
        .summary = "The drivers' statistics of the network interfaces behind each RDMA device: PFC, pause, "
                   "physical "
                   "layer, PCIe; asked of the kernel at most every 10 s (min_age).",
        .trigger = TRIGGER_SCRAPE,
        .scope = SCOPE_DEVICE,
        .families = ethtool_families,
        .n_families = N_ETHTOOL_FAMILIES,
        .options = options,
        .n_options = ARRAY_SIZE(options),
        .config_size = sizeof(struct ethtool_config),
        .create = create,
        .collect = collect,
        .destroy = destroy,
};
