/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/pci_text.h"

#include <errno.h>
#include <string.h>

#include "base/parse.h"
#include "base/text.h"

static size_t without_newline(const char *text, size_t len)
{
        return len > 0 && text[len - 1] == '\n' ? len - 1 : len;
}

static bool is(const char *text, size_t len, const char *wanted)
{
        return len == strlen(wanted) && memcmp(text, wanted, len) == 0;
}

/* The specification's speeds have at most one decimal. */
static int parse_tenths(const char *text, size_t len, uint64_t *ret)
{
        const char *point = memchr(text, '.', len);
        uint64_t whole, tenths = 0;
        int r = parse_u64(text, point ? (size_t)(point - text) : len, &whole);

        if (r == 0 && point)
                r = parse_u64(point + 1, len - (size_t)(point + 1 - text), &tenths);
        if (r < 0)
                return r;
        if (whole > 10000 || tenths > 9)
                return -ERANGE;
        *ret = 10 * whole + tenths;
        return 0;
}

int pci_parse_speed(const char *text, size_t len, uint64_t *ret)
{
        const char *space;
        uint64_t tenths;
        int r;

        len = without_newline(text, len);
        if (is(text, len, "Unknown") || is(text, len, "Unknown speed"))
                return -ENODATA;
        space = memchr(text, ' ', len);
        if (!space)
                return -EINVAL;
        if (!is(space, len - (size_t)(space - text), " GT/s") &&
                !is(space, len - (size_t)(space - text), " GT/s PCIe"))
                return -EINVAL;
        r = parse_tenths(text, (size_t)(space - text), &tenths);
        if (r == 0)
                *ret = tenths * 100000000;
        return r;
}

int pci_parse_width(const char *text, size_t len, uint64_t *ret)
{
        uint64_t lanes;
        int r = parse_sysfs_u64(text, len, &lanes);

        if (r < 0)
                return r;
        if (lanes == 0 || lanes == UINT8_MAX)
                return -ENODATA;
        *ret = lanes;
        return 0;
}

static int parse_line(const char *line, size_t len, struct pci_aer_line *ret)
{
        const char *space = memchr(line, ' ', len);
        size_t name_len = space ? (size_t)(space - line) : 0;
        uint64_t value;
        int r;

        if (name_len == 0 || memchr(line, '\0', name_len))
                return -EINVAL;
        if (name_len >= sizeof(ret->name))
                return -ENAMETOOLONG;
        r = parse_u64(space + 1, len - name_len - 1, &value);
        if (r < 0)
                return r;
        memcpy(ret->name, line, name_len);
        ret->name[name_len] = '\0';
        ret->value = value;
        return 0;
}

int pci_aer_next(const char **text, size_t *len, struct pci_aer_line *ret)
{
        const char *line = *text, *end;
        size_t line_len;

        while (*len > 0 && *line == '\n') {
                line++;
                --*len;
        }
        if (*len == 0)
                return -ENODATA;
        end = memchr(line, '\n', *len);
        line_len = end ? (size_t)(end - line) : *len;
        *text = line + line_len;
        *len -= line_len;
        return parse_line(line, line_len, ret);
}
