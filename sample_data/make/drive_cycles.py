"""Make the drive cycles: ``python -m sample_data.make.drive_cycles``.

Both are our own: a car's speed is put together from ramps, road load gives the power at the wheels, and a cell takes
its share of it. They are like the driving that official cycles (WLTP, US06) stand for, and none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

FOLDER = Path(__file__).parents[1] / "drive_cycles"
MASS = 1600.0  # kg
DRAG_AREA = 0.65  # drag coefficient times frontal area [m²]
AIR = 1.2  # kg/m³
ROLLING = 0.010
GRAVITY = 9.81  # m/s²
TRACTION, RECOVERY = 0.88, 0.60  # of the battery's power at the wheels; of the wheels' power into the battery
AUXILIARIES = 500.0  # W
CELLS = 3300  # of 5 A h: 60 kWh
CELL_VOLTAGE = 3.7  # V, where a current is wanted

# (seconds, km/h at their end)
CITY = (
    (10, 0), (12, 32), (20, 32), (8, 0), (15, 0), (14, 48), (35, 50), (9, 28), (18, 30), (10, 50), (25, 48), (13, 0),
    (25, 0), (9, 25), (12, 22), (7, 0), (12, 0), (16, 55), (45, 58), (12, 40), (20, 42), (16, 0), (20, 0), (11, 30),
    (24, 33), (9, 12), (10, 35), (28, 36), (10, 0), (18, 0), (15, 50), (40, 52), (18, 0), (24, 0),
)  # fmt: skip
MOTORWAY = (
    (8, 0), (14, 60), (20, 62), (12, 100), (60, 110), (10, 128), (90, 130), (14, 95), (40, 98), (9, 120), (120, 122),
    (8, 135), (50, 132), (20, 80), (30, 84), (12, 118), (140, 120), (10, 105), (60, 108), (9, 128), (80, 126), (30, 60),
    (25, 55), (19, 0), (10, 0),
)  # fmt: skip


def speed(ramps: Sequence[tuple[float, float]]) -> npt.NDArray[np.float64]:
    """m/s at each second."""
    corners = np.concatenate([[0.0], np.cumsum([seconds for seconds, _ in ramps])])
    heights = np.array([0.0, *(target for _, target in ramps)]) / 3.6
    return np.interp(np.arange(int(corners[-1]) + 1), corners, heights)


def cell_power(v: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """W per cell at each second, positive in discharge."""
    force = MASS * np.gradient(v) + AIR / 2 * DRAG_AREA * v**2 + MASS * GRAVITY * ROLLING * (v > 0)
    wheels = force * v
    return (np.where(wheels > 0, wheels / TRACTION, wheels * RECOVERY) + AUXILIARIES) / CELLS


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    city, motorway = cell_power(speed(CITY)) / CELL_VOLTAGE, cell_power(speed(MOTORWAY))
    for name, heading, values in (
        ("city_current.csv", "current [A]", city),
        ("motorway_power.csv", "power [W]", motorway),
    ):
        rows = (f"{time},{value:.3f}" for time, value in enumerate(values))
        (FOLDER / name).write_text("\n".join([f"time [s],{heading}", *rows]) + "\n", "utf-8")


if __name__ == "__main__":
    main()
