"""A sweep of a Maxwell problem: transmission of a slab over its thickness, against Airy."""

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.parameters import (
    Box,
    Ending,
    Faces,
    FdtdParameters,
    Frequencies,
    GridSetting,
    PlaneMonitor,
    Pulse,
    WaveSource,
)
from workbench.project.document import Document
from workbench.project.project import Project
from workbench.sweep.plan import KeptChart, SweepPlan, variation
from workbench.sweep.readings import Reading
from workbench.sweep.table import against, columns_of
from workbench.sweep.workers import run_sweep

WAVELENGTH, INDEX = 1.5, 1.5


def test_transmission_over_thickness_is_airys():
    """T = [1 + ((n² − 1)/2n)² sin²(2πnd/λ)]⁻¹ at λ = 1.5 µm, half a wave inside being 0.5 µm.

    33 cells per wavelength in the glass: numerical dispersion, (π/33)²/6·(1 − 0.66²) of the phase, moves T by 5e-4 at
    most; both faces stand on nodes in each run. 2e-3 is what all slabs are held to.
    """
    band = Frequencies(choice="list", given="wavelength", values=[1.4, WAVELENGTH, 1.6])
    parameters = FdtdParameters(
        grid=GridSetting(cells_x=200, cells_y=1, cells_z=1, size_x=6.0, size_y=0.03, size_z=0.03),
        faces=Faces(**{f"{axis}_{end}": "periodic" for axis in "yz" for end in ("low", "high")}),
        objects=[Box(low=(3.0, -1, -1), high=(3.3, 1, 1))],
        sources=[WaveSource(polarization="y", signal=Pulse(wavelength=WAVELENGTH, cycles=1.0))],
        monitors=[PlaneMonitor(name="through", position=5.4, measures="transmission", frequencies=band)],
        ending=Ending(at_decay=True, part=1e-8),
    )
    document = Document(Project(title="slab", engine="fdtd"), FdtdEngine(), parameters)
    kept = (KeptChart("balance", Reading("at", WAVELENGTH)),)
    plan = SweepPlan(document, (variation(document, "objects.0.high.0", "3.12:3.54:8"),), None, kept)
    backend = CpuBackend()
    backend.threads = 1
    rows = list(run_sweep(plan, backend))
    assert [row.error for row in rows] == [""] * 8
    (column,) = columns_of(rows)
    assert column.heading.endswith("value at 1.5 µm")
    curve = against(plan, rows, column)[1].curves[0]
    thickness = curve.x - 3.0
    phase = 2 * np.pi * INDEX * thickness / WAVELENGTH
    airy = 1 / (1 + ((INDEX**2 - 1) / (2 * INDEX)) ** 2 * np.sin(phase) ** 2)
    print("sweep of a slab", np.abs(curve.y - airy).max())
    assert airy.max() - airy.min() > 0.1
    assert curve.y == pytest.approx(airy, abs=2e-3)
