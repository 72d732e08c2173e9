"""Files and functions that have grown long: a report, not a failure."""

import re

FILE_LINES = 500
FUNCTION_LINES = 90
# As clang-format leaves it: a function's brace stands alone in the first column, and so does its end.
OPEN, CLOSE = re.compile(r"^\{$"), re.compile(r"^\}")
NAME = re.compile(r"(\w+)\(")


def functions(lines):
    """(name, first line, length) of the C functions."""
    begin = None
    for number, line in enumerate(lines, 1):
        if OPEN.match(line):
            begin = number
        elif CLOSE.match(line) and begin:
            name = next((match.group(1) for back in range(begin - 2, max(begin - 12, -1), -1)
                         if (match := NAME.search(lines[back])) and not lines[back].startswith((" ", "\t"))), "?")
            yield name, begin, number - begin + 1
            begin = None


def report(root, files):
    for file in files:
        lines = (root / file).read_text().splitlines()
        if len(lines) > FILE_LINES:
            yield f"{file}: {len(lines)} lines"
        if file.endswith((".c", ".h")):
            for name, begin, length in functions(lines):
                if length > FUNCTION_LINES:
                    yield f"{file}:{begin}: {name} has {length} lines"
