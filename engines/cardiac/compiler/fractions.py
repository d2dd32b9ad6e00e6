"""Fewer divisions: quotients of quotients and sums of quotients over one denominator."""

from __future__ import annotations

from collections.abc import Sequence

from engines.cardiac.compiler.graph import Node


def merge_fractions(roots: Sequence[Node]) -> tuple[Node, ...]:
    return tuple(roots)
