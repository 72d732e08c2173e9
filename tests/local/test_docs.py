"""What the documentation says of metrics exists."""

import re

from case import local
from scenario import check, equal
from units import ROOT

NAME = re.compile(r"`(\w+)`")


@local()
def test_other_exporters_page_names_metrics_that_there_are():
    """Its columns of ours, in every table: the headings say which."""
    ours = set(re.findall(r"^\| `rdma_canary_(\w+)`", (ROOT / "docs/METRICS.md").read_text(), re.MULTILINE))
    columns, named = [], []
    for line in (ROOT / "docs/other-exporters.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if cells and cells[0] in ("kernel", "ethtool"):
            columns = [number for number, cell in enumerate(cells) if cell in ("rdma_canary_", "the same for all vendors")]
        elif cells:
            named += [name for number in columns for name in NAME.findall(cells[number])]
    check(len(named) > 50, f"the page has tables: {len(named)} names")
    equal(sorted(set(named) - ours), [], "names that METRICS.md does not have")
