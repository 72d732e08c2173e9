"""What ./dev test, soak and fuzz run: run.py [unit|fuzz|local|vm|NAME...], run.py soak [NAME...],
run.py fuzz-long SECONDS [NAME...].

A NAME is part of a test's name, or a glob for all of it.
"""

import signal
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "vm"), str(HERE / "bench"), str(HERE / "local")]

import fuzz  # noqa: E402
import suite  # noqa: E402
import units  # noqa: E402
from cache import SetupError, say  # noqa: E402
from runner import SOAK, Runner, discover, end_orderly, matches, select  # noqa: E402

KINDS = ("unit", "fuzz", "local", "vm")
FUZZ_SLICE_S = 5


def on_hosts(scenarios):
    runner = Runner()
    if scenarios:
        try:
            runner.run(scenarios)
        except SetupError as problem:
            say(f"dev: {problem}")
            runner.failed += 1
    return runner.passed, runner.failed


def everything(names):
    kinds = {name for name in names if name in KINDS} or set(KINDS)
    patterns = [name for name in names if name not in KINDS]

    def chosen(name):
        return not patterns or any(matches(name, pattern) for pattern in patterns)
    if "unit" in kinds:
        yield units.run(chosen)
    if "fuzz" in kinds:
        yield fuzz.run(chosen, FUZZ_SLICE_S)
    if "local" in kinds:
        yield suite.run(patterns)
    if "vm" in kinds:
        yield on_hosts(select(discover(), patterns))


def results(words):
    if words[:1] == ["soak"]:
        return [suite.run(words[1:], soak=True), on_hosts(select(discover(SOAK), words[1:]))]
    if words[:1] == ["fuzz-long"]:
        return [fuzz.run(lambda name: not words[2:] or any(matches(name, word) for word in words[2:]), int(words[1]))]
    return everything(words)


def main():
    signal.signal(signal.SIGTERM, end_orderly)
    signal.signal(signal.SIGHUP, end_orderly)
    passed = failed = 0
    for some_passed, some_failed in results(sys.argv[1:]):
        passed, failed = passed + some_passed, failed + some_failed
    if passed + failed == 0:
        say(f"dev: no test is named like {' '.join(sys.argv[1:])}")
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
