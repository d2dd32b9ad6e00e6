"""Conduction velocity over conductivity: a wave between two probes, beside the square root of the cable equation.

The warnings say that this coarse mesh conducts slowly, and what mends it: velocities of different conductivities are
compared here, not with tissue.
"""

from __future__ import annotations

import figure
import numpy as np

import workbench as wb

FIRST, SECOND = 4.0, 8.0  # mm along the fibres

slab = wb.open("small_slab").probe("first", (FIRST, 2.5, 1.0)).probe("second", (SECOND, 2.5, 1.0))
scales, speeds = [], []
for case in wb.sweep(slab, {"conductivity_scale": [0.6, 0.8, 1.0, 1.2]}, until=25):
    arrived = []
    for probe in ("first", "second"):
        voltage = case.run.probes[probe]["voltage"]
        arrived.append(voltage.time[np.argmax(voltage.values > 0)])
    scales.append(case.values["conductivity_scale"])
    speeds.append((SECOND - FIRST) / float(arrived[1] - arrived[0]))
    print(f"conductivity × {scales[-1]:g}: {speeds[-1]:.3f} m/s")
root = speeds[2] * np.sqrt(scales)
figure.save(
    "cardiac_velocity", {"Workbench": (scales, speeds), "square root (formula)": (scales, root)},
    "Conductivity over that of the preset", "Velocity along fibres [m/s]", points="o",
)  # fmt: skip
