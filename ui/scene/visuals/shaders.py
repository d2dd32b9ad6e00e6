"""Programs made of the files in ``assets/shaders``."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from vispy import gloo


@cache
def source(name: str) -> str:
    """The text of a file, and of what it includes."""
    text = files("assets").joinpath("shaders", name).read_text(encoding="utf-8")
    return re.sub(r'^#include "(.+)"$', lambda found: source(found[1]).rstrip("\n"), text, flags=re.MULTILINE)


def program(vertex: str, fragment: str, *defines: str) -> gloo.Program:
    """``defines`` are names that the sources test with ``#ifdef``."""
    version = "#version 120\n"
    chosen = version + "".join(f"#define {name}\n" for name in defines)
    return gloo.Program(*(source(name).replace(version, chosen) for name in (f"{vertex}.vert", f"{fragment}.frag")))
