"""What is asked by RDMA netlink is what the `rdma` tool says."""

import json

from collecting import Collecting, make_traffic
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
    equal(metrics.find("rdma_canary_hw_optional_enabled"), [], "optional counters of Soft-RoCE")
    equal(metrics.value("rdma_canary_source_success", source="resources"), 1, "success of the source")


@scenario(hosts=1, share=False, limit_s=120)
def test_queue_pairs_by_cgroup(a):
    """Those of a process are its cgroup's, those of the kernel apart."""
    daemon = Collecting(a, config="collectors: {resources: {cgroups: true}}\n")

    def shown():
        return {labels["cgroup"]: value for labels, value in daemon.metrics().find("rdma_canary_cgroup_queue_pairs", device="rxe0")}

    kernel = resources(a)["qp"]
    equal(shown(), {"(kernel)": kernel}, "queue pairs of an idle device")
    a.run("mkdir /run/cgroup && mount -t cgroup2 none /run/cgroup && mkdir /run/cgroup/pod1")
    pingpong = a.start("echo $$ >/run/cgroup/pod1/cgroup.procs; exec ibv_rc_pingpong -d rxe0 -g 1")
    eventually(lambda: resources(a)["qp"] > kernel, timeout=20, what="a queue pair of ibv_rc_pingpong")
    equal(shown(), {"(kernel)": kernel, "/pod1": 1}, "queue pairs with another process")
    pingpong.kill()
    pingpong.wait(10)


def hw_counters(host):
    """By file, as the kernel has them now."""
    path = "/sys/class/infiniband/rxe0/ports/1/hw_counters"
    lines = host.run(f"cd {path} && grep -H . * || true").out.splitlines()
    return {name: int(value) for name, value in (line.split(":") for line in lines) if name != "lifespan"}


def open_counter_files(host, daemon):
    return host.run(f"ls -l /proc/{daemon.process.pid}/fd").out.count("/ports/1/hw_counters/")


def page_counters(metrics, names):
    return {name: metrics.value(f"rdma_canary_hw_{name}_total", device="rxe0", port="1") for name in names}


@scenario(hosts=1, limit_s=180)
def test_counters_by_netlink_equal_the_files(a):
    """No counter's file is even open, and every value is that of the file and of `rdma statistic`; by file the same."""
    make_traffic(a)
    for netlink, files in (("true", False), ("false", True)):
        daemon = Collecting(a, config=f"collectors: {{hw_counters: {{netlink: {netlink}}}}}\n")
        metrics = daemon.metrics()
        want = hw_counters(a)
        check(want["sent_pkts"] > 1000, f"traffic was counted: {want}")
        equal(page_counters(metrics, want), want, f"counters with netlink: {netlink}, against the files")
        link, = json.loads(a.run("rdma -j statistic show link rxe0/1").out)
        equal({name: link[name] for name in want}, want, "rdma statistic against the files")
        equal(open_counter_files(a, daemon) > 0, files, f"counter files open with netlink: {netlink}")
        make_traffic(a)
        check(page_counters(daemon.metrics(), ["sent_pkts"])["sent_pkts"] > want["sent_pkts"], "counting goes on")
        equal(page_counters(daemon.metrics(), want), hw_counters(a), f"counters after more traffic, netlink: {netlink}")
        a.rdma_link_del()
        a.rdma_link_add()
        eventually(lambda: page_counters(daemon.metrics(), want) == hw_counters(a), timeout=5, what="counters of the new device")
        equal(open_counter_files(a, daemon) > 0, files, "counter files open for the new device")
        daemon.process.kill()
        daemon.process.wait(10)
        make_traffic(a)
