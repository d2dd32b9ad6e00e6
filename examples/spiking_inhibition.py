"""Rates of the CUBA network over the strength of its inhibition."""

from __future__ import annotations

import figure

import workbench as wb

factors, rates = [], []
for case in wb.sweep("cuba_4000", {"synapses.inhibition": [0.6, 0.8, 1.0, 1.2]}, until=500):
    curve = case.run.curves["rate_excitatory"]
    settled = curve.values[curve.time > 100]
    factors.append(case.values["synapses.inhibition"])
    rates.append(float(settled.mean()))
    print(f"inhibition × {factors[-1]:g}: {rates[-1]:.1f} Hz")
figure.save("spiking_inhibition", {"excitatory neurons": (factors, rates)}, "Inhibition, relative", "Rate [Hz]")
