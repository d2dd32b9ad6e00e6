"""Which layer draws which geometry. A new geometry is a class beside :class:`TetLayer` and a line here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engines.api.errors import ProblemError
from engines.geometry.grid import Grid
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.particles import Particles
from ui.scene.layers.grid import GridLayer
from ui.scene.layers.lattice import LatticeLayer
from ui.scene.layers.layer import Layer
from ui.scene.layers.particles import ParticleLayer
from ui.scene.layers.tetrahedra import TetLayer


def particles_layer(particles: Particles) -> Layer:
    """Spheres, or the squares or cubes of a lattice."""
    return ParticleLayer(particles) if particles.cells is None else LatticeLayer(particles)


LAYERS: dict[type[Any], Callable[[Any], Layer]] = {TetMesh: TetLayer, Grid: GridLayer, Particles: particles_layer}


def layer_for(geometry: Any) -> Layer:
    """A layer for ``geometry``; raises ProblemError for a kind that cannot be drawn."""
    for kind, layer in LAYERS.items():
        if isinstance(geometry, kind):
            return layer(geometry)
    known = ", ".join(kind.__name__ for kind in LAYERS)
    raise ProblemError(f"The 3D view cannot draw a {type(geometry).__name__}; it draws: {known}.")
