"""The collectors on a real Soft-RoCE device: what they publish is what the kernel says."""

import json
from pathlib import Path

from collecting import Collecting, make_traffic
from prometheus import promtool_check
from scenario import check, equal, eventually, scenario

FIXTURE = Path(__file__).resolve().parents[2] / "data/sysfs-rxe/class/infiniband/rxe0"
ATTRIBUTES = ["node_type", "fw_ver", "ports/1/state", "ports/1/phys_state", "ports/1/rate", "ports/1/link_layer",
              "ports/1/lid", "ports/1/sm_lid", "ports/1/gid_attrs/ndevs/0", "ports/1/gid_attrs/types/0"]


@scenario(hosts=1, limit_s=180)
def test_counters_equal_what_the_kernel_says(a):
    """At rest every counter of `rdma statistic` is on the page with the same value, and promtool accepts the page."""
    make_traffic(a)
    metrics = Collecting(a).metrics()
    equal(promtool_check(metrics.text), "", "what promtool says")
    link, = json.loads(a.run("rdma -j statistic show link rxe0/1").out)
    counters = {name: value for name, value in link.items() if name not in ("ifindex", "ifname", "port")}
    check(counters["sent_pkts"] > 1000, f"traffic was counted: {counters}")
    for name, value in counters.items():
        equal(metrics.value(f"rdma_canary_hw_{name}_total", device="rxe0", port="1"), value, name)
    equal(metrics.find("rdma_canary_hw_value"), [], "counters without a family of their own")
    equal(metrics.value("rdma_canary_port_active_mtu_bytes", device="rxe0", port="1"), 4096, "active MTU")
    equal(metrics.value("rdma_canary_port_netdev_mtu_bytes", netdev="eth0"), 4200, "MTU of eth0")
    equal(metrics.value("rdma_canary_device_info", driver="rdma_rxe"), 1, "device_info of the rxe driver")


@scenario(hosts=1, limit_s=120)
def test_a_deleted_device_takes_its_samples_along(a):
    """They are missing then, not 0, and no source counts it as a failure; they return with the device."""
    daemon = Collecting(a)
    a.rdma_link_del()
    metrics = daemon.metrics()
    for name in ("device_info", "port_state_id", "hw_sent_pkts_total", "retransmit_timeouts_total"):
        equal(metrics.find(f"rdma_canary_{name}"), [], f"{name} without a device")
    equal([sample for sample in metrics.find("rdma_canary_source_success") if sample[1] != 1], [], "sources that failed")
    a.rdma_link_add()
    eventually(lambda: daemon.metrics().value("rdma_canary_port_state_id", device="rxe0", port="1") == 4, timeout=30,
               what="the state of the port again")


@scenario(hosts=1, limit_s=60)
def test_fixture_of_the_unit_tests_is_like_the_real_tree(a):
    """tests/data/sysfs-rxe has the counters and the spellings of this kernel."""
    real = a.run("ls /sys/class/infiniband/rxe0/ports/1/hw_counters").out.split()
    equal(sorted(real), sorted(path.name for path in (FIXTURE / "ports/1/hw_counters").iterdir()), "hw_counters")
    for name in ATTRIBUTES:
        equal(a.read(f"/sys/class/infiniband/rxe0/{name}"), (FIXTURE / name).read_text(), name)
    equal(a.run("test -e /sys/class/infiniband/rxe0/ports/1/counters", check=False).rc, 1, "counters/ of rxe")
