"""rdma-canary under systemd in a guest, from this machine's build."""

import re
from pathlib import Path

from host import BUILD, ROOT, CommandFailed
from metrics import Metrics

UNIT = "rdma-canary.service"
CONFIG = "/etc/rdma-canary/rdma-canary.yml"
EXEC_START = re.compile(r"^ExecStart=[-@:+!]*(\S+)", re.MULTILINE)
START_S = 60
STOP_S = 60
ADDRESSES = {"host-a": "198.51.100.1", "host-b": "198.51.100.2"}


def unit_text():
    """As configured by the build where it does that."""
    candidates = [BUILD / "systemd" / UNIT, ROOT / "systemd" / UNIT]
    path = next((path for path in candidates if path.is_file()), None)
    if path is None:
        raise AssertionError(f"no unit file: neither {' nor '.join(str(path) for path in candidates)}")
    return path.read_text()


def usual_config(name):
    """The node, with the other host as its peer."""
    (peer, address), = [(other, address) for other, address in ADDRESSES.items() if other != name]
    return f"node: {name}\npeers:\n  - name: {peer}\n    address: {address}\n"


class Service:
    def __init__(self, host):
        self.host = host

    def install(self, config=None):
        """The daemon goes where the unit looks for it: a build below /home would be hidden by the unit's sandbox."""
        unit = unit_text()
        daemon = Path(EXEC_START.search(unit).group(1))
        self.host.write(f"/etc/systemd/system/{UNIT}", unit)
        self.host.run(f"mkdir -p {daemon.parent} && cp --remove-destination {self.host.daemon} {self.host.cli} {daemon.parent}/")
        self.configure(usual_config(self.host.name) if config is None else config)
        self.systemctl("daemon-reload", START_S)

    def configure(self, text):
        self.host.write(CONFIG, text)

    def systemctl(self, *words):
        *arguments, timeout = words
        return self.host.run(["systemctl", *arguments], timeout=timeout)

    def start(self):
        """Returns once it is READY=1."""
        try:
            self.systemctl("start", UNIT, START_S)
        except CommandFailed as problem:
            raise CommandFailed(f"{problem}\n{self.journal()}") from None

    def stop(self):
        return self.systemctl("stop", UNIT, STOP_S).seconds

    def restart(self):
        self.systemctl("restart", UNIT, START_S + STOP_S)

    def reload(self):
        self.systemctl("reload", UNIT, START_S)

    def show(self, name):
        return self.systemctl("show", "--value", f"--property={name}", UNIT, 30).out.strip()

    def main_pid(self):
        return int(self.show("MainPID"))

    def state(self):
        return self.show("ActiveState")

    def metrics(self):
        response = self.host.http("/metrics")
        if response.status != 200:
            raise AssertionError(f"{self.host.name}: /metrics answers {response.status}: {response.body}")
        return Metrics(response.body)

    def journal(self):
        return self.host.journal(UNIT)
