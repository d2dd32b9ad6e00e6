"""The order of explicit diffusion: a sine mode on three grids, beside the factor by which it decays exactly."""

from __future__ import annotations

import figure
import numpy as np

import workbench as wb

cells, errors = [16, 32, 64], []
for n in cells:
    with wb.open("sine_mode").set({"grid.cells_x": n, "grid.cells_y": n}).run(until=0.25) as run:
        rate = run.project.get("equation.diffusivity") * np.pi**2 * ((3 / run.project.get("grid.size_x")) ** 2)
        rate += run.project.get("equation.diffusivity") * np.pi**2 * ((2 / run.project.get("grid.size_y")) ** 2)
        mode = run.project.get("equation.initial")
        field, time = run.field("u"), run.time
        x, y = (np.asarray(field.coordinates[axis]) / run.project.get(f"grid.size_{axis}") for axis in "xy")
    exact = mode["amplitude"] * np.exp(-rate * time)
    exact = exact * np.sin(mode["m"] * np.pi * x)[None, :] * np.sin(mode["n"] * np.pi * y)[:, None]
    errors.append(float(np.abs(np.asarray(field) - exact).max()))
    print(f"{n:3} × {n}: largest error {errors[-1]:.2e}")
orders = np.log2(np.array(errors[:-1]) / errors[1:])
print("Order of convergence:", ", ".join(f"{order:.2f}" for order in orders))
figure.save("stencil_order", {"largest error": (np.log2(cells), np.log2(errors))}, "log₂ of cells", "log₂ of error")
