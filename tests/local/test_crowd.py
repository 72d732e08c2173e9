"""Ten scrapers at once, of a service built with a sanitizer, while devices come and go and the configuration is reloaded."""

import re
import signal
import subprocess
import time

import units
from case import local
from exporter import canary
from pages import BUILD
from scenario import below, check, equal
from trees import planted

CLIENT = BUILD / "tests/bench/bench-client"
SCRAPERS = ((), ("Accept-Encoding: gzip",), ("Accept: application/openmetrics-text;version=1.0.0",),
            ("Connection: close",), ("X-Prometheus-Scrape-Timeout-Seconds: 1",)) * 2
ONCE = 20  # scrapes of one client
SLICE_S, SOAK_S = 20, 600
REPORT = re.compile(r"(ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|runtime error:|Sanitizer: CHECK failed).*")
# Freed memory is kept for a while, to catch its use: little here, or memory would grow as long as the test runs.
OPTIONS = {"ASAN_OPTIONS": units.ENVIRONMENT["ASAN_OPTIONS"] + ":quarantine_size_mb=4",
           "TSAN_OPTIONS": units.ENVIRONMENT["TSAN_OPTIONS"] + ":history_size=2"}
GROWTH = 1.15  # of anonymous memory, from the first third on


def break_some(root):
    """Counters that fail in each device, each in its way."""
    counters = root / "class/infiniband/mlx5_2/ports/1/hw_counters"
    (counters / "out_of_buffer").write_text("")
    (counters / "out_of_sequence").write_bytes(b"\x00\xff\n")
    (counters / "packet_seq_err").unlink()
    (counters / "packet_seq_err").symlink_to("packet_seq_err")
    (root / "class/infiniband/mlx5_5/ports/1/counters/symbol_error").write_text("N/A (no PMA)\n")


def client(service, headers):
    # The one that closes asks once: this client keeps its connection.
    count = 1 if "Connection: close" in headers else ONCE
    return subprocess.Popen([CLIENT, str(service.port), str(count), *headers], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)


def keep_busy(service, running):
    """Every scraper that has ended is started anew."""
    for slot, process in enumerate(running):
        if process and process.poll() is None:
            continue
        if process and process.returncode != 0:
            raise AssertionError(f"a scraper: {process.stderr.read().strip()}\n{service.said()[-2000:]}")
        running[slot] = client(service, SCRAPERS[slot])


def stir(service, root, turn):
    """A device goes or comes, and every now and then the configuration is read anew."""
    link, away = root / "class/infiniband/mlx5_7", root / "mlx5_7"
    (link.rename(away) if turn % 2 == 0 else away.rename(link))
    if turn % 4 == 0:
        service.process.send_signal(signal.SIGHUP)


def crowd(service, root, seconds):
    """RssAnon in KiB after a third of the time, and at the end."""
    begun, running, early, turn = time.monotonic(), [None] * len(SCRAPERS), None, 0
    try:
        while (passed := time.monotonic() - begun) < seconds:
            keep_busy(service, running)
            if passed > turn * 0.5:
                stir(service, root, turn)
                turn += 1
            if early is None and passed > seconds / 3:
                early = service.rss_anon_kib()
            time.sleep(0.02)
    finally:
        for process in running:
            if process:
                process.kill()
                process.wait()
    return early, service.rss_anon_kib()


def sanitized(flavour, seconds):
    check(units.build(flavour, ["daemon/rdma-canaryd"]), f"{flavour.directory.name} builds")
    with planted(8) as root:
        break_some(root)
        with canary(flavour.directory, root, env={**units.ENVIRONMENT, **OPTIONS}, prefix=units.wrapper()) as service:
            early, late = crowd(service, root, seconds)
            metrics = service.metrics()
            rc = service.stop()
            said = service.said()
    found = REPORT.search(said)
    check(not found, f"the sanitizer: {said[found.start():][:6000] if found else ''}")
    equal(rc, 0, f"exit code, after\n{said[-2000:]}\n")
    check(metrics.value("rdma_canary_http_scrapes_total") > 10 * seconds / 10, "many scrapes were served")
    below(late, early * GROWTH, f"KiB of anonymous memory at the end, {early} KiB after a third")


@local(limit_s=240)
def test_ten_scrapers_at_once_with_asan():
    sanitized(units.SANITIZED[0], SLICE_S)


@local(limit_s=300)
def test_ten_scrapers_at_once_with_tsan():
    sanitized(units.SANITIZED[1], SLICE_S)


@local(limit_s=SOAK_S + 300, soak=True)
def test_ten_scrapers_for_ten_minutes_with_asan():
    sanitized(units.SANITIZED[0], SOAK_S)


@local(limit_s=SOAK_S + 300, soak=True)
def test_ten_scrapers_for_ten_minutes_with_tsan():
    sanitized(units.SANITIZED[1], SOAK_S)
