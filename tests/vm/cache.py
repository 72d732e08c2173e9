"""Where downloads and images are kept, outside the source tree. May be deleted at any time no guest runs.

A directory that exists is complete: it is made under another name and renamed. Makers take turns by a lock.
"""

import contextlib
import fcntl
import os
import shutil
import sys
import time
from pathlib import Path


class SetupError(Exception):
    """The machine lacks something; the text is one sentence for a person."""


def directory():
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    path = Path(os.environ.get("RDMA_CANARY_CACHE") or home / "rdma-canary").absolute()
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise SetupError(f"cannot make the cache directory {path} ({problem.strerror}); "
                         "RDMA_CANARY_CACHE names another place") from problem
    return path


def say(text):
    print(text, file=sys.stderr, flush=True)


@contextlib.contextmanager
def locked():
    """One maker at a time; the lock goes with its holder."""
    with open(directory() / "lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another run that is filling the cache")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def staged(final):
    """A new directory that becomes `final` when the block succeeds. The caller holds the lock."""
    for stale in final.parent.glob(f".making-{final.name}"):
        shutil.rmtree(stale, ignore_errors=True)
    making = final.parent / f".making-{final.name}"
    try:
        making.mkdir(parents=True)
        yield making
        making.rename(final)
    except OSError as problem:
        raise SetupError(f"cannot fill the cache at {final}: {problem}") from problem
    finally:
        shutil.rmtree(making, ignore_errors=True)


def forget(pattern, days):
    """Removes what matches and has not been made or used for so long."""
    limit = time.time() - days * 86400
    for path in directory().glob(pattern):
        if path.stat().st_mtime < limit:
            shutil.rmtree(path, ignore_errors=True)
