"""Trees of many devices of the mlx5 shape: the first device of tests/data/sysfs-mlx5, with other values in each."""

import contextlib
import tempfile
import zlib
from pathlib import Path

from fixtures import DATA

MODEL = DATA / "sysfs-mlx5/devices/pci0000:5d/0000:5d:00.0/0000:5e:00.0"
COUNTERS = ("ports/1/counters", "ports/1/hw_counters")
NARROW_MAX = 14  # the narrowest counter stops at 15


def value(device, name):
    """Of a counter: another one for each device and name, and none at its maximum."""
    number = zlib.crc32(f"{device} {name}".encode())
    wide = "data" in name or "packets" in name or "hw_counters" in name
    return number * 4099 if wide else number % NARROW_MAX


def plant_device(root, model, number):
    pci = root / f"devices/pci{number // 32:04x}:00/{number // 32:04x}:{number % 32:02x}:00.0"
    device = pci / f"infiniband/mlx5_{number}"
    for path in sorted(model.rglob("*")):
        name = str(path.relative_to(model))
        target = device / name
        if path.is_symlink():
            target.symlink_to(f"../../../{pci.name}")
        elif path.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            counted = name.startswith(COUNTERS) and path.name != "lifespan"
            target.write_text(f"{value(number, name)}\n" if counted else path.read_text())
    (pci / "driver").symlink_to("../../../bus/pci/drivers/mlx5_core")
    (pci / "numa_node").write_text(f"{number % 2}\n")
    (root / f"class/infiniband/mlx5_{number}").symlink_to(f"../../{device.relative_to(root)}")


@contextlib.contextmanager
def planted(devices):
    """The root of a tree with so many devices."""
    with tempfile.TemporaryDirectory(prefix=f"rdma-canary-{devices}-") as scratch:
        root = Path(scratch)
        root.chmod(0o755)
        (root / "class/infiniband").mkdir(parents=True)
        (root / "class/net").mkdir()
        for number in range(devices):
            plant_device(root, MODEL / "infiniband/mlx5_0", number)
        yield root


ATTRIBUTES = ("state", "phys_state", "rate", "lid", "sm_lid")


def read_files(root):
    """All that the floor reads, which is what we read at each scrape: every counter, and what else may change any time."""
    ports = sorted(root.glob("devices/*/*/infiniband/*/ports/*"))
    return [path for port in ports for path in [*(port / name for name in ATTRIBUTES), *sorted(port.glob("*counters/*"))]
            if path.name != "lifespan"]
