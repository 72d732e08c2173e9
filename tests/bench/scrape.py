"""What a scrape costs, beside Debian's prometheus-node-exporter and beside the floor: see ./dev bench scrape.

Ours with its default configuration, node_exporter with its infiniband collector only, and the floor (the bare reads
of the same counter files, an empty reply by the same HTTP library) take turns over the same tree, each asked by the
same client over one kept connection. Every series of node_exporter's page must be on ours with the same value, or
there is no result.
"""

import argparse
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "vm"), str(HERE.parent / "local")]

import live  # noqa: E402
import trees  # noqa: E402
from agreement import disagreements  # noqa: E402
from exporter import Process, canary, free_port  # noqa: E402
from packages import unpacked  # noqa: E402

BUILD = HERE.parents[1] / "build-bench"
CLIENT = BUILD / "tests/bench/bench-client"
FLOOR = BUILD / "tests/bench/bench-floor"
THEIR_FLAGS = ["--collector.disable-defaults", "--collector.infiniband", "--web.disable-exporter-metrics"]
JUDGED = 8  # devices
STRACE_SCRAPES = 50


@dataclass(frozen=True)
class Plan:
    rows: tuple          # numbers of devices to compare with all of them
    line: tuple          # and for the linearity of ours
    rounds: int
    seconds: float       # of each server in each round, about
    live_seconds: float
    live_devices: tuple


FULL = Plan((1, 8, 64), (1, 2, 4, 8, 16, 32, 64, 128, 256), 5, 3.0, 60.0, (1, 8))
QUICK = Plan((1, 8, 64), (1, 8, 64, 256), 3, 0.7, 10.0, (1,))


@dataclass
class Cost:
    """Of one scrape; one value a round."""
    cpu_us: list = field(default_factory=list)
    p50_us: list = field(default_factory=list)
    p99_us: list = field(default_factory=list)
    rss_kib: int = 0
    syscalls: float = 0
    bytes: int = 0

    def __str__(self):
        return (f"cpu {statistics.median(self.cpu_us):8.1f} us ({', '.join(f'{value:.0f}' for value in self.cpu_us)})  "
                f"p50 {statistics.median(self.p50_us):8.1f} us  p99 {statistics.median(self.p99_us):8.1f} us "
                f"({', '.join(f'{value:.0f}' for value in self.p99_us)})  RssAnon {self.rss_kib} KiB  "
                f"{self.syscalls:.1f} system calls  {self.bytes} bytes")


def theirs(root):
    port = free_port()
    command = [unpacked("prometheus-node-exporter") / "usr/bin/prometheus-node-exporter", *THEIR_FLAGS,
               f"--path.sysfs={root}", f"--web.listen-address=127.0.0.1:{port}"]
    return Process(command, port)


def floor(root):
    port = free_port()
    with tempfile.TemporaryFile("w+") as listing:
        listing.write("".join(f"{path}\n" for path in trees.read_files(root)))
        listing.seek(0)
        return Process([FLOOR, port], port, stdin=listing)


def ask(server, count, headers=()):
    """p50, p99, longest in nanoseconds; bytes of the last body."""
    result = subprocess.run([CLIENT, str(server.port), str(count), *headers], capture_output=True, text=True)
    if result.returncode != 0:
        raise AssertionError(f"the client: {result.stderr.strip()}\n{server.said()}")
    return [int(word) for word in result.stdout.split()]


def scrapes_in(server, seconds):
    begun = time.monotonic()
    ask(server, 20)
    return max(20, int(seconds * 20 / (time.monotonic() - begun)))


def one_round(server, count, cost, headers=()):
    begun = server.cpu_ns()
    p50, p99, _, cost.bytes = ask(server, count, headers)
    cost.cpu_us.append((server.cpu_ns() - begun) / count / 1000)
    cost.p50_us.append(p50 / 1000)
    cost.p99_us.append(p99 / 1000)
    cost.rss_kib = server.rss_anon_kib()


def syscalls(server):
    """For each scrape, in a run of its own: strace slows it down."""
    with tempfile.NamedTemporaryFile("r") as summary:
        tracer = subprocess.Popen(["strace", "-c", "-f", "-qq", "-o", summary.name, "-p", str(server.pid)])
        time.sleep(0.5)
        ask(server, STRACE_SCRAPES)
        tracer.send_signal(signal.SIGINT)
        tracer.wait(30)
        total = re.search(r"^\s*100\.00\s+[\d.]+\s+(?:\d+\s+)?(\d+)\s.*total$", summary.read(), re.MULTILINE)
    if not total:
        raise AssertionError("strace counted nothing: may this user trace?")
    return int(total.group(1)) / STRACE_SCRAPES


def compare(root, plan):
    """{name: Cost} of servers that took turns."""
    with canary(BUILD, root) as ours, theirs(root) as their, floor(root) as least:
        found, series = disagreements(their.metrics(), ours.metrics())
        if found:
            raise AssertionError("\n".join([f"{len(found)} series of node_exporter are not on our page:", *found[:20]]))
        servers = {"ours": (ours, ()), "node_exporter": (their, ()), "floor": (least, ()),
                   "ours, gzip": (ours, ("Accept-Encoding: gzip",)),
                   "node_exporter, gzip": (their, ("Accept-Encoding: gzip",))}
        costs = {name: Cost() for name in servers}
        counts = {name: scrapes_in(server, plan.seconds) for name, (server, _) in servers.items()}
        for _ in range(plan.rounds):
            for name, (server, headers) in servers.items():
                one_round(server, counts[name], costs[name], headers)
        for name in ("ours", "node_exporter", "floor"):
            costs[name].syscalls = syscalls(servers[name][0])
        return costs, series, len(ours.page().splitlines())


def ratio(costs, what, of="ours", to="node_exporter"):
    """The median over rounds of the ratio within each."""
    pairs = zip(getattr(costs[of], what), getattr(costs[to], what), strict=True)
    return statistics.median(mine / other for mine, other in pairs)


def ratios(costs):
    return {"cpu": ratio(costs, "cpu_us"), "p99": ratio(costs, "p99_us"),
            "rss": costs["ours"].rss_kib / costs["node_exporter"].rss_kib,
            "syscalls": costs["ours"].syscalls / costs["node_exporter"].syscalls,
            "floor": ratio(costs, "cpu_us", to="floor")}


def show_row(devices, plan):
    with trees.planted(devices) as root:
        costs, series, lines = compare(root, plan)
    print(f"{devices} devices: {series} series of node_exporter are on our page of {lines} lines, with equal values")
    for name, cost in costs.items():
        print(f"  {name:20} {cost}")
    found = ratios(costs)
    print("  ours/theirs: " + ", ".join(f"{key} {value:.3f}" for key, value in found.items()), flush=True)
    return found


def show_line(plan):
    """CPU of ours alone by the number of devices."""
    print("linearity of ours: devices, CPU us a scrape, us a device, RssAnon KiB")
    for devices in plan.line:
        with trees.planted(devices) as root, canary(BUILD, root) as ours:
            cost = Cost()
            count = scrapes_in(ours, plan.seconds / 2)
            for _ in range(3):
                one_round(ours, count, cost)
        cpu = statistics.median(cost.cpu_us)
        print(f"  {devices:4} {cpu:9.1f} {cpu / devices:7.1f} {cost.rss_kib:6}", flush=True)


def build():
    """Optimised, as packages are."""
    if not (BUILD / "build.ninja").exists():
        subprocess.run(["meson", "setup", BUILD, "-Dwerror=true", "-Dbuildtype=debugoptimized"], cwd=HERE.parents[1],
                       check=True, stdout=sys.stderr)
    subprocess.run(["ninja", "-C", BUILD, "daemon/rdma-canaryd", "tests/bench/bench-client", "tests/bench/bench-floor"],
                   check=True, stdout=sys.stderr)


def main():
    parser = argparse.ArgumentParser(prog="./dev bench scrape")
    parser.add_argument("--quick", action="store_true", help="in two minutes, with a wider spread")
    parser.add_argument("--no-live", action="store_true", help="without the Soft-RoCE guest")
    options = parser.parse_args()
    plan = QUICK if options.quick else FULL
    build()
    rows = {devices: show_row(devices, plan) for devices in plan.rows}
    show_line(plan)
    live_cpu = None if options.no_live else live.show(BUILD, CLIENT, THEIR_FLAGS, plan)
    last = rows[JUDGED]
    print(f"scrape-vs-node_exporter: cpu {last['cpu']:.3f}, live-cpu {'-' if live_cpu is None else f'{live_cpu:.3f}'}, "
          f"p99 {last['p99']:.3f}, rss {last['rss']:.3f}, syscalls {last['syscalls']:.3f}, floor {last['floor']:.3f}")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as problem:
        sys.exit(f"bench scrape: {problem}")
    except KeyboardInterrupt:
        sys.exit(130)
