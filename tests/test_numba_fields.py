"""Numba loses what a parallel kernel writes into arrays that it has from a struct, unless it knows whose they are.

Its removal of dead code follows ``a = arrays.a`` from an argument, alone or up to three in a line, which Python makes
as many assignments. It does not follow ``a, b = arrays``, four or more in a line (a tuple that is taken apart), nor
``arrays.a[i] = …``: those writes vanish without a word (seen with Numba 0.68.1).
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = [
    path
    for package in ("engines", "workbench", "ui")
    for path in sorted((ROOT / package).rglob("*.py"))
    if "parallel=True" in path.read_text("utf-8")
]
IN_A_LINE = 3


def lost_writes(source: str) -> list[str]:
    """Lines of parallel kernels after which writes are lost, or that are lost themselves."""
    lost = []
    for kernel in ast.walk(ast.parse(source)):
        if not isinstance(kernel, ast.FunctionDef) or not any(
            "parallel=True" in ast.unparse(decorator) for decorator in kernel.decorator_list
        ):
            continue
        stores = [n for n in ast.walk(kernel) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)]
        lost += [ast.unparse(store) for store in stores if isinstance(store.value, ast.Attribute)]
        written = {store.value.id for store in stores if isinstance(store.value, ast.Name)}
        for line in ast.walk(kernel):
            if not isinstance(line, ast.Assign) or not isinstance(line.targets[0], ast.Tuple):
                continue
            targets = [each.id if isinstance(each, ast.Name) else "" for each in line.targets[0].elts]
            if isinstance(line.value, ast.Tuple):
                pairs = zip(targets, line.value.elts, strict=True)
                fields = {name for name, value in pairs if isinstance(value, ast.Attribute)}
                taken = fields if len(targets) > IN_A_LINE else set()
            else:
                taken = set(targets) if isinstance(line.value, (ast.Name, ast.Attribute)) else set()
            if taken & written:
                lost.append(ast.unparse(line))
    return lost


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_parallel_kernels_write_where_they_are_told(path: Path) -> None:
    assert not lost_writes(path.read_text("utf-8"))


def test_what_would_be_lost_is_found() -> None:
    def kernel(line: str) -> str:
        return f"@njit(parallel=True)\ndef kernel(x):\n    {line}\n    for i in prange(9):\n        a[i] = 1\n"

    assert lost_writes(kernel("a, b = x"))
    assert lost_writes(kernel("a, b, c, d = x.a, x.b, x.c, x.d"))
    assert lost_writes(kernel("a = 0; x.a[0] = 1"))
    assert not lost_writes(kernel("a, b, c = x.a, x.b, x.c"))
    assert not lost_writes(kernel("b, c, d, e = x.b, x.c, x.d, x.e"))
