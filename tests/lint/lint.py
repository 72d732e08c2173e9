"""Checks of the sources which the compiler does not make; each is a function that returns complaints.

Run by ./dev lint, after builds with gcc (build/) and clang (build-clang/).
"""

import concurrent.futures
import json
import os
import subprocess
import sys
from pathlib import Path

import layers
import lengths

ROOT = Path(__file__).resolve().parents[2]
COMPILED = ROOT / "build/compile_commands.json"
SCRIPTS = ["dev", ".ci/run"]
CPPCHECK = ["cppcheck", "--quiet", "--enable=warning,performance,portability", "--error-exitcode=1", "--inline-suppr",
            "--suppress=missingIncludeSystem", "--suppress=normalCheckLevelMaxBranches", "--std=c11"]


def sources(*endings):
    """Tracked files and new ones; not those that .gitignore names."""
    listing = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                             capture_output=True, text=True, check=True).stdout
    return [name for name in listing.splitlines() if name.endswith(endings) and (ROOT / name).is_file()]


def complaints(command, **options):
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, stdin=options.pop("stdin", None), **options)
    return [] if result.returncode == 0 else [(result.stdout + result.stderr).strip()]


def each(function, items):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [line for lines in pool.map(function, items) for line in lines]


def compiled_files():
    """The product's translation units, each once; tests are for the compiler and the sanitizers."""
    entries = json.loads(COMPILED.read_text())
    paths = {os.path.relpath(os.path.join(entry["directory"], entry["file"]), ROOT) for entry in entries}
    return sorted(path for path in paths if not path.startswith(("build", "..", "tests/")))


def clang_format():
    return each(lambda name: complaints(["clang-format", "--dry-run", "-Werror", name]), sources(".c", ".h"))


def clang_tidy():
    return each(lambda name: complaints(["clang-tidy", "--quiet", "--warnings-as-errors=*", "-p", "build-clang", name]),
                compiled_files())


def cppcheck():
    return each(lambda name: complaints([*CPPCHECK, "-I.", "-D_GNU_SOURCE", name]), compiled_files())


def header_alone(name):
    """Included first, and twice, by a file of nothing else."""
    program = f'#include "{name}"\n#include "{name}"\nextern int not_empty;\n'
    return complaints(["gcc", "-std=c17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-I.",
                       "-fsyntax-only", "-x", "c", "-"], input=program)


def headers_alone():
    return each(header_alone, sources(".h"))


def include_direction():
    return layers.complaints(ROOT, sources(".c", ".h"))


def shellcheck():
    return complaints(["shellcheck", *SCRIPTS])


def python_compiles():
    found = []
    for name in sources(".py"):
        try:
            compile((ROOT / name).read_text(), name, "exec")
        except SyntaxError as problem:
            found.append(f"{name}:{problem.lineno}: {problem.msg}")
    return found


CHECKS = [clang_format, include_direction, headers_alone, shellcheck, python_compiles, cppcheck, clang_tidy]


def main():
    failed = 0
    for check in CHECKS:
        found = check()
        print(f"{'not ok' if found else 'ok'} {check.__name__.replace('_', ' ')}", flush=True)
        for text in found:
            print(text)
        failed += bool(found)
    for line in lengths.report(ROOT, sources(".c", ".h", ".py")):
        print(f"note: {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
