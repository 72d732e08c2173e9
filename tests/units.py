"""Runs the unit tests of a build directory, each a program; cases are counted from cmocka's TAP output.

A program that crashes, hangs, or ends before its last case is a failed case of its own.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CASE = re.compile(r"^(not ok|ok) \d+ (?:- )?(.*)", re.MULTILINE)
PLAN = re.compile(r"^1\.\.(\d+)", re.MULTILINE)


@dataclass(frozen=True)
class Flavour:
    """One way to build the tests; sanitized ones run programs only, not scripts."""
    label: str
    directory: Path
    options: tuple = ()
    suite: str | None = None  # only tests of this suite
    patience: int = 1         # times the usual time limit


PLAIN = Flavour("", ROOT / "build", ("-Dwerror=true",))
SANITIZED = [
    Flavour("asan ", ROOT / "build-asan", ("-Db_sanitize=address,undefined", "-Db_lundef=false"), patience=5),
    Flavour("tsan ", ROOT / "build-tsan", ("-Db_sanitize=thread", "-Db_lundef=false"), suite="threads", patience=10),
]
ENVIRONMENT = {
    "CMOCKA_MESSAGE_OUTPUT": "TAP",
    "ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=0:second_deadlock_stack=1:exitcode=66",
}


RUNNING = set()  # to end when the run is interrupted


@dataclass
class Outcome:
    name: str
    passed: int = 0
    failed: list = field(default_factory=list)
    seconds: float = 0
    output: str = ""


def introspected(flavour):
    listing = subprocess.run(["meson", "introspect", "--tests", str(flavour.directory)], capture_output=True, text=True,
                             check=True).stdout
    tests = json.loads(listing)
    for test in tests:
        test["suites"] = {suite.split(":")[-1] for suite in test["suite"]}
    return [test for test in tests if flavour is PLAIN or test["cmd"][0].startswith(f"{flavour.directory}/")
            and (not flavour.suite or flavour.suite in test["suites"])]


def is_cmocka(test):
    return "tests/unit" in test["cmd"][0]


def wrapper():
    """Ends the program with its runner; and takes randomisation away where that is allowed: the sanitizers of this
    generation lose their shadow memory where the kernel randomises more bits than they know."""
    steady = ["setarch", "--addr-no-randomize"]
    allowed = subprocess.run([*steady, "true"], capture_output=True).returncode == 0
    return ["setpriv", "--pdeathsig", "KILL", *(steady if allowed else [])]


def judge(outcome, rc, cmocka):
    """Cases from the output; what it does not explain of the exit code is one failure more."""
    results = CASE.findall(outcome.output) if cmocka else []
    planned = sum(int(count) for count in PLAN.findall(outcome.output)) if cmocka else 0
    cases = [(word, name) for word, name in results if "# SKIP" not in name]
    outcome.passed = sum(word == "ok" for word, _ in cases)
    outcome.failed = [name for word, name in cases if word == "not ok"]
    how = f"killed by signal {-rc}" if rc < 0 else f"exit code {rc}"
    if rc == 77 and not cmocka:
        return  # meson's way to say skipped
    if len(results) < planned:
        outcome.failed.append(f"{planned - len(results)} of {planned} cases did not run ({how})")
    elif rc != 0 and not outcome.failed:
        outcome.failed.append(how)
    elif not results:
        outcome.passed += rc == 0


def run_one(test, flavour, prefix):
    outcome = Outcome(flavour.label + test["name"])
    limit = (test.get("timeout") or 30) * flavour.patience
    begun = time.monotonic()
    process = subprocess.Popen([*prefix, *test["cmd"]], cwd=test["workdir"] or ROOT, stdin=subprocess.DEVNULL,
                               env={**os.environ, **test["env"], **ENVIRONMENT}, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    RUNNING.add(process)
    try:
        outcome.output, _ = process.communicate(timeout=limit)
        judge(outcome, process.returncode, is_cmocka(test))
    except subprocess.TimeoutExpired:
        outcome.failed.append(f"not finished within {limit} s")
        end(process)
        outcome.output, _ = process.communicate()
    finally:
        end(process)
    outcome.seconds = time.monotonic() - begun
    return outcome


def end(process):
    """With all it has started; harmless when it has ended."""
    try:
        os.killpg(process.pid, 9)
    except ProcessLookupError:
        pass
    process.wait()
    RUNNING.discard(process)


def report(outcome):
    if not outcome.failed:
        print(f"ok {outcome.name}: {outcome.passed} cases ({outcome.seconds:.1f} s)", flush=True)
        return
    for reason in outcome.failed:
        print(f"not ok {outcome.name}: {reason}")
    print(*(f"    {line}" for line in outcome.output.rstrip().splitlines()), sep="\n", flush=True)


def build(flavour, targets):
    """True when the targets of the flavour are up to date; what the compiler says is shown when not."""
    commands = [] if (flavour.directory / "build.ninja").exists() else [
        ["meson", "setup", str(flavour.directory), *flavour.options]]
    commands.append(["ninja", "-C", str(flavour.directory), *targets])
    for command in commands:
        result = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if result.returncode != 0:
            print(result.stdout[-8000:], result.stderr[-8000:])
            return False
    return True


def prepared(flavour, chosen):
    """Tests of the flavour to run, built; None when they cannot be."""
    if not build(flavour, ["build.ninja"]):
        return None
    tests = [test for test in introspected(flavour) if chosen(test["name"])]
    programs = [os.path.relpath(path, flavour.directory) for test in tests for path in test["cmd"]
                if path.startswith(f"{flavour.directory}/")]
    return tests if not tests or build(flavour, sorted(set(programs))) else None


def outcomes(tests, flavour, prefix):
    """In the tests' order, some at a time. An interrupted run does not wait for the rest: they end with us."""
    pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    try:
        yield from pool.map(lambda test: run_one(test, flavour, prefix), tests)
    except BaseException:
        for process in list(RUNNING):
            process.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def run(chosen, sanitized=True):
    """Runs the tests whose name chosen() accepts; returns counts of passed and failed cases."""
    prefix = wrapper()
    passed = failed = 0
    for flavour in [PLAIN, *(SANITIZED if sanitized else [])]:
        tests = prepared(flavour, chosen)
        if tests is None:
            print(f"not ok {flavour.directory.name}: does not build", flush=True)
            failed += 1
            continue
        for outcome in outcomes(tests, flavour, prefix):
            report(outcome)
            passed += outcome.passed
            failed += len(outcome.failed)
    return passed, failed
