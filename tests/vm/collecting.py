"""The daemon as a plain process that only reads."""

from metrics import Metrics
from scenario import check, eventually

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
