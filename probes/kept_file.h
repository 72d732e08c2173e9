/* SPDX-License-Identifier: Apache-2.0 */
/* A small file of sysfs that is opened once and read again and again: pread at offset 0 makes the kernel
 * produce the value anew, for a fifth of what open, read and close cost. A file that answers an error which
 * stays (EINVAL, EOPNOTSUPP …) is left alone for a while, so that neither the firmware nor the kernel log is
 * bothered at each scrape. One thread at a time. */
#ifndef PROBES_KEPT_FILE_H
#define PROBES_KEPT_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* How files are opened and read; tests put errors between. */
struct reader {
        /* Of a regular file only, never waiting for a FIFO's writer: descriptor or -errno; -EINVAL for what
         * is no regular file. */
        int (*open)(int dir, const char *path);
        /* Length or -errno; EINTR is not seen. */
        ssize_t (*read)(int fd, char *dst, size_t size);
};

extern const struct reader reader_system;

#define KEPT_FILE_BACKOFF_MIN_NS UINT64_C(60000000000)   /* first rest after an error that stays … */
#define KEPT_FILE_BACKOFF_MAX_NS UINT64_C(3600000000000) /* … doubled each time up to this */

/* Enough for one number or word; what is longer is none (-EFBIG). Smaller than a page, so that the kernel
 * looks for one page only. */
#define KEPT_FILE_VALUE_SIZE 256

struct kept_file {
        int fd;            /* -1: not open */
        int error;         /* of the last read: 0 or -errno, repeated while at rest */
        uint64_t rest_ns;  /* length of the present rest; 0: none */
        uint64_t until_ns; /* no read before this */
};

#define KEPT_FILE_INIT ((struct kept_file){ .fd = -1 })

/* 0 or -errno. */
int kept_file_open(struct kept_file *f, const struct reader *reader, int dir, const char *path);
void kept_file_close(struct kept_file *f); /* harmless when not open; ready for another open */

/* The whole content, NUL-terminated: its length; -EFBIG when it does not fit with the NUL; -errno.
 * -ENODEV: the file's directory is gone (a device that was removed, perhaps there again under the same name):
 * open anew. `now_ns` is CLOCK_MONOTONIC. */
int kept_file_read(struct kept_file *f, const struct reader *reader, uint64_t now_ns, char *dst, size_t size);

#endif
