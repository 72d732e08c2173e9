/* SPDX-License-Identifier: Apache-2.0 */
/* State and counters of the ports of one device, from /sys/class/infiniband/DEVICE/ports/N. The directory
 * counters/ is there only when the driver answers performance management queries: not on Soft-RoCE, on
 * virtual functions of some devices, or inside a container's network namespace. Each of its files costs a
 * query of its own, uncached. Kernels before 4.5 have the 64-bit values in counters_ext/, if at all. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/scope.h"
#include "base/sysfs.h"
#include "base/text.h"
#include "probes/link_rate.h"
#include "probes/passive.h"
#include "probes/port_counters.h"

/* Where the value of a file goes. */
struct port_target {
        const struct port_counter *counter; /* NULL: an attribute */
        size_t position;
        int saturated; /* position; -1: wide */
        uint8_t port;  /* its place among the ports */
        bool seen;
        uint64_t last; /* value of the file, when seen */
};

struct port_state {
        char name[4];
        int info, resets; /* positions; -1: none */
        uint64_t n_resets;
};

struct port_source {
        struct prepared prepared;    /* first */
        struct port_target *targets; /* of files[i] */
        size_t n_targets;
        struct port_state *ports;
        size_t n_ports;
        /* Of before, so that a new preparation forgets no reset. */
        struct port_state *old_ports;
        size_t n_old_ports;
};

/* "4: ACTIVE" */
static int parse_state(const char *text, size_t len, uint64_t *ret)
{
        const char *colon = memchr(text, ':', len);

        return colon ? parse_u64(text, (size_t)(colon - text), ret) : -EINVAL;
}

/* "0x1a\n" */
static int parse_lid(const char *text, size_t len, uint64_t *ret)
{
        if (len > 0 && text[len - 1] == '\n')
                len--;
        if (len < 3 || len > 6 || memcmp(text, "0x", 2) != 0 ||
                strspn(text + 2, "0123456789abcdefABCDEF") != len - 2)
                return -EINVAL;
        *ret = strtoul(text + 2, NULL, 16);
        return 0;
}

static const struct {
        const char *file;
        enum port_family family;
        device_file_parse *parse;
} attributes[] = {
        { "state", PORT_STATE, parse_state },
        { "phys_state", PORT_PHYSICAL_STATE, parse_state },
        { "rate", PORT_RATE, link_rate_parse },
        { "lid", PORT_LID, parse_lid },
        { "sm_lid", PORT_SM_LID, parse_lid },
};

/* The interface of the first GID that has one; entries without answer EINVAL. Real ports have theirs among
 * the first; tables have up to 1024 entries. "" for none. */
static void find_netdev(int port_dir, char *dst, size_t size)
{
        enum { LOOK_AT = 16 };
        cleanup(close_fdp) int dir = sysfs_open_dir(port_dir, "gid_attrs/ndevs");

        for (unsigned i = 0; dir >= 0 && i < LOOK_AT; i++) {
                char index[16];

                (void)text_format(index, sizeof(index), "%u", i); /* fits */
                if (sysfs_read_line(dir, index, dst, size) == 0)
                        return;
        }
        dst[0] = '\0';
}

struct port_names {
        char link_layer[64], netdev[64]; /* "": none */
};

static int open_port(int device_dir, const char *port, struct port_names *ret)
{
        char path[16];
        int dir;

        (void)text_format(path, sizeof(path), "ports/%s", port); /* fits: three digits */
        dir = sysfs_open_dir(device_dir, path);
        if (dir < 0)
                return dir;
        if (sysfs_read_line(dir, "link_layer", ret->link_layer, sizeof(ret->link_layer)) < 0)
                ret->link_layer[0] = '\0';
        find_netdev(dir, ret->netdev, sizeof(ret->netdev));
        return dir;
}

static void look(const struct prepared *p, int device_dir, struct buf *seen)
{
        cleanup(sysfs_names_done) struct sysfs_names ports = { 0 };

        (void)passive_ports(device_dir, &ports); /* what fails is looked at again */
        for (size_t i = 0; i < ports.n; i++) {
                struct port_names names;
                cleanup(close_fdp) int dir = open_port(device_dir, ports.items[i], &names);

                buf_format(seen, "port %s\n", ports.items[i]);
                if (dir < 0)
                        continue;
                buf_format(seen, "%s\n%s\n", names.link_layer, names.netdev);
                prepared_note_directory(dir, ".", seen);
                prepared_note_directory(dir, "counters", seen);
                prepared_note_directory(dir, "counters_ext", seen);
        }
}

static int add_target(struct port_source *s, const struct device_file *file, const char *directory,
        const char *name, struct port_target target)
{
        struct port_target *targets;
        int i = device_files_add(&s->prepared.files, s->prepared.passive.env, file, directory, name);

        if (i < 0)
                return i;
        targets = reallocarray(s->targets, (size_t)i + 1, sizeof(*targets));
        if (!targets)
                return -ENOMEM;
        s->targets = targets;
        s->targets[i] = target;
        s->n_targets = (size_t)i + 1;
        return 0;
}

static int add_attributes(struct port_source *s, int dir, const char *directory, const char *port)
{
        cleanup(sysfs_names_done) struct sysfs_names names = { 0 };
        int r = sysfs_list(dir, &names);

        for (size_t i = 0; r == 0 && i < ARRAY_SIZE(attributes); i++) {
                struct device_file file = { .parse = attributes[i].parse };

                if (!sysfs_names_have(&names, attributes[i].file))
                        continue;
                r = series_set_add(s->prepared.set, &port_families[attributes[i].family],
                        LABELS(s->prepared.passive.device, port));
                if (r >= 0)
                        r = add_target(s, &file, directory, attributes[i].file,
                                (struct port_target){ .position = (size_t)r, .saturated = -1 });
        }
        return r;
}

static int add_mtu(struct port_source *s, const char *port, const char *netdev)
{
        struct device_file file = { .parse = parse_sysfs_u64 };
        char directory[96];
        int r;

        /* It becomes part of a path. */
        if (netdev[0] == '\0' || netdev[0] == '.' || strchr(netdev, '/'))
                return 0;
        r = text_format(directory, sizeof(directory), "class/net/%s", netdev);
        if (r == 0)
                r = series_set_add(s->prepared.set, &port_families[PORT_NETDEV_MTU],
                        LABELS(s->prepared.passive.device, port, netdev));
        if (r < 0)
                return r;
        return add_target(
                s, &file, directory, "mtu", (struct port_target){ .position = (size_t)r, .saturated = -1 });
}

static int add_counter(
        struct port_source *s, const char *directory, const char *port, const struct port_counter *c)
{
        struct device_file file = { .parse = parse_sysfs_u64, .counter = true };
        struct port_target target = { .counter = c, .saturated = -1, .port = (uint8_t)(s->n_ports - 1) };
        const char *device = s->prepared.passive.device;
        int r = series_set_add(s->prepared.set, &port_families[c->family], LABELS(device, port));

        if (r < 0)
                return r;
        target.position = (size_t)r;
        if (c->bits < 64) {
                r = series_set_add(
                        s->prepared.set, &port_families[COUNTER_SATURATED], LABELS(device, port, c->file));
                if (r < 0)
                        return r;
                target.saturated = r;
        }
        (void)text_copy(file.port, sizeof(file.port), port); /* fits: three digits */
        return add_target(s, &file, directory, c->file, target);
}

static int add_counters(struct port_source *s, int dir, const char *directory, const char *port)
{
        cleanup(sysfs_names_done) struct sysfs_names narrow = { 0 }, wide = { 0 };
        bool fed[N_PORT_FAMILIES] = { 0 };
        char path[160];
        int r = sysfs_list_below(dir, "counters", &narrow);

        if (r == 0)
                r = sysfs_list_below(dir, "counters_ext", &wide);
        for (size_t i = 0; r == 0 && i < n_port_counters; i++) {
                const struct port_counter *c = &port_counters[i];
                bool is_wide = strcmp(c->directory, "counters_ext") == 0;

                if (fed[c->family] || !sysfs_names_have(is_wide ? &wide : &narrow, c->file))
                        continue;
                r = text_format(path, sizeof(path), "%s/%s", directory, c->directory);
                if (r == 0)
                        r = add_counter(s, path, port, c);
                fed[c->family] = true;
        }
        if (r == 0 && narrow.n + wide.n > 0) {
                r = series_set_add(s->prepared.set, &port_families[COUNTER_RESETS],
                        LABELS(s->prepared.passive.device, port));
                if (r >= 0)
                        s->ports[s->n_ports - 1].resets = r;
        }
        return r < 0 ? r : 0;
}

static int add_state(struct port_source *s, const char *port)
{
        struct port_state *state = reallocarray(s->ports, s->n_ports + 1, sizeof(*state));

        if (!state)
                return -ENOMEM;
        s->ports = state;
        state = &s->ports[s->n_ports++];
        *state = (struct port_state){ .info = -1, .resets = -1 };
        (void)text_copy(state->name, sizeof(state->name), port); /* fits: three digits */
        for (size_t i = 0; i < s->n_old_ports; i++)
                if (strcmp(s->old_ports[i].name, port) == 0)
                        state->n_resets = s->old_ports[i].n_resets;
        return 0;
}

static int add_port(struct port_source *s, int device_dir, const char *port)
{
        struct port_names names;
        cleanup(close_fdp) int dir = open_port(device_dir, port, &names);
        const char *device = s->prepared.passive.device;
        char directory[128];
        int r;

        if (dir < 0)
                return sysfs_is_absent(dir) ? 0 : dir;
        r = text_format(directory, sizeof(directory), "class/infiniband/%s/ports/%s", device, port);
        if (r == 0)
                r = add_state(s, port);
        if (r == 0 && names.link_layer[0]) {
                r = series_set_add(s->prepared.set, &port_families[PORT_INFO],
                        LABELS(device, port, names.link_layer, names.netdev));
                if (r >= 0)
                        s->ports[s->n_ports - 1].info = r;
        }
        if (r >= 0)
                r = add_attributes(s, dir, directory, port);
        if (r == 0)
                r = add_mtu(s, port, names.netdev);
        return r == 0 ? add_counters(s, dir, directory, port) : r;
}

static int prepare(struct prepared *p, int device_dir)
{
        struct port_source *s = (struct port_source *)p;
        cleanup(sysfs_names_done) struct sysfs_names ports = { 0 };
        int r = passive_ports(device_dir, &ports);

        for (size_t i = 0; r == 0 && i < ports.n; i++)
                r = add_port(s, device_dir, ports.items[i]);
        return r;
}

/* The counts of resets outlive what is prepared. */
static void forget(struct prepared *p)
{
        struct port_source *s = (struct port_source *)p;

        if (s->ports) {
                free(s->old_ports);
                s->old_ports = s->ports;
                s->n_old_ports = s->n_ports;
        }
        free(s->targets);
        s->targets = NULL;
        s->ports = NULL;
        s->n_targets = s->n_ports = 0;
}

static void show(struct prepared *p, size_t i, uint64_t value, struct batch *b)
{
        struct port_source *s = (struct port_source *)p;
        struct port_target *t = &s->targets[i];
        const struct port_counter *c = t->counter;
        uint64_t scaled = value;

        if (c && __builtin_mul_overflow(value, c->scale, &scaled))
                return;
        batch_set_u64(b, t->position, scaled);
        if (!c)
                return;
        if (t->saturated >= 0 && (!c->maybe || value == UINT32_MAX))
                batch_set_u64(b, (size_t)t->saturated, value == (UINT64_C(1) << c->bits) - 1);
        if (t->seen && value < t->last)
                s->ports[t->port].n_resets++;
        t->seen = true;
        t->last = value;
}

static void finish(struct prepared *p, struct batch *b)
{
        const struct port_source *s = (const struct port_source *)p;

        for (size_t i = 0; i < s->n_ports; i++) {
                if (s->ports[i].info >= 0)
                        batch_set_u64(b, (size_t)s->ports[i].info, 1);
                if (s->ports[i].resets >= 0)
                        batch_set_u64(b, (size_t)s->ports[i].resets, s->ports[i].n_resets);
        }
}

static const struct prepared_class prepared = {
        .look = look,
        .prepare = prepare,
        .forget = forget,
        .show = show,
        .finish = finish,
};

static int create(const struct source_environment *env, const struct source_target *target,
        const void *config, void **ret_state)
{
        return passive_new(sizeof(struct port_source), env, target, ret_state);
}

static int collect(void *state, uint64_t deadline_ns, struct batch *b)
{
        return prepared_collect(state, &prepared, b);
}

static void destroy(void *state)
{
        prepared_done(state, &prepared);
        free(((struct port_source *)state)->old_ports);
        free(state);
}

const struct source_class source_port = {
        .name = "port",
        .summary = "State, rate and InfiniBand port counters of every port.",
        .trigger = TRIGGER_SCRAPE,
        .scope = SCOPE_DEVICE,
        .families = port_families,
        .n_families = N_PORT_FAMILIES,
        .options = passive_options,
        .n_options = N_PASSIVE_OPTIONS,
        .config_size = sizeof(struct passive_config),
        .create = create,
        .collect = collect,
        .destroy = destroy,
};
