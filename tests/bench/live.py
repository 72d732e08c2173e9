"""The same comparison where the devices are real: Soft-RoCE in a guest, its own sysfs and netlink.

The guest sees this machine's files, so ours, node_exporter and the client run from where they are.
"""

import statistics
import time

import cache
from host import Machine
from packages import unpacked
from scenario import eventually
from wire import Fabric

OURS, THEIRS = 14791, 9100
CONFIG = "/run/bench.yml"
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
    eventually(lambda: process.running() and f":{port}" in host.run(f"ss -tln sport = :{port}").out, timeout=60,
               what=f"{command[0]} listening")
    return process


def measured(host, process, port, count, client):
    """CPU, p50 and p99 of one scrape, in microseconds."""
    command = ["python3", "-c", MEASURE, str(process.pid), str(port), str(count), str(client)]
    words = host.run(command, timeout=600).out.split()
    return int(words[0]) / count / 1000, int(words[1]) / 1000, int(words[2]) / 1000


def compare(host, devices, build, client, flags, seconds):
    """The ratio of the CPU that a scrape costs."""
    host.write(CONFIG, "responder: {enabled: false}\n")
    node_exporter = unpacked("prometheus-node-exporter") / "usr/bin/prometheus-node-exporter"
    servers = {
        "ours": (OURS, [build / "daemon/rdma-canaryd", f"--config.file={CONFIG}"]),
        "node_exporter": (THEIRS, [node_exporter, *flags]),
    }
    running = {name: (port, started(host, port, command)) for name, (port, command) in servers.items()}
    taken = {name: [] for name in running}
    for turn in range(ROUNDS + 1):
        for name, (port, process) in running.items():
            count = 20 if turn == 0 else max(20, int(seconds / ROUNDS * 1e6 / taken[name][0][1]))
            taken[name].append(measured(host, process, port, count, client))
        if turn == 0:
            series = {name: len([line for line in host.http("/metrics", port=port).body.splitlines() if line[:1] != "#"])
                      for name, (port, _) in running.items()}
    for name, (_, process) in running.items():
        cpu, p50, p99 = zip(*taken[name][1:], strict=True)
        print(f"  {name:20} cpu {statistics.median(cpu):8.1f} us ({', '.join(f'{one:.0f}' for one in cpu)})  "
              f"p50 {statistics.median(p50):8.1f} us  p99 {statistics.median(p99):8.1f} us  {series[name]} series")
        process.kill()
        process.wait(30)
    pairs = zip(taken["ours"][1:], taken["node_exporter"][1:], strict=True)
    return statistics.median(mine[0] / other[0] for mine, other in pairs)


def show(build, client, flags, plan):
    """Prints a row for each number of devices; the ratio of the first."""
    logs = cache.directory() / "logs" / f"bench-{time.strftime('%Y%m%d-%H%M%S')}"
    logs.mkdir(parents=True)
    ratios = []
    with Fabric(Machine(rate=None), 1, logs) as fabric:
        host, = fabric.hosts
        for devices in plan.live_devices:
            add_devices(host, devices)
            print(f"live, {devices} Soft-RoCE devices in a guest:")
            ratios.append(compare(host, devices, build, client, flags, plan.live_seconds / 2))
            print(f"  ours/theirs: cpu {ratios[-1]:.3f}", flush=True)
    return ratios[0]
