"""What must stay as it was after hundreds of restarts and thousands of turns."""

import time

from scenario import below, eventually, scenario
from service import Service, usual_config

TURNS = 1000      # of each host, so 2,000 of the pair
WARM_TURNS = 60   # until the allocator and the threads have what they need
CYCLES = 200
RSS_ANON_SLACK_KIB = 256  # of the least seen in a window; a leak of 400 bytes a turn is more
WINDOW = 15               # looks, of 15 s each


def config(host, interval):
    """Both probes, with as little traffic as there can be, apart by this."""
    return usual_config(host.name) + f"""
probes:
  rdma_bandwidth: {{interval: {interval}, timeout: 2s, bytes: 64K}}
  rdma_latency: {{interval: {interval}, timeout: 2s, messages: 10}}
"""


def attempts(service):
    return sum(value for _, value in service.metrics().find("rdma_canary_probe_attempts_total"))


def rdma_resources(host):
    return host.run("rdma resource show").out.strip()


def rss_anon_kib(service):
    return int(service.host.read(f"/proc/{service.main_pid()}/status").split("RssAnon:")[1].split()[0])


def held(service):
    """Descriptors, threads, rdma resources."""
    host, pid = service.host, service.main_pid()
    return (len(host.run(f"ls /proc/{pid}/fd").out.split()), len(host.run(f"ls /proc/{pid}/task").out.split()),
            rdma_resources(host))


def rest(services):
    """Nothing under way on any host from now on."""
    for service in services:
        service.configure(config(service.host, "1h"))
        service.reload()
    for service in services:
        eventually(lambda: "qp 1 " in rdma_resources(service.host), timeout=30, what="no queue pair but the GSI's")
    time.sleep(15)  # threads that end by themselves: the resolver's after a reload, the reaper's after 5 s without work


def check_held(services, before):
    rest(services)
    for service, then in zip(services, before):
        eventually(lambda: held(service) == then, timeout=30,
                   what=f"descriptors, threads, rdma resources of {service.host.name} as before, {then}; now {held(service)}")


def turn(services, count):
    """Until each has made as many turns more. RssAnon in KiB as seen every 15 s, of each."""
    for service in services:
        service.configure(config(service.host, "1s"))
        service.reload()
    started, goals = time.monotonic(), {service: attempts(service) + count for service in services}
    seen = [[] for _ in services]

    def lacking():
        return {service.host.name: goal - attempts(service) for service, goal in goals.items() if attempts(service) < goal}
    while left := lacking():
        for service, kib in zip(services, seen):
            kib.append(rss_anon_kib(service))
        print(f"    {time.monotonic() - started:.0f} s, turns to go: {left}, RssAnon {[kib[-1] for kib in seen]} KiB", flush=True)
        below(time.monotonic() - started, 3000, "seconds")
        time.sleep(15)
    return seen


@scenario(hosts=2, init="systemd", limit_s=3600)
def test_two_thousand_turns(a, b):
    services = [Service(host) for host in (a, b)]
    for service in services:
        service.install(config(service.host, "1s"))
        service.restart()
    turn(services, WARM_TURNS)
    rest(services)
    before = [held(service) for service in services]
    memory = turn(services, TURNS)
    check_held(services, before)
    for service, kib in zip(services, memory):
        # It goes up and down by as much as the slack with every turn.
        below(min(kib[-WINDOW:]), min(kib[:WINDOW]) + RSS_ANON_SLACK_KIB, f"RssAnon of {service.host.name} in KiB, {kib}")


@scenario(hosts=2, init="systemd", limit_s=3600)
def test_two_hundred_restarts(a, b):
    service, other = Service(a), Service(b)
    for one, interval in ((service, "1s"), (other, "1h")):
        one.install(config(one.host, interval))
        one.restart()
    turn([service], 4)
    rest([service, other])
    before = held(other)
    service.configure(config(a, "1s"))
    for cycle in range(CYCLES):
        below(service.stop(), 5, f"seconds to stop, cycle {cycle}")
        eventually(lambda: "qp 1 " in rdma_resources(a), timeout=30, what=f"queue pairs gone, cycle {cycle}", every=0.2)
        service.start()
    service.stop()
    check_held([other], [before])
