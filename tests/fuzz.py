"""Runs the fuzz targets, each for some seconds on a copy of its seeds; one case a target."""

import os
import subprocess
import tempfile
from pathlib import Path

import units

DIRECTORY = units.ROOT / "build-fuzz"
CORPUS = units.ROOT / "tests/fuzz/corpus"
FLAVOUR = units.Flavour("fuzz ", DIRECTORY, ("-Dfuzz=true", "-Dtests=false"))


def targets():
    return sorted(path for path in (DIRECTORY / "tests/fuzz").glob("fuzz-*") if os.access(path, os.X_OK) and path.is_file())


def run_one(path, seconds, prefix):
    outcome = units.Outcome(f"fuzz {path.name}")
    with tempfile.TemporaryDirectory() as scratch:
        seeds = CORPUS / path.name.removeprefix("fuzz-")
        command = [*prefix, str(path), scratch, *([str(seeds)] if seeds.is_dir() else []), f"-max_total_time={seconds}",
                   "-print_final_stats=1", f"-artifact_prefix={DIRECTORY}/"]
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    outcome.output, outcome.seconds = result.stdout + result.stderr, seconds
    if result.returncode == 0:
        outcome.passed = 1
    else:
        outcome.failed.append(f"exit code {result.returncode}; what it stumbled over is kept in {DIRECTORY.name}/")
    return outcome


def build():
    os.environ["CC"] = "clang"
    try:
        return units.build(FLAVOUR, [])
    finally:
        del os.environ["CC"]


def run(chosen, seconds):
    """As units.run(). The targets are built only when one of them is chosen."""
    names = [path.stem for path in Path(units.ROOT / "tests/fuzz").glob("fuzz-*.c")]
    if not any(chosen(name) for name in names):
        return 0, 0
    if not build():
        print(f"not ok {DIRECTORY.name}: does not build", flush=True)
        return 0, 1
    passed = failed = 0
    for path in targets():
        if not chosen(path.name):
            continue
        outcome = run_one(path, seconds, units.wrapper())
        units.report(outcome)
        passed, failed = passed + outcome.passed, failed + len(outcome.failed)
    return passed, failed
