"""Ghosts of all kinds of sides."""

from __future__ import annotations

from engines.stencil.setup.sides import Ghost, Ghosts

KINDS: dict[str, tuple[Ghost, Ghost]] = {
    "periodic": (Ghost(True), Ghost(True)),
    "value": (Ghost(False, -1.0, 0.4), Ghost(False, -1.0, -0.2)),
    "gradient": (Ghost(False, 1.0, 0.03), Ghost(False, 1.0, -0.05)),
    "mixed": (Ghost(False, -1.0, 1.0), Ghost(False, 1.0, 0.0)),
    "zero": (Ghost(False, -1.0, 0.0), Ghost(False, -1.0, 0.0)),
    "insulated": (Ghost(False, 1.0, 0.0), Ghost(False, 1.0, 0.0)),
}


def sides(*kinds: str) -> Ghosts:
    """Ghosts along x, y (and z)."""
    return tuple(KINDS[kind] for kind in kinds)
