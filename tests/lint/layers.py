"""Who may include whom: base < engine, detect < probes < daemon, cli; and the headers that have one home."""

import re

BELOW = {
    "base": {"base"},
    "engine": {"base", "engine"},
    "detect": {"base", "detect"},
    "probes": {"base", "engine", "detect", "probes"},
    "daemon": {"base", "engine", "detect", "probes", "daemon"},
    "cli": {"base", "engine", "detect", "probes", "cli"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
VERBS = "infiniband/"  # in engine/ only
ONE_FILE = ("microhttpd.h", "systemd/sd-daemon.h")


def includes(path):
    return [(name, quote) for quote, name in INCLUDE.findall(path.read_text())]


def crossing(file, layer, name, quote):
    """The complaint about one include of a file in a layer, or None."""
    target = name.split("/")[0] if "/" in name else layer
    if quote == '"' and target in BELOW and target not in BELOW[layer]:
        return f"{file}: {layer}/ must not include {name}"
    if name.startswith(VERBS) and layer != "engine":
        return f"{file}: {name} belongs in engine/ only"
    return None


def complaints(root, files):
    found = []
    homes = {header: [] for header in ONE_FILE}
    for file in files:
        layer = file.split("/")[0]
        if layer not in BELOW:
            continue
        for name, quote in includes(root / file):
            complaint = crossing(file, layer, name, quote)
            if complaint:
                found.append(complaint)
            if name in homes:
                homes[name].append(file)
    return found + [f"{header} has one home, not {len(users)}: {', '.join(users)}" for header, users in homes.items()
                    if len(users) > 1]
