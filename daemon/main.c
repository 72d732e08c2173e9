/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/service.h"
#include "daemon/web.h"

#define EXIT_USAGE 2
/* The thread sanitizer keeps more than that for each thread on its stack. */
#ifdef __SANITIZE_THREAD__
#define STACK_BYTES ((size_t)8 << 20)
#else
#define STACK_BYTES ((size_t)512 * 1024)
#endif

static int load(const struct options *options, struct config **ret)
{
        cleanup(buf_done) struct buf problems = { 0 };
        int r;

        r = config_load(options->config_file, ret, &problems);
        if (r < 0)
                fprintf(stderr, "%srdma-canaryd: %s cannot be used: %s\n", problems.len ? problems.data : "",
                        options->config_file, problems.len ? "see above" : strerror(-r));
        return r;
}

/* Certificates and keys too. */
static int check_web(const char *path)
{
        cleanup(web_freep) struct web *web = NULL;
        cleanup(buf_done) struct buf problems = { 0 };
        int r = path ? web_new(path, &web, &problems) : 0;

        if (r < 0)
                fprintf(stderr, "%srdma-canaryd: %s cannot be used: %s\n", problems.len ? problems.data : "",
                        path, problems.len ? "see above" : strerror(-r));
        return r;
}

static int check(const struct options *options, const struct config *config)
{
        if (check_web(options->web_config_file) < 0)
                return EXIT_FAILURE;
        printf("%s: valid, %zu peers\n", options->config_file, config->peers.n);
        if (options->web_config_file)
                printf("%s: valid\n", options->web_config_file);
        return EXIT_SUCCESS;
}

static int serve(const struct options *options, struct config *config)
{
        struct service *service;
        int r;

        if (service_new(options, config, &service) < 0)
                return EXIT_FAILURE;
        r = service_run(service);
        /* Something stuck in the kernel holds a thread and what it uses; it must not hold up the exit. */
        if (service_free(service) < 0)
                _exit(r < 0 ? EXIT_FAILURE : EXIT_SUCCESS);
        return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Threads here need tens of KiB (bcrypt and TLS most). In the usual 8 MiB the kernel may back a stack with a huge
 * page, which makes it 2 MiB of memory for good. Of every thread that does not say otherwise, libraries' too. */
static void keep_stacks_small(void)
{
        pthread_attr_t attributes;

        if (pthread_attr_init(&attributes) != 0)
                return;
        if (pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0)
                (void)pthread_setattr_default_np(&attributes); /* larger ones work as well */
        (void)pthread_attr_destroy(&attributes);
}

int main(int argc, char **argv)
{
        cleanup(config_unrefp) struct config *config = NULL;
        cleanup(buf_done) struct buf output = { 0 };
        struct options options;
        enum options_action action;

        action = options_parse(argc, argv, &options, &output);
        if (action != OPTIONS_RUN) {
                fputs(buf_cstr(&output), action == OPTIONS_WRONG ? stderr : stdout);
                return action == OPTIONS_WRONG ? EXIT_USAGE : EXIT_SUCCESS;
        }
        keep_stacks_small();
        log_setup(options.log_level, options.log_format);
        if (load(&options, &config) < 0)
                return EXIT_FAILURE;
        if (options.config_check)
                return check(&options, config);
        return serve(&options, config);
}
