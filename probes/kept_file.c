/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/kept_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/scope.h"

/* O_NONBLOCK, so that the open of a FIFO does not wait for a writer; it has no effect on regular files. */
static int open_regular(int dir, const char *path)
{
        cleanup(close_fdp) int fd = openat(dir, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        struct stat st;

        if (fd < 0 || fstat(fd, &st) < 0)
                return -errno;
        return S_ISREG(st.st_mode) ? take_fd(&fd) : -EINVAL;
}

/* Without libc's pread(), which is a cancellation point: in a process with threads that costs extra at each call
 * (it showed in profiles of a scrape), and threads are not cancelled here. */
static ssize_t read_at_start(int fd, char *dst, size_t size)
{
        ssize_t n;

        do
                n = syscall(SYS_pread64, fd, dst, size, (off_t)0);
        while (n < 0 && errno == EINTR);
        return n < 0 ? -errno : n;
}

const struct reader reader_system = { .open = open_regular, .read = read_at_start };

int kept_file_open(struct kept_file *f, const struct reader *reader, int dir, const char *path)
{
        int fd = reader->open(dir, path);

        if (fd < 0)
                return fd;
        *f = (struct kept_file){ .fd = fd };
        return 0;
}

void kept_file_close(struct kept_file *f)
{
        if (f->fd >= 0)
                (void)close(f->fd); /* only read from */
        *f = KEPT_FILE_INIT;
}

/* What the kernel says of a value that this device does not have, and will hardly have at the next scrape. */
static bool error_stays(int error)
{
        switch (error) {
        case -EINVAL:
        case -EOPNOTSUPP:
        case -EPERM:
        case -EACCES:
                return true;
        default:
                return false;
        }
}

static void rest(struct kept_file *f, uint64_t now_ns)
{
        f->rest_ns = f->rest_ns ? 2 * f->rest_ns : KEPT_FILE_BACKOFF_MIN_NS;
        if (f->rest_ns > KEPT_FILE_BACKOFF_MAX_NS)
                f->rest_ns = KEPT_FILE_BACKOFF_MAX_NS;
        f->until_ns = now_ns + f->rest_ns;
}

int kept_file_read(struct kept_file *f, const struct reader *reader, uint64_t now_ns, char *dst, size_t size)
{
        ssize_t n;

        if (f->fd < 0)
                return -ENODEV;
        if (now_ns < f->until_ns)
                return f->error;
        n = reader->read(f->fd, dst, size);
        if (n >= 0 && (size_t)n == size)
                n = -EFBIG;
        f->error = n < 0 ? (int)n : 0;
        if (error_stays(f->error))
                rest(f, now_ns);
        else
                f->rest_ns = f->until_ns = 0;
        if (n < 0)
                return (int)n;
        dst[n] = '\0';
        return (int)n;
}
