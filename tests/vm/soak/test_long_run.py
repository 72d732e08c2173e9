"""What must stay as it was after hundreds of restarts and thousands of turns."""

import time

from scenario import below, check, equal, eventually, scenario
from service import Service, usual_config

TURNS = 2000
CYCLES = 200
RSS_ANON_SLACK_KIB = 256  # the allocator's own; a leak of 150 bytes a turn is more

# Both probes each second with as little traffic as there can be.
BRISK = """
probes:
  rdma_bandwidth: {interval: 1s, timeout: 2s, bytes: 64K}
  rdma_latency: {interval: 1s, timeout: 2s, messages: 10}
"""


def attempts(service):
    return sum(value for _, value in service.metrics().find("rdma_canary_probe_attempts_total"))


def rss_anon_kib(service):
    status = service.host.read(f"/proc/{service.main_pid()}/status")
    return int(status.split("RssAnon:")[1].split()[0])


def holdings(service):
    host, pid = service.host, service.main_pid()
    return (len(host.run(f"ls /proc/{pid}/fd").out.split()), len(host.run(f"ls /proc/{pid}/task").out.split()),
            host.run("rdma resource show").out.strip())


@scenario(hosts=2, init="systemd", limit_s=3600)
def test_two_thousand_turns(a, b):
    services = [Service(host) for host in (a, b)]
    for service in services:
        service.install(usual_config(service.host.name) + BRISK)
        service.restart()
    eventually(lambda: all(attempts(service) >= 100 for service in services), timeout=300, what="warm")
    before = [(holdings(service), rss_anon_kib(service), attempts(service)) for service in services]
    for service, (_, _, turns) in zip(services, before):
        eventually(lambda: attempts(service) >= turns + TURNS, timeout=3000, what=f"{TURNS} turns", every=5)
    for service, (held, kib, _) in zip(services, before):
        eventually(lambda: holdings(service) == held, timeout=30, what=f"descriptors, threads, rdma resources as {held}")
        below(rss_anon_kib(service), kib + RSS_ANON_SLACK_KIB, "RssAnon in KiB")
        equal(service.state(), "active", "state")


@scenario(hosts=2, init="systemd", limit_s=3600)
def test_two_hundred_restarts(a, b):
    service, other = Service(a), Service(b)
    for one in (service, other):
        one.install(usual_config(one.host.name) + BRISK)
        one.restart()
    idle = None
    for cycle in range(CYCLES):
        below(service.stop(), 5, f"seconds to stop, cycle {cycle}")
        if idle is None:
            time.sleep(2)
            idle = a.run("rdma resource show").out
        service.start()
    service.stop()
    eventually(lambda: a.run("rdma resource show").out == idle, timeout=30, what=f"rdma resources as {idle}")
    other_held = holdings(other)
    check(other.state() == "active", "the peer has gone down")
    eventually(lambda: holdings(other)[2] == other_held[2], timeout=30, what="the peer's resources")
