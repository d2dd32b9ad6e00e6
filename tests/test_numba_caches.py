"""What Numba keeps on disk goes stale silently: it notices a change in the kernel's own file and in no other.

So a cached kernel uses nothing of ours that was imported from another file, or closes over a digest of its
``sources`` (as the kernel of the cells does).
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = ("engines", "workbench", "ui")
MODULES = [
    path
    for package in OURS
    for path in sorted((ROOT / package).rglob("*.py"))
    if "cache=True" in path.read_text("utf-8")
]


def names_in(nodes: list[ast.stmt] | list[ast.expr]) -> set[str]:
    return {name.id for node in nodes for name in ast.walk(node) if isinstance(name, ast.Name)}


def foreign_names(source: str) -> dict[str, set[str]]:
    """Cached kernel to the names of ours that it uses, directly or through its file, and that come from elsewhere."""
    tree = ast.parse(source)
    imported, uses = set(), {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in OURS:
            imported |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.FunctionDef):
            uses[node.name] = names_in(node.body)
        elif isinstance(node, ast.Assign):
            for target in names_in(node.targets):
                uses[target] = names_in([node.value])
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and any("cache=True" in ast.unparse(d) for d in node.decorator_list):
            reached, ahead = set(), names_in(node.body)
            while ahead:
                reached |= ahead
                ahead = set().union(*(uses.get(name, set()) for name in ahead)) - reached
            if "sources" not in reached:
                found[node.name] = reached & imported
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_cached_kernels_are_whole_in_their_file(path: Path) -> None:
    foreign = {kernel: names for kernel, names in foreign_names(path.read_text("utf-8")).items() if names}
    assert not foreign


def test_a_helper_from_another_file_is_found() -> None:
    source = (
        "from engines.a import WIDTH, helper\n_2WIDTH = 2 * WIDTH\n"
        "@njit\ndef inner(x):\n    return helper(x)\n"
        "@njit(cache=True)\ndef kernel(x):\n    return inner(x) + _2WIDTH\n"
        "@njit(cache=True)\ndef whole(x):\n    return x\n"
    )
    assert foreign_names(source) == {"kernel": {"helper", "WIDTH"}, "whole": set()}
