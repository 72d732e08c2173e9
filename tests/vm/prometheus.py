"""Debian's Prometheus, from the cache: promtool on this machine, the server in a guest."""

import json
import subprocess
from urllib.parse import quote

from packages import unpacked
from scenario import eventually

PORT = 9090
DATA = "/run/prometheus"


def binary(name):
    return unpacked("prometheus") / "usr/bin" / name


def promtool(*arguments, stdin=""):
    result = subprocess.run([binary("promtool"), *arguments], input=stdin, capture_output=True, text=True, timeout=60)
    return result.returncode, (result.stdout + result.stderr).strip()


def promtool_check(page):
    """What it has to say about a page; empty when all is well."""
    rc, said = promtool("check", "metrics", stdin=page)
    return said or ("" if rc == 0 else f"promtool: exit code {rc}")


class Prometheus:
    def __init__(self, host):
        self.host = host
        self.process = None

    def start(self, targets, interval="1s"):
        listed = ", ".join(f"'{target}'" for target in targets)
        self.host.write(f"{DATA}/prometheus.yml",
                        f"global: {{scrape_interval: {interval}, scrape_timeout: {interval}}}\n"
                        f"scrape_configs: [{{job_name: rdma-canary, static_configs: [{{targets: [{listed}]}}]}}]\n")
        self.process = self.host.start([binary("prometheus"), f"--config.file={DATA}/prometheus.yml",
                                        f"--storage.tsdb.path={DATA}/data",
                                        f"--web.listen-address=127.0.0.1:{PORT}"])
        eventually(self.is_ready, timeout=60, what="Prometheus ready")
        return self

    def is_ready(self):
        return self.host.http("/-/ready", port=PORT).status == 200

    def query(self, expression):
        """(labels, value) of an instant vector."""
        answer = json.loads(self.host.http(f"/api/v1/query?query={quote(expression)}", port=PORT).body)
        return [(row["metric"], float(row["value"][1])) for row in answer["data"]["result"]]
