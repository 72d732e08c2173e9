/* SPDX-License-Identifier: Apache-2.0 */
/* What of respond can be told without a device. */
#ifndef CLI_RESPOND_H
#define CLI_RESPOND_H

#include "base/option.h"
#include "engine/engine.h"

#define RESPOND_LOOK_NS UINT64_C(1000000000)

/* How long to wait before looking again; 0: it was idle for idle_ns (0: for ever). */
uint64_t respond_wait_ns(const struct responder_stats *s, uint64_t idle_ns, uint64_t now_ns);
/* The first that is not an IP address, NULL when all are. */
const char *respond_bad_address(const struct option_list *allow);
/* "responding to 198.51.100.1 on port 14792, all addresses\n". Appends. */
void respond_describe(const struct option_list *allow, const char *listen, uint16_t port, struct buf *out);
/* After a failed start, what to do about it; "" when there is nothing to say. */
const char *respond_advice(int error);

#endif
