"""The wire between guests, and guests joined by it. UDP on 127.0.0.1, one datagram a frame.

Not unix sockets: there a paused peer pushes back, frames stay with the sender's NIC, and its ibv_destroy_qp waits 50 s.
"""

import socket
from dataclasses import replace

import cache
from host import Host
from image import image

# At the kernel's default of 208 KiB a burst of 4 KiB frames is lost while the other QEMU does not get a CPU.
BUFFER_BYTES = 8 << 20
SO_RCVBUFFORCE = 33  # <asm-generic/socket.h>; Python's socket module does not name it


def enlarge(end):
    """As root beyond net.core.rmem_max, so that no setting of the machine need be changed."""
    try:
        end.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER_BYTES)
    except PermissionError:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
        if end.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) < BUFFER_BYTES:
            cache.say("the wire may lose packets: without root its buffer is limited by net.core.rmem_max, "
                      f"which should be {BUFFER_BYTES}")


class Wire:
    """Both ends stay open here, so that an end whose QEMU has gone swallows frames like a real cable."""

    def __init__(self):
        self.ends = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
        for end in self.ends:
            end.bind(("127.0.0.1", 0))
            enlarge(end)
        try:
            self.ends[0].connect(self.ends[1].getsockname())
            self.ends[1].connect(self.ends[0].getsockname())
        except OSError as problem:
            self.close()
            raise cache.SetupError(f"the hosts' wire needs 127.0.0.1: {problem.strerror}") from problem

    def close(self):
        for end in self.ends:
            end.close()


class Fabric:
    """One guest alone, or two on a wire; what has been booted ends with close(), whatever happened before."""

    def __init__(self, machine, count, logs, forward=None, interactive=False):
        self.hosts = []
        boot_image = image()
        self.wire = Wire()
        try:
            for letter, end in list(zip("ab", self.wire.ends))[:count]:
                # The first has the port to the machine, and its terminal.
                self.hosts.append(Host(boot_image, replace(machine, letter=letter), end.fileno(), logs,
                                       interactive and letter == "a", forward if letter == "a" else None))
            for host in self.hosts:
                host.ready()
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for host in self.hosts:
            host.stop()
        self.wire.close()
