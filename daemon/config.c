/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/config.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "daemon/loader.h"

#define NAME(type, field, name, text)                                                                        \
        {                                                                                                    \
                .key = name, .kind = OPTION_TEXT, .offset = offsetof(type, field), .min = 1,                 \
                .max = ENGINE_NAME_MAX - 1, .help = text                                                     \
        }
#define PORT(type, field, default_text, text)                                                                \
        {                                                                                                    \
                .key = "port", .kind = OPTION_U64, .offset = offsetof(type, field),                          \
                .fallback = default_text, .min = 1, .max = UINT16_MAX, .help = text                          \
        }

static const struct option peer_rows[] = {
        NAME(struct config_peer, name, "name", "the peer's node name; becomes the label `peer`"),
        { .key = "address",
                .kind = OPTION_TEXT,
                .offset = offsetof(struct config_peer, address),
                .min = 1,
                .max = 253,
                .help = "host name or address of the peer's control port; need not be on the RDMA network" },
        PORT(struct config_peer, port, "14792", "TCP port of the peer's responder"),
        { .key = "groups",
                .kind = OPTION_LABELS,
                .offset = offsetof(struct config_peer, groups),
                .help = "where the peer stands, such as `rack: r12`" },
};

static const struct option rail_rows[] = {
        NAME(struct config_rail, name, "name", "label `rail` of the device"),
        NAME(struct config_rail, device, "device", "RDMA device name, such as `mlx5_0`"),
};

#define MEMBER(field) offsetof(struct config, field)

static const struct option responder_rows[] = {
        { .key = "enabled",
                .kind = OPTION_BOOL,
                .offset = MEMBER(responder.enabled) - MEMBER(responder),
                .fallback = "true",
                .help = "whether peers may measure against this host" },
        { .key = "host",
                .kind = OPTION_TEXT,
                .offset = MEMBER(responder.host) - MEMBER(responder),
                .fallback = "",
                .max = 253,
                .help = "address to listen on; empty: all" },
        { .key = "port",
                .kind = OPTION_U64,
                .offset = MEMBER(responder.port) - MEMBER(responder),
                .fallback = "14792",
                .min = 1,
                .max = UINT16_MAX,
                .help = "TCP port to listen on" },
};

static const struct option devices_rows[] = {
        { .key = "exclude",
                .kind = OPTION_TEXTS,
                .offset = MEMBER(devices.exclude) - MEMBER(devices),
                .help = "shell patterns of RDMA devices that are not touched at all" },
};

static const struct option scrape_rows[] = {
        { .key = "timeout",
                .kind = OPTION_DURATION,
                .offset = MEMBER(scrape.timeout_ns) - MEMBER(scrape),
                .fallback = "8s",
                .min = 100 * NS_PER_MS,
                .max = 60 * NS_PER_SEC,
                .help = "time a page may take when the scraper does not say how long it waits" },
};

static const struct option metrics_rows[] = {
        { .key = "max_series",
                .kind = OPTION_U64,
                .offset = MEMBER(metrics.max_series) - MEMBER(metrics),
                .fallback = "50000",
                .max = 100000000,
                .help = "most series of a page, ten times what 64 devices have; beyond it whole families are "
                        "left out, first `rdma_canary_hw_value`, then those with the most series, and "
                        "counted by `rdma_canary_dropped_series`; the service's own stay; 0: no limit" },
};

static const struct option top_rows[] = {
        { .key = "node",
                .kind = OPTION_TEXT,
                .offset = MEMBER(node),
                .fallback = "",
                .max = ENGINE_NAME_MAX - 1,
                .help = "this host's name among its peers; empty: the host name" },
        { .key = "peers",
                .kind = OPTION_LIST,
                .offset = MEMBER(peers),
                .children = peer_rows,
                .n_children = ARRAY_SIZE(peer_rows),
                .item_size = sizeof(struct config_peer),
                .help = "hosts to probe, and to be probed by; this host itself may be among them" },
        { .key = "rails",
                .kind = OPTION_LIST,
                .offset = MEMBER(rails),
                .children = rail_rows,
                .n_children = ARRAY_SIZE(rail_rows),
                .item_size = sizeof(struct config_rail),
                .help = "devices by rail; the n-th rail probes the n-th of a peer; empty: all devices in "
                        "order" },
        { .key = "responder",
                .kind = OPTION_MAP,
                .offset = MEMBER(responder),
                .children = responder_rows,
                .n_children = ARRAY_SIZE(responder_rows),
                .help = "the passive side of probes" },
        { .key = "devices",
                .kind = OPTION_MAP,
                .offset = MEMBER(devices),
                .children = devices_rows,
                .n_children = ARRAY_SIZE(devices_rows),
                .help = "which RDMA devices to watch" },
        { .key = "scrape",
                .kind = OPTION_MAP,
                .offset = MEMBER(scrape),
                .children = scrape_rows,
                .n_children = ARRAY_SIZE(scrape_rows),
                .help = "how pages are made" },
        { .key = "metrics",
                .kind = OPTION_MAP,
                .offset = MEMBER(metrics),
                .children = metrics_rows,
                .n_children = ARRAY_SIZE(metrics_rows),
                .help = "what pages hold" },
};

/* Row arrays that take in the classes' own rows, and where each class's struct lies behind struct config
 * in the same block of memory. Made anew for each load: it is cheap, and there is no global to guard. */
struct schema {
        struct option *top, *probes, *collectors;
        size_t n_top, n_probes, n_collectors;
        size_t size; /* of the whole block */
};

/* The block: what config_load() hands out points at `config`, which must stay first. */
struct snapshot {
        struct config config;
        atomic_uint references;
        struct schema schema;
};

#define ALIGNED(size) (((size) + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1))

static void schema_done(struct schema *s)
{
        free(s->top);
        free(s->probes);
        free(s->collectors);
        *s = (struct schema){ 0 };
}

static void add_classes(struct schema *s, enum trigger trigger, struct option *rows, size_t *n)
{
        for (size_t i = 0; i < n_source_classes; i++) {
                const struct source_class *class = source_classes[i];
                if (class->trigger != trigger)
                        continue;
                rows[(*n)++] = (struct option){ .key = class->name,
                        .kind = OPTION_MAP,
                        .offset = s->size,
                        .children = class->options,
                        .n_children = class->n_options,
                        .help = class->summary };
                s->size += ALIGNED(class->config_size);
        }
}

static int schema_init(struct schema *s)
{
        *s = (struct schema){ .size = ALIGNED(sizeof(struct snapshot)) };
        s->top = calloc(ARRAY_SIZE(top_rows) + 2, sizeof(s->top[0]));
        s->probes = calloc(n_source_classes + 1, sizeof(s->probes[0]));
        s->collectors = calloc(n_source_classes + 1, sizeof(s->collectors[0]));
        if (!s->top || !s->probes || !s->collectors) {
                schema_done(s);
                return -ENOMEM;
        }
        add_classes(s, TRIGGER_TIMER, s->probes, &s->n_probes);
        add_classes(s, TRIGGER_SCRAPE, s->collectors, &s->n_collectors);
        memcpy(s->top, top_rows, sizeof(top_rows));
        s->n_top = ARRAY_SIZE(top_rows);
        s->top[s->n_top++] = (struct option){ .key = "probes",
                .kind = OPTION_MAP,
                .children = s->probes,
                .n_children = s->n_probes,
                .help = "active measurements, one mapping each" };
        s->top[s->n_top++] = (struct option){ .key = "collectors",
                .kind = OPTION_MAP,
                .children = s->collectors,
                .n_children = s->n_collectors,
                .help = "passive sources, one mapping each" };
        return 0;
}

static void snapshot_free(struct snapshot *s)
{
        option_free(s->schema.top, s->schema.n_top, s);
        schema_done(&s->schema);
        free(s);
}

static int set_node(struct config *c)
{
        char name[ENGINE_NAME_MAX] = "";

        if (c->node && c->node[0])
                return 0;
        /* A host name longer than this is cut, which POSIX leaves unterminated. */
        (void)gethostname(name, sizeof(name) - 1);
        free(c->node);
        c->node = strdup(name[0] ? name : "localhost");
        return c->node ? 0 : -ENOMEM;
}

static void peer_free(struct config_peer *p)
{
        option_free(peer_rows, ARRAY_SIZE(peer_rows), p);
}

/* A peer list shared by all hosts holds this one too. */
static void drop_self(struct config *c)
{
        struct config_peer *peers = c->peers.items;
        size_t kept = 0;

        for (size_t i = 0; i < c->peers.n; i++) {
                if (strcmp(peers[i].name, c->node) == 0)
                        peer_free(&peers[i]);
                else
                        peers[kept++] = peers[i];
        }
        c->peers.n = kept;
}

static int compare_names(const void *a, const void *b)
{
        return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names become labels and log lines. */
static bool is_plain(const char *name)
{
        for (; *name; name++)
                if ((unsigned char)*name < 0x20 || *name == 0x7f)
                        return false;
        return true;
}

/* Sorts the names; what is there twice, or could not be printed, is a problem. */
static void check_names(
        const char *path, const char *what, const char **names, size_t n, struct buf *problems)
{
        qsort(names, n, sizeof(names[0]), compare_names);
        for (size_t i = 0; i < n; i++) {
                if (!is_plain(names[i]))
                        buf_format(problems, "%s: %s: a name has control characters in it\n", path, what);
                if (i > 0 && strcmp(names[i - 1], names[i]) == 0)
                        buf_format(problems, "%s: %s: \"%s\" is there twice\n", path, what, names[i]);
        }
}

static int check_all_names(const char *path, const struct config *c, struct buf *problems)
{
        size_t most = c->peers.n > c->rails.n ? c->peers.n : c->rails.n;
        const char **names = calloc(most ? most : 1, sizeof(names[0]));

        if (!names)
                return -ENOMEM;
        for (size_t i = 0; i < c->peers.n; i++)
                names[i] = config_peer(c, i)->name;
        check_names(path, "names of peers", names, c->peers.n, problems);
        for (size_t i = 0; i < c->rails.n; i++)
                names[i] = config_rail(c, i)->name;
        check_names(path, "names of rails", names, c->rails.n, problems);
        for (size_t i = 0; i < c->rails.n; i++)
                names[i] = config_rail(c, i)->device;
        check_names(path, "devices of rails", names, c->rails.n, problems);
        free(names);
        if (!is_plain(c->node))
                buf_format(problems, "%s: node: the name has control characters in it\n", path);
        return problems->len ? -EINVAL : 0;
}

int config_load(const char *path, struct config **ret, struct buf *problems)
{
        struct schema schema;
        struct snapshot *s;
        int r;

        r = schema_init(&schema);
        if (r < 0)
                return r;
        s = calloc(1, schema.size);
        if (!s) {
                schema_done(&schema);
                return -ENOMEM;
        }
        s->schema = schema;
        atomic_init(&s->references, 1);
        r = loader_file(path, s->schema.top, s->schema.n_top, s, problems);
        if (r == 0)
                r = set_node(&s->config);
        if (r == 0) {
                drop_self(&s->config);
                r = check_all_names(path, &s->config, problems);
        }
        if (r < 0) {
                snapshot_free(s);
                return r;
        }
        *ret = &s->config;
        return 0;
}

static struct snapshot *snapshot_of(struct config *c)
{
        return (struct snapshot *)c;
}

struct config *config_ref(struct config *c)
{
        atomic_fetch_add_explicit(&snapshot_of(c)->references, 1, memory_order_relaxed);
        return c;
}

void config_unref(struct config *c)
{
        if (c && atomic_fetch_sub_explicit(&snapshot_of(c)->references, 1, memory_order_acq_rel) == 1)
                snapshot_free(snapshot_of(c));
}

const void *config_of_class(const struct config *c, const struct source_class *class)
{
        const struct schema *s = &((const struct snapshot *)c)->schema;
        const struct option *rows = class->trigger == TRIGGER_TIMER ? s->probes : s->collectors;
        size_t n = class->trigger == TRIGGER_TIMER ? s->n_probes : s->n_collectors;

        for (size_t i = 0; i < n; i++)
                if (rows[i].children == class->options && strcmp(rows[i].key, class->name) == 0)
                        return (const char *)c + rows[i].offset;
        return NULL;
}

const struct config_peer *config_peer(const struct config *c, size_t i)
{
        return &((const struct config_peer *)c->peers.items)[i];
}

const struct config_rail *config_rail(const struct config *c, size_t i)
{
        return &((const struct config_rail *)c->rails.items)[i];
}

void config_document(struct buf *out)
{
        struct schema schema;

        if (schema_init(&schema) < 0) {
                out->error = -ENOMEM;
                return;
        }
        buf_text(out, "| key | kind | default | what |\n|---|---|---|---|\n");
        loader_document(out, schema.top, schema.n_top);
        schema_done(&schema);
}
