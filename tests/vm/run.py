"""Scenarios on the test hosts: run.py [--list] [PATTERN...]"""

import sys

import cache
from runner import Runner, discover, select


def main(arguments):
    listing = "--list" in arguments
    chosen = select(discover(), [word for word in arguments if word != "--list"])
    if listing:
        for one in chosen:
            print(f"{one.name}  ({one.declaration.environment})")
        return 0
    runner = Runner()
    try:
        runner.run(chosen)
    except cache.SetupError as problem:
        cache.say(f"run.py: {problem}")
        return 1
    print(f"{runner.passed} passed, {runner.failed} failed")
    return 0 if runner.passed and not runner.failed else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
