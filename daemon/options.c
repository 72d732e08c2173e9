/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/options.h"

#include <getopt.h>
#include <string.h>

#include "base/parse.h"
#include "base/scope.h"

enum flag {
        FLAG_CONFIG_FILE = 1,
        FLAG_CONFIG_CHECK,
        FLAG_LISTEN_ADDRESS,
        FLAG_TELEMETRY_PATH,
        FLAG_WEB_CONFIG_FILE,
        FLAG_MAX_REQUESTS,
        FLAG_SYSTEMD_SOCKET,
        FLAG_ENABLE_LIFECYCLE,
        FLAG_SYSFS,
        FLAG_PROCFS,
        FLAG_LOG_LEVEL,
        FLAG_LOG_FORMAT,
        FLAG_VERSION,
        FLAG_HELP,
};

#define DEFAULT_CONFIG_FILE    "/etc/rdma-canary/rdma-canary.yml"
#define DEFAULT_LISTEN_ADDRESS ":14791"
#define DEFAULT_TELEMETRY_PATH "/metrics"
#define DEFAULT_MAX_REQUESTS   40
#define MAX_REQUESTS_MAX       1000000

static const struct flag_row {
        enum flag flag;
        const char *name, *argument, *help;
} rows[] = {
        { FLAG_CONFIG_FILE, "config.file", "PATH", "configuration (default " DEFAULT_CONFIG_FILE ")" },
        { FLAG_CONFIG_CHECK, "config.check", NULL,
                "check the configuration, say what is wrong with it, and exit" },
        { FLAG_LISTEN_ADDRESS, "web.listen-address", "HOST:PORT",
                "address to serve metrics on; may be given several times (default " DEFAULT_LISTEN_ADDRESS
                ")" },
        { FLAG_TELEMETRY_PATH, "web.telemetry-path", "PATH",
                "path of the metrics (default " DEFAULT_TELEMETRY_PATH ")" },
        { FLAG_WEB_CONFIG_FILE, "web.config.file", "PATH",
                "TLS and users with passwords, as Prometheus exporters have them (default none)" },
        { FLAG_MAX_REQUESTS, "web.max-requests", "N",
                "scrapes served at once, others are refused; 0: no limit (default 40)" },
        { FLAG_SYSTEMD_SOCKET, "web.systemd-socket", NULL, "serve on the socket that systemd passes" },
        { FLAG_ENABLE_LIFECYCLE, "web.enable-lifecycle", NULL, "allow a reload by POST to /-/reload" },
        { FLAG_SYSFS, "path.sysfs", "DIR", "where sysfs is mounted (default /sys)" },
        { FLAG_PROCFS, "path.procfs", "DIR", "where procfs is mounted (default /proc)" },
        { FLAG_LOG_LEVEL, "log.level", "LEVEL", "debug, info, warn or error (default info)" },
        { FLAG_LOG_FORMAT, "log.format", "FORMAT", "logfmt or json (default logfmt)" },
        { FLAG_VERSION, "version", NULL, "print the version and exit" },
        { FLAG_HELP, "help", NULL, "print this help and exit" },
};

static void fill_long_options(struct option *options)
{
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
                options[i] = (struct option){
                        .name = rows[i].name,
                        .has_arg = rows[i].argument ? required_argument : no_argument,
                        .val = (int)rows[i].flag,
                };
}

static void help(struct buf *out)
{
        buf_text(out,
                "usage: rdma-canaryd [FLAG …]\n\n"
                "Probes the RDMA paths of this host, reads its RDMA counters, and serves both as Prometheus\n"
                "metrics.\n\n");
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                buf_format(out, "  --%s%s%s\n", rows[i].name, rows[i].argument ? "=" : "",
                        rows[i].argument ? rows[i].argument : "");
                buf_format(out, "        %s\n", rows[i].help);
        }
}

static enum options_action wrong(struct buf *output, const char *flag, const char *value, const char *allowed)
{
        buf_format(output, "rdma-canaryd: --%s: \"%s\" is not %s\n", flag, value, allowed);
        return OPTIONS_WRONG;
}

static int find_name(const char *const *names, const char *name)
{
        for (int i = 0; names[i]; i++)
                if (strcmp(names[i], name) == 0)
                        return i;
        return -1;
}

static enum options_action take_log_level(struct options *o, const char *value, struct buf *output)
{
        int i = find_name(log_level_names, value);

        if (i < 0)
                return wrong(output, "log.level", value, "debug, info, warn or error");
        o->log_level = (enum log_level)i;
        return OPTIONS_RUN;
}

static enum options_action take_log_format(struct options *o, const char *value, struct buf *output)
{
        int i = find_name(log_format_names, value);

        if (i < 0)
                return wrong(output, "log.format", value, "logfmt or json");
        o->log_format = (enum log_format)i;
        return OPTIONS_RUN;
}

static enum options_action take_listen_address(struct options *o, const char *value, struct buf *output)
{
        if (o->n_listen_addresses == OPTIONS_LISTEN_MAX) {
                buf_format(output, "rdma-canaryd: more than %d times --web.listen-address\n",
                        OPTIONS_LISTEN_MAX);
                return OPTIONS_WRONG;
        }
        o->listen_addresses[o->n_listen_addresses++] = value;
        return OPTIONS_RUN;
}

static enum options_action take_max_requests(struct options *o, const char *value, struct buf *output)
{
        uint64_t n;

        if (parse_u64(value, strlen(value), &n) < 0 || n > MAX_REQUESTS_MAX)
                return wrong(output, "web.max-requests", value, "a number from 0 to 1000000");
        o->max_requests = (unsigned)n;
        return OPTIONS_RUN;
}

static enum options_action take(struct options *o, enum flag flag, const char *value, struct buf *output)
{
        switch (flag) {
        case FLAG_CONFIG_FILE:
                o->config_file = value;
                break;
        case FLAG_CONFIG_CHECK:
                o->config_check = true;
                break;
        case FLAG_LISTEN_ADDRESS:
                return take_listen_address(o, value, output);
        case FLAG_TELEMETRY_PATH:
                if (value[0] != '/' || value[1] == '\0')
                        return wrong(output, "web.telemetry-path", value, "a path such as /metrics");
                o->telemetry_path = value;
                break;
        case FLAG_WEB_CONFIG_FILE:
                /* Empty is none, as with Prometheus exporters. */
                o->web_config_file = value[0] ? value : NULL;
                break;
        case FLAG_MAX_REQUESTS:
                return take_max_requests(o, value, output);
        case FLAG_SYSTEMD_SOCKET:
                o->systemd_socket = true;
                break;
        case FLAG_ENABLE_LIFECYCLE:
                o->enable_lifecycle = true;
                break;
        case FLAG_SYSFS:
                o->sysfs = value;
                break;
        case FLAG_PROCFS:
                o->procfs = value;
                break;
        case FLAG_LOG_LEVEL:
                return take_log_level(o, value, output);
        case FLAG_LOG_FORMAT:
                return take_log_format(o, value, output);
        case FLAG_VERSION:
                buf_text(output, "rdma-canaryd " RDMA_CANARY_VERSION "\n");
                return OPTIONS_ANSWERED;
        case FLAG_HELP:
                help(output);
                return OPTIONS_ANSWERED;
        }
        return OPTIONS_RUN;
}

static enum options_action complain(struct buf *output, char **argv, int at, const char *what)
{
        buf_format(output, "rdma-canaryd: %s%s; see rdma-canaryd --help\n", what, argv[at]);
        return OPTIONS_WRONG;
}

enum options_action options_parse(int argc, char **argv, struct options *ret, struct buf *output)
{
        struct option long_options[ARRAY_SIZE(rows) + 1] = { 0 };
        enum options_action action = OPTIONS_RUN;
        const char *value;
        int flag;

        *ret = (struct options){
                .config_file = DEFAULT_CONFIG_FILE,
                .telemetry_path = DEFAULT_TELEMETRY_PATH,
                .max_requests = DEFAULT_MAX_REQUESTS,
                .sysfs = "/sys",
                .procfs = "/proc",
                .log_level = LOG_LEVEL_INFO,
        };
        fill_long_options(long_options);
        optind = 0; /* start afresh: tests call this more than once */
        opterr = 0;
        while (action == OPTIONS_RUN && (flag = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
                if (flag == '?')
                        return complain(output, argv, optind - 1, "unknown flag, or its value is missing: ");
                value = optarg ? optarg : "";
                /* An empty web config file is the toolkit's way to say none. */
                if (optarg && value[0] == '\0' && flag != FLAG_WEB_CONFIG_FILE)
                        return complain(output, argv, optind - 1, "empty value: ");
                action = take(ret, flag == 'h' ? FLAG_HELP : (enum flag)flag, value, output);
        }
        if (action == OPTIONS_RUN && optind < argc)
                return complain(output, argv, optind, "unexpected argument: ");
        if (ret->n_listen_addresses == 0)
                ret->listen_addresses[ret->n_listen_addresses++] = DEFAULT_LISTEN_ADDRESS;
        return action;
}
