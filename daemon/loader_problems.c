/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/loader_problems.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PROBLEMS_MAX 20

static void add_printable(struct buf *out, const char *s)
{
        for (; *s; s++)
                buf_char(out, (unsigned char)*s < ' ' || *s == 0x7f ? '?' : *s);
}

void problems_add(struct problems *p, const yaml_mark_t *mark, const char *format, ...)
{
        char message[1024];
        va_list args;

        if (p->n++ >= PROBLEMS_MAX)
                return;
        va_start(args, format);
        (void)vsnprintf(message, sizeof(message), format, args); /* for people: cut off is good enough */
        va_end(args);
        add_printable(p->lines, p->name);
        if (mark)
                buf_format(p->lines, ":%zu:%zu", mark->line + 1, mark->column + 1);
        buf_text(p->lines, ": ");
        add_printable(p->lines, p->path);
        buf_text(p->lines, p->path[0] ? ": " : "");
        add_printable(p->lines, message);
        buf_char(p->lines, '\n');
}

bool problems_full(const struct problems *p)
{
        return p->n >= PROBLEMS_MAX;
}

int problems_result(const struct problems *p)
{
        if (p->no_memory || p->lines->error)
                return -ENOMEM;
        return p->n > 0 ? -EINVAL : 0;
}

size_t problems_enter(struct problems *p, const char *key)
{
        size_t len = strlen(p->path);

        text_message(p->path + len, sizeof(p->path) - len, "%s%s", len > 0 && key[0] ? "." : "", key);
        return len;
}

size_t problems_enter_index(struct problems *p, size_t index)
{
        size_t len = strlen(p->path);

        text_message(p->path + len, sizeof(p->path) - len, "[%zu]", index);
        return len;
}

void problems_leave(struct problems *p, size_t mark)
{
        p->path[mark] = '\0';
}
