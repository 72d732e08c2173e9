"""Files that never answer, or fail: each costs its source, and the page nothing."""

import contextlib
import time

import faultfs
from case import Skipped, local
from exporter import canary
from pages import BUILD, kept
from scenario import below, check, equal, eventually
from trees import planted

DEVICES = 8
TIMEOUT_S = 2
PORT = "class/infiniband/mlx5_3/ports/1"
# The way there goes over a link, so a path has two names; the file system sees the real one.
COUNTER = "devices/pci0000:00/0000:03:00.0/infiniband/mlx5_3/ports/1/hw_counters/out_of_buffer"
HEADERS = {"X-Prometheus-Scrape-Timeout-Seconds": str(TIMEOUT_S)}
THREADS_MORE = 8  # than the service has at rest


@contextlib.contextmanager
def faulty():
    if reason := faultfs.missing():
        raise Skipped(reason)
    with planted(DEVICES) as tree, faultfs.FaultFs(tree) as fs, canary(BUILD, fs.path) as service:
        yield fs, service


def scraped(service):
    """The page, and how long it took."""
    begun = time.monotonic()
    page = service.page(headers=HEADERS)
    return page, time.monotonic() - begun


def values(page):
    """The tree's samples, without what says that a source failed."""
    return {line for line in kept(page).splitlines() if not line.startswith("rdma_canary_source_")}


def complaints(page):
    return {line.split("{")[1].split("}")[0] for line in kept(page).splitlines()
            if line.startswith("rdma_canary_source_success")}


def hang(scrapes):
    with faulty() as (fs, service):
        whole, _ = scraped(service)
        equal(complaints(whole), set(), "sources that failed before")
        at_rest, slowest = service.threads(), 0
        fs.set(f"block {COUNTER}")
        for number in range(scrapes):
            page, seconds = scraped(service)
            slowest = max(slowest, seconds)
            missing = values(whole) - values(page)
            others = sorted(line for line in missing if 'device="mlx5_3"' not in line)
            equal(others[:5], [], f"scrape {number}: samples of other devices that are missing")
            check(missing, f"scrape {number}: nothing is missing though a file hangs")
            check(len(complaints(page)) == 1 and 'device="mlx5_3"' in str(complaints(page)),
                  f"scrape {number}: sources that failed: {complaints(page)}")
            below(service.threads(), at_rest + THREADS_MORE + 1, "threads")
        below(slowest, TIMEOUT_S, "seconds of the slowest scrape")
        ages = service.metrics().find("rdma_canary_source_overdue_seconds")
        overdue = {tuple(labels.values()): value for labels, value in ages if value > 0}
        equal(len(overdue), 1, f"sources that are overdue: {overdue}")
        fs.set()
        eventually(lambda: not values(whole) - values(scraped(service)[0]), timeout=20, what="the samples again", every=0.1)
        eventually(lambda: service.threads() <= at_rest + THREADS_MORE, timeout=20, what="threads as before")
        equal(complaints(scraped(service)[0]), set(), "sources that failed after")


@local(limit_s=90)
def test_a_file_that_never_answers_hides_its_source_only():
    hang(200)


@local(limit_s=900, soak=True)
def test_a_file_that_never_answers_for_a_thousand_scrapes():
    hang(1000)


@local(limit_s=60)
def test_a_counter_that_fails_costs_its_own_sample():
    with faulty() as (fs, service):
        whole, _ = scraped(service)
        for error in ("EIO", "EOPNOTSUPP", "EINVAL"):
            fs.set(f"{error} {COUNTER}")
            page, seconds = scraped(service)
            missing = values(whole) - values(page)
            check(missing and all('device="mlx5_3"' in line and "out_of" in line for line in missing),
                  f"{error}: these are missing: {sorted(missing)[:8]}")
            equal(bool(complaints(page)), error == "EIO", f"{error}: whether a source says it failed")
            below(seconds, TIMEOUT_S, f"{error}: seconds")


@local(limit_s=60)
def test_a_counter_that_is_removed_costs_its_own_sample():
    """As the kernel says it of a file that is open and has been removed."""
    with faulty() as (fs, service):
        whole, _ = scraped(service)
        fs.set(f"ENODEV {COUNTER}")
        (fs.tree / COUNTER).unlink()

        def others_only():
            missing = values(whole) - values(scraped(service)[0])
            return missing and all('device="mlx5_3"' in line and "out_of" in line for line in missing)
        eventually(others_only, timeout=20, what="the page without the counter")
