"""Fills the cache: the guests' kernel and image, Prometheus, node_exporter."""

import sys

import cache
from image import image
from packages import unpacked

try:
    image()
    unpacked("prometheus")
    unpacked("prometheus-node-exporter")
except cache.SetupError as problem:
    sys.exit(f"dev: {problem}")
