"""The daemon as a plain process that only reads."""

from metrics import Metrics
from scenario import check, eventually

LOOPBACK = "ib_write_bw -d rxe0 -x 1 -s 4096 -n 1000"
CONFIG = "node: alone\nresponder: {enabled: false}\n"


class Collecting:
    """The daemon without peers: it only reads."""

    def __init__(self, host, options="", config=""):
        self.host = host
        host.write("/run/collecting.yml", CONFIG + config)
        self.process = host.start(f"exec {host.daemon} --config.file=/run/collecting.yml {options}")
        eventually(self.is_ready, timeout=30, what="the daemon answering")

    def is_ready(self):
        check(self.process.running(), f"the daemon ended: {self.process.err()}")
        return self.host.run("ss -tln sport = :14791").out.count(":14791")

    def metrics(self):
        return Metrics(self.host.http("/metrics").body)


def make_traffic(host):
    server = host.start(f"exec {LOOPBACK}")
    eventually(lambda: ":18515" in host.run("ss -tln").out, timeout=10, what="ib_write_bw listening")
    host.run(f"{LOOPBACK} 127.0.0.1", timeout=60)
    server.wait(10)
