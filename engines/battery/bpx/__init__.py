"""BPX files (Battery Parameter eXchange): read as parameter sets, and written from them."""

from engines.battery.bpx.reading import is_bpx, read_bpx
from engines.battery.bpx.writing import bpx_text, write_bpx

__all__ = ["bpx_text", "is_bpx", "read_bpx", "write_bpx"]
