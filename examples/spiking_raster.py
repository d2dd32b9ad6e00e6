"""The raster of 1,000 neurons that noise drives: volleys of many at once (after figure 3 of Izhikevich, 2003)."""

from __future__ import annotations

import figure
import numpy as np

import workbench as wb

trains = {}
with wb.open("izhikevich_2003").run(until=1000) as run:
    for population in run.spikes.populations:
        spikes = run.spikes.of(population.name)
        trains[population.name] = (spikes.times, spikes.neurons)
        print(f"{population.name}: {len(spikes) / (population.stop - population.first):.1f} Hz")
times = np.concatenate([times for times, _ in trains.values()])
counts, _ = np.histogram(times, bins=np.arange(100, 1001, 2))  # of 2 ms, once the start is forgotten
power = np.abs(np.fft.rfft((counts - counts.mean()) * np.hanning(counts.size)))
print(f"The strongest rhythm of all: {np.fft.rfftfreq(counts.size, 2e-3)[power.argmax()]:.0f} Hz")
figure.save("spiking_raster", trains, "Time [ms]", "Neuron", points=".")
