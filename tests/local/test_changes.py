"""Trees that change between two scrapes: what is gone is missing, never 0; what is new comes; nothing else is touched."""

import contextlib
import shutil
import tempfile
from pathlib import Path

from case import local
from exporter import CONFIG, canary
from fixtures import DATA, plant
from pages import BUILD
from scenario import check, equal, eventually

NOTICED_S = 15
DEVICES = "devices/pci0000:5d/0000:5d:00.0/0000:5e:00.0/infiniband"
COUNTERS = "mlx5_0/ports/1/hw_counters"


@contextlib.contextmanager
def changing(name, config=CONFIG):
    """A tree of its own, and the service over it."""
    with tempfile.TemporaryDirectory(prefix="rdma-canary-changing-") as scratch:
        root = Path(scratch)
        if (DATA / f"sysfs-{name}").is_dir():
            shutil.copytree(DATA / f"sysfs-{name}", root, symlinks=True, dirs_exist_ok=True)
        else:
            plant(DATA / f"sysfs-{name}.tree", root)
        with canary(BUILD, root, config) as service:
            yield root, service


@contextlib.contextmanager
def driver_reload(root, device):
    """The device goes, whatever the block does happens, and it comes again."""
    link, away = root / f"class/infiniband/{device}", root / device
    link.rename(away)
    yield
    away.rename(link)


def samples(service, **labels):
    """{(name, labels): value} of all of a device that have these labels; not what the sources say of themselves."""
    return {(name, tuple(sorted(have.items()))): value for name, found in service.metrics().samples.items()
            if not name.startswith("rdma_canary_source_") for have, value in found
            if have.get("device") and all(have.get(key) == wanted for key, wanted in labels.items())}


def same(have, wanted):
    """An AssertionError that names some of the differences."""
    if have != wanted:
        gone, new = dict(wanted.items() - have.items()), dict(have.items() - wanted.items())
        raise AssertionError(f"missing {list(gone)[:5]}, too many {list(new)[:5]}")
    return True


def becomes(function, wanted, what):
    """Within the time a change may take to be noticed."""
    eventually(lambda: same(function(), wanted), timeout=NOTICED_S, what=what, every=0.2)


@local()
def test_a_counter_that_vanishes_takes_its_samples_along():
    with changing("mlx5") as (root, service):
        before = samples(service)
        with driver_reload(root, "mlx5_0"):
            (root / DEVICES / COUNTERS / "out_of_buffer").unlink()
        without = {key: value for key, value in before.items() if "out_of" not in key[0] or "sequence" in key[0]
                   or dict(key[1])["device"] != "mlx5_0"}
        check(len(without) < len(before), "it was there")
        becomes(lambda: samples(service), without, "the page without the counter")


@local()
def test_a_counter_that_appears_is_shown():
    with changing("mlx5") as (root, service):
        before = samples(service)
        with driver_reload(root, "mlx5_0"):
            (root / DEVICES / COUNTERS / "never_heard_of").write_text("4711\n")
        labels = {"device": "mlx5_0", "port": "1", "counter": "never_heard_of"}
        eventually(lambda: list(samples(service, **labels).values()) == [4711], timeout=NOTICED_S,
                   what="the new counter", every=0.2)
        same({key: value for key, value in samples(service).items() if "never_heard_of" not in str(key)}, before)


@local()
def test_a_renamed_device_moves_with_all_its_samples():
    """As udev's rules do it after the driver has loaded."""
    with changing("mlx5") as (root, service):
        before = samples(service, device="mlx5_1")
        others = samples(service, device="mlx5_0")
        (root / "class/infiniband/mlx5_1").rename(root / "class/infiniband/rocep94s0f1")
        wanted = {(name, tuple((key, "rocep94s0f1" if key == "device" else value) for key, value in labels)): value
                  for (name, labels), value in before.items()}
        becomes(lambda: samples(service, device="rocep94s0f1"), wanted, "the samples under the new name")
        equal(samples(service, device="mlx5_1"), {}, "samples under the old name")
        same(samples(service, device="mlx5_0"), others)


@local()
def test_a_device_that_is_replaced_is_read_anew():
    """Removed and there again under its name, with other counters: the open files of the old one are of no use."""
    with changing("mlx5") as (root, service):
        samples(service)
        device = root / DEVICES / "mlx5_0"
        with driver_reload(root, "mlx5_0"):
            shutil.copytree(device, device.with_name("again"), symlinks=True)
            shutil.rmtree(device)
            device.with_name("again").rename(device)
            (device / "ports/1/hw_counters/out_of_buffer").write_text("123456\n")
        eventually(lambda: service.metrics().value("rdma_canary_hw_out_of_buffer_total", device="mlx5_0") == 123456,
                   timeout=NOTICED_S, what="the new device's counter", every=0.2)


@local()
def test_a_device_that_is_excluded_is_not_kept_open():
    with changing("mlx5", CONFIG + "devices: {exclude: [mlx5_1]}\n") as (root, service):
        equal(samples(service, device="mlx5_1"), {}, "samples of the excluded device")
        check(samples(service, device="mlx5_0"), "samples of the other")
        held = [str(path.resolve()) for path in Path(f"/proc/{service.pid}/fd").iterdir()]
        equal([path for path in held if "mlx5_1" in path], [], "open files of the excluded device")
