"""Fills the cache: the guests' kernel and image, Prometheus."""

import sys

import cache
from image import image
from packages import unpacked

try:
    image()
    unpacked("prometheus")
except cache.SetupError as problem:
    sys.exit(f"dev: {problem}")
