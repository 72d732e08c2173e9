"""The service under a real systemd on two hosts."""

import signal
import time

from prometheus import Prometheus, promtool_check
from scenario import below, check, equal, eventually, scenario
from service import UNIT, Service, usual_config

PROBES = ("rdma_bandwidth", "rdma_latency")
INTERVAL_S = 4
QUICK = f"""
probes:
  rdma_bandwidth: {{interval: {INTERVAL_S}s, timeout: 2s}}
  rdma_latency: {{interval: {INTERVAL_S}s, timeout: 2s}}
"""


def quick_config(host):
    return usual_config(host.name) + QUICK


def running(*hosts):
    services = [Service(host) for host in hosts]
    for service in services:
        service.install(quick_config(service.host))
        service.restart()
    return services


def successes(service):
    metrics = service.metrics()
    return [metrics.value("rdma_canary_probe_success", probe=probe) for probe in PROBES]


def all_succeed(*services):
    return all(successes(service) == [1, 1] for service in services)


def attempts(service):
    return sum(value for _, value in service.metrics().find("rdma_canary_probe_attempts_total"))


def holdings(service):
    """What the process holds, and the kernel for it."""
    host, pid = service.host, service.main_pid()
    return {
        "fds": len(host.run(f"ls /proc/{pid}/fd").out.split()),
        "threads": len(host.run(f"ls /proc/{pid}/task").out.split()),
        "rdma": host.run("rdma resource show").out.strip(),
    }


@scenario(hosts=2, init="systemd", limit_s=240)
def test_both_directions_of_both_probes(a, b):
    """Two hosts that know of each other measure each other, and say so in a page that promtool accepts."""
    services = running(a, b)
    eventually(lambda: all_succeed(*services), timeout=60, what="both probes in both directions")
    for service in services:
        metrics = service.metrics()
        equal(promtool_check(metrics.text), "", "what promtool says")
        equal(metrics.value("rdma_canary_port_state_id", device="rxe0", port="1"), 4, "port state")
        check(metrics.value("rdma_canary_probe_bandwidth_bytes_per_second", probe="rdma_bandwidth") > 0, "no bandwidth")
        p50, p99 = (metrics.value(f"rdma_canary_probe_latency_{q}_seconds", probe="rdma_latency") for q in ("p50", "p99"))
        check(0 < p50 <= p99, f"latencies {p50}, {p99}")
        check(metrics.value("rdma_canary_hw_sent_pkts_total", device="rxe0", port="1") > 0, "nothing was sent")


@scenario(hosts=2, init="systemd", limit_s=240)
def test_prometheus_scrapes_it(a, b):
    """A real Prometheus finds it up, scrape after scrape, and its counters rise."""
    running(a, b)
    prometheus = Prometheus(a).start(targets=["127.0.0.1:14791"], interval="2s")
    eventually(lambda: prometheus.query("count_over_time(up[5m])")[0][1] >= 4, timeout=60, what="four scrapes")
    equal([value for _, value in prometheus.query("min_over_time(up[5m])")], [1], "up in every scrape")
    for counter in ("rdma_canary_hw_sent_pkts_total", "rdma_canary_probe_attempts_total", "process_cpu_seconds_total"):
        eventually(lambda: sum(value for _, value in prometheus.query(f"increase({counter}[5m])")) > 0,
                   timeout=60, what=f"increase of {counter}")


@scenario(hosts=2, init="systemd", limit_s=240)
def test_reload_keeps_totals_and_survives_a_bad_file(a, b):
    """SIGHUP takes in a changed file; a bad one is refused by name and changes nothing."""
    service, _ = running(a, b)
    eventually(lambda: all_succeed(service), timeout=60, what="both probes")
    before = attempts(service)
    service.reload()
    check(attempts(service) >= before, "totals were lost")
    equal(successes(service), [1, 1], "probe_success after a reload")

    service.configure(quick_config(a) + "colectors: {}\n")
    service.reload()
    eventually(lambda: service.metrics().value("rdma_canary_config_last_reload_successful") == 0, timeout=10, what="refusal")
    check("rdma-canary.yml:" in service.journal() and "colectors" in service.journal(), service.journal())
    check(attempts(service) >= before, "totals were lost by a bad file")
    refused_at = attempts(service)
    eventually(lambda: attempts(service) > refused_at, timeout=30, what="turns that go on after a bad file")

    service.configure(quick_config(a).replace("name: host-b", "name: elsewhere"))
    service.reload()
    eventually(lambda: service.metrics().value("rdma_canary_config_last_reload_successful") == 1, timeout=10, what="reload")
    eventually(lambda: {labels["peer"] for labels, _ in service.metrics().find("rdma_canary_probe_attempts_total")}
               <= {"elsewhere"}, timeout=10, what="series of the removed peer gone")


@scenario(hosts=2, init="systemd", limit_s=240)
def test_peer_dies_and_comes_back(a, b):
    """Killed, stopped or gone: the page says so within an interval, the journal once, and recovery is seen."""
    here, there = running(a, b)
    eventually(lambda: all_succeed(here), timeout=60, what="both probes")
    b.run(f"systemctl stop {UNIT}", timeout=30)
    eventually(lambda: successes(here) == [0, 0], timeout=30, what="failing probes without a peer")
    said = [line for line in here.journal().splitlines() if "refused" in line]
    time.sleep(2 * INTERVAL_S)
    again = [line for line in here.journal().splitlines() if "refused" in line]
    equal(len(again), len(said), "lines about a fault that goes on")
    check(all("host-b" in line and "rdma-canaryd" in line for line in said), said)
    there.start()
    eventually(lambda: all_succeed(here), timeout=30, what="recovery")

    b.signal_stop(there.main_pid())
    eventually(lambda: successes(here) == [0, 0], timeout=30, what="failing probes to a stopped peer")
    check(here.metrics().value("rdma_canary_probe_failures_total", probe="rdma_latency", reason="peer") >= 1, "reason")
    b.signal_cont(there.main_pid())
    eventually(lambda: all_succeed(here), timeout=30, what="recovery")


@scenario(hosts=2, init="systemd", limit_s=240)
def test_device_goes_and_comes_back(a, b):
    """A deleted device takes its series with it within seconds; a new one is probed."""
    service, _ = running(a, b)
    eventually(lambda: all_succeed(service), timeout=60, what="both probes")
    started = a.now()
    a.rdma_link_del()
    below(a.now() - started, 5, "seconds that the removal took with the service running")
    eventually(lambda: not service.metrics().find("rdma_canary_port_state_id", device="rxe0")
               and not service.metrics().find("rdma_canary_probe_success", device="rxe0"), timeout=15, what="series gone")
    a.rdma_link_add()
    eventually(lambda: all_succeed(service), timeout=40, what="probes of the new device")


@scenario(hosts=2, init="systemd", limit_s=240)
def test_stop_with_probes_running(a, b):
    """SIGTERM in the middle of long probes ends the service in under five seconds, orderly."""
    service = Service(a)
    other, = running(b)
    service.install(usual_config(a.name) + "probes:\n  rdma_bandwidth: {interval: 10s, timeout: 20s, duration: 9s}\n")
    service.restart()
    eventually(lambda: "state RTS" in a.run("rdma resource show qp").out, timeout=60, what="traffic", every=0.2)
    below(service.stop(), 5, "seconds to stop")
    equal(service.show("Result"), "success", "result of the unit")
    equal(other.state(), "active", "state of the peer's service")


@scenario(hosts=2, init="systemd", limit_s=240)
def test_sandbox(a, b):
    """The unit's sandbox is tight, and everything works in it."""
    service, _ = running(a, b)
    eventually(lambda: all_succeed(service), timeout=60, what="both probes")
    out = a.run(f"systemd-analyze security --no-pager {UNIT}", timeout=60).out
    exposure = float(out.split("Overall exposure level for")[1].split(":")[1].split()[0])
    below(exposure, 2.51, f"exposure level\n{out}")
    equal(a.run(f"cat /proc/{service.main_pid()}/status | grep CapEff").out.split()[1].strip("0"), "", "capabilities")


@scenario(hosts=2, init="systemd", uverbs=False, limit_s=240)
def test_verbs_loaded_only_by_the_unit(a, b):
    """No ib_uverbs at boot: the unit loads it, and a device that appears later is probed."""
    services = running(a, b)
    equal([service.state() for service in services], ["active", "active"], "state of the services")
    for host in (a, b):
        host.rdma_link_add()
    eventually(lambda: all_succeed(*services), timeout=60, what="both probes in both directions")


def probes_each(host, interval):
    """Small probes, apart by this."""
    return usual_config(host.name) + f"""
probes:
  rdma_bandwidth: {{interval: {interval}, timeout: 2s, bytes: 64K}}
  rdma_latency: {{interval: {interval}, timeout: 2s, messages: 20}}
"""


def at_rest(service):
    """Nothing under way: what is held then is what stays."""
    service.configure(probes_each(service.host, "1h"))
    service.reload()
    eventually(lambda: "qp 1 " in service.host.run("rdma resource show").out, timeout=20, what="no queue pair but the GSI's")
    return holdings(service)


@scenario(hosts=2, init="systemd", limit_s=300)
def test_turns_and_restarts_leave_nothing(a, b):
    """A slice of `./dev soak`: what is held after many turns is what was held before."""
    service, other = Service(a), Service(b)
    for one, interval in ((other, "1h"), (service, "1s")):
        one.install(probes_each(one.host, interval))
        one.restart()
    eventually(lambda: all_succeed(service), timeout=60, what="both probes")
    before = at_rest(service)
    service.configure(probes_each(a, "1s"))
    service.reload()
    turns = attempts(service)
    eventually(lambda: attempts(service) >= turns + 30, timeout=90, what="thirty turns")
    equal(at_rest(service), before, "descriptors, threads and rdma resources after thirty turns")
    idle = before["rdma"]
    for _ in range(3):
        service.stop()
        equal(a.run("rdma resource show").out.strip(), idle, "rdma resources after a stop")
        service.start()


@scenario(hosts=2, init="systemd", limit_s=240)
def test_kill_9_is_survived(a, b):
    """systemd brings it back; the peer sees a fault and a recovery."""
    here, there = running(a, b)
    eventually(lambda: all_succeed(here), timeout=60, what="both probes")
    b.kill(there.main_pid(), signal.SIGKILL)
    eventually(lambda: there.state() == "active", timeout=30, what="restart by systemd")
    eventually(lambda: all_succeed(here, there), timeout=60, what="recovery of both")


@scenario(hosts=2, init="systemd", limit_s=240)
def test_watchdog(a, b):
    """A service whose main loop stands still is ended and started again by systemd."""
    service, _ = running(a, b)
    a.write(f"/run/systemd/system/{UNIT}.d/watchdog.conf", "[Service]\nWatchdogSec=3\nRestartSec=1\n")
    a.run("systemctl daemon-reload", timeout=60)
    service.restart()
    eventually(lambda: all_succeed(service), timeout=60, what="both probes, fed by the loop for longer than the limit")
    before = service.main_pid()
    a.signal_stop(before)
    eventually(lambda: service.state() == "active" and service.main_pid() not in (0, before), timeout=60, what="a new process")
    equal(service.show("NRestarts"), "1", "restarts")
    eventually(lambda: all_succeed(service), timeout=60, what="recovery")
    a.run(f"rm -r /run/systemd/system/{UNIT}.d && systemctl daemon-reload", timeout=60)
