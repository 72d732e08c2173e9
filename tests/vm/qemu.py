"""One QEMU process: its command line, its monitor, its end.

It dies with the thread that started it (PR_SET_PDEATHSIG is a thread's affair): start it from the main thread. Sockets
are handed over as descriptors, so there are no names to collide and none to clean up.
"""

import json
import os
import socket
import subprocess
import threading

from cache import SetupError

BINARY = "qemu-system-x86_64"
MONITOR_S = 20
# Without tsc=reliable a guest with 2 CPUs takes hpet as its clock and clock_gettime costs 756 ns instead of 57.
KERNEL_ARGUMENTS = ("console=ttyS0 quiet panic=1 mitigations=off tsc=reliable net.ifnames=0 "
                    "systemd.show_status=auto")


class Monitor:
    """QMP over a connected socket."""

    def __init__(self, connection):
        connection.settimeout(MONITOR_S)
        self.connection = connection
        self.lines = connection.makefile("r")
        self.lock = threading.Lock()
        self.greeted = False

    def execute(self, command, **arguments):
        with self.lock:
            if not self.greeted:
                self.lines.readline()
                self.greeted = True
                self.exchange("qmp_capabilities", {})
            return self.exchange(command, arguments)

    def exchange(self, command, arguments):
        self.connection.sendall(json.dumps({"execute": command, "arguments": arguments}).encode())
        while line := self.lines.readline():
            answer = json.loads(line)
            if "error" in answer:
                raise RuntimeError(f"QEMU refuses {command}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]
        raise RuntimeError(f"QEMU has ended; {command} came too late")


def arguments(image, machine, fds, console, forward=None):
    """`machine`: letter, cpus, memory_mib, init, uverbs. `fds`: wire, agent, monitor. `forward`: a port of 127.0.0.1."""
    kernel = (f"{KERNEL_ARGUMENTS} canary.host={machine.letter} canary.init={machine.init} "
              f"canary.uverbs={int(machine.uverbs)} canary.modules={image.modules}")
    line = ["-machine", "q35", "-cpu", "max", "-accel", "tcg,thread=multi", "-smp", str(machine.cpus),
            "-m", str(machine.memory_mib), "-nodefaults", "-display", "none", "-no-reboot",
            "-kernel", str(image.kernel), "-initrd", str(image.initramfs), "-append", kernel,
            "-virtfs", "local,path=/,mount_tag=rootfs,security_model=none,readonly=on,multidevs=remap",
            "-device", "virtio-serial-pci", "-chardev", f"socket,id=agent,fd={fds['agent']}",
            "-device", "virtserialport,chardev=agent,name=rdma-canary.agent",
            "-chardev", f"socket,id=monitor,fd={fds['monitor']}", "-mon", "chardev=monitor,mode=control",
            "-netdev", f"dgram,id=wire,local.type=fd,local.str={fds['wire']}",
            "-device", f"virtio-net-pci,netdev=wire,id=eth0,romfile=,host_mtu=4200,mac={machine.mac}",
            "-chardev", console, "-serial", "chardev:console"]
    if forward is not None:
        line += ["-netdev", f"user,id=front,restrict=on,hostfwd=tcp:127.0.0.1:{forward}-:{forward}",
                 "-device", "virtio-net-pci,netdev=front,id=eth1,romfile="]
    else:
        line += ["-nic", "none"]
    return line


class Qemu:
    def __init__(self, image, machine, wire_fd, log_path, interactive=False, forward=None):
        """`interactive`: the guest's console is on this terminal, else in a file beside QEMU's own log."""
        self.agent, agent = socket.socketpair()
        monitor_here, monitor = socket.socketpair()
        self.monitor = Monitor(monitor_here)
        console = "stdio,id=console,signal=off" if interactive else f"file,id=console,path={log_path}.console"
        fds = {"wire": wire_fd, "agent": agent.fileno(), "monitor": monitor.fileno()}
        # A session of its own: Ctrl-C on the terminal is for the harness, which ends the guests in order.
        command = ["setpriv", "--pdeathsig", "KILL", BINARY,
                   *arguments(image, machine, fds, console, forward)]
        self.log_path = f"{log_path}.qemu"
        try:
            with open(self.log_path, "wb") as log:
                self.process = subprocess.Popen(command, pass_fds=list(fds.values()), start_new_session=True,
                                                stdin=None if interactive else subprocess.DEVNULL,
                                                stdout=None if interactive else log, stderr=log)
        except FileNotFoundError as problem:
            raise SetupError(f"{problem.filename} is missing: ./dev setup installs what the test hosts need") from problem
        finally:
            agent.close()
            monitor.close()

    def complaint(self):
        """What QEMU itself said; usually nothing."""
        with open(self.log_path, errors="replace") as log:
            return log.read().strip()

    def end(self):
        """Nothing a guest has is worth an orderly shutdown."""
        self.process.kill()
        self.process.wait()
        self.agent.close()
        self.monitor.connection.close()
