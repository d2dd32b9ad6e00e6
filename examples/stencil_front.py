"""How fast a population invades: the front of a typed equation over time, beside the universal law of Ebert and van
Saarloos (2000), doi 10.1016/S0167-2789(00)00068-3."""

from __future__ import annotations

import figure
import numpy as np

import workbench as wb

D, r, length = 1.0, 1.0, 240.0
problem = wb.open("typed_fisher").set(
    {
        "grid": {"kind": "2D", "cells_x": 960, "cells_y": 2, "size_x": length, "size_y": 0.5},
        "equation.lines": ["du/dt = D*laplacian(u) + r*u*(1 - u)"],
        "equation.fields": [{"name": "u", "start": "where(x < 10, 1, 0)"}],
        "equation.parameters.0.value": D,
        "equation.parameters.1.value": r,
        "equation.method": "RK4",
        "numerics.precision": "fp64",
    }
)
x = (np.arange(960) + 0.5) * length / 960
moments, places = np.arange(2.0, 101.0, 2.0), []
with wb.simulate(problem) as run:
    for moment in moments:
        run.run(until=float(moment))
        u = np.asarray(run.field("u"))[0]
        last = np.nonzero(u > 0.5)[0][-1]  # between this cell and the next u falls through a half
        places.append((run.time, x[last] + (x[1] - x[0]) * (u[last] - 0.5) / (u[last] - u[last + 1])))
times, places = np.array(places).T
speeds, between = np.diff(places) / np.diff(times), (times[1:] + times[:-1]) / 2


def law(t: np.ndarray) -> np.ndarray:
    """2√(rD) less what a front that began as a step has still to make up."""
    return 2 * np.sqrt(r * D) * (1 - 3 / (4 * r * t) + 3 * np.sqrt(np.pi) / (4 * (r * t) ** 1.5))


for t in (31.0, 61.0, 99.0):
    found = float(speeds[np.abs(between - t).argmin()])
    print(f"t = {t:.0f} s: {found:.3f} mm/s, by the law {law(np.array(t)):.3f}")
curves = {"typed": (between, speeds), "formula": (between[2:], law(between[2:]))}
figure.save("stencil_front", curves, "Time [s]", "Speed of the front [mm/s]", points="o")
