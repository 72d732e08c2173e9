"""perftest and this project's own engine on the same two hosts, in turn.

What is compared is what the tools say of the same wire, or of the same CPUs, not how fast an emulator is.
"""

import json
import re
import statistics

from host import BUILD
from scenario import eventually

PORT = 14792
TRIES = 4
MESSAGE = 65536
MESSAGES = 128
# Queue pairs, depth and signal interval of both tools.
WRITE_BW = f"ib_write_bw -d rxe0 -x 1 -s {MESSAGE} -n {MESSAGES // 2} -q 2 -t 16 -Q 1 -F"
OUR_BW = f"--size 64K --messages {MESSAGES} --queue-pairs 2 --depth 16 --signal-interval 1 --timeout 30s"


def responder(host, peer):
    process = host.start([BUILD / "tests/vm/programs/responder", host.name, PORT, peer.address, peer.address6])
    eventually(lambda: f":{PORT}" in host.run("ss -tln").out, timeout=10, what="responder listening")
    return process


def measured(host, words):
    """The JSON document of the command-line tool on this host."""
    return json.loads(host.run(f"{host.cli} {words} --json", timeout=60).out)


def perftest(a, b, command):
    """The last line of numbers the client prints. It refuses where its clock's calibration is disturbed, and dies now and
    then of an invalid request: another try."""
    for _ in range(TRIES):
        server = b.start(f"exec {command}")
        eventually(lambda: ":18515" in b.run("ss -tln").out, timeout=20, what="perftest listening", every=0.1)
        client = a.run(f"{command} {b.address}", timeout=60, check=False)
        server.wait(30)
        if client.rc == 0:
            return next(line.split() for line in reversed(client.out.splitlines()) if re.match(r"\s*\d", line))
    raise AssertionError(f"{command}: ended with {client.rc} {TRIES} times\n{client.out}{client.err}")


class Pairs:
    """Alternating runs of both tools, ours first."""

    def __init__(self, ours, theirs):
        self.run = lambda: (ours(), theirs())
        self.pairs = []

    def add(self, count):
        self.pairs += [self.run() for _ in range(count)]

    @property
    def medians(self):
        return [statistics.median(values) for values in zip(*self.pairs)]

    @property
    def ratios(self):
        return [ours / theirs for ours, theirs in self.pairs]

    def __str__(self):
        return ", ".join(f"{ours:.4g}/{theirs:.4g}" for ours, theirs in self.pairs)


def write_bandwidth(a, b):
    """MiB/s; b has a responder."""
    return Pairs(lambda: measured(a, f"bw {b.name} {OUR_BW}")["average_bytes_per_second"] / (1 << 20),
                 lambda: float(perftest(a, b, WRITE_BW)[3]))


def write_latency(a, b, target, messages=1000):
    """Median in µs; `target` is the name or address of b, which has a responder."""
    return Pairs(
        lambda: measured(a, f"lat {target} --size 64 --messages {messages} --timeout 30s")["p50_ns"] / 1000,
        lambda: float(perftest(a, b, f"ib_write_lat -d rxe0 -x 1 -s 64 -n {messages} -F")[4]))
