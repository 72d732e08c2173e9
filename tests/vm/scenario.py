"""What a scenario file imports: the declaration of its environment, and checks that show the values."""

import time
from dataclasses import dataclass

from host import Machine


@dataclass(frozen=True)
class Environment:
    hosts: int
    machine: Machine

    def __str__(self):
        machine = self.machine
        extras = [] if machine.uverbs else ["no uverbs"]
        return ", ".join([f"{self.hosts} host{'s' * (self.hosts > 1)}", machine.init, f"{machine.cpus} CPU",
                          f"rate {machine.rate}", f"{machine.memory_mib} MiB", *extras])


@dataclass(frozen=True)
class Declaration:
    environment: Environment
    share: bool
    limit_s: float


def scenario(hosts=1, init="plain", rate="160mbit", cpus=1, memory_mib=1024, uverbs=True, share=True, limit_s=120):
    """Marks a function as a scenario; the arguments are explained in README.md."""
    if hosts not in (1, 2) or init not in ("plain", "systemd"):
        raise ValueError(f"scenario(hosts={hosts!r}, init={init!r}): hosts is 1 or 2, init plain or systemd")
    machine = Machine(init=init, cpus=cpus, memory_mib=memory_mib, uverbs=uverbs, rate=rate)

    def mark(function):
        function.declaration = Declaration(Environment(hosts, machine), share, limit_s)
        return function
    return mark


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def equal(got, want, what):
    check(got == want, f"{what}: {got!r}, expected {want!r}")


def near(got, want, share, what):
    """Within `share` (0.05 is 5 %) of `want`."""
    check(abs(got - want) <= share * abs(want), f"{what}: {got:.6g}, expected {want:.6g} within {share:.1%}")


def below(got, limit, what):
    check(got < limit, f"{what}: {got:.6g}, expected less than {limit:.6g}")


def eventually(function, timeout, what, every=0.5):
    """The first true value of function(); what it raises counts as not yet, and is shown when the time is up."""
    deadline = time.monotonic() + timeout
    last = None
    while True:
        try:
            last = function()
            if last:
                return last
        except Exception as problem:  # pages that are not served yet, and the like
            last = f"{type(problem).__name__}: {problem}"
        if time.monotonic() >= deadline:
            raise AssertionError(f"{what}: not within {timeout} s; last: {last!r}")
        time.sleep(every)
