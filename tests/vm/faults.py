"""What can be done to a guest, as verbs; and which of it is still in force."""

import signal

WIRE_BURST = "burst 16k limit 4m"
USUAL_MTU = 4200


class Faults:
    def __init__(self):
        self.in_force = {}  # name of the fault → the call that undoes it

    def note(self, name, usual, undo):
        if usual:
            self.in_force.pop(name, None)
        else:
            self.in_force[name] = undo

    def undo_faults(self):
        for undo in reversed(list(self.in_force.values())):  # a paused host obeys no other verb
            undo()

    def kill(self, pid, sig=signal.SIGKILL):
        """False when there is no such process."""
        return self.channel.call("kill", 30, pid=pid, sig=int(sig))["found"]

    def signal_stop(self, pid):
        return self.kill(pid, signal.SIGSTOP)

    def signal_cont(self, pid):
        return self.kill(pid, signal.SIGCONT)

    def link(self, state):
        self.run(["ip", "link", "set", "eth0", state])
        self.note("link", state == "up", lambda: self.link("up"))

    def cable(self, state):
        """Carrier, seen by the guest's driver as a pulled cable."""
        self.qemu.monitor.execute("set_link", name="eth0", up=state == "in")
        self.note("cable", state == "in", lambda: self.cable("in"))

    @staticmethod
    def tbf(rate):
        return f"tbf rate {rate} {WIRE_BURST}"

    def netem(self, what):
        """Replaced by a plain queue of the usual length in the end: tbf without a child would drop everything."""
        where = "parent 1:1 handle 10:" if self.rated() else "root handle 10:"
        if what:
            self.run(f"tc qdisc replace dev eth0 {where} netem limit 10000 {what}")
        elif self.rated():
            self.run("tc qdisc replace dev eth0 parent 1:1 handle 11: bfifo limit 4m")
        else:
            self.run("tc qdisc del dev eth0 root", check=False)
        self.note("netem", not what, lambda: self.netem(None))

    def rated(self):
        return "qdisc tbf 1:" in self.run(["tc", "qdisc", "show", "dev", "eth0"]).out

    def wire_rate(self, rate):
        """Lets netem be when it is there; None takes netem away too."""
        if rate is None:
            self.run("tc qdisc del dev eth0 root", check=False)
            self.in_force.pop("netem", None)
        else:
            verb = "change" if self.rated() else "replace"
            self.run(f"tc qdisc {verb} dev eth0 root handle 1: {self.tbf(rate)}")
        self.note("rate", rate == self.rate, lambda: self.wire_rate(self.rate))

    def rdma_link_del(self):
        self.run(["rdma", "link", "del", "rxe0"])
        self.note("rdma link", False, self.rdma_link_add)

    def rdma_link_add(self):
        self.run("rdma link add rxe0 type rxe netdev eth0")
        self.note("rdma link", self.machine.uverbs, self.rdma_link_del)

    def mtu(self, mtu):
        self.run(["ip", "link", "set", "eth0", "mtu", str(mtu)])
        self.note("mtu", mtu == USUAL_MTU, lambda: self.mtu(USUAL_MTU))

    def pause(self):
        self.qemu.monitor.execute("stop")
        self.note("pause", False, self.resume)

    def resume(self):
        self.qemu.monitor.execute("cont")
        self.note("pause", True, None)

    def module_load(self, name):
        self.run(["modprobe", name])
