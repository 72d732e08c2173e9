"""./dev demo: the service at work. demo.py [--check|--native]"""

import contextlib
import errno
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import cache
from cache import SetupError, say
from channel import GuestError
from host import Host, Machine
from metrics import Metrics
from runner import end_orderly, keep_logs
from service import CONFIG, Service
from table import show
from wire import Fabric

PORT = 14791
URL = f"http://127.0.0.1:{PORT}/metrics"
SAMPLES_S = 240
REFRESH_S = 2
PROBES = ("rdma_bandwidth", "rdma_latency")
DEVICES = Path("/sys/class/infiniband")
INSTALLED_CONFIG = Path(CONFIG)


class DemoFailed(Exception):
    """The service does not do what the demo is to show."""


def check_port():
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", PORT))
        except OSError as problem:
            if problem.errno == errno.EADDRINUSE:
                raise SetupError(f"port {PORT} of this machine is taken: stop what listens there first "
                                 f"(ss -tlnp sport = :{PORT} shows it)") from None
            raise


def check_built():
    if not Host.daemon.exists():
        raise SetupError(f"{Host.daemon} is not built: ./dev build builds it")


def page():
    """What anyone on this machine sees, through the forwarded port."""
    with urllib.request.urlopen(URL, timeout=10) as response:
        return Metrics(response.read().decode())


INBOUND = {"inbound bandwidth": "rdma_canary_inbound_bandwidth_bytes_per_second",
           "inbound latency": "rdma_canary_inbound_latency_p50_seconds"}


def missing_samples(name, metrics):
    """What is not there yet: successful probes of the other host, and what that host has measured towards this one."""
    peer = next(other for other in ("host-a", "host-b") if other != name)
    return [probe for probe in PROBES
            if not any(value == 1 for _, value in metrics.find("rdma_canary_probe_success", probe=probe, peer=peer))] + [
        what for what, family in INBOUND.items() if not metrics.find(family, peer=peer)]


def look(services):
    """Pages of the hosts by name; the first over the forwarded port. One that does not answer is left out."""
    pages = {}
    for service in services:
        with contextlib.suppress(OSError, GuestError, AssertionError):
            pages[service.host.name] = page() if service.host.forward else service.metrics()
    return pages


def wait_for_samples(services):
    deadline = time.monotonic() + SAMPLES_S
    told = None
    while True:
        pages = look(services)
        lacking = {service.host.name: missing_samples(service.host.name, pages[service.host.name])
                   if service.host.name in pages else ["/metrics"] for service in services}
        if not any(lacking.values()):
            return pages
        if lacking != told:
            say("waiting for " + "; ".join(f"{name}: {', '.join(what)}" for name, what in lacking.items() if what))
            told = lacking
        if time.monotonic() > deadline:
            raise DemoFailed(f"no successful samples within {SAMPLES_S} s: {lacking}")
        time.sleep(1)


def start_services(fabric):
    services = [Service(host) for host in fabric.hosts]
    say("starting rdma-canary.service on both, each with the other as its peer")
    for service in services:
        service.install()
        service.start()
    return services


def on_two_hosts(check):
    check_port()
    logs = cache.directory() / "logs" / f"demo-{time.strftime('%Y%m%d-%H%M%S')}"
    logs.mkdir(parents=True)
    say("booting two hosts with Soft-RoCE, joined by a wire of 160 Mbit/s (about 15 s)")
    with Fabric(Machine(init="systemd"), 2, logs, forward=PORT) as fabric:
        say(f"booted in {max(host.boot_seconds for host in fabric.hosts):.0f} s")
        try:
            services = start_services(fabric)
            pages = wait_for_samples(services)
            if check:
                print(pages["host-a"].text, end="")
                say("both hosts have successful samples of each other")
            else:
                watch(lambda: look(services))
        except (DemoFailed, GuestError, AssertionError):
            show_logs(fabric, logs)
            raise
    say("stopped both hosts" if not check else "done")


def show_logs(fabric, logs):
    with contextlib.redirect_stdout(sys.stderr):
        for host in fabric.hosts:
            keep_logs(host, logs)
    say(f"logs: {logs}")


def watch(look_again):
    """The table, until Ctrl-C."""
    try:
        while True:
            show(look_again(), URL)
            time.sleep(REFRESH_S)
    except KeyboardInterrupt:
        print()


def native_config(directory):
    """The machine's own where there is one, else one without peers."""
    if INSTALLED_CONFIG.exists():
        return INSTALLED_CONFIG
    path = Path(directory) / INSTALLED_CONFIG.name
    path.write_text(f"node: {socket.gethostname()}\n")
    say(f"no {INSTALLED_CONFIG}: without peers, so nothing is probed")
    return path


def native_daemon(directory):
    return subprocess.Popen(["setpriv", "--pdeathsig", "TERM", Host.daemon, f"--config.file={native_config(directory)}",
                             f"--web.listen-address=127.0.0.1:{PORT}"], env={**os.environ, "STATE_DIRECTORY": directory})


def on_this_machine():
    if not DEVICES.is_dir() or not any(DEVICES.iterdir()):
        raise SetupError("this machine has no RDMA devices; ./dev demo without --native shows the service on virtual ones")
    check_port()
    with tempfile.TemporaryDirectory() as directory:
        daemon = native_daemon(directory)
        try:
            while daemon.poll() is None and not answers():
                time.sleep(0.5)
            if daemon.poll() is not None:
                raise DemoFailed(f"rdma-canaryd ended with {daemon.returncode}")
            watch(lambda: {socket.gethostname(): page()})
        finally:
            daemon.terminate()
            daemon.wait()


def answers():
    with contextlib.suppress(OSError):
        return bool(page())
    return False


def main(arguments):
    if arguments not in ([], ["--check"], ["--native"]):
        raise SetupError("usage: ./dev demo [--check|--native]")
    signal.signal(signal.SIGTERM, end_orderly)
    signal.signal(signal.SIGHUP, end_orderly)
    check_built()
    if arguments == ["--native"]:
        on_this_machine()
    else:
        on_two_hosts(check=arguments == ["--check"])


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (SetupError, DemoFailed, GuestError, AssertionError) as problem:
        sys.exit(f"dev: {problem}")
    except KeyboardInterrupt:
        sys.exit(130)
