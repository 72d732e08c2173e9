/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include "base/text.h"
#include "daemon/http_negotiate.h"

#define OM "application/openmetrics-text"

static void formats_are_chosen_by_what_is_liked(void **state)
{
        static const struct {
                const char *accept, *expected; /* expected: version; NULL: the text format */
        } rows[] = {
                { NULL, NULL },
                { "", NULL },
                { "*/*", NULL },
                { "text/plain", NULL },
                { "text/html,*/*;q=0.8", NULL },
                { "application/*", NULL },
                { OM, "1.0.0" },
                { "Application/OpenMetrics-Text; Version=1.0.0", "1.0.0" },
                { OM ";version=\"1.0.0\"", "1.0.0" },
                { OM ";version=0.0.1", "0.0.1" },
                { OM ";version=2.0.0", NULL },
                { OM ";version=2.0.0;q=1," OM ";version=0.0.1;q=0.1", "0.0.1" },
                { OM ";q=0", NULL },
                { OM ";q=0.000, text/plain;q=0.1", NULL },
                { OM ";q=1.001", NULL },
                { OM ";q=0.5x", NULL },
                { OM ";q=.5", NULL },
                { OM ";q=", NULL },
                { OM ";q", NULL },
                { OM "x", NULL },
                { OM " ; version = 1.0.0 ; q = 0.5 ,\ttext/plain;q=0.4", "1.0.0" },
                { OM ";q=0.4,text/plain;version=0.0.4;q=0.5", NULL },
                { OM ";q=0.4,text/plain;version=1.0.0;q=0.5", "1.0.0" }, /* no version of ours */
                { OM ",text/plain", "1.0.0" },
                { "text/plain," OM, NULL },
                { OM ";q=0.5,*/*;q=0.5", "1.0.0" },
                { OM ";q=0.5,*/*;q=0.6", NULL },
                { OM ";q=0.5,text/*;q=0.6", NULL },
                { OM ";note=\"a,b;q=0\\\"\";q=0.5,text/plain;q=0.4", "1.0.0" },
                { OM ";note=\"never closed,text/plain", "1.0.0" },
                { ",, ;," OM ";;", "1.0.0" },
                /* Prometheus 2.53 and 3.5. */
                { OM ";version=1.0.0;q=0.5," OM
                     ";version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
                        "1.0.0" },
                { "application/"
                  "vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;"
                  "q=0.6," OM ";version=1.0.0;escaping=allow-utf-8;q=0.5," OM
                  ";version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,"
                  "text/plain;version=0.0.4;q=0.2,*/*;q=0.1",
                        "1.0.0" },
                { "text/plain;version=0.0.4;q=0.5," OM ";version=1.0.0;q=0.4,*/*;q=0.1", NULL },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                const struct http_page_type *type = http_page_type(rows[i].accept);
                char expected[100] = "text/plain; version=0.0.4; charset=utf-8";
                const char *row = rows[i].accept ? rows[i].accept : "NULL";

                if (rows[i].expected)
                        text_message(expected, sizeof(expected), OM "; version=%s; charset=utf-8",
                                rows[i].expected);
                check_row(text_equal(type->content_type, expected), row);
                check_row((type->format == EXPOSITION_OPENMETRICS) == (rows[i].expected != NULL), row);
        }
}

static void gzip_is_used_where_it_is_allowed(void **state)
{
        static const struct {
                const char *value;
                bool gzip;
        } rows[] = {
                { NULL, false },
                { "", false },
                { "gzip", true },
                { "GZIP", true },
                { "x-gzip", true },
                { "gzip;q=0", false },
                { "gzip;q=0.001", true },
                { "gzip;q=2", false },
                { "deflate, gzip", true },
                { "deflate, br", false },
                { "*", true },
                { "*;q=0", false },
                { "gzip;q=0, *", false },
                { "*, gzip;q=0", false },
                { "*;q=0, gzip", true },
                { "identity", false },
                { "identity, gzip;q=0.5", false },
                { "identity;q=0.5, gzip;q=0.5", true },
                { "identity;q=0, *;q=0.1", true },
                { "identity;q=1, *;q=0.1", false },
                { "gzipped", false },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
                check_row(http_takes_gzip(rows[i].value) == rows[i].gzip,
                        rows[i].value ? rows[i].value : "NULL");
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(formats_are_chosen_by_what_is_liked),
                cmocka_unit_test(gzip_is_used_where_it_is_allowed),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
