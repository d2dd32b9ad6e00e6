"""How far a crack has run in a glass plate that is pulled suddenly, at three stresses (after Ha and Bobaru, 2010)."""

from __future__ import annotations

import figure

import workbench as wb

plate = wb.open("crack_branching").set("bonds.spacing", 1.0)
curves = {}
for stress in (1.0, 2.0, 3.0):
    pulled = plate.copy().set({"loads.0.stress.1": stress, "loads.1.stress.1": -stress})
    with pulled.run(until=25) as run:
        tip = run.curves["tip"]
        bonds = run.curves["bonds"].values[-1]
    curves[f"{stress:g} MPa"] = (tip.time, tip.values)
    print(f"{stress:g} MPa: the tip is at {tip.values[-1]:.1f} mm after 25 µs, {bonds:,.0f} bonds have broken")
figure.save("peridynamics_crack", curves, "Time [µs]", "Crack tip [mm]")
