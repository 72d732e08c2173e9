/* SPDX-License-Identifier: Apache-2.0 */
/* faultfs TREE FAULTS MOUNTPOINT: shows a directory tree there, except that reading misbehaves as the file
 * FAULTS says, a line each: `block ports/1/…`, `EIO ports/1/…`. It is looked at anew at every read, so a
 * blocked read goes on when its line is gone. Every read comes here (direct I/O), as it would reach a driver.
 * In the foreground; ends when unmounted or killed. */
#define FUSE_USE_VERSION 31
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct shown {
        int tree;
        const char *faults;
};

enum { BLOCKED = 1 };

static const struct {
        const char *word;
        int error;
} words[] = {
        { "block", BLOCKED },
        { "EINVAL", -EINVAL },
        { "EIO", -EIO },
        { "ENODEV", -ENODEV },
        { "EOPNOTSUPP", -EOPNOTSUPP },
};

static const struct shown *shown(void)
{
        return fuse_get_context()->private_data;
}

/* "." for the root; never absolute. */
static const char *relative(const char *path)
{
        return path[1] ? path + 1 : ".";
}

static int error_of_word(const char *word)
{
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
                if (strcmp(words[i].word, word) == 0)
                        return words[i].error;
        return -EPROTO; /* the test has it wrong */
}

/* What reading the file comes to now: 0, -errno, BLOCKED. */
static int fault_of(const char *path)
{
        char word[32], of[4096];
        FILE *f = fopen(shown()->faults, "re");
        int r = 0;

        while (f && r == 0 && fscanf(f, "%31s %4095s", word, of) == 2)
                if (strcmp(of, relative(path)) == 0)
                        r = error_of_word(word);
        if (f)
                (void)fclose(f); /* was only read */
        return r;
}

static int show_attributes(const char *path, struct stat *st, struct fuse_file_info *file)
{
        return fstatat(shown()->tree, relative(path), st, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

static int show_link(const char *path, char *dst, size_t size)
{
        ssize_t n = readlinkat(shown()->tree, relative(path), dst, size - 1);

        if (n < 0)
                return -errno;
        dst[n] = '\0';
        return 0;
}

static int show_directory(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset,
        struct fuse_file_info *file, enum fuse_readdir_flags flags)
{
        int fd = openat(shown()->tree, relative(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        DIR *dir = fd < 0 ? NULL : fdopendir(fd);

        if (!dir)
                return -errno;
        for (struct dirent *e = readdir(dir); e; e = readdir(dir))
                if (fill(buffer, e->d_name, NULL, 0, 0) != 0)
                        break;
        (void)closedir(dir); /* was only read */
        return 0;
}

static int open_file(const char *path, struct fuse_file_info *file)
{
        int fd = openat(shown()->tree, relative(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK);

        if (fd < 0)
                return -errno;
        file->fh = (uint64_t)fd;
        file->direct_io = 1;
        return 0;
}

static int read_file(const char *path, char *dst, size_t size, off_t offset, struct fuse_file_info *file)
{
        int fault = fault_of(path);
        ssize_t n;

        for (; fault == BLOCKED; fault = fault_of(path))
                (void)usleep(10000); /* or a little less */
        if (fault < 0)
                return fault;
        n = pread((int)file->fh, dst, size, offset);
        return n < 0 ? -errno : (int)n;
}

static int close_file(const char *path, struct fuse_file_info *file)
{
        (void)close((int)file->fh); /* was only read */
        return 0;
}

static const struct fuse_operations operations = {
        .getattr = show_attributes,
        .readlink = show_link,
        .readdir = show_directory,
        .open = open_file,
        .read = read_file,
        .release = close_file,
};

int main(int argc, char **argv)
{
        struct shown of = { 0 };
        /* What has changed below is seen at once. */
        char foreground[] = "-f", option[] = "-oattr_timeout=0,entry_timeout=0";
        char *arguments[] = { argv[0], foreground, option, argc == 4 ? argv[3] : NULL, NULL };

        if (argc != 4)
                errx(2, "usage: faultfs TREE FAULTS MOUNTPOINT");
        of.tree = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (of.tree < 0)
                err(2, "%s", argv[1]);
        of.faults = argv[2];
        return fuse_main(4, arguments, &operations, &of);
}
