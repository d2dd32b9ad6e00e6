"""From the file of a mesh to the first step of a heart on it: seconds of each part.

    python -m tests.measure.meshes CELLS DEVICE [FOLDER]

A box of tetrahedra, six to a cube, is written as a binary ``.vtu`` first, unless it lies in the folder already. The
clock runs from an import of the engines that is done and kernels that are compiled (a mesh of few cells was opened and
run before) to the end of the first step. One JSON document is printed.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

FEW = 5_000
SIDE = 20.0  # mm
CORNERS = ((0, 1, 3, 7), (0, 1, 5, 7), (0, 2, 3, 7), (0, 2, 6, 7), (0, 4, 5, 7), (0, 4, 6, 7))
"""Of a cube's eight points, x in the first bit, y in the second, z in the third: six tetrahedra around a diagonal."""


def box(cells: int) -> tuple[Any, Any]:
    """Points (n, 3) in mm, tetrahedra (cells, 4)."""
    n = round((cells / 6) ** (1 / 3))
    axis = np.linspace(0.0, SIDE, n + 1)
    points = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), -1).reshape(-1, 3)
    strides = np.array([(n + 1) ** 2, n + 1, 1])
    first = (np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), -1).reshape(-1, 3) @ strides)[:, None]
    corner = np.array([[(c >> axis) & 1 for axis in range(3)] for c in range(8)]) @ strides
    return points, np.concatenate([first + corner[list(of)] for of in CORNERS])


def written(cells: int, folder: Path) -> Path:
    import meshio

    path = folder / f"box_{cells}.vtu"
    if not path.exists():
        points, tetrahedra = box(cells)
        meshio.Mesh(points, [("tetra", tetrahedra)]).write(path, compression=None)
    return path


def opened(path: Path, device: str) -> dict[str, Any]:
    from engines.api.values import no_progress
    from engines.backend.devices.select import open_backend
    from workbench.project.document import default_engine, new_document
    from workbench.project.findings import Estimator

    backend = open_backend(device)
    told: dict[str, Any] = {}
    began = last = time.perf_counter()

    def done(name: str) -> None:
        nonlocal last
        last, before = time.perf_counter(), last
        told[name] = last - before

    document = new_document(default_engine(), path, length_unit="mm")
    told["cells"] = len(document.geometry.cells)
    done("reading and checking")
    Estimator().estimate(document, beside=False)
    done("estimate")
    simulation = document.engine.build(document.complete_problem(), backend, no_progress)
    done("build")
    simulation.advance(1)
    simulation.synchronize()
    done("first step")
    told["to the first step"] = last - began
    return told | {"device": backend.info.name}


def main(cells: str, device: str, folder: str = "") -> None:
    with tempfile.TemporaryDirectory(prefix="workbench-meshes-") as own:
        where = Path(folder or own)
        opened(written(FEW, where), device)
        print(json.dumps(opened(written(int(cells), where), device)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
