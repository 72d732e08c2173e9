"""The command-line tool as a user has it: every option that is about the result, and every exit code."""

import csv
import io
import json
import re
import signal

from host import BUILD
from scenario import check, equal, eventually, scenario
from service import Service

QUICK = "--duration 300ms"
# Runs its arguments on a terminal of their own, prints what that showed, and ends as they do.
TERMINAL = """import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"""


def document(result):
    """stdout, which is one JSON document and nothing else."""
    return json.loads(result.out)


def columns(result):
    """stdout, which is one line of names and one of values."""
    rows = list(csv.reader(io.StringIO(result.out)))
    equal(len(rows), 2, f"lines of CSV\n{result.out}")
    equal(len(rows[1]), len(rows[0]), "values for the names")
    return dict(zip(*rows))


def narrow(text):
    """What people read fits a terminal."""
    wide = [line for line in text.splitlines() if len(line) > 80]
    equal(wide, [], "lines of more than 80 columns")


def served(b):
    Service(b).install()
    Service(b).start()


@scenario(hosts=2, init="systemd", limit_s=240)
def test_documents(a, b):
    """JSON and CSV of bw, lat and devices, of runs that go through and of runs that fail."""
    served(b)
    bandwidth = document(a.run(f"{a.cli} bw {b.address} {QUICK} --json"))
    check(bandwidth["average_bytes_per_second"] > 0 and bandwidth["fault"] is None, bandwidth)
    equal((bandwidth["node"], bandwidth["peer_node"], bandwidth["device"]), ("host-a", "host-b", "rxe0"), "ends")
    check("sent_pkts" in bandwidth["counters"], bandwidth["counters"])
    latency = document(a.run(f"{a.cli} lat {b.address} {QUICK} --json"))
    check(0 < latency["min_ns"] <= latency["p50_ns"] <= latency["p99_ns"] <= latency["max_ns"], latency)
    described = (BUILD.parent / "docs/rdma-canary.md").read_text(encoding="utf-8")
    equal([key for key in {**bandwidth, **latency} if f"`{key}`" not in described], [], "keys that the manual does not have")
    table = columns(a.run(f"{a.cli} bw {b.address} {QUICK} --csv"))
    check(float(table["average_bytes_per_second"]) > 0, table)
    equal(table["outcome"], "ok", "outcome")
    devices = document(a.run(f"{a.cli} devices --json"))
    equal([(d["name"], d["class"], d["ports"][0]["state"]) for d in devices["devices"]], [("rxe0", "software", "active")],
          "devices")

    for target, outcome, code, stage in (("nobody.invalid", "peer", 3, "start"), (f"{b.address}:1", "peer", 3, "resolve"),
                                         (f"{b.address} --device rxe7", "local", 4, "start")):
        failed = a.run(f"{a.cli} bw {target} --json --timeout 5s", check=False)
        equal(failed.rc, code, f"exit code for {target}: {failed.err}")
        fault = document(failed)["fault"]
        equal((fault["kind"], fault["stage"]), (outcome, stage), f"fault for {target}")
        check(fault["reason"] in failed.err, f"{fault['reason']} is not in {failed.err}")
    equal(columns(a.run(f"{a.cli} lat {b.address}:1 --csv", check=False))["fault_kind"], "peer", "fault in CSV")
    wrong = a.run(f"{a.cli} bw host-b --json --csv", check=False)
    equal((wrong.rc, wrong.out), (2, ""), f"a wrong command line: {wrong.err}")


@scenario(hosts=2, init="systemd", limit_s=240)
def test_words_for_people(a, b):
    """What is printed for people fits 80 columns."""
    served(b)
    for command in (f"bw {b.address} {QUICK}", f"lat {b.address} {QUICK}", "devices", "--help", "bw --help", "lat --help",
                    "devices --help", "respond --help"):
        narrow(a.run(f"{a.cli} {command}").out)


@scenario(hosts=2, init="systemd", limit_s=240)
def test_limits(a, b):
    """Exit code 1 for a limit that is missed, with value and limit; 0 for one that is met; 2 for a rate that may mean anything."""
    served(b)
    for command, code in (("bw --min-bw 1kbit/s", 0), ("bw --min-bw 100GB/s", 1), ("lat --max-p50 10s --max-p999 10s", 0),
                          ("lat --max-p99 1ns", 1), ("bw --min-bw 10G", 2), ("bw --min-bw 10", 2), ("lat --min-bw 1GB/s", 2)):
        result = a.run(f"{a.cli} {command} {b.address} {QUICK}", check=False)
        equal(result.rc, code, f"exit code of {command}: {result.err}")
        check(code == 0 or command.split()[1] in result.err, f"{command}: {result.err}")
        if code == 1:
            check(result.out and (" (100000000000 B/s)" in result.err or " (1 ns)" in result.err), result.err)
    missed = document(a.run(f"{a.cli} lat {b.address} {QUICK} --max-p50 1ns --json", check=False))
    equal((missed["limits_met"], missed["limit_p50_ns"]), (False, 1), "limits in the document")


def responding(host, options=""):
    process = host.start(f"exec {host.cli} respond {options}")
    eventually(lambda: "responding to" in process.out(), timeout=10, what="the responder's first line")
    return process


@scenario(hosts=2, init="systemd", limit_s=240)
def test_respond(a, b):
    """A host without the service answers anyone, or whom it is told to; it ends by a signal or when idle."""
    served(b)
    beside = b.run(f"{b.cli} respond", check=False)
    equal((beside.rc, "is rdma-canaryd running here?" in beside.err), (4, True), f"beside the service: {beside.err}")
    Service(b).stop()
    process = responding(b)
    check(process.out().startswith("responding to anyone on port 14792\n"), process.out())
    a.run(f"{a.cli} bw host-b {QUICK}")
    a.run(f"{a.cli} lat host-b {QUICK}")
    second = b.run(f"{b.cli} respond", check=False)
    equal(second.rc, 4, "exit code with a taken port")
    check("port 14792" in second.err and "is rdma-canaryd running here?" in second.err, second.err)
    process.kill(signal.SIGTERM)
    ended = process.wait(5)
    equal((ended.rc, "2 sessions, 0 turned away; ended by SIGTERM" in ended.out), (0, True), f"the end: {ended.out}")

    process = responding(b, f"--port 5001 --listen {b.address} --allow 198.51.100.9 --idle 3s")
    refused = a.run(f"{a.cli} bw {b.address}:5001", check=False)
    equal((refused.rc, "does not know" in refused.err), (3, True), f"a stranger: {refused.err}")
    ended = process.wait(10)
    equal((ended.rc, "ended after 3 s without a session" in ended.out), (0, True), f"the end: {ended.out}")

    process = responding(b, f"--allow 198.51.100.9 --allow={a.address},{a.address6}")
    a.run(f"{a.cli} bw {b.address} {QUICK}")
    process.kill(signal.SIGINT)
    equal(process.wait(5).rc, 0, "exit code after Ctrl-C")
    wrong = b.run(f"{b.cli} respond --allow host-a", check=False)
    equal((wrong.rc, "host-a" in wrong.err), (2, True), f"a name: {wrong.err}")


@scenario(hosts=1)
def test_loopback(host):
    """One host measures itself, with nothing started before."""
    bandwidth = document(host.run(f"{host.cli} bw --loopback {QUICK} --json"))
    check(bandwidth["average_bytes_per_second"] > 0, bandwidth)
    equal((bandwidth["peer"], bandwidth["device"], bandwidth["peer_device"]), ("loopback", "rxe0", "rxe0"), "ends")
    latency = document(host.run(f"{host.cli} lat --loopback {QUICK} --json"))
    check(latency["p50_ns"] > 0, latency)
    narrow(host.run(f"{host.cli} bw --loopback {QUICK} --queue-pairs 2").out)
    for arguments in ("host-b --loopback", ""):
        wrong = host.run(f"{host.cli} bw {arguments}", check=False)
        equal((wrong.rc, "--loopback" in wrong.err), (2, True), f"{arguments}: {wrong.err}")
    equal(host.run(f"{host.cli} lat --loopback --peer-device rxe9 --json", check=False).rc, 3, "a device that is not there")


@scenario(hosts=1)
def test_progress(host):
    """A bar on a terminal, erased in the end; none in a pipe, and none for a short run."""
    def shown(duration, options=""):
        words = f"{host.cli} bw --loopback --duration {duration} {options}".split()
        return host.run(["python3", "-c", TERMINAL, *words]).out
    bar = shown("2500ms")
    check("] 1 of 3 s" in bar and "\r\x1b[K" in bar, repr(bar))
    check("[" not in bar.split("\x1b[K")[-1], f"what is left of the bar: {bar!r}")
    check("\x1b" not in shown("1s"), "a bar for a short run")
    piped = host.run(f"{host.cli} bw --loopback --duration 2500ms --json")
    equal(piped.err, "", "stderr in a pipe")
    check(document(piped)["budget_ns"] == 2500000000, piped.out)


@scenario(hosts=1)
def test_records(host):
    """Runs are kept in dated files, those that fail as well; a directory that is not there is told at once."""
    host.run("mkdir -p /run/records")
    kept = "--record /run/records --note 'before, and \"after\"'"
    shown = document(host.run(f"{host.cli} bw --loopback {QUICK} {kept} --json"))
    host.run(f"{host.cli} lat --loopback {QUICK} {kept}")
    failed = host.run(f"{host.cli} bw 127.0.0.1:1 {kept}", check=False)
    equal(failed.rc, 3, f"exit code of a failed run: {failed.err}")
    names = host.run("ls -A /run/records").out.split()
    equal(sorted(re.sub(r"^\d{8}-\d{6}-", "", name) for name in names),
          ["bw-127.0.0.1_1.json", "bw-loopback.json", "lat-loopback.json"], "names of the records")
    for name in names:
        record = json.loads(host.read(f"/run/records/{name}"))
        equal(record["note"], 'before, and "after"', "the note")
        equal(re.sub("[-:TZ]", "", record["started"]), name[:15].replace("-", ""), "the time in the name")
        check("bw-loopback" not in name or record == shown, "the record is not what was shown")
    nowhere = host.run(f"{host.cli} bw --loopback --record /run/nowhere", check=False)
    equal((nowhere.rc, nowhere.out, "/run/nowhere" in nowhere.err), (4, "", True), f"no directory: {nowhere.err}")
