"""The engine's numbers against perftest's, and against what the kernel and the wire have counted.

The wire is rated well below what two guests can do on a busy machine: what is compared is what the tools say of the same
wire, not how fast an emulator is.
"""

import re
import statistics

from host import BUILD
from scenario import check, equal, eventually, near, scenario

PORT = 14792
RATE = "48mbit"
RUNS = 5
PERFTEST_TRIES = 4
MIB = 1 << 20
MESSAGE = 65536
MESSAGES = 128
# Queue pairs, depth and signal interval of both tools.
PERFTEST = f"-d rxe0 -x 1 -s {MESSAGE} -n {MESSAGES // 2} -q 2 -t 16 -Q 1 -F"
OURS = f"--size 64K --messages {MESSAGES} --queue-pairs 2 --depth 16 --signal-interval 1 --timeout 30s"
FRAME_BYTES = 4096 + 58 + 4  # payload, Ethernet to BTH and ICRC; the RETH comes with the first packet of a message


def responder(host, peer):
    host.start([BUILD / "tests/vm/programs/responder", host.name, PORT, peer.address, peer.address6])
    eventually(lambda: f":{PORT}" in host.run("ss -tln").out, timeout=10, what="responder listening")


def mib_per_s(text, label):
    value, unit = re.search(rf"^\s+{label}\s+([\d.]+) (\wi?B)/s", text, re.MULTILINE).groups()
    return float(value) * {"KiB": 1 / 1024, "MiB": 1, "GiB": 1024}[unit]


def microseconds(text, label):
    value, unit = re.search(rf"^\s+{label}\s+([\d.]+) (\w+)", text, re.MULTILINE).groups()
    return float(value) * {"ns": 1e-3, "µs": 1, "ms": 1e3}[unit]


def perftest(a, b, command):
    """The last line of numbers the client prints. It refuses where its clock's calibration is disturbed: another try."""
    for _ in range(PERFTEST_TRIES):
        server = b.start(f"exec {command}")
        eventually(lambda: ":18515" in b.run("ss -tln").out, timeout=20, what="perftest listening", every=0.1)
        client = a.run(f"{command} {b.address}", timeout=60, check=False)
        server.wait(30)
        if client.rc == 0:
            return next(line.split() for line in reversed(client.out.splitlines()) if re.match(r"\s*\d", line))
    raise AssertionError(f"{command}: ended with {client.rc} {PERFTEST_TRIES} times\n{client.out}{client.err}")


class Pairs:
    """Alternating runs of both tools. The machine that emulates the hosts is shared, so a single pair says little, and a
    median of five can be off by a fifth: what a check refuses is looked at again with as many runs more."""

    def __init__(self, ours, theirs):
        self.run = lambda: (ours(), theirs())
        self.pairs = []

    def add(self):
        self.pairs += [self.run() for _ in range(RUNS)]

    @property
    def medians(self):
        return [statistics.median(values) for values in zip(*self.pairs)]

    @property
    def ratios(self):
        return [ours / theirs for ours, theirs in self.pairs]

    def __str__(self):
        return ", ".join(f"{ours:.4g}/{theirs:.4g}" for ours, theirs in self.pairs)

    def check(self, holds, what):
        self.add()
        if not holds(self):
            self.add()
        print(f"    ours/perftest: {self}")
        check(holds(self), f"{what}: {self}")


def bandwidth_of_both(a, b):
    return Pairs(lambda: mib_per_s(a.run(f"{a.cli} bw {b.name} {OURS}", timeout=60).out, "average"),
                 lambda: float(perftest(a, b, f"ib_write_bw {PERFTEST}")[3]))


@scenario(hosts=2, limit_s=240)
def test_bandwidth_of_a_rated_wire(a, b):
    """The median is within 5 % of ib_write_bw's."""
    responder(b, a)
    for host in (a, b):
        host.wire_rate(RATE)
    bandwidth_of_both(a, b).check(lambda runs: abs(runs.medians[0] - runs.medians[1]) <= 0.05 * runs.medians[1],
                                  "MiB/s not within 5 %")


@scenario(hosts=2, limit_s=240)
def test_bandwidth_of_a_free_wire(a, b):
    """At least 0.9 of ib_write_bw in some pair: the CPU is the limit then, and single runs vary by half. An engine that
    is slower by nature is slower in every pair."""
    responder(b, a)
    for host in (a, b):
        host.wire_rate(None)
    bandwidth_of_both(a, b).check(lambda runs: max(runs.ratios) >= 0.9, "MiB/s below 0.9 of ib_write_bw's in every pair")


@scenario(hosts=2, limit_s=240)
def test_latency(a, b):
    """The median is no higher than what ib_write_lat calls typical in some pair: both vary by half from run to run."""
    responder(b, a)
    runs = Pairs(
        lambda: microseconds(a.run(f"{a.cli} lat {b.name} --size 64 --messages 1000 --timeout 30s", timeout=60).out, "median"),
        lambda: float(perftest(a, b, "ib_write_lat -d rxe0 -x 1 -s 64 -n 1000 -F")[4]))
    runs.check(lambda runs: min(runs.ratios) <= 1, "median µs above ib_write_lat's in every pair")


def transmitted(host):
    """Packets by the RDMA device's count, bytes by the netdev's."""
    counters = host.run("cat /sys/class/infiniband/rxe0/ports/1/hw_counters/sent_pkts "
                        "/sys/class/net/eth0/statistics/tx_bytes").out.split()
    return [int(counter) for counter in counters]


@scenario(hosts=2)
def test_bytes_are_those_asked_for(a, b):
    """What the probe reports is what was asked for, and the device and the wire have seen as much."""
    responder(b, a)
    size = 8 * MIB
    before = transmitted(a)
    out = a.run(f"{a.cli} bw {b.name} --bytes {size} --timeout 30s", timeout=60).out
    packets, wire = (now - then for now, then in zip(transmitted(a), before))
    said, messages = re.search(r"^sent\s+([\d.]+) MiB in (\d+) messages", out, re.MULTILINE).groups()
    equal((float(said) * MIB, int(messages)), (size, size // MESSAGE), f"bytes and messages\n{out}")
    warm_up = 4 * MESSAGE  # of the plan; not reported as measured
    near(packets * 4096, size + warm_up, 0.02, "packets sent, in bytes of payload")
    near(wire, (size + warm_up) / 4096 * FRAME_BYTES, 0.02, "bytes of the netdev")


@scenario(hosts=1)
def test_latency_on_one_cpu(a):
    """Both ends on one CPU: polling alone costs perftest a scheduler tick of 4 ms a message."""
    responder(a, a)
    ours = microseconds(a.run(f"{a.cli} lat {a.address} --size 64 --messages 500 --timeout 30s", timeout=60).out, "median")
    theirs = float(perftest(a, a, "ib_write_lat -d rxe0 -x 1 -s 64 -n 100 -F")[4])
    check(ours <= 0.2 * theirs, f"median {ours:.4g} µs, ib_write_lat {theirs:.4g}")
