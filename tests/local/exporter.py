"""A server of metrics as a process of this machine: ours, and what it is compared with."""

import http.client
import os
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from metrics import Metrics

START_S = 20
STOP_S = 30
# Nothing but what is read: no peers, no responder.
CONFIG = "responder: {enabled: false}\n"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Process:
    """A command that listens on 127.0.0.1:port. A context: it ends with its block, and with us."""

    def __init__(self, command, port, env=None, prefix=(), stdin=subprocess.DEVNULL):
        self.port = port
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *prefix, *map(str, command)], stdin=stdin,
                                        stdout=self.log, stderr=subprocess.STDOUT, env={**os.environ, **(env or {})})
        self.pid = self.process.pid
        try:
            self.await_answer()
        except BaseException:
            self.stop(signal.SIGKILL)
            raise

    def await_answer(self):
        deadline = time.monotonic() + START_S
        while True:
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=1):
                    return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise AssertionError(f"{self.process.args} does not listen:\n{self.said()}") from None
                time.sleep(0.02)

    def said(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace")

    def get(self, path="/metrics", headers=None, timeout=30):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request("GET", path, headers=headers or {})
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def page(self, **arguments):
        status, body = self.get(**arguments)
        if status != 200:
            raise AssertionError(f"/metrics answers {status}: {body[:200]!r}")
        return body.decode()

    def metrics(self, **arguments):
        return Metrics(self.page(**arguments))

    def cpu_ns(self):
        """Of all its threads, the ended ones too: the kernel's CPU clock of another process, in nanoseconds."""
        return time.clock_gettime_ns((~self.pid << 3) | 2)

    def threads(self):
        return len(os.listdir(f"/proc/{self.pid}/task"))

    def rss_anon_kib(self):
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.split("RssAnon:")[1].split()[0])

    def stop(self, signo=signal.SIGTERM):
        """Its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signo)
        try:
            return self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"not ended within {STOP_S} s:\n{self.said()}") from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop(signal.SIGKILL)
        self.log.close()


def await_ready(service):
    """It listens before it has looked for devices."""
    deadline = time.monotonic() + START_S
    while service.get("/-/ready")[0] != 200:
        if time.monotonic() > deadline:
            service.stop(signal.SIGKILL)
            raise AssertionError(f"not ready within {START_S} s:\n{service.said()}")
        time.sleep(0.02)


def canary(build, sysfs, config=CONFIG, arguments=(), **options):
    """rdma-canaryd of a build directory over a tree."""
    port = free_port()
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        os.fchmod(file.fileno(), 0o644)
        file.write(config)
        file.flush()
        service = Process([build / "daemon/rdma-canaryd", f"--config.file={file.name}", f"--path.sysfs={sysfs}",
                           f"--web.listen-address=127.0.0.1:{port}", *arguments], port, **options)
    await_ready(service)
    return service
