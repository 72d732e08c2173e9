"""What breaks around a measurement, and that it ends all the same: within a second of its deadline, with the stage reached
and the reason; and that the responder goes on serving others and keeps nothing. Times are the guest's."""

import signal
from dataclasses import dataclass

from host import BUILD
from scenario import below, check, equal, eventually, scenario

PORT = 14792
PROGRAMS = BUILD / "tests/vm/programs"
LATE_S = 1.0  # what a result may come after its deadline
BANDWIDTH, LATENCY = "bandwidth", "latency"

SILENT = """
import socket, time
held = [socket.create_connection(("127.0.0.1", {port})) for _ in range({count})]
print("ready", flush=True)
time.sleep(60)
"""
HARM = """
import os, socket, struct
def visit(*parts):
    with socket.create_connection(("127.0.0.1", {port}), timeout=3) as s:
        for part in parts:
            s.sendall(part)
        s.shutdown(socket.SHUT_WR)
        while s.recv(4096):
            pass
for i in range(100):                                        # a port scan
    socket.create_connection(("127.0.0.1", {port})).close()
for i in range(50):
    for parts in ((b"GET / HTTP/1.1\\r\\n\\r\\n",), (os.urandom(500),), (struct.pack(">I", 0),), (b"\\xff" * 8,),
                  (struct.pack(">I", 65536), b"[" * 65536), (struct.pack(">I", 20), b"half")):
        try:
            visit(*parts)
        except OSError:                                     # a reset: garbage was left unread
            pass
"""


@dataclass
class Outcome:
    stage: str
    kind: str
    seconds: float
    late: float
    mib_per_s: float
    messages: int
    reason: str


def responder(host, peer):
    process = host.start([PROGRAMS / "responder", host.name, PORT, peer.address, peer.address6])
    eventually(lambda: "ready" in process.out(), timeout=10, what="responder listening", every=0.1)
    return process


def begin(host, peer, kind, traffic_ms, deadline_ms, count=1):
    process = host.start([PROGRAMS / "measure", peer.name, kind, traffic_ms, deadline_ms, count])
    eventually(lambda: "begin" in process.out(), timeout=10, what="measurement begun", every=0.1)
    return process


def outcomes(process, timeout=30):
    lines = process.wait(timeout).out.splitlines()[1:-1]
    check(lines, "no result came out")
    parts = [line.split(" ", 6) for line in lines]
    return [Outcome(p[0], p[1], float(p[2]), float(p[3]), float(p[4]), int(p[5]), p[6]) for p in parts]


def measure(host, peer, kind=BANDWIDTH, traffic_ms=100, deadline_ms=5000):
    return outcomes(begin(host, peer, kind, traffic_ms, deadline_ms))[0]


def connected(host):
    return any("type RC state RTS" in line for line in host.run("rdma resource show qp").out.splitlines())


def sent_packets(host):
    return int(host.read("/sys/class/infiniband/rxe0/ports/1/hw_counters/sent_pkts"))


def in_traffic(a, b):
    """Both ends have their queue pairs, and packets flow."""
    eventually(lambda: connected(a) and connected(b), timeout=10, what="queue pairs of both ends", every=0.1)
    start = sent_packets(a)
    eventually(lambda: sent_packets(a) > start + 20, timeout=10, what="traffic", every=0.1)


def serves(a, b, within_s):
    """Another client is served, after this long at the latest."""
    eventually(lambda: measure(a, b).kind == "ok", timeout=within_s, what="another client served", every=0.2)


def ends(outcome, stage, kinds, *reasons):
    equal(outcome.stage, stage, f"stage ({outcome.kind}: {outcome.reason})")
    check(outcome.kind in ((kinds,) if isinstance(kinds, str) else kinds), f"kind {outcome.kind} ({outcome.reason})")
    below(outcome.late, LATE_S, "seconds beyond the deadline")
    check(any(reason in outcome.reason for reason in reasons), f"reason: {outcome.reason}")


def cut_off(outcome):
    """Nothing of the peer comes through any more: whichever of its two connections, queue pair or TCP, is given up first."""
    ends(outcome, "ready", ("traffic", "peer"), "no acknowledgement", "did not come within", "no completion",
         "no longer answers on the control connection")


def holdings(host, process):
    """What a process and the kernel hold for it: descriptors, threads, queue pairs and memory regions."""
    return {
        "fds": len(host.run(f"ls /proc/{process.pid}/fd").out.split()),
        "threads": len(host.run(f"ls /proc/{process.pid}/task").out.split()),
        "rdma": [line for line in host.run("rdma resource show").out.split() if line not in ("0:", "rxe0:")],
    }


def holds_no_more(host, process, before):
    def same():
        now = holdings(host, process)
        # The reaper's thread comes with the first measurement and stays.
        return now["fds"] <= before["fds"] and now["threads"] <= before["threads"] + 1 and now["rdma"] == before["rdma"]
    try:
        eventually(same, timeout=15, what="everything given back")
    except AssertionError as problem:
        raise AssertionError(f"{problem}\nbefore {before}\nnow    {holdings(host, process)}") from None


@scenario(hosts=2)
def test_bandwidth_and_latency(a, b):
    """The command's output says what was measured, and what it costs to be wrong."""
    responder(b, a)
    for command, words in (("devices", ("rxe0", "RoCE v2", "MTU 4096")), (f"bw {b.name}", ("average", "MiB/s", "sent_pkts")),
                           (f"lat {b.name}", ("median", "maximum"))):
        out = a.run(f"{a.cli} {command}").out
        check(all(word in out for word in words), out)
        below(max(len(line) for line in out.splitlines()), 81, "columns")
    for command, code, word in ((f"bw {b.name} --size 0x10", 2, "--size"), (f"bw {b.name}:9", 3, "connection refused"),
                                (f"bw {b.name} --device mlx5_0", 4, "no RDMA device mlx5_0"),
                                (f"bw {b.name} --peer-node host-c", 3, "host-c was expected"),
                                (f"bw {b.name} --duration 2h", 3, "host-b allows 3600.0 s for a measurement")):
        result = a.run(f"{a.cli} {command}", check=False)
        equal(result.rc, code, f"exit code of {command} ({result.err})")
        check(word in result.err, result.err)


@scenario(hosts=2)
def test_stranger_is_refused(a, b):
    b.start([PROGRAMS / "responder", b.name, PORT])
    eventually(lambda: f":{PORT}" in b.run("ss -tln").out, timeout=10, what="responder listening")
    ends(measure(a, b), "connect", "refused", "host-b does not know")


@scenario(hosts=2)
def test_no_responder_and_no_host(a, b):
    ends(measure(a, b, deadline_ms=2000), "resolve", "peer", "connection refused; is rdma-canaryd running there?")
    b.link("down")
    ends(measure(a, b, deadline_ms=2000), "resolve", "peer", "no answer within", "o route to host")


@scenario(hosts=2)
def test_responder_stopped_before_the_connection(a, b):
    server = responder(b, a)
    b.signal_stop(server.pid)
    ends(measure(a, b, deadline_ms=2000), "connect", "peer", "while waiting for welcome")
    b.signal_cont(server.pid)
    serves(a, b, within_s=10)


@scenario(hosts=2, limit_s=180)
def test_responder_killed_in_traffic(a, b):
    for kind in (BANDWIDTH, LATENCY):
        server = responder(b, a)
        client = begin(a, b, kind, 6000, 9000)
        in_traffic(a, b)
        b.kill(server.pid, signal.SIGKILL)
        outcome = outcomes(client)[0]
        ends(outcome, "ready", "peer", "broke off in traffic")
        below(outcome.seconds, 6.0, f"seconds until {kind} noticed")
        server.wait(60)


@scenario(hosts=2, limit_s=180)
def test_responder_stopped_in_traffic(a, b):
    server = responder(b, a)
    for kind, stage, outcome_kind, reason in ((BANDWIDTH, "traffic", "peer", "while waiting for report"),
                                              (LATENCY, "ready", "traffic", "did not come within")):
        client = begin(a, b, kind, 5000, 8000)
        in_traffic(a, b)
        b.signal_stop(server.pid)
        ends(outcomes(client)[0], stage, outcome_kind, reason)
        b.signal_cont(server.pid)
        serves(a, b, within_s=10)


@scenario(hosts=2, limit_s=180)
def test_link_down_in_traffic(a, b):
    server = responder(b, a)
    before = holdings(b, server)
    for kind in (BANDWIDTH, LATENCY):
        client = begin(a, b, kind, 6000, 9000)
        in_traffic(a, b)
        b.link("down")
        outcome = outcomes(client)[0]
        cut_off(outcome)
        b.link("up")
        serves(a, b, within_s=20)
    holds_no_more(b, server, before)


@scenario(hosts=2, limit_s=180)
def test_client_killed_or_stopped_in_traffic(a, b):
    server = responder(b, a)
    before = holdings(b, server)
    for kind in (BANDWIDTH, LATENCY):
        client = begin(a, b, kind, 6000, 7000)
        in_traffic(a, b)
        a.kill(client.pid, signal.SIGKILL)
        client.wait(60)
        serves(a, b, within_s=5)

        client = begin(a, b, kind, 6000, 7000)
        in_traffic(a, b)
        a.signal_stop(client.pid)
        busy = measure(a, b)
        ends(busy, "device", "busy", "rxe0 port 1 is taken by the session of measure")
        serves(a, b, within_s=15)  # the session ends by the client's own deadline
        a.kill(client.pid, signal.SIGKILL)
        client.wait(60)
    holds_no_more(b, server, before)


@scenario(hosts=2)
def test_garbage_scans_and_silence_cost_nothing(a, b):
    server = responder(b, a)
    serves(a, b, within_s=10)
    before = holdings(b, server)
    client = begin(a, b, BANDWIDTH, 4000, 9000)
    in_traffic(a, b)
    b.write("/root/harm.py", HARM.format(port=PORT))
    b.run("python3 /root/harm.py", timeout=60)
    ends(outcomes(client)[0], "done", "ok", "")
    holds_no_more(b, server, before)

    b.write("/root/silent.py", SILENT.format(port=PORT, count=4))
    silent = b.start(["python3", "/root/silent.py"])
    eventually(lambda: "ready" in silent.out(), timeout=10, what="four silent clients", every=0.1)
    ends(measure(a, b), "connect", "busy", "all 4 sessions are taken")
    serves(a, b, within_s=10)
    silent.kill(signal.SIGKILL)
    holds_no_more(b, server, before)


@scenario(hosts=2)
def test_loss_and_delay_end_by_the_deadline(a, b):
    responder(b, a)
    for what in ("loss 5%", "delay 200ms", "loss 60%"):
        b.netem(what)
        for kind in (BANDWIDTH, LATENCY):
            outcome = measure(a, b, kind, traffic_ms=500, deadline_ms=4000)
            below(outcome.late, LATE_S, f"seconds beyond the deadline with {what}, {outcome}")
        b.netem(None)
        serves(a, b, within_s=20)


@scenario(hosts=2)
def test_peer_paused_in_traffic(a, b):
    """The whole host stands still, as in a crash: no hang-up ever comes."""
    responder(b, a)
    for kind in (BANDWIDTH, LATENCY):
        client = begin(a, b, kind, 6000, 9000)
        in_traffic(a, b)
        b.pause()
        outcome = outcomes(client)[0]
        b.resume()
        # The queue pair's retries, the deadline or TCP's keepalive: whichever is first.
        cut_off(outcome)
        serves(a, b, within_s=20)


@scenario(hosts=2, limit_s=240)
def test_nothing_is_left_after_many(a, b):
    server = responder(b, a)
    serves(a, b, within_s=10)
    before = holdings(b, server)
    client = begin(a, b, BANDWIDTH, 30, 5000, count=200)
    results = outcomes(client, timeout=150)
    failed = [o for o in results if o.kind != "ok"]  # a busy machine may lose packets of the wire
    below(len(failed), 6, f"failed measurements of 200 ({failed[:2]})")
    below(max(o.late for o in results), LATE_S, "seconds beyond the deadline")
    below(int(client.out().splitlines()[-1].split()[1]), 8, "descriptors of the client at its end")
    holds_no_more(b, server, before)
    server.kill(signal.SIGTERM)
    ended = server.wait(10)
    equal(ended.rc, 0, "exit code of the responder")
