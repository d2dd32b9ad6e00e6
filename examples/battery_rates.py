"""What a cell of Chen et al. (2020) gives at two discharge rates, with and without an electrolyte."""

from __future__ import annotations

import figure

import workbench as wb

curves = {}
for model in ("SPM", "SPMe"):
    for rate in (1.0, 2.0):
        protocol = [f"Discharge at {rate:g}C until 2.5 V"]
        with wb.new("battery").set({"model": model, "protocol": protocol, "numerics.step": 10.0}).run() as run:
            given, voltage = run.curves["capacity"].values, run.curves["voltage"].values
        curves[f"{model}, {rate:g}C"] = (given, voltage)
        print(f"{model:<5} {rate:g}C: {given[-1]:.2f} A h")
figure.save("battery_rates", curves, "Charge given [A h]", "Terminal voltage [V]")
