"""Devices that come, go and are renamed under the running service: heard of, not walked for."""

from collecting import CONFIG, Collecting
from scenario import check, equal, eventually, scenario
from service import Service

SOON_S = 2


def states(metrics):
    return {labels["device"] for labels, _ in metrics().find("rdma_canary_port_state_id")}


def within(host, command, metrics, devices):
    """The page shows these devices soon after the command has ended."""
    host.run(command)
    eventually(lambda: states(metrics) == devices, timeout=SOON_S, what=f"{devices} after `{command}`", every=0.1)


def come_and_go(host, metrics):
    for _ in range(3):  # a walk every few seconds would not be in time each time
        within(host, "rdma link del rxe0", metrics, set())
        within(host, "rdma link add rxe0 type rxe netdev eth0", metrics, {"rxe0"})
    within(host, "rdma dev set rxe0 name roce0", metrics, {"roce0"})
    within(host, "rdma dev set roce0 name rxe0", metrics, {"rxe0"})


@scenario(hosts=1, share=False, limit_s=180)
def test_devices_are_heard_of(a):
    """Deleted, added and renamed devices are on the page within two seconds."""
    daemon = Collecting(a)
    come_and_go(a, daemon.metrics)
    check(daemon.process.running(), daemon.process.err())


@scenario(hosts=1, init="systemd", share=False, limit_s=240)
def test_devices_are_heard_of_in_the_sandbox(a):
    """The same under the real unit: uevents reach it there."""
    service = Service(a)
    service.install(CONFIG)
    service.restart()
    come_and_go(a, service.metrics)
    equal(service.state(), "active", "state of the service")


@scenario(hosts=1, share=False, limit_s=120)
def test_a_plain_tree_is_heard_of_too(a):
    """With --path.sysfs=TREE the directory is watched by inotify."""
    a.run("mkdir -p /run/tree/class/infiniband/a0/ports/1 && echo '4: ACTIVE' >/run/tree/class/infiniband/a0/ports/1/state")
    daemon = Collecting(a, "--path.sysfs=/run/tree")
    eventually(lambda: states(daemon.metrics) == {"a0"}, timeout=5, what="a0")
    for _ in range(2):
        within(a, "mv /run/tree/class/infiniband/a0 /run/tree/class/infiniband/b0", daemon.metrics, {"b0"})
        within(a, "mv /run/tree/class/infiniband/b0 /run/tree/class/infiniband/a0", daemon.metrics, {"a0"})
