"""What files are called that have the names that people give."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable


def file_stems(names: Iterable[str]) -> dict[str, str]:
    """By name, that of its file without an ending: without letters that a system refuses or reads as more than a
    letter, and with a number where it would be the file of another to Windows or macOS, which tell no case apart."""
    stems: dict[str, str] = {}
    taken: set[str] = set()
    for name in dict.fromkeys(names):
        stem, number = plain(name), 1
        while (alike := unicodedata.normalize("NFKC", stem).casefold()) in taken:
            number += 1
            stem = f"{plain(name)}-{number}"
        taken.add(alike)
        stems[name] = stem
    return stems


def plain(name: str) -> str:
    """A name as that of a file or a group."""
    return re.sub(r"[^\w. -]+", "-", unicodedata.normalize("NFC", name))
