"""The same comparison where the devices are real: Soft-RoCE in a guest, its own sysfs and netlink.

The guest sees this machine's files, so ours, node_exporter and the client run from where they are.

Debian's node_exporter gives up on all RDMA devices when one of them has no counters/, board_id or hca_type, and
Soft-RoCE has none: it is shown a tree of links to the real files with those added. Ours reads the network interfaces
behind the devices too, by default; so the comparison that counts is with its collectors of network interfaces on, for
those interfaces. That with its infiniband collector alone, which reads six small files a device, is shown beside it.
"""

import statistics
import time

import cache
from agreement import disagreements
from host import Machine
from metrics import Metrics
from packages import unpacked
from scenario import check, eventually
from wire import Fabric

CONFIG = "/run/bench.yml"
VIEW = "/run/bench-sys"
INFINIBAND, NETDEVS_TOO = "node_exporter, infiniband only", "node_exporter, netdevs too"
NETDEVS = "^(eth0|bench[0-9]+)$"
NETDEV_FLAGS = ["--collector.netclass", "--collector.netclass.ignored-devices=^(lo|eth1|sit0|ip6tnl0)$", "--collector.netdev",
                f"--collector.netdev.device-include={NETDEVS}", "--collector.netdev.device-exclude=", "--collector.ethtool",
                f"--collector.ethtool.device-include={NETDEVS}"]
ROUNDS = 3
# CPU of a process of any age and number of threads, as exporter.Process.cpu_ns() takes it.
MEASURE = """
import subprocess, sys, time
pid, port, count, client = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]
begun = time.clock_gettime_ns((~pid << 3) | 2)
answer = subprocess.run([client, port, str(count)], capture_output=True, text=True, check=True).stdout
print(time.clock_gettime_ns((~pid << 3) | 2) - begun, answer)
"""


def add_devices(host, count):
    """rxe0 is there; the others get a netdev each."""
    for number in range(1, count):
        host.run(f"ip link add bench{number} type dummy && ip link set bench{number} up && "
                 f"rdma link add rxe{number} type rxe netdev bench{number}")


def started(host, port, command):
    process = host.start([str(word) for word in command])
    def listens():
        check(process.running(), f"it ended: {process.err()[-500:]}")
        return f":{port}" in host.run(f"ss -tln sport = :{port}").out
    eventually(listens, timeout=30, what=f"{command[0]} listening")
    return process


def measured(host, process, port, count, client):
    """CPU, p50 and p99 of one scrape, in microseconds."""
    command = ["python3", "-c", MEASURE, str(process.pid), str(port), str(count), str(client)]
    words = host.run(command, timeout=600).out.split()
    return int(words[0]) / count / 1000, int(words[1]) / 1000, int(words[2]) / 1000


def make_view(host, devices):
    lines = [f"rm -rf {VIEW}; mkdir -p {VIEW}/class/infiniband; ln -s /sys/class/net {VIEW}/class/net"]
    for number in range(devices):
        device, real = f"{VIEW}/class/infiniband/rxe{number}", f"/sys/class/infiniband/rxe{number}"
        lines.append(f"mkdir -p {device}/ports/1/counters; ln -s {real}/ports/1/* {device}/ports/1/; "
                     f"echo - > {device}/board_id; echo - > {device}/hca_type; ln -s {real}/fw_ver {device}/fw_ver")
    host.run("; ".join(lines))


def start_all(host, build, flags):
    """{name: (port, process)}"""
    host.write(CONFIG, "responder: {enabled: false}\n")
    theirs = [unpacked("prometheus-node-exporter") / "usr/bin/prometheus-node-exporter", *flags, f"--path.sysfs={VIEW}"]
    commands = {
        "ours": [build / "daemon/rdma-canaryd", f"--config.file={CONFIG}", "--web.listen-address=:9001"],
        INFINIBAND: [*theirs, "--web.listen-address=:9002"],
        NETDEVS_TOO: [*theirs, *NETDEV_FLAGS, "--web.listen-address=:9003"],
    }
    return {name: (port, started(host, port, command)) for port, (name, command) in enumerate(commands.items(), 9001)}


def series_of(host, running):
    """{name: number of series}; what node_exporter says of the devices is on our page too."""
    pages = {name: Metrics(host.http("/metrics", port=port).body) for name, (port, _) in running.items()}
    failed = [labels for name in (INFINIBAND, NETDEVS_TOO)
              for labels, value in pages[name].find("node_scrape_collector_success") if value != 1]
    found, count = disagreements(pages[INFINIBAND], pages["ours"])
    found = [line for line in found if not line.startswith("node_infiniband_info")]  # what was added for it
    if failed or found or not count:
        raise AssertionError(f"live: node_exporter's collectors that failed {failed}, its series that we lack {found}")
    return {name: sum(len(samples) for samples in page.samples.values()) for name, page in pages.items()}


def ratio(taken, to):
    return statistics.median(mine[0] / other[0] for mine, other in zip(taken["ours"][1:], taken[to][1:], strict=True))


def compare(host, build, client, flags, seconds):
    """The ratio of the CPU that a scrape costs."""
    running = start_all(host, build, flags)
    series = series_of(host, running)
    taken = {name: [] for name in running}
    for turn in range(ROUNDS + 1):
        for name, (port, process) in running.items():
            count = 20 if turn == 0 else max(20, int(seconds / ROUNDS * 1e6 / taken[name][0][1]))
            taken[name].append(measured(host, process, port, count, client))
    for name, (_, process) in running.items():
        cpu, p50, p99 = zip(*taken[name][1:], strict=True)
        print(f"  {name:30} cpu {statistics.median(cpu):8.1f} us ({', '.join(f'{one:.0f}' for one in cpu)})  "
              f"p50 {statistics.median(p50):8.1f} us  p99 {statistics.median(p99):8.1f} us  {series[name]} series")
        process.kill()
        process.wait(30)
    print(f"  ours/theirs: cpu {ratio(taken, NETDEVS_TOO):.3f} ({ratio(taken, INFINIBAND):.3f} of infiniband only)", flush=True)
    return ratio(taken, NETDEVS_TOO)


def show(build, client, flags, plan):
    """Prints a row for each number of devices; the ratio of the first."""
    logs = cache.directory() / "logs" / f"bench-{time.strftime('%Y%m%d-%H%M%S')}"
    logs.mkdir(parents=True)
    ratios = []
    with Fabric(Machine(rate=None), 1, logs) as fabric:
        host, = fabric.hosts
        for devices in plan.live_devices:
            add_devices(host, devices)
            make_view(host, devices)
            print(f"live, {devices} Soft-RoCE devices in a guest:")
            ratios.append(compare(host, build, client, flags, plan.live_seconds / 3))
    return ratios[0]
