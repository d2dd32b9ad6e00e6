"""Closed surfaces for the tests, as triangles (m, 3, 3), and STL files of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def revolved(across: int, along: int, point) -> np.ndarray:
    """A closed surface over two angles that both go round: ``point(u, v)`` (..., 3), u and v in turns; outside out."""
    u, v = np.meshgrid(np.arange(across), np.arange(along), indexing="ij")
    at = point(np.arange(across)[:, None] / across, np.arange(along) / along).astype(np.float32)
    a, b = at[u, v], at[(u + 1) % across, v]
    c, d = at[(u + 1) % across, (v + 1) % along], at[u, (v + 1) % along]
    return np.concatenate([np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)]).reshape(-1, 3, 3)


def torus(across: int = 40, along: int = 24, radius: float = 0.7, tube: float = 0.25) -> np.ndarray:
    def point(u, v):
        out = radius + tube * np.cos(2 * np.pi * v)
        x, y = out * np.cos(2 * np.pi * u), out * np.sin(2 * np.pi * u)
        return np.stack(np.broadcast_arrays(x, y, tube * np.sin(2 * np.pi * v)), axis=-1)

    return revolved(across, along, point)


def cube(low=(0.0, 0.0, 0.0), high=(1.0, 1.0, 1.0)) -> np.ndarray:
    corners = np.array([[(low, high)[n >> d & 1][d] for d in range(3)] for n in range(8)], np.float32)
    squares = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return corners[[each for a, b, c, d in squares for each in ((a, b, c), (a, c, d))]]


def write_binary(path: Path, triangles: np.ndarray) -> str:
    records = np.zeros(len(triangles), [("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")])
    records["v"] = triangles
    path.write_bytes(b"solid of binary".ljust(80) + len(triangles).to_bytes(4, "little") + records.tobytes())
    return str(path)


def write_text(path: Path, triangles: np.ndarray) -> str:
    facets = []
    for triangle in triangles:
        corners = "\n".join("vertex " + " ".join(f"{value:.9g}" for value in corner) for corner in triangle)
        facets.append(f"facet normal 0 0 0\nouter loop\n{corners}\nendloop\nendfacet")
    path.write_text("solid thing\n" + "\n".join(facets) + "\nendsolid thing\n")
    return str(path)
