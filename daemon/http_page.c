/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/http_page.h"

void http_page_text(struct buf *out, const char *text)
{
        for (; *text; text++) {
                switch (*text) {
                case '<':
                        buf_text(out, "&lt;");
                        break;
                case '>':
                        buf_text(out, "&gt;");
                        break;
                case '&':
                        buf_text(out, "&amp;");
                        break;
                case '"':
                        buf_text(out, "&quot;");
                        break;
                case '\'':
                        buf_text(out, "&#39;");
                        break;
                default:
                        buf_char(out, *text);
                }
        }
}

void http_page_begin(struct buf *out, const char *telemetry_path)
{
        buf_text(out, "<!DOCTYPE html>\n"
                      "<html lang=\"en\">\n"
                      "<head><meta charset=\"utf-8\"><title>rdma-canary</title></head>\n"
                      "<body>\n"
                      "<h1>rdma-canary</h1>\n"
                      "<p>Version " RDMA_CANARY_VERSION "</p>\n"
                      "<ul>\n"
                      "<li><a href=\"");
        http_page_text(out, telemetry_path);
        buf_text(out, "\">Metrics</a></li>\n"
                      "<li><a href=\"/-/healthy\">Health</a></li>\n"
                      "<li><a href=\"/-/ready\">Readiness</a></li>\n"
                      "</ul>\n");
}

void http_page_end(struct buf *out)
{
        buf_text(out, "</body>\n</html>\n");
}
