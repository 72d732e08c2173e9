/* SPDX-License-Identifier: Apache-2.0 */
/* YAML file → struct, by option rows, over libyaml's document API (whose nodes carry line and column).
 *
 * Refused, each with "file:line:column: key: what is wrong; what is allowed": unknown keys (with the nearest
 * known one as a suggestion), duplicate keys, values that do not parse whole, out-of-range values, wrong node
 * kinds, keys without a value, a second document, an empty file, nesting deeper than 16, more than 100,000
 * nodes, aliases (they can be cycles), tags, files above 4 MiB. Quoted scalars are accepted for TEXT, CHOICE,
 * TEXTS and LABELS only.
 *
 * A file that is a sequence at the top (file_sd) has one LIST or TEXTS row whose key is "".
 * An absent MAP is filled as if it were there and empty; when it is `optional`, its required children may be
 * missing too. A mapping has at most 64 rows. */
#ifndef DAEMON_LOADER_H
#define DAEMON_LOADER_H

#include <stddef.h>

#include "base/option.h"
#include "base/text.h"

/* `into` must be zeroed; on success all fields are set (from the text or the fallback), on failure it is
 * zeroed again and one line per problem found (not only the first; up to 20) is appended to `problems`.
 * 0, -EINVAL, -ENOMEM. `name` is used in messages only. */
int loader_parse(const char *name, const char *text, size_t len, const struct option *rows, size_t n_rows,
        void *into, struct buf *problems);
/* Reads the file first; a missing or unreadable file is a problem with its path and errno: -errno
 * (-EINVAL for what is neither a file nor a directory). */
int loader_file(const char *path, const struct option *rows, size_t n_rows, void *into, struct buf *problems);

/* Documentation of the rows as Markdown table lines "| key | kind | default | what |", nested keys dotted;
 * without the table's header. */
void loader_document(struct buf *out, const struct option *rows, size_t n_rows);

#endif
