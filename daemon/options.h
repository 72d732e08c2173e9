/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's command line, named as Prometheus exporters name theirs. */
#ifndef DAEMON_OPTIONS_H
#define DAEMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "daemon/log.h"

#define OPTIONS_LISTEN_MAX 8

/* Strings belong to argv or are constants. */
struct options {
        const char *config_file;
        bool config_check;
        const char *listen_addresses[OPTIONS_LISTEN_MAX];
        size_t n_listen_addresses;
        const char *telemetry_path;
        const char *web_config_file; /* NULL: none */
        unsigned max_requests;       /* scrapes at once; 0: no limit */
        bool systemd_socket;
        bool enable_lifecycle; /* POST /-/reload */
        const char *sysfs, *procfs;
        enum log_level log_level;
        enum log_format log_format;
};

enum options_action {
        OPTIONS_RUN,
        OPTIONS_ANSWERED, /* --help, --version: `output` has the text */
        OPTIONS_WRONG,    /* `output` has the complaint */
};

enum options_action options_parse(int argc, char **argv, struct options *ret, struct buf *output);

#endif
