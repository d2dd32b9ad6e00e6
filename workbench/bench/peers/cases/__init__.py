"""One problem a module, as ours and as a peer has it."""

from __future__ import annotations

from importlib import import_module

from workbench.bench.peers.case import PeerCase

MODULES = {
    name: f"{__name__}.{name}" for name in ("fdtd", "diffusion", "gray_scott", "products", "network", "discharge")
}
"""By the names that people type."""


def case_of(name: str) -> PeerCase:
    case: PeerCase = import_module(MODULES[name]).CASE
    return case
