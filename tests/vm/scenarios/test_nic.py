"""The network interface behind the RDMA device: what the page says of it is what the kernel's own tools say."""

import json

from metrics import Metrics
from prometheus import promtool_check
from scenario import check, equal, eventually, scenario

CONFIG = """node: alone
responder: {enabled: false}
collectors: {ethtool: {min_age: 0, include: ["*"]}}
"""
# What `ip -s -s -j link` calls them, with the family of each.
RECEIVED = {"bytes": "received_bytes", "packets": "received_packets", "errors": "received_errors", "dropped": "received_drops",
            "over_errors": "received_over_errors", "multicast": "received_multicast_packets",
            "length_errors": "received_length_errors", "crc_errors": "received_crc_errors",
            "frame_errors": "received_frame_errors", "fifo_errors": "received_fifo_errors",
            "missed_errors": "received_missed_errors", "nohandler": "received_no_handler"}
TRANSMITTED = {"bytes": "transmitted_bytes", "packets": "transmitted_packets", "errors": "transmitted_errors",
               "dropped": "transmitted_drops", "carrier_errors": "transmitted_carrier_errors", "collisions": "collisions",
               "aborted_errors": "transmitted_aborted_errors", "fifo_errors": "transmitted_fifo_errors",
               "window_errors": "transmitted_window_errors", "heartbeat_errors": "transmitted_heartbeat_errors",
               "carrier_changes": "carrier_changes"}


class Collecting:
    """The daemon without peers: it only reads."""

    def __init__(self, host):
        self.host = host
        host.write("/run/nic.yml", CONFIG)
        self.process = host.start(f"exec {host.daemon} --config.file=/run/nic.yml")
        eventually(self.is_ready, timeout=30, what="the daemon answering")

    def is_ready(self):
        check(self.process.running(), f"the daemon ended: {self.process.err()}")
        return self.host.run("ss -tln sport = :14791").out.count(":14791")

    def metrics(self):
        return Metrics(self.host.http("/metrics").body)

    def at_rest(self, ask):
        """What the command answered before and after a page, and that page: nothing moved between."""
        for _ in range(20):
            before, metrics, after = ask(), self.metrics(), ask()
            if before == after:
                return before, metrics
        check(False, "eth0 never was at rest")


def link(host):
    return json.loads(host.run("ip -s -s -j link show eth0").out)[0]["stats64"]


def ethtool(host):
    lines = host.run("ethtool -S eth0").out.splitlines()
    return {name.strip(): int(value) for name, _, value in (line.rpartition(":") for line in lines if line.startswith(" "))}


def netdev(metrics, name):
    return metrics.value(f"rdma_canary_netdev_{name}", device="rxe0", netdev="eth0")


@scenario(hosts=1, limit_s=180)
def test_interfaces_equal_what_ip_says(a):
    """At rest every statistic of `ip -s -s link` is on the page with the same value; and promtool accepts the page."""
    a.run("ping -c 5 -i 0.2 -b 198.51.100.255", check=False)
    stats, metrics = Collecting(a).at_rest(lambda: link(a))
    check(stats["tx"]["packets"] > 0, f"traffic was counted: {stats}")
    for direction, families in (("rx", RECEIVED), ("tx", TRANSMITTED)):
        for name, value in stats[direction].items():
            equal(netdev(metrics, f"{families[name]}_total"), value, f"{direction} {name}")
    equal(netdev(metrics, "up"), 1, "up")
    equal(netdev(metrics, "carrier"), 1, "carrier")
    equal(netdev(metrics, "mtu_bytes"), 4200, "MTU")
    equal(netdev(metrics, "speed_bytes_per_second"), 125e6, "speed, 1000 Mbit/s")
    equal(promtool_check(metrics.text), "", "what promtool says")


@scenario(hosts=1, limit_s=180)
def test_driver_statistics_equal_what_ethtool_says(a):
    """At rest every statistic of `ethtool -S` is on the page by its name, when all are asked for."""
    a.run("ping -c 5 -i 0.2 -b 198.51.100.255", check=False)
    stats, metrics = Collecting(a).at_rest(lambda: ethtool(a))
    check(any(stats.values()), f"traffic was counted: {stats}")
    shown = {labels["statistic"]: value for labels, value in metrics.find("rdma_canary_netdev_ethtool", netdev="eth0")}
    equal(shown, stats, "statistics of the driver")


@scenario(hosts=1, limit_s=180)
def test_a_pulled_cable_is_seen_at_once(a):
    """Carrier and speed follow the link though they are read seldom; a change is counted."""
    daemon = Collecting(a)
    changes = netdev(daemon.metrics(), "carrier_changes_total")
    a.cable("out")
    eventually(lambda: netdev(daemon.metrics(), "up") == 0, timeout=10, what="up 0 without a cable")
    metrics = daemon.metrics()
    equal(netdev(metrics, "carrier"), 0, "carrier without a cable")
    check(netdev(metrics, "carrier_changes_total") > changes, "the change was counted")
    a.cable("in")
    eventually(lambda: netdev(daemon.metrics(), "carrier") == 1, timeout=10, what="carrier with the cable")
