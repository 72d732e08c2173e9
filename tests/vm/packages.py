"""Debian packages that are unpacked into the cache instead of being installed: nothing is enabled on the machine."""

import os
import shutil
import subprocess

import cache

DOWNLOAD_S = 900


def apt(*arguments, cwd=None):
    return subprocess.run(arguments, cwd=cwd, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          timeout=DOWNLOAD_S, env={**os.environ, "LC_ALL": "C"})


def refresh():
    """The package lists; only root may, and only apt knows whether it worked."""
    if os.geteuid() == 0:
        cache.say("refreshing the package lists")
        apt("apt-get", "-qq", "update")


def dependency(package):
    """What the metapackage `package` depends on first, or None when apt does not know it."""
    for line in apt("apt-cache", "depends", package).stdout.splitlines():
        kind, _, name = line.strip().partition(": ")
        if kind == "Depends":
            return name
    return None


def download(package, into):
    """The .deb of `package`, fetched into the directory `into`."""
    if not shutil.which("apt-get"):
        raise cache.SetupError(f"{package} is needed from a Debian archive, and this machine has no apt-get")
    for attempt in range(2):
        if attempt == 1:
            refresh()
        result = apt("apt-get", "-q", "download", package, cwd=into)
        found = sorted(into.glob("*.deb"))
        if result.returncode == 0 and found:
            return found[-1]
    reason = (result.stderr.strip().splitlines() or ["no reason given"])[-1]
    raise cache.SetupError(f"cannot download the package {package}: is there a network? apt-get said: {reason}")


def unpack(package, into):
    deb = download(package, into)
    result = subprocess.run(["dpkg-deb", "-x", deb, into], capture_output=True, text=True)
    deb.unlink()
    if result.returncode != 0:
        raise cache.SetupError(f"cannot unpack {package}: {result.stderr.strip()}")


def unpacked(package):
    """The directory that holds the contents of `package`, from the cache or fetched now."""
    final = cache.directory() / package
    if not final.is_dir():
        with cache.locked():
            if not final.is_dir():
                cache.say(f"fetching {package}")
                with cache.staged(final) as making:
                    unpack(package, making)
    return final
