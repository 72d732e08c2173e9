/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/parse.h"
#include "base/text.h"

bool sysfs_is_real(int dir)
{
        struct statfs fs;

        return fstatfs(dir, &fs) == 0 && fs.f_type == SYSFS_MAGIC;
}

int sysfs_open_dir(int dir, const char *path)
{
        int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        return fd < 0 ? -errno : fd;
}

int sysfs_open_device(int sysfs, const char *device)
{
        char path[320];
        int fd;

        if (device[0] == '\0' || device[0] == '.' || strchr(device, '/'))
                return -ENODEV;
        if (text_format(path, sizeof(path), "class/infiniband/%s", device) < 0)
                return -ENODEV;
        fd = sysfs_open_dir(sysfs, path);
        return fd == -ENOENT || fd == -ENOTDIR ? -ENODEV : fd;
}

/* O_NONBLOCK, so that the open of a FIFO does not wait for a writer; it has no effect on regular files. */
static int open_regular(int dir, const char *name)
{
        cleanup(close_fdp) int fd = openat(dir, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        struct stat st;

        if (fd < 0 || fstat(fd, &st) < 0)
                return -errno;
        if (!S_ISREG(st.st_mode))
                return -EINVAL;
        return take_fd(&fd);
}

int sysfs_read(int dir, const char *name, char *dst, size_t size)
{
        cleanup(close_fdp) int fd = open_regular(dir, name);
        size_t len = 0;

        if (fd < 0)
                return fd;
        while (len < size) {
                ssize_t n = read(fd, dst + len, size - len);

                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return -errno;
                if (n == 0) {
                        dst[len] = '\0';
                        return (int)len;
                }
                len += (size_t)n;
        }
        return -EFBIG;
}

int sysfs_read_u64(int dir, const char *name, uint64_t *ret)
{
        char text[SYSFS_VALUE_MAX + 1];
        int len = sysfs_read(dir, name, text, sizeof(text));

        return len < 0 ? len : parse_sysfs_u64(text, (size_t)len, ret);
}

int sysfs_read_cpulist(int dir, const char *name, struct cpulist *ret)
{
        char text[SYSFS_VALUE_MAX + 1];
        int len = sysfs_read(dir, name, text, sizeof(text));

        return len < 0 ? len : cpulist_parse(text, (size_t)len, ret);
}

int sysfs_read_line(int dir, const char *name, char *dst, size_t size)
{
        char text[SYSFS_VALUE_MAX + 1];
        const char *start = text;
        int len = sysfs_read(dir, name, text, sizeof(text));
        size_t n;

        if (len < 0)
                return len;
        start += strspn(start, " \t");
        n = strcspn(start, "\n");
        while (n > 0 && (start[n - 1] == ' ' || start[n - 1] == '\t' || start[n - 1] == '\r'))
                n--;
        if (n == 0)
                return -ENODATA;
        return text_format(dst, size, "%.*s", (int)n, start);
}

int sysfs_read_link_name(int dir, const char *name, char *dst, size_t size)
{
        char target[SYSFS_VALUE_MAX];
        const char *last;
        ssize_t n = readlinkat(dir, name, target, sizeof(target) - 1);

        if (n < 0)
                return -errno;
        target[n] = '\0';
        last = strrchr(target, '/');
        return text_copy(dst, size, last ? last + 1 : target);
}

bool sysfs_is_absent(int error)
{
        switch (error) {
        case -ENOENT:
        case -ENOTDIR:
        case -ENODEV:
        case -ENXIO:
        case -EINVAL: /* also what parsing says of a text that is no number */
        case -EOPNOTSUPP:
        case -ENODATA:
                return true;
        default:
                return false;
        }
}

void sysfs_note_error(int *first, int error)
{
        if (error < 0 && *first == 0 && !sysfs_is_absent(error))
                *first = error;
}

static int compare_names(const void *a, const void *b)
{
        const char *x = *(const char *const *)a, *y = *(const char *const *)b;

        return strverscmp(x, y);
}

static int add_name(struct sysfs_names *names, const char *name)
{
        char **items;

        items = reallocarray(names->items, names->n + 1, sizeof(*items));
        if (!items)
                return -ENOMEM;
        names->items = items;
        items[names->n] = strdup(name);
        if (!items[names->n])
                return -ENOMEM;
        names->n++;
        return 0;
}

static void closedirp(DIR **d)
{
        if (*d)
                (void)closedir(*d); /* only read from */
}

/* A fresh description, so that the position is nobody else's, and `dir` stays open. */
static int open_listing(int dir, DIR **ret)
{
        cleanup(close_fdp) int fd = sysfs_open_dir(dir, ".");

        if (fd < 0)
                return fd;
        *ret = fdopendir(fd);
        if (!*ret)
                return -errno;
        (void)take_fd(&fd); /* now the DIR's */
        return 0;
}

/* NULL at the end, with *error set if it came too soon. */
static const char *next_name(DIR *d, int *error)
{
        const struct dirent *entry;

        do {
                errno = 0;
                entry = readdir(d);
        } while (entry && entry->d_name[0] == '.');
        if (!entry)
                *error = -errno;
        return entry ? entry->d_name : NULL;
}

int sysfs_list(int dir, struct sysfs_names *ret)
{
        cleanup(sysfs_names_done) struct sysfs_names names = { 0 };
        cleanup(closedirp) DIR *d = NULL;
        const char *name;
        int r = open_listing(dir, &d);

        while (r == 0 && names.n < SYSFS_NAMES_MAX && (name = next_name(d, &r)))
                r = add_name(&names, name);
        if (r < 0)
                return r;
        if (names.n > 0)
                qsort(names.items, names.n, sizeof(*names.items), compare_names);
        *ret = names;
        names = (struct sysfs_names){ 0 };
        return 0;
}

int sysfs_list_below(int dir, const char *path, struct sysfs_names *ret)
{
        cleanup(close_fdp) int below = sysfs_open_dir(dir, path);

        if (below < 0)
                return sysfs_is_absent(below) ? 0 : below;
        return sysfs_list(below, ret);
}

bool sysfs_names_have(const struct sysfs_names *names, const char *name)
{
        for (size_t i = 0; i < names->n; i++)
                if (strcmp(names->items[i], name) == 0)
                        return true;
        return false;
}

int sysfs_count(int dir, uint64_t *ret)
{
        cleanup(closedirp) DIR *d = NULL;
        uint64_t n = 0;
        int r = open_listing(dir, &d);

        while (r == 0 && next_name(d, &r))
                n++;
        if (r == 0)
                *ret = n;
        return r;
}

void sysfs_names_done(struct sysfs_names *names)
{
        for (size_t i = 0; i < names->n; i++)
                free(names->items[i]);
        free(names->items);
        *names = (struct sysfs_names){ 0 };
}
