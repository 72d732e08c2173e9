/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/ethtool_query.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/scope.h"
#include "base/text.h"

/* The set grows when somebody turns on priority flow control or more queues. A kernel that is told another
 * number than there is at that moment answers none; older ones write as many as there are, whatever the
 * request has room for. Room that stays untouched costs nothing. */
#define SPARE 4096

int ethtool_ioctl(void *context, const char *netdev, void *request)
{
        const int *fd = context;
        struct ifreq ifr = { .ifr_data = request };
        int r = text_copy(ifr.ifr_name, sizeof(ifr.ifr_name), netdev);

        if (r < 0)
                return r;
        return ioctl(*fd, SIOCETHTOOL, &ifr) < 0 ? -errno : 0;
}

int ethtool_driver(const struct ethtool_caller *c, const char *netdev, char driver[ETHTOOL_NAME_SIZE + 1])
{
        struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
        int r = c->call(c->context, netdev, &info);

        if (r < 0)
                return r;
        return text_format(driver, ETHTOOL_NAME_SIZE + 1, "%.*s", (int)sizeof(info.driver), info.driver);
}

int ethtool_count(const struct ethtool_caller *c, const char *netdev, uint32_t *ret)
{
        _Alignas(uint64_t) char memory[sizeof(struct ethtool_sset_info) + sizeof(uint32_t)] = { 0 };
        struct ethtool_sset_info *request = (void *)memory;
        uint32_t n = 0;
        int r;

        request->cmd = ETHTOOL_GSSET_INFO;
        request->sset_mask = 1 << ETH_SS_STATS;
        r = c->call(c->context, netdev, request);
        if (r < 0)
                return r;
        if (request->sset_mask != 0) /* a set that the driver does not have loses its bit */
                memcpy(&n, memory + sizeof(*request), sizeof(n));
        if (n > ETHTOOL_COUNT_MAX)
                return -EOVERFLOW;
        *ret = n;
        return 0;
}

/* A request with more room behind `header` bytes than for the *ret_n items of `item` bytes that there are. */
static int make_request(const struct ethtool_caller *c, const char *netdev, size_t header, size_t item,
        void **ret, uint32_t *ret_n)
{
        int r = ethtool_count(c, netdev, ret_n);

        if (r < 0)
                return r;
        *ret = calloc(1, header + (*ret_n + (size_t)SPARE) * item);
        return *ret ? 0 : -ENOMEM;
}

int ethtool_names(const struct ethtool_caller *c, const char *netdev, char **ret, uint32_t *ret_n)
{
        cleanup(freep) void *memory = NULL;
        struct ethtool_gstrings *request;
        uint32_t n = 0;
        int r = make_request(c, netdev, sizeof(*request), ETHTOOL_NAME_SIZE, &memory, &n);

        if (r < 0)
                return r;
        request = memory;
        request->cmd = ETHTOOL_GSTRINGS;
        request->string_set = ETH_SS_STATS;
        request->len = n;
        r = c->call(c->context, netdev, request);
        if (r < 0)
                return r;
        if (request->len > n + SPARE)
                return -EOVERFLOW;
        *ret_n = request->len;
        memmove(memory, request->data, (size_t)*ret_n * ETHTOOL_NAME_SIZE);
        *ret = take_ptr(memory);
        return 0;
}

int ethtool_values(const struct ethtool_caller *c, const char *netdev, uint64_t **ret, uint32_t *ret_n)
{
        cleanup(freep) void *memory = NULL;
        struct ethtool_stats *request;
        uint32_t n = 0;
        int r = make_request(c, netdev, sizeof(*request), sizeof(uint64_t), &memory, &n);

        if (r < 0)
                return r;
        request = memory;
        request->cmd = ETHTOOL_GSTATS;
        request->n_stats = n;
        r = c->call(c->context, netdev, request);
        if (r < 0)
                return r;
        if (request->n_stats > n + SPARE)
                return -EOVERFLOW;
        *ret_n = request->n_stats;
        memmove(memory, request->data, (size_t)*ret_n * sizeof(uint64_t));
        *ret = take_ptr(memory);
        return 0;
}

size_t ethtool_name_length(const char *names, uint32_t i)
{
        return strnlen(names + (size_t)i * ETHTOOL_NAME_SIZE, ETHTOOL_NAME_SIZE);
}
