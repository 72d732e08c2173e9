"""What breaks around a measurement, and that it ends all the same: by its deadline, with stage and reason."""

import re
import signal

from host import BUILD
from scenario import below, check, equal, eventually, near, scenario

PORT = 14792
RESPONDER = BUILD / "tests/vm/programs/responder"


def responder(host, peer):
    process = host.start([RESPONDER, host.name, PORT, peer.address, peer.address6])
    eventually(lambda: "ready" in process.out(), timeout=10, what="responder listening")
    return process


def measure(host, command, check=True, timeout=30):
    return host.run(f"exec {host.cli} {command}", check=check, timeout=timeout)


@scenario(hosts=2)
def test_bandwidth_and_latency(a, b):
    responder(b, a)
    for command in ("devices", f"bw {b.name}", f"lat {b.name}"):
        result = measure(a, command)
        print(command, result.seconds)
        print(result.out)
