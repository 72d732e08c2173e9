"""The demo's table, from pages of /metrics."""

import re
import sys
import time

STATES = {1: "DOWN", 2: "INIT", 3: "ARMED", 4: "ACTIVE", 5: "DEFER"}
# What should not happen, by its canonical name: the vendors' own (…_hw_…) count the same events again.
ERRORS = re.compile(r"rdma_canary_(?!hw_|probe_|http_|responder_|source_)\w*"
                    r"(errors|discards|naks|retransmit_timeouts|exceeded|downed|out_of_\w+)_total$")
HEADINGS = ("host", "device", "peer", "bandwidth", "latency p50", "p99", "port", "errors")
CLEAR = "\033[H\033[2J"


def bandwidth(value):
    return "-" if value is None else f"{value / 2**20:.1f} MiB/s"


def latency(value):
    if value is None:
        return "-"
    return f"{value * 1e6:.0f} µs" if value < 1e-3 else f"{value * 1e3:.1f} ms"


def first(metrics, name, **labels):
    found = metrics.find(name, **labels)
    return found[0][1] if found else None


def errors(metrics, device):
    return sum(value for name, samples in metrics.samples.items() if ERRORS.match(name)
               for labels, value in samples if labels.get("device") == device)


def pairs(metrics):
    """(device, peer) of the probes; every device with a port, too, when nobody is probed from it."""
    probed = {(labels.get("device"), labels.get("peer")) for labels, _ in metrics.find("rdma_canary_probe_success")}
    devices = {labels.get("device") for labels, _ in metrics.find("rdma_canary_port_state_id")}
    return sorted(probed | {(device, "-") for device in devices - {device for device, _ in probed}})


def rows(pages):
    for host, metrics in pages.items():
        for device, peer in pairs(metrics):
            about = {"device": device, "peer": peer}
            state = first(metrics, "rdma_canary_port_state_id", device=device)
            yield (host, device, peer,
                   bandwidth(first(metrics, "rdma_canary_probe_bandwidth_bytes_per_second", probe="rdma_bandwidth", **about)),
                   latency(first(metrics, "rdma_canary_probe_latency_p50_seconds", probe="rdma_latency", **about)),
                   latency(first(metrics, "rdma_canary_probe_latency_p99_seconds", probe="rdma_latency", **about)),
                   STATES.get(state, "-"), f"{errors(metrics, device):.0f}")


def show(pages, url):
    lines = [HEADINGS, *rows(pages)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    text = "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)
    start = CLEAR if sys.stdout.isatty() else ""
    print(f"{start}rdma-canary, {time.strftime('%H:%M:%S')}, {url}, Ctrl-C ends it\n\n{text}", flush=True)
