"""What a modeller chooses about cells: changes of a model's parameters by region, its file and scheme, pacing."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from engines.api.parameters import Among, ParameterGroup, quantity
from engines.cardiac.compiler.schemes import Scheme

TT06: Final = "ten Tusscher-Panfilov 2006"
FROM_FILE = "from file"
CellModelName = Literal[
    "ten Tusscher-Panfilov 2006",
    "ten Tusscher-Panfilov 2006 (compiled)",
    "Mitchell-Schaeffer 2003",
    "Aliev-Panfilov 1996",
    "Bueno-Orovio 2008",
    "Courtemanche 1998",
    "O'Hara-Rudy 2011",
    "from file",
]
"""The first has kernels of its own (``cells/``), the others are compiled (``models/``, or a file)."""
COMPILED = {
    "ten Tusscher-Panfilov 2006 (compiled)": "ten_tusscher_panfilov_2006",
    "Mitchell-Schaeffer 2003": "mitchell_schaeffer_2003",
    "Aliev-Panfilov 1996": "aliev_panfilov_1996",
    "Bueno-Orovio 2008": "bueno_orovio_2008",
    "Courtemanche 1998": "courtemanche_1998",
    "O'Hara-Rudy 2011": "ohara_rudy_2011",
}
"""Cell models that are compiled, and their files in ``models/``."""

Condition = Literal["healthy", "ischaemia", "border zone", "passive scar", "non-conducting scar"]
NON_CONDUCTING = "non-conducting scar"
CONDITIONS: dict[Condition, dict[str, tuple[Literal["factor", "value"], float]]] = {
    "healthy": {},
    # Some minutes after a coronary artery closes: potassium outside, and acidosis by a quarter off the sodium and
    # calcium conductances (Shaw and Rudy 1997, doi 10.1161/01.RES.80.1.124). The ATP-sensitive potassium current that
    # hypoxia opens is not part of TT06.
    "ischaemia": {"K_o": ("value", 9.0), "g_Na": ("factor", 0.75), "g_CaL": ("factor", 0.75)},
    # Around an infarct: peak sodium current less 62 %, L-type calcium less 69 %, I_Kr less 70 %, I_Ks less 80 %
    # (Arevalo et al. 2016, doi 10.1038/ncomms11437, with TT06).
    "border zone": {
        "g_Na": ("factor", 0.38),
        "g_CaL": ("factor", 0.31),
        "g_Kr": ("factor", 0.30),
        "g_Ks": ("factor", 0.20),
    },
    # No current that could excite it or end an action potential: I_K1 and the pumps keep it at rest, and it conducts.
    "passive scar": dict.fromkeys(("g_Na", "g_CaL", "g_to", "g_Kr", "g_Ks"), ("factor", 0.0)),
    "non-conducting scar": {},
}
"""Changes of TT06's parameters that make up each condition. A non-conducting scar is cut out of the tissue instead."""


SchemeChoice = Literal["by model", Scheme]
SCHEME_LABELS: dict[str, str] = {
    "by model": "what the model takes by default",
    "FE": "forward Euler",
    "LRL": "lightweight Rush-Larsen",
    "RL": "Rush-Larsen",
    "GRL1": "generalised Rush-Larsen, first order",
    "GRL2": "generalised Rush-Larsen, second order",
}


class CellChange(ParameterGroup):
    """A change of one parameter of the cell model in a region."""

    parameter: Annotated[str, Among("cell_parameter", typed=True)] = quantity(
        "g_Kr", "", "Name in the cell model, such as g_Kr or sodium.g_Na", min_length=1
    )
    by: Literal["factor", "value"] = quantity("factor", "", "Whether the number multiplies the model's or replaces it")
    number: float = quantity(1.0, "", "The factor, or the value in the model's unit", ge=-1e6, le=1e6)
    spread: float = quantity(
        0.0, "%", "Log-normal spread from cell to cell (standard deviation of the logarithm)", ge=0, le=100
    )


class CellSettings(ParameterGroup):
    """The cell model's file, how a compiled model is stepped, and the seed of what differs from cell to cell."""

    file: str = quantity(
        "", "", "CellML 1.x or 2.0, or Myokit's .mmt", file="cell model", when={"cell_model": (FROM_FILE,)}
    )
    voltage: str = quantity(
        "", "", "Variable of the membrane voltage, if its name does not tell", when={"cell_model": (FROM_FILE,)}
    )
    stimulus: str = quantity(
        "", "", "Variable of the file's own stimulus, if its name does not tell", when={"cell_model": (FROM_FILE,)}
    )
    scheme: SchemeChoice = quantity(
        "by model",
        "",
        "How states are stepped; by default as cheaply as one cell is still accurate at 0.02 ms",
        labels=SCHEME_LABELS,
        when={"cell_model": (*COMPILED, FROM_FILE)},
    )
    seed: int = quantity(1, "", "Seed of the spread from cell to cell", ge=0, le=2**31 - 1)


class Pacing(ParameterGroup):
    """Cells are paced alone before the run, each kind by itself."""

    cycle_length: float = quantity(1000.0, "ms", "Time between two beats", gt=0, le=10_000)
    beats: int = quantity(100, "1", "Number of beats", ge=1, le=10_000)
    amplitude: float = quantity(52.0, "pA/pF", "Stimulus current", gt=0, le=1000)
    duration: float = quantity(1.0, "ms", "Length of the stimulus", gt=0, le=100)
