/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file: loaded with all values in bounds, or refused with printable lines and nothing kept. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/scope.h"
#include "daemon/loader.h"
#include "tests/fuzz/fuzz.h"

struct item {
        char *name;
        uint64_t port;
        struct option_list groups, deeper;
};

struct config {
        bool on;
        uint64_t interval_ns, size_bytes, rate_bps, number;
        double share;
        unsigned mode;
        char *text, *optional;
        struct item self;
        struct option_list items, texts;
};

static const char *const modes[] = { "off", "auto", NULL };
static const struct option deeper_rows[] = {
        { "name", OPTION_TEXT, offsetof(struct item, name), .help = "Required." },
};
static const struct option item_rows[] = {
        { "name", OPTION_TEXT, offsetof(struct item, name), .min = 1, .max = 16, .help = "Required." },
        { "port", OPTION_U64, offsetof(struct item, port), "14792", .min = 1, .max = 65535 },
        { "groups", OPTION_LABELS, offsetof(struct item, groups) },
        { "deeper", OPTION_LIST, offsetof(struct item, deeper), .children = deeper_rows,
                .n_children = ARRAY_SIZE(deeper_rows), .item_size = sizeof(struct item) },
};
static const struct option rows[] = {
        { "on", OPTION_BOOL, offsetof(struct config, on), "true" },
        { "interval", OPTION_DURATION, offsetof(struct config, interval_ns), "30s", .max = NS_PER_SEC * 60 },
        { "size", OPTION_SIZE, offsetof(struct config, size_bytes), "64K", .min = 1024 },
        { "rate", OPTION_RATE, offsetof(struct config, rate_bps), "1Mbit/s" },
        { "number", OPTION_U64, offsetof(struct config, number), "7" },
        { "share", OPTION_RATIO, offsetof(struct config, share), "0.5" },
        { "mode", OPTION_CHOICE, offsetof(struct config, mode), "auto", .choices = modes },
        { "text", OPTION_TEXT, offsetof(struct config, text), "default" },
        { "optional", OPTION_TEXT, offsetof(struct config, optional), .optional = true },
        { "self", OPTION_MAP, offsetof(struct config, self), .optional = true, .children = item_rows,
                .n_children = ARRAY_SIZE(item_rows) },
        { "items", OPTION_LIST, offsetof(struct config, items), .children = item_rows,
                .n_children = ARRAY_SIZE(item_rows), .item_size = sizeof(struct item) },
        { "texts", OPTION_TEXTS, offsetof(struct config, texts) },
};

static void check_labels(const struct option_list *list)
{
        const struct option_label *labels = list->items;

        for (size_t i = 0; i < list->n; i++) {
                require(labels[i].name && labels[i].value);
                for (size_t j = 0; j < i && j < 50; j++)
                        require(!text_equal(labels[i].name, labels[j].name));
        }
}

static void check_loaded(const struct config *c)
{
        const struct item *items = c->items.items;

        require(c->interval_ns <= NS_PER_SEC * 60 && c->size_bytes >= 1024 && c->mode < 2 && c->text);
        require(c->share >= 0 && c->share <= 1);
        for (size_t i = 0; i < c->items.n; i++) {
                size_t len = items[i].name ? strlen(items[i].name) : 0;

                require(len >= 1 && len <= 16 && items[i].port >= 1 && items[i].port <= 65535);
                check_labels(&items[i].groups);
        }
        for (size_t i = 0; i < c->texts.n; i++)
                require(((char **)c->texts.items)[i]);
}

static void check_problems(const struct buf *problems)
{
        size_t lines = 0;

        require(problems->len > 0 && problems->data[problems->len - 1] == '\n');
        for (size_t i = 0; i < problems->len; i++) {
                unsigned char c = (unsigned char)problems->data[i];

                lines += c == '\n';
                require(c == '\n' || (c >= ' ' && c != 0x7f));
        }
        require(lines <= 20);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static const struct config zero;
        cleanup(buf_done) struct buf problems = { 0 };
        struct config c;
        int r;

        memset(&c, 0, sizeof(c));
        r = loader_parse("f", (const char *)data, size, rows, ARRAY_SIZE(rows), &c, &problems);
        if (r == 0) {
                require(problems.len == 0);
                check_loaded(&c);
                option_free(rows, ARRAY_SIZE(rows), &c);
        } else {
                require(r == -EINVAL);
                check_problems(&problems);
        }
        require(memcmp(&c, &zero, sizeof(c)) == 0);
        return 0;
}
