"""Tests of the real service as a process of this machine, over trees: what needs neither a unit's insides nor a guest."""

import signal
import time
from dataclasses import dataclass

from runner import TimeIsUp, limit, matches

FOUND = []  # by @local, in order of definition


class Skipped(Exception):
    """The text says what the machine lacks."""


@dataclass(frozen=True)
class Case:
    name: str
    function: object
    limit_s: float
    soak: bool = False


def local(limit_s=30, soak=False):
    """Marks a function without arguments as a test; soaks are for ./dev soak only."""
    def mark(function):
        module = function.__module__.removeprefix("test_")
        FOUND.append(Case(f"{module}.{function.__name__.removeprefix('test_')}", function, limit_s, soak))
        return function
    return mark


def run_one(case):
    """True when it passed."""
    begun = time.monotonic()
    try:
        with limit(case.limit_s):
            case.function()
    except Skipped as problem:
        print(f"# skipped {case.name}: {problem}", flush=True)
        return None
    except (Exception, TimeIsUp) as problem:
        first, *rest = (str(problem) or type(problem).__name__).splitlines()
        kind = "" if isinstance(problem, (AssertionError, TimeIsUp)) else f"{type(problem).__name__}: "
        print(f"not ok {case.name}: {kind}{first}", *(f"    {line}" for line in rest), sep="\n", flush=True)
        return False
    print(f"ok {case.name} ({time.monotonic() - begun:.1f} s)", flush=True)
    return True


def run(cases, patterns):
    """Counts of passed and failed ones."""
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    results = [run_one(case) for case in cases if not patterns or any(matches(case.name, pattern) for pattern in patterns)]
    return results.count(True), results.count(False)
