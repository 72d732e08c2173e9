"""Runs scenarios: as few boots as their environments allow, a limit on each, logs of what failed."""

import contextlib
import fnmatch
import importlib.util
import signal
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

import cache
from wire import Fabric

SCENARIOS = Path(__file__).resolve().parent / "scenarios"
SOAK = Path(__file__).resolve().parent / "soak"
TAIL_LINES = 25
LOGS_KEPT_DAYS = 7
RESET_S = 90
BOOTS_TRIED = 2


class TimeIsUp(BaseException):
    """Not an Exception: a scenario's own handlers must not swallow it."""


@dataclass(frozen=True)
class Scenario:
    name: str
    function: object

    @property
    def declaration(self):
        return self.function.declaration


def discover(folder=SCENARIOS):
    found = []
    for path in sorted(folder.glob("test_*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found += [Scenario(f"{path.stem}.{name}", function) for name, function in vars(module).items()
                  if name.startswith("test_") and hasattr(function, "declaration")]
    return found


def matches(name, pattern):
    return pattern in name or fnmatch.fnmatchcase(name, pattern)


def select(scenarios, patterns):
    return [one for one in scenarios if not patterns or any(matches(one.name, pattern) for pattern in patterns)]


def in_boot_order(scenarios):
    """Same environment together, in the order of first mention; those that need a boot of their own last."""
    environments = list(dict.fromkeys(one.declaration.environment for one in scenarios))
    return sorted(scenarios, key=lambda one: (environments.index(one.declaration.environment),
                                              not one.declaration.share))


@contextlib.contextmanager
def limit(seconds):
    """Raises TimeIsUp in the main thread, and again every few seconds should that not be enough."""
    def ring(*_):
        raise TimeIsUp(f"not finished within {seconds} s")
    previous = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, 5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def end_orderly(*_):
    sys.exit(130)


def tail(title, content):
    lines = content.rstrip().splitlines()[-TAIL_LINES:]
    if lines:
        print(f"    --- {title}", *(f"    {line}" for line in lines), sep="\n")


def keep_logs(host, into):
    """Console and journal of a host, each to a file, its tail to the output."""
    contents = {"console": host.console(), "qemu": host.qemu.complaint()}
    try:
        with limit(15):
            host.resume()
            contents["journal"] = host.journal()
    except (Exception, TimeIsUp) as problem:  # a broken guest is what is being reported
        contents["journal"] = f"(cannot be had: {problem})"
    for kind, content in contents.items():
        (into / f"{host.name}.{kind}").write_text(content)
        tail(f"{host.name} {kind}", content)


class Runner:
    def __init__(self):
        cache.forget("logs/*", LOGS_KEPT_DAYS)
        self.logs = cache.directory() / "logs" / f"{time.strftime('%Y%m%d-%H%M%S')}-{time.time_ns() % 1000:03}"
        self.fabric = None
        self.environment = None
        self.boots = 0
        self.failed_boots = {}
        self.passed = self.failed = 0

    def run(self, scenarios):
        signal.signal(signal.SIGTERM, end_orderly)
        signal.signal(signal.SIGHUP, end_orderly)
        try:
            for one in in_boot_order(scenarios):
                self.run_one(one)
        finally:
            self.drop()
        return self.failed == 0

    def run_one(self, one):
        begun = time.monotonic()
        reason = None
        try:
            hosts = self.hosts_for(one.declaration)
            begun = time.monotonic()
            with limit(one.declaration.limit_s):
                one.function(*hosts)
        except (Exception, TimeIsUp) as problem:
            if isinstance(problem, cache.SetupError) and self.fabric is None:
                raise  # no scenario can run
            reason = problem
        self.report(one, reason, time.monotonic() - begun)
        if reason is not None or not one.declaration.share or not self.reset():
            self.drop()

    def report(self, one, problem, seconds):
        if problem is None:
            self.passed += 1
            print(f"ok {one.name} ({seconds:.1f} s)", flush=True)
            return
        self.failed += 1
        first, *rest = (str(problem) or type(problem).__name__).splitlines()
        print(f"not ok {one.name}: {first}", *(f"    {line}" for line in rest), sep="\n")
        for frame in traceback.extract_tb(problem.__traceback__):
            of_scenario = Path(frame.filename).parent == SCENARIOS
            if of_scenario or not isinstance(problem, AssertionError) and frame.filename != __file__:
                print(f"    at {Path(frame.filename).name}:{frame.lineno}: {frame.line}")
        into = self.logs / one.name
        into.mkdir(parents=True, exist_ok=True)
        for host in self.fabric.hosts if self.fabric else []:
            keep_logs(host, into)
        print(f"    logs: {into if self.fabric else self.logs}", flush=True)

    def hosts_for(self, declaration):
        environment = declaration.environment
        if self.fabric and self.environment == environment and declaration.share:
            return self.fabric.hosts
        self.drop()
        if self.failed_boots.get(environment, 0) >= BOOTS_TRIED:
            raise AssertionError("its test hosts do not boot, see above")
        self.boots += 1
        logs = self.logs / f"boot-{self.boots}"
        logs.mkdir(parents=True)
        try:
            self.fabric = Fabric(environment.machine, environment.hosts, logs)
        except Exception:
            self.failed_boots[environment] = self.failed_boots.get(environment, 0) + 1
            for path in sorted(logs.glob("*.console")):
                tail(path.name, path.read_text(errors="replace"))
            raise
        self.environment = environment
        took = ", ".join(f"{host.boot_seconds:.1f} s" for host in self.fabric.hosts)
        print(f"# booted in {took}: {environment}", flush=True)
        return self.fabric.hosts

    def reset(self):
        """Makes the hosts fit for the next scenario; false when they are not."""
        try:
            with limit(RESET_S):
                for host in self.fabric.hosts:
                    host.undo_faults()
                return all([host.end_leftovers() for host in self.fabric.hosts])
        except (Exception, TimeIsUp):
            return False

    def drop(self):
        if self.fabric:
            self.fabric.close()
        self.fabric = None
