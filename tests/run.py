"""What ./dev test runs: run.py [unit|vm|NAME...]. A NAME is part of a test's name, or a glob for all of it."""

import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "vm"))

import units  # noqa: E402
from cache import SetupError, say  # noqa: E402
from runner import Runner, discover, end_orderly, matches, select  # noqa: E402


def totals(names):
    kinds = {name for name in names if name in ("unit", "vm")}
    patterns = [name for name in names if name not in kinds]
    passed = failed = 0
    if not kinds or "unit" in kinds:
        passed, failed = units.run(lambda name: not patterns or any(matches(name, pattern) for pattern in patterns))
    scenarios = select(discover(), patterns) if not kinds or "vm" in kinds else []
    if scenarios:
        runner = Runner()
        try:
            runner.run(scenarios)
        except SetupError as problem:
            say(f"dev: {problem}")
            runner.failed += 1
        passed, failed = passed + runner.passed, failed + runner.failed
    if passed + failed == 0:
        say(f"dev: no test is named like {' '.join(names)}")
    return passed, failed


def main():
    signal.signal(signal.SIGTERM, end_orderly)
    signal.signal(signal.SIGHUP, end_orderly)
    passed, failed = totals(sys.argv[1:])
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
