/* SPDX-License-Identifier: Apache-2.0 */
/* reference DIRECTORY: writes the generated pages there. */
#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "docs/gen/reference.h"

static void fclosep(FILE **f)
{
        if (*f)
                (void)fclose(*f); /* only after an error that is told */
}

static int write_page(const char *directory, const struct reference_page *page)
{
        cleanup(buf_done) struct buf out = { 0 };
        cleanup(fclosep) FILE *f = NULL;
        char path[4096];

        page->write(&out);
        if (out.error)
                return out.error;
        if (text_format(path, sizeof(path), "%s/%s.md", directory, page->name) < 0)
                return -ENAMETOOLONG;
        f = fopen(path, "we");
        if (!f || fwrite(out.data, 1, out.len, f) != out.len)
                return -errno;
        return fclose(take_ptr(f)) == 0 ? 0 : -errno;
}

int main(int argc, char **argv)
{
        if (argc != 2) {
                fprintf(stderr, "usage: reference DIRECTORY\n");
                return 2;
        }
        for (size_t i = 0; i < n_reference_pages; i++) {
                int r = write_page(argv[1], &reference_pages[i]);

                if (r < 0) {
                        fprintf(stderr, "reference: %s: %s\n", reference_pages[i].name, strerrordesc_np(-r));
                        return 1;
                }
        }
        return 0;
}
