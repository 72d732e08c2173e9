/* SPDX-License-Identifier: Apache-2.0 */
/* client PORT COUNT [HEADER…]: asks 127.0.0.1:PORT for /metrics COUNT times over one kept connection, one
 * after the other, and prints how long the answers took (p50, p99 and the longest, in nanoseconds) and how
 * many bytes the last body had. Python's own client would add more than some of the servers take. */
#include <arpa/inet.h>
#include <err.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct answer {
        char *data;
        size_t len, size;
};

static uint64_t now_ns(void)
{
        struct timespec t;

        (void)clock_gettime(CLOCK_MONOTONIC, &t); /* cannot fail */
        return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int dial(uint16_t port)
{
        struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };
        int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0)
                err(1, "connect");
        if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) < 0)
                err(1, "TCP_NODELAY");
        return fd;
}

static void receive_more(int fd, struct answer *a)
{
        ssize_t n;

        if (a->size - a->len < 65536) {
                a->size = a->size * 2 + 131072;
                a->data = realloc(a->data, a->size);
                if (!a->data)
                        err(1, "realloc");
        }
        n = read(fd, a->data + a->len, a->size - a->len - 1);
        if (n <= 0)
                err(1, "the server ended the connection");
        a->len += (size_t)n;
        a->data[a->len] = '\0';
}

/* The position after the chunked body that begins at `at`, or 0 while it is not all there. */
static size_t chunks_end(const struct answer *a, size_t at, size_t *ret_body)
{
        *ret_body = 0;
        for (;;) {
                const char *line_end = memmem(a->data + at, a->len - at, "\r\n", 2);
                size_t size;

                if (!line_end)
                        return 0;
                size = strtoul(a->data + at, NULL, 16);
                at = (size_t)(line_end - a->data) + 2 + size + 2;
                if (at > a->len)
                        return 0;
                if (size == 0)
                        return at;
                *ret_body += size;
        }
}

static bool is_complete(const struct answer *a, size_t *ret_body)
{
        const char *end = a->len > 0 ? memmem(a->data, a->len, "\r\n\r\n", 4) : NULL;
        size_t head = end ? (size_t)(end - a->data) + 4 : 0;
        const char *length = end ? strcasestr(a->data, "\r\nContent-Length:") : NULL;

        if (!end)
                return false;
        if (strncmp(a->data, "HTTP/1.1 200 ", 13) != 0)
                errx(1, "%.60s", a->data);
        if (!length || length > end)
                return chunks_end(a, head, ret_body) > 0;
        *ret_body = strtoul(length + strlen("\r\nContent-Length:"), NULL, 10);
        return a->len >= head + *ret_body;
}

static int by_value(const void *a, const void *b)
{
        uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

        return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
        struct answer answer = { 0 };
        char request[1024];
        size_t count, body = 0;
        uint64_t *took;
        int fd;

        if (argc < 3)
                errx(2, "usage: client PORT COUNT [HEADER…]");
        count = strtoul(argv[2], NULL, 10);
        took = calloc(count, sizeof(*took));
        if (count == 0 || !took)
                errx(2, "COUNT?");
        (void)strcpy(request, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n"); /* fits */
        for (int i = 3; i < argc; i++)
                (void)snprintf(request + strlen(request), sizeof(request) - strlen(request) - 3, "%s\r\n",
                        argv[i]);      /* ours, and short */
        (void)strcat(request, "\r\n"); /* room was kept */
        fd = dial((uint16_t)strtoul(argv[1], NULL, 10));
        for (size_t i = 0; i < count; i++) {
                uint64_t begun = now_ns();

                answer.len = 0;
                if (write(fd, request, strlen(request)) != (ssize_t)strlen(request))
                        err(1, "write");
                do
                        receive_more(fd, &answer);
                while (!is_complete(&answer, &body));
                took[i] = now_ns() - begun;
        }
        qsort(took, count, sizeof(*took), by_value);
        printf("%lu %lu %lu %zu\n", took[count / 2], took[count * 99 / 100], took[count - 1], body);
        free(took);
        free(answer.data);
        return close(fd) == 0 ? 0 : 1;
}
