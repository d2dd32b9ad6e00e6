"""Feed and kill rates of Gray-Scott patterns that have names.

The Greek letters are classes of Pearson, Science 261:189 (1993), doi 10.1126/science.261.5118.189, and of Munafo's
extended map, doi 10.48550/arXiv.1501.01990. Rates hold for Du = 2 Dv.
"""

from __future__ import annotations

from typing import Literal, get_args

PatternName = Literal[
    "coral growth", "mitosis", "mazes", "solitons", "spirals", "worms", "holes", "chaos", "pulsating spots", "U-skate"
]

RATES: dict[PatternName, tuple[float, float]] = {
    "coral growth": (0.0545, 0.062),  # κ
    "mitosis": (0.0367, 0.0649),  # λ: spots that divide
    "mazes": (0.029, 0.057),  # θ, κ: stripes that fill the plane
    "solitons": (0.030, 0.062),  # λ, stable spots
    "spirals": (0.010, 0.047),  # α: waves whose ends curl up; those of ξ run out and die unless a wave is cut
    "worms": (0.054, 0.063),  # μ
    "holes": (0.039, 0.058),  # θ, ρ: negative spots
    "chaos": (0.026, 0.051),  # β
    "pulsating spots": (0.025, 0.060),  # η
    "U-skate": (0.062, 0.0609),  # π: u-shaped patterns that travel
}
"""Name to (F, k) [1/s]."""

assert set(RATES) == set(get_args(PatternName))
