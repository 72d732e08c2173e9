"""All tests on this machine."""

import functools
import importlib
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import case  # noqa: E402
import pages  # noqa: E402
from fixtures import names  # noqa: E402

MODULES = ("test_docs", "test_changes", "test_hangs", "test_crowd", "test_openmetrics")


def cases(soak=False):
    for module in MODULES:
        importlib.import_module(module)
    kept = [case.Case(f"pages.{name}", functools.partial(pages.check, name), 30) for name in names()]
    return [one for one in [*kept, *case.FOUND] if one.soak == soak]


def run(patterns, soak=False):
    return case.run(cases(soak), patterns)
