"""A page of the Prometheus text format, as far as tests and the demo need it."""

import re

SAMPLE = re.compile(r"([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: \d+)?$")
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
ESCAPE = re.compile(r"\\(.)")


def unescaped(value):
    return ESCAPE.sub(lambda match: "\n" if match.group(1) == "n" else match.group(1), value)


class Metrics:
    def __init__(self, text):
        self.text = text
        self.samples = {}  # name → [(labels, value)]
        for line in text.splitlines():
            if line and not line.startswith("#") and (match := SAMPLE.match(line)):
                name, labels, value = match.groups()
                pairs = {key: unescaped(content) for key, content in LABEL.findall(labels or "")}
                self.samples.setdefault(name, []).append((pairs, float(value)))

    def find(self, name, **labels):
        """(labels, value) of the samples that have at least these labels."""
        return [(have, value) for have, value in self.samples.get(name, [])
                if all(have.get(key) == wanted for key, wanted in labels.items())]

    def value(self, name, **labels):
        found = self.find(name, **labels)
        if len(found) > 1:
            raise AssertionError(f"{name}{labels}: {len(found)} samples, expected one: {found}")
        return found[0][1] if found else None
