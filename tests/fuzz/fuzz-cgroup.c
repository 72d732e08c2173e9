/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as /proc/PID/cgroup: refused without a result, or a path out of it. */
#include <errno.h>
#include <string.h>

#include "probes/cgroup_pairs.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        char path[64] = "";
        int r = cgroup_parse((const char *)data, size, path, sizeof(path));

        require(r == 0 || r == -ENODATA || r == -ENAMETOOLONG);
        require(r != 0 || (path[0] == '/' && strlen(path) < size && !strchr(path, '\n')));
        return 0;
}
