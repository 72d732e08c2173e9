"""One guest, as scenarios see it."""

import base64
import itertools
import shlex
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from channel import Channel, GuestError
from faults import USUAL_MTU, Faults
from qemu import Qemu

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
BOOT_S = 240
# What an answer may take beyond the time the guest was given: the machine may be busy, and TCG slow.
SLACK_S = 30
JOURNAL = ["journalctl", "--boot", "--no-pager", "--output=short-monotonic"]
KERNEL_LOG = ["dmesg"]


class CommandFailed(AssertionError):
    """A command in a guest did not do what the scenario takes for granted."""


@dataclass(frozen=True)
class Machine:
    letter: str = "a"
    init: str = "plain"
    cpus: int = 1
    memory_mib: int = 1024
    uverbs: bool = True
    rate: str | None = "160mbit"

    @property
    def digit(self):
        return 1 if self.letter == "a" else 2

    @property
    def mac(self):
        return f"52:54:00:ca:9a:0{self.digit}"


@dataclass(frozen=True)
class Result:
    rc: int | None
    out: str
    err: str
    started: float
    ended: float | None
    timed_out: bool = False

    @property
    def seconds(self):
        return self.ended - self.started


@dataclass(frozen=True)
class Response:
    status: int
    headers: dict
    body: str


def text(data):
    return base64.b64decode(data).decode("utf-8", "replace")


def argv(command):
    return ["/bin/sh", "-c", command] if isinstance(command, str) else [str(word) for word in command]


def result_of(answer):
    return Result(answer["rc"], text(answer["out"]), text(answer["err"]), answer["started"], answer["ended"],
                  answer.get("timed_out", False))


def shown(command):
    return command if isinstance(command, str) else shlex.join(str(word) for word in command)


class Process:
    """Runs in the background of a guest; the runner ends it with its scenario at the latest."""

    def __init__(self, host, pid, command):
        self.host = host
        self.pid = pid
        self.command = command

    def look(self, timeout=0):
        return self.host.channel.call("wait", timeout + SLACK_S, pid=self.pid, timeout=timeout)

    def running(self):
        return self.look()["rc"] is None

    def wait(self, timeout):
        answer = self.look(timeout)
        if answer["rc"] is None:
            raise CommandFailed(f"{self.host.name}: still running after {timeout} s: {shown(self.command)}\n"
                                f"{text(answer['out'])}{text(answer['err'])}")
        return result_of(answer)

    def kill(self, sig=signal.SIGTERM):
        return self.host.kill(self.pid, sig)

    def out(self):
        return text(self.look()["out"])

    def err(self):
        return text(self.look()["err"])


class Host(Faults):
    """Made booting; `ready()` returns when it can be used. Faults are in faults.py."""

    daemon = BUILD / "daemon/rdma-canaryd"
    cli = BUILD / "cli/rdma-canary"

    def __init__(self, image, machine, wire_fd, logs, interactive=False, forward=None):
        super().__init__()
        self.machine = machine
        self.rate = machine.rate
        self.name = f"host-{machine.letter}"
        self.address = f"198.51.100.{machine.digit}"
        self.address6 = f"2001:db8::{machine.digit}"
        self.forward = forward
        self.log_path = Path(logs) / self.name
        self.console_path = Path(f"{self.log_path}.console")
        self.numbers = itertools.count(1)
        self.begun = time.monotonic()
        self.boot_seconds = None
        self.qemu = Qemu(image, machine, wire_fd, self.log_path, interactive, forward)
        try:
            self.channel = Channel(self.qemu.agent)
        except BaseException:
            self.qemu.end()
            raise

    def ready(self):
        try:
            self.channel.wait_for_agent(BOOT_S)
        except GuestError as problem:
            raise GuestError(f"{self.name} did not boot: {problem}\n{self.qemu.complaint()}") from problem
        self.run(self.network_script(), timeout=30)
        self.boot_seconds = time.monotonic() - self.begun

    def network_script(self):
        """Addresses survive link down, and IPv6 ones are usable at once."""
        lines = ["set -e",
                 "ip link set lo up",
                 "echo 1 > /proc/sys/net/ipv6/conf/eth0/keep_addr_on_down",
                 "echo 0 > /proc/sys/net/ipv6/conf/eth0/accept_dad",
                 # virtio does not know its speed, and Soft-RoCE complains of that at each look at a port.
                 "ethtool -s eth0 speed 1000 duplex full",
                 f"ip link set eth0 mtu {USUAL_MTU} up",
                 f"ip address add {self.address}/24 dev eth0",
                 f"ip address add {self.address6}/64 dev eth0 nodad"]
        if self.rate:
            lines.append(f"tc qdisc add dev eth0 root handle 1: {self.tbf(self.rate)}")
        if self.machine.uverbs:
            lines.append("rdma link add rxe0 type rxe netdev eth0")
        if self.forward is not None:
            lines.append("ip address add 10.0.2.15/24 dev eth1 && ip link set eth1 up")
        return "\n".join(lines)

    def run(self, command, timeout=30, check=True, stdin=None, env=None):
        data = None if stdin is None else base64.b64encode(stdin.encode()).decode()
        result = result_of(self.channel.call("run", timeout + SLACK_S, argv=argv(command), timeout=timeout, stdin=data,
                                             env=env))
        if check and (result.timed_out or result.rc != 0):
            how = f"did not end within {timeout} s" if result.timed_out else f"ended with {result.rc}"
            raise CommandFailed(f"{self.name}: {shown(command)}: {how}\n{result.out}{result.err}".rstrip())
        return result

    def start(self, command, env=None):
        answer = self.channel.call("start", SLACK_S, argv=argv(command), number=next(self.numbers), env=env)
        return Process(self, answer["pid"], command)

    def read_bytes(self, path):
        return base64.b64decode(self.channel.call("read", SLACK_S, path=str(path))["data"])

    def read(self, path):
        return self.read_bytes(path).decode("utf-8", "replace")

    def write(self, path, content, mode=0o644):
        data = content.encode() if isinstance(content, str) else content
        self.channel.call("write", SLACK_S, path=str(path), data=base64.b64encode(data).decode(), mode=mode)

    def now(self):
        return self.channel.call("now", SLACK_S)["now"]

    def http(self, path, port=14791, method="GET", headers=None, timeout=10):
        answer = self.channel.call("http", timeout + SLACK_S, path=path, port=port, method=method, headers=headers or {},
                                   timeout=timeout)
        return Response(answer["status"], dict(answer["headers"]), text(answer["body"]))

    def console(self):
        return self.console_path.read_text(errors="replace") if self.console_path.exists() else ""

    def journal(self, unit=None):
        """The journal under systemd, the kernel's log otherwise."""
        if self.machine.init != "systemd":
            return self.run(KERNEL_LOG).out
        return self.run([*JOURNAL, *([f"--unit={unit}"] if unit else [])]).out

    def end_leftovers(self):
        """Background processes of a scenario; false when one cannot be ended."""
        return not self.channel.call("leftovers", 2 * SLACK_S)["stuck"]

    def stop(self):
        self.qemu.end()
