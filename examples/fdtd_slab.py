"""Transmission of a glass slab over its thickness, beside Airy's formula."""

from __future__ import annotations

import figure
import numpy as np

import workbench as wb

WAVELENGTH, INDEX = 1.2, 1.5  # µm; glass of the preset

slab = wb.open("fdtd_slab").set(
    {
        "grid.cells_x": 420,
        "grid.cells_y": 4,
        "grid.size_y": 4 / 35,
        "monitors.2.place": [9.5, 0.05, 0.0],
    }  # nothing varies along y
)
thickness, transmitted = [], []
for case in wb.sweep(slab, {"objects.0.high.0": [7.0, 7.2, 7.4]}):
    curve = case.run.curves["Transmission"]
    thickness.append(case.values["objects.0.high.0"] - 6.0)
    transmitted.append(np.interp(WAVELENGTH, curve.x, curve.values))

finesse = ((INDEX**2 - 1) / (2 * INDEX)) ** 2
fine = np.linspace(1.0, 1.4, 200)
airy = [1 / (1 + finesse * np.sin(2 * np.pi * INDEX * d / WAVELENGTH) ** 2) for d in (np.array(thickness), fine)]
for d, ours, exact in zip(thickness, transmitted, airy[0], strict=True):
    print(f"{d:.2f} µm: T = {ours:.4f}, Airy {exact:.4f}")
worst = np.abs(np.array(transmitted) - airy[0]).max()
print(f"Largest difference: {worst:.4f}")
figure.save(
    "fdtd_slab", {"FDTD": (thickness, transmitted), "Airy's formula": (fine, airy[1])},
    "Thickness [µm]", f"Transmission at {WAVELENGTH} µm", points="o",
)  # fmt: skip
