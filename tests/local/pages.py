"""The page of each tree in tests/data, beside the one that is kept there: sysfs-NAME.metrics.

python3 tests/local/pages.py --update [NAME...] writes them anew from the present build; look at what has changed.
A kept page has the samples of devices and network interfaces, without those that another run would change; of the
sources only those that failed; and of a family with many samples their number, the first and the last.
"""

import difflib
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "vm")]

from exporter import CONFIG, canary  # noqa: E402
from fixtures import DATA, names, tree  # noqa: E402
from prometheus import promtool_check  # noqa: E402
from units import ROOT  # noqa: E402

BUILD = ROOT / "build"
NOBODY = "65534"
MANY = 100
OF_A_DEVICE = re.compile(r'[{,](?:device|netdev)="[^"]')
OTHER_EACH_TIME = re.compile(r"rdma_canary_source_(?!success)")
# These ask the kernel of this machine, not the tree.
ASK_THE_KERNEL = ("ethtool", "irq", "resources")


def config():
    documented = (ROOT / "docs/CONFIG.md").read_text()
    off = [name for name in ASK_THE_KERNEL if f"`collectors.{name}.enabled`" in documented]
    return CONFIG + "collectors: {" + ", ".join(f"{name}: {{enabled: false}}" for name in off) + "}\n" if off else CONFIG


def as_nobody(build, scratch):
    """A build directory with a copy of the service that anyone may run, and how to run it without root's rights."""
    (scratch / "daemon").mkdir()
    shutil.copy(build / "daemon/rdma-canaryd", scratch / "daemon")
    scratch.chmod(0o755)
    return scratch, ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.geteuid() == 0 else []


def served(name, build=BUILD):
    """The page of the tree. The service is not root: as root it could read everything."""
    with tree(name) as sysfs, tempfile.TemporaryDirectory(prefix="rdma-canary-build-") as scratch:
        build, prefix = as_nobody(build, Path(scratch))
        with canary(build, sysfs, config(), prefix=prefix) as service:
            return service.page()


def condensed(family):
    """Lines of one family; not all of many."""
    if len(family) <= MANY:
        return family
    return [family[0], f"# {len(family) - 2} more", family[-1]]


def kept(page):
    """What of a page is the tree's."""
    families = {}
    for line in page.splitlines():
        if line.startswith("#") or not OF_A_DEVICE.search(line) or OTHER_EACH_TIME.match(line):
            continue
        if line.startswith("rdma_canary_source_success{") and line.endswith(" 1"):
            continue
        families.setdefault(line.partition("{")[0], []).append(line)
    return "".join(f"{line}\n" for family in families.values() for line in condensed(family))


def golden(name):
    return DATA / f"sysfs-{name}.metrics"


def check(name):
    page = served(name)
    said = promtool_check(page)
    if said:
        raise AssertionError(f"promtool: {said}")
    wanted = golden(name).read_text() if golden(name).exists() else ""
    changes = list(difflib.unified_diff(wanted.splitlines(), kept(page).splitlines(), golden(name).name, "now",
                                        lineterm="", n=0))
    if changes:
        raise AssertionError("\n".join([f"another page than {golden(name).name}", *changes[:60]]))


def update(wanted):
    for name in names():
        if not wanted or name in wanted:
            golden(name).write_text(kept(served(name)))


if __name__ == "__main__":
    if sys.argv[1:2] != ["--update"]:
        sys.exit("usage: pages.py --update [NAME...]")
    update(sys.argv[2:])
