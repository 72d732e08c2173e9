"""./dev shell: a shell in a Soft-RoCE host on this terminal. shell.py [--two] [--systemd]"""

import contextlib
import os
import shlex
import shutil
import signal
import sys
import termios
import time

import cache
from channel import GuestError
from host import ROOT, Machine
from runner import end_orderly
from wire import Fabric

SHELL = ("stty rows {rows} columns {columns} </dev/ttyS0; cd {root} && TERM={term} "
         "exec setsid --ctty --wait bash -i </dev/ttyS0 >/dev/ttyS0 2>&1")


@contextlib.contextmanager
def terminal_restored():
    """QEMU makes the terminal raw, and may be ended without a chance to undo it."""
    saved = termios.tcgetattr(0) if os.isatty(0) else None
    try:
        yield
    finally:
        if saved:
            termios.tcsetattr(0, termios.TCSADRAIN, saved)


def main(arguments):
    if not set(arguments) <= {"--two", "--systemd"}:
        sys.exit("usage: ./dev shell [--two] [--systemd]")
    signal.signal(signal.SIGTERM, end_orderly)
    signal.signal(signal.SIGHUP, end_orderly)
    logs = cache.directory() / "logs" / f"shell-{time.strftime('%Y%m%d-%H%M%S')}"
    logs.mkdir(parents=True)
    machine = Machine(init="systemd" if "--systemd" in arguments else "plain")
    size = shutil.get_terminal_size()
    cache.say("booting; then try: rdma link, ibv_devinfo, ib_write_bw & ib_write_bw 198.51.100.1. `exit` ends it")
    with terminal_restored(), Fabric(machine, 2 if "--two" in arguments else 1, logs, interactive=True) as fabric:
        shell = fabric.hosts[0].start(SHELL.format(root=shlex.quote(str(ROOT)), rows=size.lines, columns=size.columns,
                                                   term=os.environ.get("TERM", "vt100")))
        while shell.running():
            shell.look(timeout=60)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (cache.SetupError, GuestError) as problem:
        sys.exit(f"dev: {problem}")
