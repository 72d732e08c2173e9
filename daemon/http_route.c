/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/http_route.h"

#include <string.h>

#include "base/clock.h"
#include "base/parse.h"
#include "base/scope.h"
#include "base/text.h"

#define TIMEOUT_MIN_S 0.01
#define TIMEOUT_MAX_S 600
#define MARGIN_RATIO  0.1
#define MARGIN_MAX_S  0.5

struct route {
        const char *path; /* NULL: the telemetry path */
        const char *methods[3];
        const char *allowed; /* the same, as the header says it */
};

static const struct route routes[N_HTTP_ENDPOINTS] = {
        [HTTP_METRICS] = { NULL, { "GET", "HEAD" }, "GET, HEAD" },
        [HTTP_LANDING] = { "/", { "GET", "HEAD" }, "GET, HEAD" },
        [HTTP_HEALTHY] = { "/-/healthy", { "GET", "HEAD" }, "GET, HEAD" },
        [HTTP_READY] = { "/-/ready", { "GET", "HEAD" }, "GET, HEAD" },
        [HTTP_RELOAD] = { "/-/reload", { "POST", "PUT" }, "POST, PUT" },
};

enum http_endpoint http_find(const char *path, const char *telemetry_path)
{
        for (enum http_endpoint e = 0; e < N_HTTP_ENDPOINTS; e++) {
                if (text_equal(path, routes[e].path ? routes[e].path : telemetry_path))
                        return e;
        }
        return N_HTTP_ENDPOINTS;
}

static bool is_allowed(const struct route *route, const char *method)
{
        for (size_t i = 0; i < ARRAY_SIZE(route->methods) && route->methods[i]; i++) {
                if (text_equal(method, route->methods[i]))
                        return true;
        }
        return false;
}

static bool has_body(const struct http_head *head)
{
        return head->transfer_encoding || (head->content_length && !text_equal(head->content_length, "0"));
}

unsigned http_check(enum http_endpoint endpoint, const struct http_head *head, bool allow_reload)
{
        if (endpoint == N_HTTP_ENDPOINTS)
                return 404;
        if (!is_allowed(&routes[endpoint], head->method))
                return 405;
        if (has_body(head))
                return 413;
        if (endpoint == HTTP_RELOAD && !allow_reload)
                return 403;
        return 200;
}

struct http_refusal http_refuse(enum http_endpoint endpoint, unsigned status)
{
        switch (status) {
        case 401:
                return (struct http_refusal){ "unauthorized\n", "WWW-Authenticate",
                        "Basic realm=\"rdma-canary\"" };
        case 403:
                return (struct http_refusal){ .text = "reloading by HTTP is not enabled\n" };
        case 405:
                return (struct http_refusal){ "method not allowed\n", "Allow", routes[endpoint].allowed };
        case 413:
                return (struct http_refusal){ .text = "no request body is taken here\n" };
        case 429:
                return (struct http_refusal){ "too many passwords to check; try again in a second\n",
                        "Retry-After", "1" };
        default:
                return (struct http_refusal){ .text = "not found\n" };
        }
}

uint64_t http_scrape_timeout_ns(const char *header, uint64_t fallback_ns)
{
        double seconds, margin;

        if (!header || parse_double(header, strlen(header), &seconds) < 0)
                return fallback_ns;
        if (seconds < TIMEOUT_MIN_S || seconds > TIMEOUT_MAX_S)
                return fallback_ns;
        margin = seconds * MARGIN_RATIO;
        if (margin > MARGIN_MAX_S)
                margin = MARGIN_MAX_S;
        return (uint64_t)((seconds - margin) * (double)NS_PER_SEC);
}
