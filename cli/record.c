/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/scope.h"
#include "base/text.h"
#include "cli/document.h"

#define NUMBERS_MAX 99
#define PEER_MAX    100 /* of its name in the file's */

static bool is_plain(char c)
{
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
               c == '-';
}

static void plain_name(char *dst, size_t size, const char *text)
{
        text_message(dst, size, "%s", text);
        for (char *s = dst; *s; s++)
                if (!is_plain(*s))
                        *s = '_';
}

int record_name(
        char *dst, size_t size, uint64_t realtime_ns, const char *command, const char *peer, unsigned number)
{
        char when[32], who[PEER_MAX], suffix[16] = "";
        time_t seconds = (time_t)(realtime_ns / NS_PER_SEC);
        struct tm utc;
        if (!gmtime_r(&seconds, &utc) || strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &utc) == 0)
                return -EOVERFLOW;
        plain_name(who, sizeof(who), peer);
        if (number > 1)
                text_message(suffix, sizeof(suffix), "-%u", number);
        return text_format(dst, size, "%s-%s-%s%s.json", when, command, who, suffix);
}

/* ---- files ------------------------------------------------------------------------------------------ */

static void temporary_name(char *dst, size_t size)
{
        text_message(dst, size, ".rdma-canary-%ld.tmp", (long)getpid());
}

static int create(int directory, const char *name)
{
        int fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        return fd < 0 ? -errno : fd;
}

int record_open(const char *directory, int *ret_fd)
{
        char name[64];
        cleanup(close_fdp) int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
                return -errno;
        temporary_name(name, sizeof(name));
        cleanup(close_fdp) int trial = create(fd, name);
        if (trial < 0)
                return trial;
        if (unlinkat(fd, name, 0) < 0)
                return -errno;
        *ret_fd = take_fd(&fd);
        return 0;
}

static void fclosep(FILE **f)
{
        if (*f)
                (void)fclose(*f); /* only after an error that is told */
}

/* Takes the descriptor. */
static int write_whole(int fd, const json_t *document)
{
        cleanup(fclosep) FILE *f = fdopen(fd, "we");
        if (!f) {
                close_fdp(&fd);
                return -errno;
        }
        int r = document_print(document, f);
        if (r == 0 && (fflush(f) != 0 || fsync(fd) < 0))
                r = -errno;
        if (fclose(take_ptr(f)) != 0 && r == 0)
                r = -errno;
        return r;
}

/* Never over a file that is there. Where the file system has no such rename (NFS), a link does the same. */
static int publish(int directory, const char *from, const char *to)
{
        if (renameat2(directory, from, directory, to, RENAME_NOREPLACE) == 0)
                return 0;
        if (errno != EINVAL && errno != ENOSYS)
                return -errno;
        if (linkat(directory, from, directory, to, 0) < 0)
                return -errno;
        (void)unlinkat(directory, from, 0); /* the record is there; its other name does no harm */
        return 0;
}

static int publish_under_a_free_name(int directory, const char *from, uint64_t realtime_ns,
        const char *command, const char *peer, char *ret_name)
{
        int r = -EEXIST;
        for (unsigned number = 1; r == -EEXIST && number <= NUMBERS_MAX; number++) {
                r = record_name(ret_name, RECORD_NAME_MAX, realtime_ns, command, peer, number);
                if (r == 0)
                        r = publish(directory, from, ret_name);
        }
        return r;
}

int record_write(int directory, const json_t *document, uint64_t realtime_ns, const char *command,
        const char *peer, char *ret_name)
{
        char name[64];
        temporary_name(name, sizeof(name));
        int fd = create(directory, name);
        int r = fd < 0 ? fd : write_whole(fd, document);
        if (r == 0)
                r = publish_under_a_free_name(directory, name, realtime_ns, command, peer, ret_name);
        if (r == 0 && fsync(directory) < 0 && errno != EINVAL) /* the name, too; some file systems cannot */
                r = -errno;
        if (r < 0 && fd >= 0)
                (void)unlinkat(directory, name, 0); /* best effort after an error that is told */
        return r;
}
