/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/http_negotiate.h"

#include <string.h>
#include <strings.h>

#include "base/scope.h"

/* A piece of the header's value, without blanks around it. */
struct piece {
        const char *text;
        size_t len;
};

/* One element of a list: `name;version=…;q=…`. */
struct element {
        struct piece name, version; /* version.text: NULL: not there */
        unsigned quality;           /* in thousandths */
};

static bool is_blank(char c)
{
        return c == ' ' || c == '\t';
}

static struct piece trimmed(const char *begin, const char *end)
{
        while (begin < end && is_blank(*begin))
                begin++;
        while (begin < end && is_blank(end[-1]))
                end--;
        return (struct piece){ begin, (size_t)(end - begin) };
}

static bool is(struct piece p, const char *text)
{
        return p.len == strlen(text) && strncasecmp(p.text, text, p.len) == 0;
}

/* Where a piece that begins at s ends: at one of `ends` outside of a quoted string, or at the end. */
static const char *piece_end(const char *s, const char *ends)
{
        bool quoted = false;

        for (; *s; s++) {
                if (*s == '"')
                        quoted = !quoted;
                else if (quoted && *s == '\\' && s[1])
                        s++;
                else if (!quoted && strchr(ends, *s))
                        break;
        }
        return s;
}

/* 0, 1, 0.5, 1.000: at most three decimals. */
static bool parse_quality(struct piece p, unsigned *ret)
{
        unsigned value, weight = 100;

        if (p.len < 1 || p.len > 5 || p.text[0] < '0' || p.text[0] > '1' || (p.len > 1 && p.text[1] != '.'))
                return false;
        value = p.text[0] == '1' ? 1000 : 0;
        for (size_t i = 2; i < p.len; i++, weight /= 10) {
                if (p.text[i] < '0' || p.text[i] > '9')
                        return false;
                value += (unsigned)(p.text[i] - '0') * weight;
        }
        if (value > 1000)
                return false;
        *ret = value;
        return true;
}

static bool take_parameter(struct element *e, struct piece p)
{
        const char *end = p.text + p.len, *equals = memchr(p.text, '=', p.len);
        struct piece name, value;

        if (p.len == 0)
                return true; /* "a;;b" and "a;" are common slips */
        if (!equals)
                return false;
        name = trimmed(p.text, equals);
        value = trimmed(equals + 1, end);
        if (is(name, "q"))
                return parse_quality(value, &e->quality);
        if (value.len >= 2 && value.text[0] == '"' && value.text[value.len - 1] == '"')
                value = (struct piece){ value.text + 1, value.len - 2 };
        if (is(name, "version"))
                e->version = value;
        return true;
}

/* The next element that is well formed, *list behind it; false: there is none. */
static bool next_element(const char **list, struct element *ret)
{
        while (**list) {
                const char *at = *list, *end = piece_end(at, ",;");
                bool good;

                *ret = (struct element){ .name = trimmed(at, end), .quality = 1000 };
                good = ret->name.len > 0;
                while (*end == ';') {
                        at = end + 1;
                        end = piece_end(at, ",;");
                        good = take_parameter(ret, trimmed(at, end)) && good;
                }
                *list = *end ? end + 1 : end;
                if (good)
                        return true;
        }
        return false;
}

static const struct http_page_type text_page = { EXPOSITION_TEXT,
        "text/plain; version=0.0.4; charset=utf-8" };

/* What may be asked for, as client_golang has it. */
static const struct offer {
        const char *name, *version; /* version: NULL: none is named */
        struct http_page_type type;
} offers[] = {
        { "application/openmetrics-text", "1.0.0",
                { EXPOSITION_OPENMETRICS, "application/openmetrics-text; version=1.0.0; charset=utf-8" } },
        { "application/openmetrics-text", "0.0.1",
                { EXPOSITION_OPENMETRICS, "application/openmetrics-text; version=0.0.1; charset=utf-8" } },
        { "application/openmetrics-text", NULL,
                { EXPOSITION_OPENMETRICS, "application/openmetrics-text; version=1.0.0; charset=utf-8" } },
        { "text/plain", "0.0.4", { EXPOSITION_TEXT, "text/plain; version=0.0.4; charset=utf-8" } },
        { "text/plain", NULL, { EXPOSITION_TEXT, "text/plain; version=0.0.4; charset=utf-8" } },
};

static const struct http_page_type *find_offer(const struct element *e)
{
        for (size_t i = 0; i < ARRAY_SIZE(offers); i++) {
                const char *version = offers[i].version;

                if (is(e->name, offers[i].name) &&
                        (version ? e->version.text && is(e->version, version) : !e->version.text))
                        return &offers[i].type;
        }
        return NULL;
}

/* The first of those liked best; a wildcard asks for nothing by name, so it gets what everybody gets. */
const struct http_page_type *http_page_type(const char *accept)
{
        const struct http_page_type *best = &text_page;
        unsigned best_quality = 0, wildcard = 0;
        struct element e;

        while (accept && next_element(&accept, &e)) {
                const struct http_page_type *type = find_offer(&e);

                if ((is(e.name, "*/*") || is(e.name, "text/*")) && e.quality > wildcard)
                        wildcard = e.quality;
                if (!type || e.quality <= best_quality)
                        continue;
                best = type;
                best_quality = e.quality;
        }
        return wildcard > best_quality ? &text_page : best;
}

bool http_takes_gzip(const char *accept_encoding)
{
        unsigned gzip = 0, identity = 0;
        bool gzip_named = false, identity_named = false;
        struct element e;

        while (accept_encoding && next_element(&accept_encoding, &e)) {
                if (is(e.name, "gzip") || is(e.name, "x-gzip")) {
                        gzip = e.quality;
                        gzip_named = true;
                } else if (is(e.name, "identity")) {
                        identity = e.quality;
                        identity_named = true;
                } else if (is(e.name, "*")) {
                        gzip = gzip_named ? gzip : e.quality;
                        identity = identity_named ? identity : 0;
                }
        }
        return gzip > 0 && gzip >= identity;
}
