/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/cgroup_pairs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sysfs.h"
#include "base/text.h"

/* What follows the second colon of "4:memory:/a/b"; its length, negative: there are not two. */
static int path_of_line(const char *line, size_t len, const char **ret)
{
        const char *colon = memchr(line, ':', len);

        if (colon)
                colon = memchr(colon + 1, ':', (size_t)(line + len - colon - 1));
        if (!colon || colon + 1 == line + len || colon[1] != '/')
                return -1;
        *ret = colon + 1;
        return (int)(line + len - *ret);
}

int cgroup_parse(const char *text, size_t len, char *dst, size_t size)
{
        const char *found = NULL;
        int found_len = 0;

        while (len > 0) {
                const char *end = memchr(text, '\n', len), *path;
                size_t line_len = end ? (size_t)(end - text) : len;
                int n = path_of_line(text, line_len, &path);

                if (n > 0 && (!found || found_len == 1 || strncmp(text, "0::", 3) == 0) &&
                        (n > 1 || !found)) {
                        found = path;
                        found_len = n;
                }
                text += line_len + (end != NULL);
                len -= line_len + (end != NULL);
        }
        if (!found)
                return -ENODATA;
        return text_format(dst, size, "%.*s", found_len, found) < 0 ? -ENAMETOOLONG : 0;
}

int cgroup_pairs_add(struct cgroup_pairs *c, const char *cgroup, uint64_t pairs)
{
        struct cgroup_count *items;

        for (size_t i = 0; i < c->n; i++)
                if (strcmp(c->items[i].cgroup, cgroup) == 0) {
                        c->items[i].pairs += pairs;
                        return 0;
                }
        items = reallocarray(c->items, c->n + 1, sizeof(*items));
        if (!items)
                return -ENOMEM;
        c->items = items;
        items[c->n] = (struct cgroup_count){ .cgroup = strdup(cgroup), .pairs = pairs };
        if (!items[c->n].cgroup)
                return -ENOMEM;
        c->n++;
        return 0;
}

int cgroup_pairs_add_process(struct cgroup_pairs *c, int procfs, uint64_t pid)
{
        char path[48], text[SYSFS_VALUE_MAX + 1], cgroup[CGROUP_MAX];
        int len, r = text_format(path, sizeof(path), "%ju/cgroup", (uintmax_t)pid);

        if (r < 0)
                return r;
        len = sysfs_read(procfs, path, text, sizeof(text));
        r = len < 0 ? len : cgroup_parse(text, (size_t)len, cgroup, sizeof(cgroup));
        return cgroup_pairs_add(c, r < 0 ? CGROUP_PAIRS_HIDDEN : cgroup, 1);
}

static int compare(const void *a, const void *b)
{
        const struct cgroup_count *x = a, *y = b;

        if (x->pairs != y->pairs)
                return x->pairs > y->pairs ? -1 : 1;
        return strcmp(x->cgroup, y->cgroup);
}

int cgroup_pairs_cut(struct cgroup_pairs *c)
{
        uint64_t rest = 0;

        if (c->n > 1)
                qsort(c->items, c->n, sizeof(c->items[0]), compare);
        if (c->n <= CGROUP_PAIRS_SHOWN)
                return 0;
        while (c->n > CGROUP_PAIRS_SHOWN) {
                rest += c->items[--c->n].pairs;
                free(c->items[c->n].cgroup);
        }
        return cgroup_pairs_add(c, CGROUP_PAIRS_OTHER, rest);
}

void cgroup_pairs_done(struct cgroup_pairs *c)
{
        for (size_t i = 0; i < c->n; i++)
                free(c->items[i].cgroup);
        free(c->items);
        *c = (struct cgroup_pairs){ 0 };
}
