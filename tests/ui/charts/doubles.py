"""A simulation with every kind of chart, and elements that can be looked into."""

import numpy as np

from engines.api import SeriesInfo
from engines.api.charts import ChartData, ChartInfo, Curve, Fact, Inspection, histogram
from tests.ui.wave import Wave, WaveEngine

LOSSES = ("kinetics", "transport", "rest")
PROFILE = ChartInfo("profile", "Concentration", "mol/m³", x_title="Radius", x_unit="µm")
CHARTS = (
    ChartInfo("voltage", "Voltage", "V", ("mean", "upper"), (("low", "high"),), comparable=True),
    ChartInfo("losses", "Losses", "mV", LOSSES, kind="area"),
    ChartInfo("sizes", "Sizes", "1", kind="bar", x_title="Radius", x_unit="µm"),
    ChartInfo("history", "Capacity", "A h", x_title="Cycle", x_unit="1", comparable=True),
)


class ChartedWave(Wave):
    """Series that are simple functions of time t [ms]: mean = 4 − t/100 V, a band of ± 0.1 V, losses of both signs."""

    charts = CHARTS

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.series = (
            *(SeriesInfo(name, name.title(), "V") for name in ("mean", "upper", "low", "high")),
            *(SeriesInfo(name, name.title(), "mV") for name in LOSSES),
        )
        self.asked = []

    def observe(self):
        mean = 4 - self.time / 100
        voltages = {"mean": mean, "upper": mean + 0.3, "low": mean - 0.1, "high": mean + 0.1}
        return {**voltages, "kinetics": 20.0 + self.time / 10, "transport": 5.0, "rest": -8.0}

    def chart(self, name):
        self.asked.append(name)
        if name == "sizes":
            values = np.linspace(1, 9, 60) ** 1.2
            bars = histogram(values, np.linspace(0, 15, 16), "particles", np.clip(values / 14, 0, 1))
            return ChartData((bars,), "how full")
        if name == "history":
            cycles = np.arange(1.0, 30)
            charge = 5 - 0.02 * cycles
            return ChartData((Curve("charge", cycles, charge, low=charge - 0.2, high=charge + 0.1),))
        raise KeyError(name)

    def inspect(self, element):
        r = np.linspace(0, 5, 20)
        facts = (Fact("Overpotential", -0.0123 - self.time / 1e4, "V"), Fact("Radius", 5.0, "µm"))
        data = ChartData((Curve("c", r, 1000 + 10 * r**2 + self.time),))
        return Inspection(f"Particle {element}", facts, ((PROFILE, data),))


class ChartedEngine(WaveEngine):
    def build(self, problem, backend, progress=lambda *_: None):
        return ChartedWave(problem.geometry, problem.parameters.numerics.step, backend)
