"""Programs made of the files in ``assets/shaders``."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from vispy import gloo


@cache
def source(name: str) -> str:
    return files("assets").joinpath("shaders", name).read_text(encoding="utf-8")


def program(vertex: str, fragment: str) -> gloo.Program:
    return gloo.Program(source(f"{vertex}.vert"), source(f"{fragment}.frag"))
