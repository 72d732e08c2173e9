/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/ethtool_standard.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/scope.h"

#define MESSAGE_MAX 8192

/* Reads the attributes of one level; what is not valid ends the reading. */
struct level {
        struct ethtool_standard_values *into;
        uint32_t group; /* of the statistics */
};

static void note(struct level *l, enum ethtool_standard which, const struct nlattr *attr)
{
        /* Of lists the first is the sum of all lanes. */
        if (mnl_attr_get_payload_len(attr) < sizeof(uint64_t))
                return;
        l->into->known |= 1U << which;
        l->into->values[which] = mnl_attr_get_u64(attr);
}

static int nested(const struct nlattr *attr, mnl_attr_cb_t visit, void *data)
{
        return mnl_attr_parse_nested(attr, visit, data);
}

static int visit_pause_statistic(const struct nlattr *attr, void *data)
{
        if (mnl_attr_get_type(attr) == ETHTOOL_A_PAUSE_STAT_RX_FRAMES)
                note(data, STANDARD_PAUSE_RX, attr);
        if (mnl_attr_get_type(attr) == ETHTOOL_A_PAUSE_STAT_TX_FRAMES)
                note(data, STANDARD_PAUSE_TX, attr);
        return MNL_CB_OK;
}

static int visit_pause(const struct nlattr *attr, void *data)
{
        return mnl_attr_get_type(attr) == ETHTOOL_A_PAUSE_STATS ? nested(attr, visit_pause_statistic, data)
                                                                : MNL_CB_OK;
}

static int visit_fec_statistic(const struct nlattr *attr, void *data)
{
        static const enum ethtool_standard standard[] = {
                [ETHTOOL_A_FEC_STAT_CORRECTED] = STANDARD_FEC_CORRECTED,
                [ETHTOOL_A_FEC_STAT_UNCORR] = STANDARD_FEC_UNCORRECTABLE,
                [ETHTOOL_A_FEC_STAT_CORR_BITS] = STANDARD_CORRECTED_BITS,
        };
        uint16_t type = mnl_attr_get_type(attr);

        if (type >= ETHTOOL_A_FEC_STAT_CORRECTED && type < ARRAY_SIZE(standard))
                note(data, standard[type], attr);
        return MNL_CB_OK;
}

static int visit_fec(const struct nlattr *attr, void *data)
{
        return mnl_attr_get_type(attr) == ETHTOOL_A_FEC_STATS ? nested(attr, visit_fec_statistic, data)
                                                              : MNL_CB_OK;
}

static int visit_statistic(const struct nlattr *attr, void *data)
{
        struct level *l = data;

        if (l->group == ETHTOOL_STATS_ETH_PHY && mnl_attr_get_type(attr) == ETHTOOL_A_STATS_ETH_PHY_5_SYM_ERR)
                note(l, STANDARD_SYMBOL_ERRORS, attr);
        if (l->group == ETHTOOL_STATS_ETH_MAC && mnl_attr_get_type(attr) == ETHTOOL_A_STATS_ETH_MAC_6_FCS_ERR)
                note(l, STANDARD_CRC_ERRORS, attr);
        return MNL_CB_OK;
}

/* The group's number comes before its statistics. */
static int visit_group(const struct nlattr *attr, void *data)
{
        struct level *l = data;

        if (mnl_attr_get_type(attr) == ETHTOOL_A_STATS_GRP_ID &&
                mnl_attr_get_payload_len(attr) == sizeof(uint32_t))
                l->group = mnl_attr_get_u32(attr);
        if (mnl_attr_get_type(attr) == ETHTOOL_A_STATS_GRP_STAT)
                return nested(attr, visit_statistic, l);
        return MNL_CB_OK;
}

static int visit_statistics(const struct nlattr *attr, void *data)
{
        struct level *l = data;

        l->group = UINT32_MAX;
        return mnl_attr_get_type(attr) == ETHTOOL_A_STATS_GRP ? nested(attr, visit_group, l) : MNL_CB_OK;
}

static int read_answer(const struct nlmsghdr *message, struct ethtool_standard_values *into)
{
        const struct genlmsghdr *header = mnl_nlmsg_get_payload(message);
        struct level l = { .into = into };
        mnl_attr_cb_t visit;

        if (mnl_nlmsg_get_payload_len(message) < sizeof(*header))
                return -EBADMSG;
        if (header->cmd == ETHTOOL_MSG_PAUSE_GET_REPLY)
                visit = visit_pause;
        else if (header->cmd == ETHTOOL_MSG_FEC_GET_REPLY)
                visit = visit_fec;
        else if (header->cmd == ETHTOOL_MSG_STATS_GET_REPLY)
                visit = visit_statistics;
        else
                return -EBADMSG;
        return mnl_attr_parse(message, sizeof(*header), visit, &l) < 0 ? -EBADMSG : 0;
}

/* The first message with this number: a question has one answer. */
static int find_answer(const void *data, size_t len, uint32_t sequence, const struct nlmsghdr **ret)
{
        const char *at = data;
        size_t step;

        /* Not by mnl_nlmsg_ok(), which takes lengths above INT_MAX for negative ones, and so for good. */
        for (; len >= sizeof(struct nlmsghdr); at += step, len -= step) {
                const struct nlmsghdr *message = (const void *)at;

                if (message->nlmsg_len < sizeof(*message) || message->nlmsg_len > len)
                        return -EBADMSG;
                step = MNL_ALIGN(message->nlmsg_len);
                if (step > len) /* the last may lack its padding */
                        step = len;
                if (message->nlmsg_seq != sequence)
                        continue;
                if (message->nlmsg_type == NLMSG_ERROR) {
                        const struct nlmsgerr *error = mnl_nlmsg_get_payload(message);

                        if (mnl_nlmsg_get_payload_len(message) < sizeof(error->error) || error->error >= 0 ||
                                error->error < -4095)
                                return -EBADMSG;
                        return error->error;
                }
                *ret = message;
                return 0;
        }
        return -EBADMSG;
}

int ethtool_standard_read(
        const void *data, size_t len, uint32_t sequence, struct ethtool_standard_values *into)
{
        const struct nlmsghdr *message = NULL;
        int r = len > MESSAGE_MAX ? -EBADMSG : find_answer(data, len, sequence, &message);

        return r < 0 ? r : read_answer(message, into);
}

static int exchange(struct ethtool_netlink *n, struct nlmsghdr *request, char *answer, size_t *ret_len)
{
        ssize_t len;

        request->nlmsg_flags = NLM_F_REQUEST;
        request->nlmsg_seq = ++n->sequence;
        if (send(n->fd, request, request->nlmsg_len, 0) < 0)
                return -errno;
        len = recv(n->fd, answer, MESSAGE_MAX, 0);
        if (len < 0)
                return -errno;
        *ret_len = (size_t)len;
        return 0;
}

static struct nlmsghdr *begin(char *memory, uint16_t type, uint8_t cmd, uint8_t version)
{
        struct nlmsghdr *request = mnl_nlmsg_put_header(memory);
        struct genlmsghdr *header = mnl_nlmsg_put_extra_header(request, sizeof(*header));

        request->nlmsg_type = type;
        *header = (struct genlmsghdr){ .cmd = cmd, .version = version };
        return request;
}

static int visit_family(const struct nlattr *attr, void *data)
{
        if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID &&
                mnl_attr_get_payload_len(attr) == sizeof(uint16_t))
                *(uint16_t *)data = mnl_attr_get_u16(attr);
        return MNL_CB_OK;
}

static int find_family(struct ethtool_netlink *n)
{
        _Alignas(uint64_t) char memory[256], answer[MESSAGE_MAX];
        struct nlmsghdr *request = begin(memory, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);
        const struct nlmsghdr *message = NULL;
        size_t len = 0;
        int r;

        mnl_attr_put_strz(request, CTRL_ATTR_FAMILY_NAME, ETHTOOL_GENL_NAME);
        r = exchange(n, request, answer, &len);
        if (r == 0)
                r = find_answer(answer, len, n->sequence, &message);
        if (r < 0)
                return r == -ENOENT ? -EOPNOTSUPP : r;
        n->family = 0;
        if (mnl_attr_parse(message, sizeof(struct genlmsghdr), visit_family, &n->family) < 0 ||
                n->family == 0)
                return -EBADMSG;
        return 0;
}

static int open_netlink(struct ethtool_netlink *n)
{
        const struct timeval second = { .tv_sec = 1 };
        cleanup(close_fdp) int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
        int r;

        /* The kernel answers before send() returns. */
        if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second)) < 0)
                return -errno;
        n->fd = take_fd(&fd);
        r = find_family(n);
        if (r < 0)
                ethtool_netlink_close(n);
        return r;
}

void ethtool_netlink_close(struct ethtool_netlink *n)
{
        close_fdp(&n->fd);
        n->fd = -1;
}

/* Groups of statistics, as a bit set without a mask. */
static void put_groups(struct nlmsghdr *request)
{
        const uint32_t groups = 1U << ETHTOOL_STATS_ETH_PHY | 1U << ETHTOOL_STATS_ETH_MAC;
        struct nlattr *nest = mnl_attr_nest_start(request, ETHTOOL_A_STATS_GROUPS);

        mnl_attr_put(request, ETHTOOL_A_BITSET_NOMASK, 0, NULL);
        mnl_attr_put_u32(request, ETHTOOL_A_BITSET_SIZE, ETHTOOL_STATS_ETH_MAC + 1);
        mnl_attr_put_u32(request, ETHTOOL_A_BITSET_VALUE, groups);
        mnl_attr_nest_end(request, nest);
}

static int ask(struct ethtool_netlink *n, uint8_t cmd, uint16_t header, const char *netdev,
        struct ethtool_standard_values *into)
{
        _Alignas(uint64_t) char memory[256], answer[MESSAGE_MAX];
        struct nlmsghdr *request = begin(memory, n->family, cmd, ETHTOOL_GENL_VERSION);
        struct nlattr *nest = mnl_attr_nest_start(request, header);
        size_t len = 0;
        int r;

        mnl_attr_put_strz(request, ETHTOOL_A_HEADER_DEV_NAME, netdev);
        if (cmd != ETHTOOL_MSG_STATS_GET)
                mnl_attr_put_u32(request, ETHTOOL_A_HEADER_FLAGS, ETHTOOL_FLAG_STATS);
        mnl_attr_nest_end(request, nest);
        if (cmd == ETHTOOL_MSG_STATS_GET)
                put_groups(request);
        r = exchange(n, request, answer, &len);
        return r < 0 ? r : ethtool_standard_read(answer, len, n->sequence, into);
}

int ethtool_standard_ask(void *context, const char *netdev, struct ethtool_standard_values *ret)
{
        static const struct {
                uint8_t cmd;
                uint16_t header;
        } questions[] = {
                { ETHTOOL_MSG_PAUSE_GET, ETHTOOL_A_PAUSE_HEADER },
                { ETHTOOL_MSG_FEC_GET, ETHTOOL_A_FEC_HEADER },
                { ETHTOOL_MSG_STATS_GET, ETHTOOL_A_STATS_HEADER },
        };
        struct ethtool_netlink *n = context;
        struct ethtool_standard_values found = { 0 };
        int r = n->fd < 0 ? open_netlink(n) : 0;

        for (size_t i = 0; r == 0 && i < ARRAY_SIZE(questions); i++) {
                r = ask(n, questions[i].cmd, questions[i].header, netdev, &found);
                if (r == -EOPNOTSUPP || r == -EINVAL) /* this driver, or an older kernel */
                        r = 0;
        }
        if (r == 0)
                *ret = found;
        else if (r != -ENODEV)
                ethtool_netlink_close(n); /* what is still to come belongs to nobody */
        return r;
}
