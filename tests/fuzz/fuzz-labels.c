/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as label values: the page is UTF-8, one line a sample, and unescaping gives the value back when
 * it was UTF-8 itself. */
#include <errno.h>
#include <string.h>

#include "base/scope.h"
#include "daemon/exposition.h"
#include "tests/fuzz/fuzz.h"

#define HEAD "# HELP rdma_canary_x Help.\n# TYPE rdma_canary_x gauge\nrdma_canary_x{a=\""

static const struct metric_family family = {
        .name = "rdma_canary_x", .type = METRIC_GAUGE, .help = "Help.", .labels = { "a", "b" }
};

/* Reads one label value up to its closing quote as Prometheus does; NULL for what it refuses. */
static const char *unescape(const char *s, struct buf *value)
{
        for (; *s != '"'; s++) {
                if (*s == '\0' || *s == '\n')
                        return NULL;
                if (*s != '\\') {
                        buf_char(value, *s);
                        continue;
                }
                s++;
                if (*s == 'n')
                        buf_char(value, '\n');
                else if (*s == '\\' || *s == '"')
                        buf_char(value, *s);
                else
                        return NULL;
        }
        return s + 1;
}

/* By decoding and looking at the number, unlike the code under test, which looks at the bytes. */
static bool is_utf8(const char *text)
{
        static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };

        for (const unsigned char *s = (const unsigned char *)text; *s; s++) {
                unsigned more = *s < 0x80 ? 0 : *s >> 5 == 6 ? 1 : *s >> 4 == 14 ? 2 : *s >> 3 == 30 ? 3 : 9;
                uint32_t c;

                if (more == 9)
                        return false;
                c = more == 0 ? *s : *s & (0x3fu >> more);
                for (unsigned i = 0; i < more; i++) {
                        if ((*++s & 0xc0) != 0x80)
                                return false;
                        c = c << 6 | (*s & 0x3f);
                }
                if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
                        return false;
        }
        return true;
}

static void check_value(const char *value, const struct buf *read)
{
        const char *text = read->len > 0 ? read->data : "";

        require(is_utf8(text));
        if (is_utf8(value))
                require(text_equal(text, value));
        else
                require(strstr(text, "\xef\xbf\xbd"));
}

static void check_page(const char *page, const char *a, const char *b)
{
        cleanup(buf_done) struct buf read_a = { 0 }, read_b = { 0 };
        const char *at;

        require(text_starts(page, HEAD));
        at = unescape(page + strlen(HEAD), &read_a);
        require(at && text_starts(at, ",b=\""));
        at = unescape(at + strlen(",b=\""), &read_b);
        require(at && text_equal(at, "} 1\n"));
        check_value(a, &read_a);
        check_value(b, &read_b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        cleanup(batch_unrefp) struct batch *batch = batch_new();
        cleanup(buf_done) struct buf out = { 0 };
        cleanup(freep) char *text = malloc(size + 2);
        const char *b;

        require(text && batch);
        memcpy(text, data, size);
        text[size] = text[size + 1] = '\0'; /* b is what follows the first zero byte */
        b = text + strlen(text) + 1;
        batch_add_u64(batch, &family, LABELS(text, b), 1);
        require(batch_error(batch) == 0);
        require(exposition_render(&out, (const struct batch *const[]){ batch }, 1) == 0);
        check_page(buf_cstr(&out), text, b);
        return 0;
}
