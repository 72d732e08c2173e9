"""A tree in which chosen files hang or fail, by FUSE."""

import os
import subprocess
import tempfile
import time
from pathlib import Path

from units import ROOT

PROGRAM = ROOT / "build/tests/local/programs/faultfs"
MOUNT_S = 10


def missing():
    """Why there can be none here; None when there can."""
    return None if os.access("/dev/fuse", os.R_OK | os.W_OK) else "no /dev/fuse that may be used"


class FaultFs:
    """A context: `path` shows the tree until its end."""

    def __init__(self, tree):
        self.tree = tree
        self.scratch = tempfile.TemporaryDirectory(prefix="rdma-canary-fault-")
        self.faults = Path(self.scratch.name) / "faults"
        self.faults.write_text("")
        self.path = Path(self.scratch.name) / "sys"
        self.path.mkdir()
        self.process = subprocess.Popen(["setpriv", "--pdeathsig", "TERM", PROGRAM, tree, self.faults, self.path],
                                        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + MOUNT_S
        while not self.path.is_mount():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.process.kill()
                raise AssertionError(f"faultfs could not be mounted: {self.process.stderr.read().strip()}")
            time.sleep(0.02)

    def set(self, *faults):
        """Lines `block PATH`, `EIO PATH`; none: all is well. At once, never half of it."""
        staged = self.faults.with_suffix(".new")
        staged.write_text("".join(f"{fault}\n" for fault in faults))
        staged.rename(self.faults)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.set()  # whoever hangs may go on
        self.process.terminate()
        self.process.wait(MOUNT_S)
        self.process.stderr.close()
        self.scratch.cleanup()
