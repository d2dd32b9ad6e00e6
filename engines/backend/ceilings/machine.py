"""What the operating system says about the processor: its name, memory and last-level cache."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

UNKNOWN_CACHE_BYTES = 64 << 20
"""Stands in where the system does not tell: more than the last-level cache of nearly every desktop processor."""


def _sysctl(name: str) -> str:
    try:
        return subprocess.run(["sysctl", "-n", name], capture_output=True, text=True, timeout=5).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def processor_name() -> str:
    """The name people know the processor by."""
    if sys.platform.startswith("linux"):
        try:
            for line in Path("/proc/cpuinfo").read_text().splitlines():
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
        except OSError:
            pass
    if sys.platform == "darwin" and (brand := _sysctl("machdep.cpu.brand_string")):
        return brand
    return platform.processor() or platform.machine() or "CPU"


def memory_bytes() -> int:
    """Physical memory, 0 where the system does not tell."""
    if sys.platform == "win32":
        return _windows_memory()
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError):
        return 0


def free_memory_bytes(told: Path = Path("/proc/meminfo")) -> int:
    """What programs can have now, files kept in memory given up; 0 where the system does not tell."""
    try:
        found = re.search(r"^MemAvailable:\s+(\d+) kB$", told.read_text(), re.MULTILINE)
    except OSError:
        return 0
    return int(found[1]) << 10 if found else 0


def _windows_memory() -> int:
    import ctypes

    class MemoryStatus(ctypes.Structure):
        """MEMORYSTATUSEX of the Windows API."""

        _fields_ = [
            ("length", ctypes.c_ulong),
            ("load", ctypes.c_ulong),
            *[(name, ctypes.c_ulonglong) for name in ("total", "free", "page", "page_free", "virtual", "virtual_free")],
            ("extended", ctypes.c_ulonglong),
        ]

    status = MemoryStatus(length=ctypes.sizeof(MemoryStatus))
    windll = getattr(ctypes, "windll", None)  # typed on Windows only
    if windll is None or not windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return 0
    return int(status.total)


def last_level_cache_bytes(cpus: Path = Path("/sys/devices/system/cpu")) -> int:
    """Sum of the distinct last-level caches (a processor of several dies has several)."""
    found: dict[tuple[int, str], int] = {}
    for size_file in cpus.glob("cpu[0-9]*/cache/index*/size"):
        folder = size_file.parent
        try:
            size = size_file.read_text().strip()
            level = int((folder / "level").read_text())
            shared = (folder / "shared_cpu_list").read_text().strip()
        except (OSError, ValueError):
            continue
        unit = {"K": 1 << 10, "M": 1 << 20}.get(size[-1:], 1)
        digits = size.rstrip("KM")
        if digits.isdigit():
            found[level, shared] = int(digits) * unit
    if not found:
        reported = _sysctl("hw.l3cachesize") or _sysctl("hw.l2cachesize") if sys.platform == "darwin" else ""
        return int(reported) if reported.isdigit() and int(reported) else UNKNOWN_CACHE_BYTES
    top = max(level for level, _ in found)
    return sum(size for (level, _), size in found.items() if level == top)
