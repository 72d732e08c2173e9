/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/passive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/scope.h"
#include "base/text.h"
#include "probes/sysfs.h"

const struct option passive_options[] = {
        SOURCE_OPTION_ENABLED(struct passive_config, "true"),
};
_Static_assert(ARRAY_SIZE(passive_options) == N_PASSIVE_OPTIONS, "the header says how many");

int passive_init(struct passive *p, const struct source_environment *env, const struct source_target *target)
{
        p->env = env;
        return text_copy(p->device, sizeof(p->device), target->device);
}

int passive_create(const struct source_environment *env, const struct source_target *target,
        const void *config, void **ret_state)
{
        struct passive *p = calloc(1, sizeof(*p));
        int r;

        if (!p)
                return -ENOMEM;
        r = passive_init(p, env, target);
        if (r < 0) {
                free(p);
                return r;
        }
        *ret_state = p;
        return 0;
}

void passive_destroy(void *state)
{
        free(state);
}

static void visit_port(const struct passive *p, int ports_dir, const char *name,
        void (*visit)(const struct passive_port *port, struct batch *b, int *error), struct batch *b,
        int *error)
{
        cleanup(close_fdp) int dir = sysfs_open_dir(ports_dir, name);

        if (dir < 0)
                sysfs_note_error(error, dir);
        else
                visit(
                        &(struct passive_port){
                                .device = p->device, .port = name, .sysfs = p->env->sysfs, .dir = dir },
                        b, error);
}

void passive_visit_ports(const struct passive *p, int device_dir,
        void (*visit)(const struct passive_port *port, struct batch *b, int *error), struct batch *b,
        int *error)
{
        cleanup(close_fdp) int dir = sysfs_open_dir(device_dir, "ports");
        cleanup(sysfs_names_done) struct sysfs_names names = { 0 };
        int r = dir < 0 ? dir : sysfs_list(dir, &names);

        sysfs_note_error(error, r);
        for (size_t i = 0; i < names.n; i++) {
                uint64_t number;

                /* The kernel numbers ports with a byte. */
                if (parse_u64(names.items[i], strlen(names.items[i]), &number) == 0 && number <= UINT8_MAX)
                        visit_port(p, dir, names.items[i], visit, b, error);
        }
}
