"""./dev bench engine: this project's engine against perftest, alternating, in the same boot. engine.py [PAIRS]

Two hosts with one CPU each, over the free-running and over a rated wire, and both ends on one CPU. All runs are shown; the
ratios are ours/perftest, so more is better for bandwidth and less for latency.
"""

import math
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "vm"))

import cache  # noqa: E402
from cache import SetupError, say  # noqa: E402
from perftest import responder, write_bandwidth, write_latency  # noqa: E402
from host import Machine  # noqa: E402
from wire import Fabric  # noqa: E402

PAIRS = 10
RATE = "48mbit"


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def measure(what, unit, runs, pairs):
    runs.add(pairs)
    ours, theirs = runs.medians
    print(f"{what}, {unit}, ours/perftest: {runs}\n"
          f"    medians {ours:.4g} and {theirs:.4g}, geometric mean of the ratios {geomean(runs.ratios):.2f}", flush=True)
    return geomean(runs.ratios)


def on_two_hosts(logs, pairs):
    with Fabric(Machine(), 2, logs) as fabric:
        a, b = fabric.hosts
        responder(b, a)
        latency = measure("write latency", "median in µs", write_latency(a, b, b.name), pairs)
        for host in (a, b):
            host.wire_rate(RATE)
        rated = measure(f"write bandwidth behind {RATE}", "MiB/s", write_bandwidth(a, b), pairs)
        for host in (a, b):
            host.wire_rate(None)
        return measure("write bandwidth, free-running", "MiB/s", write_bandwidth(a, b), pairs), rated, latency


def on_one_host(logs, pairs):
    with Fabric(Machine(), 1, logs) as fabric:
        a = fabric.hosts[0]
        responder(a, a)
        return measure("write latency on one CPU", "median in µs", write_latency(a, a, a.address, messages=100), pairs)


def main(words):
    pairs = int(words[0]) if words else PAIRS
    logs = cache.directory() / "logs" / f"bench-{time.strftime('%Y%m%d-%H%M%S')}"
    logs.mkdir(parents=True)
    say("booting two hosts")
    free, rated, latency = on_two_hosts(logs, pairs)
    say("booting one host")
    one_cpu = on_one_host(logs, pairs)
    print(f"engine-vs-perftest: free {free:.2f}, rated {rated:.2f}, latency {latency:.2f}, one-cpu latency {one_cpu:.3f}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except SetupError as problem:
        say(f"dev: {problem}")
        sys.exit(1)
