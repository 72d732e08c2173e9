"""Trees that look like sysfs, from one readable page each: tests/data/sysfs-NAME.tree.

Lines of such a page, paths relative to the last [directory]; a later line about the same path replaces the earlier:

    # a comment
    [devices/x/infiniband/mlx4_0/ports/1]   a directory; what follows is below it
    state = 4: ACTIVE                       a file: the text and a newline
    state := "4: ACTIVE\\0"                  a file: exactly this, as a Python bytes or str literal
    device -> ../../../0000:05:00.0         a symbolic link
    counters/                               an empty directory
    symbol_error !fifo                      a FIFO, whose writer never comes
    symbol_error !mode 0000                 permissions of what was made before
    wide !fill 5000 x                       a file of 5000 times that character
    @count 1000 | sent_pkts | RNR sent      a file for each name, holding 1000, 1001 …
    @repeat D 0 7                           the lines up to @end, with {D} from 0 to 7; {D:02x} and {D+1} work too
"""

import ast
import contextlib
import os
import re
import tempfile
from pathlib import Path

DATA = Path(__file__).resolve().parent / "data"
FIELD = re.compile(r"\{(\w+)(?:\+(\d+))?(?::(\w+))?\}")


def names():
    """Of all trees: NAME of sysfs-NAME.tree, and of the directory sysfs-NAME."""
    return sorted(path.stem.removeprefix("sysfs-") for path in DATA.glob("sysfs-*")
                  if path.suffix == ".tree" or path.is_dir())


def filled(line, values):
    """The line with its {fields}."""
    def field(match):
        name, plus, how = match.groups()
        return format(values[name] + int(plus or 0), how or "d") if name in values else match.group()
    return FIELD.sub(field, line)


def unrolled(lines, values):
    """The lines with every @repeat carried out; they nest."""
    lines = iter(lines)
    for line in lines:
        word, *rest = line.split() or [""]
        if word == "@end":
            return
        if word != "@repeat":
            yield filled(line, values)
            continue
        body = list(block(lines))
        name, first, last = rest
        for value in range(int(first), int(last) + 1):
            yield from unrolled(body, {**values, name: value})


def block(lines):
    """Up to the @end that belongs to the @repeat just read."""
    depth = 1
    for line in lines:
        depth += line.startswith("@repeat") - line.startswith("@end")
        if depth == 0:
            return
        yield line
    raise ValueError("@repeat without @end")


def special(path, word, arguments):
    if word == "fifo":
        os.mkfifo(path)
    elif word == "mode":
        path.chmod(int(arguments[0], 8))
    elif word == "fill":
        path.write_text(arguments[1] * int(arguments[0]))
    else:
        raise ValueError(f"!{word}")


def plant_counters(base, line):
    first, *names_ = (word.strip() for word in line.removeprefix("@count").split("|"))
    for value, name in enumerate(names_, int(first)):
        (base / name).write_text(f"{value}\n")


def plant_line(base, line):
    if line.startswith("@count "):
        plant_counters(base, line)
        return
    name, mark, rest = re.fullmatch(r"(.+?)(?: (=|:=|->|!\w+)(?: (.*))?)?", line).groups()
    path = base / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if mark and mark != "!mode":
        path.unlink(missing_ok=True)  # said anew
    if mark is None and name.endswith("/"):
        path.mkdir(exist_ok=True)
    elif mark == "=":
        path.write_text((rest or "") + "\n")
    elif mark == ":=":
        content = ast.literal_eval(rest)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    elif mark == "->":
        path.symlink_to(rest)
    elif mark and mark.startswith("!"):
        special(path, mark[1:], (rest or "").split())
    else:
        raise ValueError("neither a file nor a link nor a directory")


def plant(page, into):
    """Makes the tree of the page (a path) below the directory `into`."""
    base = into = Path(into)
    for line in unrolled(page.read_text().splitlines(), {}):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        try:
            if line.startswith("[") and line.endswith("]"):
                base = into / line[1:-1]
                base.mkdir(parents=True, exist_ok=True)
            else:
                plant_line(base, line)
        except (AttributeError, ValueError, OSError, SyntaxError) as problem:
            raise ValueError(f"{page.name}: {line!r}: {problem}") from problem


@contextlib.contextmanager
def tree(name):
    """A directory with the tree of that name, to read only."""
    plain = DATA / f"sysfs-{name}"
    if plain.is_dir():
        yield plain
        return
    with tempfile.TemporaryDirectory(prefix="rdma-canary-tree-") as scratch:
        Path(scratch).chmod(0o755)
        plant(DATA / f"sysfs-{name}.tree", scratch)
        yield Path(scratch)
