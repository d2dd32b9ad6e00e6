"""A small mesh, and ways to write it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engines.geometry.meshes.mesh import TetMesh
from sample_data.make.slab import slab


@pytest.fixture
def tiny() -> TetMesh:
    """4 × 2 × 2 mm, 96 cells; regions and fibres as in tests/data/meshes/README.md."""
    mesh = slab((4.0, 2.0, 2.0), 1.0)
    left = mesh.centroids[:, 0] < 2
    regions = np.where(left, 1, 2).astype(np.int32)
    fibres = np.where(left[:, None], [1, 0, 0], [0, 1, 0]).astype(np.float32)
    return TetMesh(mesh.points, mesh.cells, regions, {1: "left half", 2: "right half"}, fibres)


@pytest.fixture
def write_carp(tmp_path: Path) -> Callable[..., Path]:
    """Writes .pts, .elem and (with ``fibres``) .lon; ``extra`` lines go in front of the tetrahedra."""

    def write(
        mesh: TetMesh, fibres: np.ndarray | None = None, header: bool = True, extra: tuple[str, ...] = ()
    ) -> Path:
        path = tmp_path / "mesh.elem"
        points = "\n".join(" ".join(f"{x:.6f}" for x in p) for p in mesh.points)
        path.with_suffix(".pts").write_text(f"{mesh.n_points}\n{points}\n")
        tets = [f"Tt {a} {b} {c} {d} {r}" for (a, b, c, d), r in zip(mesh.cells, mesh.regions, strict=True)]
        lines = [*extra, *tets]
        path.write_text(f"{len(lines)}\n" + "\n".join(lines) + "\n")
        if fibres is not None:
            rows = [["9"] * fibres.shape[1]] * len(extra) + [[f"{x:.6g}" for x in f] for f in fibres]
            head = f"{fibres.shape[1] // 3}\n" if header else ""
            path.with_suffix(".lon").write_text(head + "\n".join(" ".join(r) for r in rows) + "\n")
        return path

    return write
