"""The service under a real systemd on two hosts."""

from prometheus import Prometheus, promtool_check
from scenario import below, check, equal, eventually, scenario
from service import Service, usual_config

QUICK = """
probes:
  rdma_bandwidth: {interval: 3s}
  rdma_latency: {interval: 3s}
"""


def running(*hosts):
    services = [Service(host) for host in hosts]
    for service in services:
        service.install(usual_config(service.host.name) + QUICK)
        service.start()
    return services


def succeeds(service, probe):
    return service.metrics().value("rdma_canary_probe_success", probe=probe) == 1


def both_succeed(services):
    return all(succeeds(service, probe) for service in services for probe in ("rdma_bandwidth", "rdma_latency"))


@scenario(hosts=2, init="systemd", limit_s=240)
def test_both_directions_of_both_probes(a, b):
    """Two hosts that know of each other measure each other, and say so in a page that promtool accepts."""
    services = running(a, b)
    eventually(lambda: both_succeed(services), timeout=60, what="both probes in both directions")
    for service in services:
        metrics = service.metrics()
        equal(promtool_check(metrics.text), "", "what promtool says")
        bandwidth = metrics.value("rdma_canary_probe_bandwidth_bytes_per_second", probe="rdma_bandwidth")
        check(15e6 < bandwidth < 21e6, f"bandwidth of a 160 Mbit/s wire: {bandwidth}")
        equal(metrics.value("rdma_canary_port_state_id", device="rxe0", port="1"), 4, "port state")
        print(metrics.text)
    below(services[0].stop(), 5, "seconds to stop")
    print(services[0].journal())
