"""What is asked by RDMA netlink is what the `rdma` tool says."""

import json

from collecting import Collecting
from scenario import check, equal, eventually, scenario


def resources(host):
    device, = json.loads(host.run("rdma -j resource show").out)
    return {kind: value for kind, value in device.items() if kind not in ("ifindex", "ifname")}


@scenario(hosts=1, limit_s=120)
def test_resources_equal_what_rdma_says(a):
    """At rest, and with queue pairs of another process; a device without optional counters is no failure."""
    daemon = Collecting(a)

    def shown():
        return {labels["resource"]: value for labels, value in daemon.metrics().find("rdma_canary_device_resources", device="rxe0")}

    idle = resources(a)
    check("qp" in idle and "mr" in idle, f"resources: {idle}")
    equal(shown(), idle, "resources of an idle device")
    pingpong = a.start("exec ibv_rc_pingpong -d rxe0 -g 1")
    eventually(lambda: resources(a)["qp"] > idle["qp"], timeout=20, what="a queue pair of ibv_rc_pingpong")
    equal(shown(), resources(a), "resources in use")
    pingpong.kill()
    pingpong.wait(10)
    eventually(lambda: shown() == idle, timeout=20, what="resources given back")
    metrics = daemon.metrics()
    equal(metrics.find("rdma_canary_optional_counter_enabled"), [], "optional counters of Soft-RoCE")
    equal(metrics.value("rdma_canary_source_success", source="resources"), 1, "success of the source")
