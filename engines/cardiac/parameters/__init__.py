"""The parameters of a cardiac problem: tissue, regions, stimuli, numerics."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from engines.api.parameters import Among, Lines, ParameterGroup, quantity
from engines.cardiac.parameters.cells import TT06, CellChange, CellModelName, CellSettings, Condition, Pacing
from engines.cardiac.parameters.multirate import Multirate
from engines.cardiac.parameters.recording import Recording
from engines.cardiac.tissue.placed import EVERYWHERE, STEPS, WHOLE, check
from engines.formulas.typed.definitions import html

REACTION_STEP_LIMIT = 0.125
"""Largest stable step of lightweight Rush-Larsen with TT06 [ms] (thesis, table 3.2)."""

CellType = Literal["epi", "endo", "M"]
Precision = Literal["fp32", "fp64", "mixed"]
VERTEX_CENTRED: Final = "vertex-centred (P1)"
Discretisation = Literal["cell-centred", "vertex-centred (P1)"]

Line = Annotated[str, Field(max_length=2_000)]


class Tissue(ParameterGroup):
    """Bulk properties of the tissue (defaults: Niederer et al. 2011, doi 10.1098/rsta.2011.0139)."""

    sigma_il: float = quantity(
        0.17, "S/m", "Intracellular conductivity along the fibres", title="Intracellular, along", gt=0, le=100
    )
    sigma_it: float = quantity(
        0.019, "S/m", "Intracellular conductivity across the fibres", title="Intracellular, across", gt=0, le=100
    )
    sigma_el: float = quantity(
        0.62, "S/m", "Extracellular conductivity along the fibres", title="Extracellular, along", gt=0, le=100
    )
    sigma_et: float = quantity(
        0.24, "S/m", "Extracellular conductivity across the fibres", title="Extracellular, across", gt=0, le=100
    )
    surface_to_volume: float = quantity(
        140.0, "1/mm", "Membrane area per volume of tissue", title="Surface to volume χ", gt=0, le=10_000
    )
    membrane_capacitance: float = quantity(
        0.01, "µF/mm²", "Capacitance per membrane area", title="Capacitance Cm", gt=0, le=1
    )

    place_scale: Annotated[list[Line], Lines(check, STEPS, WHOLE, (), html)] = quantity(
        list(EVERYWHERE), "", "What all conductivities are times at x, y, z [mm]; other lines name parts of it",
        title="Factor by place", advanced=True, max_length=60,
    )  # fmt: skip

    def monodomain_conductivity(self) -> tuple[float, float]:
        """(along, across) [S/m]: half the harmonic mean, σ_i σ_e / (σ_i + σ_e)."""
        return (
            self.sigma_il * self.sigma_el / (self.sigma_il + self.sigma_el),
            self.sigma_it * self.sigma_et / (self.sigma_it + self.sigma_et),
        )


RegionName = Annotated[str, Among("region")]


class RegionSetting(ParameterGroup):
    """What one region of the mesh is made of."""

    region: RegionName = quantity(..., "", "Name of the region in the mesh")
    cell_type: CellType = quantity("epi", "", "Cell type of ten Tusscher & Panfilov 2006", when={"cell_model": (TT06,)})
    condition: Condition = quantity(
        "healthy", "", "Ready changes of the cells; a non-conducting scar takes no part in conduction at all"
    )
    conductivity_scale: float = quantity(1.0, "1", "Factor on the conductivity of this region", gt=0, le=100)
    changes: list[CellChange] = quantity([], "", "Changes of the cell model's parameters, on top of the condition")


class Sphere(ParameterGroup):
    """All cells whose centroid lies in a ball."""

    kind: Literal["sphere"] = "sphere"
    center: tuple[float, float, float] = quantity((0.0, 0.0, 0.0), "mm", "Middle of the ball")
    radius: float = quantity(1.5, "mm", "Radius of the ball", gt=0)


class Box(ParameterGroup):
    """All cells whose centroid lies in an axis-aligned box."""

    kind: Literal["box"] = "box"
    lower: tuple[float, float, float] = quantity((0.0, 0.0, 0.0), "mm", "Lower corner")
    upper: tuple[float, float, float] = quantity((1.5, 1.5, 1.5), "mm", "Upper corner")


class WholeRegion(ParameterGroup):
    """All cells of a region of the mesh."""

    kind: Literal["region"] = "region"
    region: RegionName = quantity(..., "", "Name of the region in the mesh")


Site = Annotated[Sphere | Box | WholeRegion, Field(discriminator="kind")]


class Stimulus(ParameterGroup):
    """A current that is switched on at a site: once, in a train, or some time after another stimulus."""

    name: str = quantity("S1", "", "Name of the stimulus", min_length=1)
    site: Site = quantity(Sphere(), "", "Where the current enters")
    begins: Literal["at", "after"] = quantity(
        "at",
        "",
        "Whether it begins at a time, or after the last pulse of another stimulus (S1-S2)",
        labels={"at": "at a time", "after": "after another one"},
    )
    start: float = quantity(0.0, "ms", "Time of the first pulse", when={"begins": ("at",)}, ge=0)
    after: Annotated[str, Among("stimuli.name")] = quantity(
        "", "", "Name of the stimulus that this one follows", when={"begins": ("after",)}
    )
    coupling: float = quantity(
        300.0,
        "ms",
        "From the start of the other's last pulse to the start of this one's first",
        title="Coupling interval",
        when={"begins": ("after",)},
        gt=0,
    )
    duration: float = quantity(2.0, "ms", "Length of a pulse", gt=0)
    amplitude: float = quantity(50_000.0, "µA/cm³", "Current per volume of tissue, inward positive", gt=0)
    pulses: int = quantity(1, "1", "Number of pulses; a burst is many at a short period", ge=1, le=100_000)
    period: float = quantity(1000.0, "ms", "Time between pulses", gt=0)
    decrement: float = quantity(
        0.0, "ms", "Each period is so much shorter than the one before (decremental pacing)", ge=0, advanced=True
    )
    shortest: float = quantity(
        200.0, "ms", "Periods do not get shorter than this", title="Shortest period", gt=0, advanced=True
    )


class Numerics(ParameterGroup):
    """How the equations are solved."""

    step: float = quantity(
        0.02, "ms", "Time step of diffusion and reaction", title="Time step", finer="smaller", gt=0, le=1.0
    )
    discretisation: Discretisation = quantity(
        "cell-centred",
        "",
        "Where the voltage lives. Vertices (linear elements, lumped mass) are about 5.5 times fewer unknowns and allow "
        "larger steps, but slow waves down on coarse meshes: at edges of 0.25 mm by 13 % along fibres and 40 % across, "
        "where cells lose 7 and 5 %. Scar cannot be painted on vertices",
    )
    precision: Precision = quantity(
        "fp32", "", "fp32 (with Na_i and K_i as offsets), fp64, or mixed: fp64 with the weights of diffusion in fp32"
    )
    activation_threshold: float = quantity(
        0.0, "mV", "Upward crossing that counts as activation", ge=-80, le=40, advanced=True
    )
    diffusion_substeps: int = quantity(
        1, "1", "Parts that diffusion makes of a step: each must be below the stable step", ge=1, le=50, advanced=True
    )
    reaction_substeps: int = quantity(
        1, "1", "Parts that the reaction makes of a step, where diffusion bears more", ge=1, le=50, advanced=True
    )
    multirate: Multirate = quantity(Multirate(), "", "Fewer reactions where cells are quiet")
    initial_state: Literal["published", "paced at 1 Hz", "paced"] = quantity(
        "paced at 1 Hz",
        "",
        "Published values; TT06 after 1000 beats at 1 Hz, whatever regions change; or each kind of cell paced as below",
    )
    pacing: Pacing = quantity(Pacing(), "", "Beats before the run", when={"initial_state": ("paced",)})


class CardiacParameters(ParameterGroup):
    """A monodomain problem."""

    cell_model: CellModelName = quantity(
        "ten Tusscher-Panfilov 2006",
        "",
        "Equations of the cells; cell types and the state at 1 Hz belong to the first",
        labels={TT06: "ten Tusscher 2006", f"{TT06} (compiled)": "TT06, compiled"},
    )
    cells: CellSettings = quantity(CellSettings(), "", "File, scheme and seed", title="Cell options", folded=True)
    tissue: Tissue = quantity(Tissue(), "", "Conductivities and membrane")
    conductivity_scale: float = quantity(
        1.0, "1", "Factor on all conductivities, to tune the conduction velocity on this mesh", live=True, gt=0, le=100
    )
    regions: list[RegionSetting] = quantity([], "", "Cell type and conductivity by region; others are epicardial")
    stimuli: list[Stimulus] = quantity([], "", "Where and when the tissue is stimulated", min_length=0)
    numerics: Numerics = quantity(Numerics(), "", "Step, precision, initial state")
    recording: Recording = quantity(Recording(), "", "Maps, electrograms and phase", folded=True)
