"""Pages as Prometheus asks for them: OpenMetrics, compressed; read by the reference parser."""

import gzip

from case import local
from exporter import CONFIG, canary
from fixtures import tree
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from prometheus_client.parser import text_string_to_metric_families as plain_families
from scenario import check, equal
from units import ROOT

OPENMETRICS = "application/openmetrics-text; version=1.0.0"
TREES = ("mlx5", "hostile", "ports32", "bond")
EACH_TIME = ("process_", "rdma_canary_http_", "rdma_canary_source_duration_seconds")


def samples(families):
    """Names and labels, without what another run would change."""
    return sorted((sample.name, sorted(sample.labels.items())) for family in families for sample in family.samples
                  if not sample.name.startswith(EACH_TIME))


def check_tree(name):
    with tree(name) as sysfs, canary(ROOT / "build", sysfs, CONFIG) as service:
        service.page()
        plain = samples(plain_families(service.page()))
        status, body = service.get(headers={"Accept": OPENMETRICS, "Accept-Encoding": "gzip"})
    equal(status, 200, f"{name}: status")
    page = gzip.decompress(body).decode()
    check(page.endswith("\n# EOF\n"), f"{name}: the last line")
    equal(samples(text_string_to_metric_families(page)), plain, f"{name}: samples in both formats")


@local(limit_s=60)
def test_the_reference_parser_reads_the_page():
    for name in TREES:
        check_tree(name)
