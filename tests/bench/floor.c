/* SPDX-License-Identifier: Apache-2.0 */
/* floor PORT: what nobody who reads the counters at each scrape can go below. Reads paths from stdin, opens
 * each once, and answers every request of 127.0.0.1:PORT by reading them all and sending an empty reply with
 * the HTTP library that the service has, in the same mode. Ends when stdin's other end asks by a signal. */
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct files {
        size_t n;
        int *fds;
};

static void read_all(const struct files *files)
{
        char value[256];

        for (size_t i = 0; i < files->n; i++)
                if (pread(files->fds[i], value, sizeof(value), 0) < 0)
                        err(1, "pread");
}

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url,
        const char *method, const char *version, const char *data, size_t *size, void **request)
{
        struct MHD_Response *response;
        enum MHD_Result result;

        if (!*request) {
                *request = context; /* the headers only; the next call may answer */
                return MHD_YES;
        }
        read_all(context);
        response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
        if (!response)
                return MHD_NO;
        result = MHD_queue_response(connection, MHD_HTTP_OK, response);
        MHD_destroy_response(response);
        return result;
}

static void open_listed(struct files *files)
{
        char path[4096];

        while (fgets(path, sizeof(path), stdin)) {
                path[strcspn(path, "\n")] = '\0';
                files->fds = reallocarray(files->fds, files->n + 1, sizeof(*files->fds));
                if (!files->fds)
                        err(1, "reallocarray");
                files->fds[files->n] = open(path, O_RDONLY | O_CLOEXEC);
                if (files->fds[files->n++] < 0)
                        err(1, "%s", path);
        }
}

int main(int argc, char **argv)
{
        struct sockaddr_in at = { .sin_family = AF_INET };
        struct files files = { 0 };

        if (argc != 2)
                errx(2, "usage: floor PORT <PATHS");
        open_listed(&files);
        at.sin_port = htons((uint16_t)strtoul(argv[1], NULL, 10));
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (!MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, answer, &files,
                    MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&at, MHD_OPTION_END))
                errx(1, "cannot listen");
        for (;;)
                (void)pause(); /* until a signal ends the process */
}
