"""What a person may set of a pack: how many cells, of what size, in which material, how they are wired and cooled.

Where the defaults come from: pouches of 5 A h in 30 cm³, cooled from below through a pad. The cell's material is the
stack of Chen2020's layers in PyBaMM (copper, graphite, separator, NMC, aluminium: L = 12, 85.2, 12, 75.6, 16 µm,
k = 401, 1.7, 0.16, 2.1, 237 W/m/K), each collector shared by the layers on both its sides, so that half of it counts:
Σ L k/Σ L = 24.7 W/m/K along the layers, Σ L/Σ (L/k) = 1.16 W/m/K through them, Σ L ρ c/Σ L = 1.69 MJ/m³/K (with whole
collectors 44.4, 1.25 and 1.77); a real stack has contacts and electrolyte between them too. The other numbers are
typical, of no certain source: a foam of 240 kg/m³, 1400 J/kg/K and 0.1 W/m/K in the gaps; a pad of 2 mm and 3 W/m/K in
series with a plate of 750 W/m²/K, together 500; air at rest, 5 W/m²/K.
"""

from __future__ import annotations

from typing import Literal

from engines.api.parameters import ParameterGroup, quantity


class Arrangement(ParameterGroup):
    """Cells stand side by side along x, the direction of their thickness; z points up."""

    cells_x: int = quantity(12, "1", "Cells along x, face to face", ge=1, le=1000)
    cells_y: int = quantity(1, "1", "Cells along y", ge=1, le=1000)
    cells_z: int = quantity(1, "1", "Cells along z, one above the other", ge=1, le=1000)
    thickness: float = quantity(5.0, "mm", "Size of a cell along x, through its layers", gt=0, le=1000)
    width: float = quantity(100.0, "mm", "Size of a cell along y", gt=0, le=5000)
    height: float = quantity(60.0, "mm", "Size of a cell along z", gt=0, le=5000)
    gap: float = quantity(1.0, "mm", "Between neighbours; rounded to whole voxels along each axis", ge=0, le=1000)
    voxels_x: int = quantity(5, "1", "Voxels through the thickness of a cell", ge=1, le=1000)
    voxels_y: int = quantity(20, "1", "Voxels along the width of a cell", ge=1, le=1000)
    voxels_z: int = quantity(16, "1", "Voxels along the height of a cell", ge=1, le=1000)


class Material(ParameterGroup):
    """How heat is held and carried."""

    conductivity_in_plane: float = quantity(25.0, "W/m/K", "Of a cell along its layers (y and z)", gt=0, le=1e6)
    conductivity_through: float = quantity(1.2, "W/m/K", "Of a cell through its layers (x)", gt=0, le=1e6)
    heat_capacity: float = quantity(1.7e6, "J/m³/K", "Of a cell: density times specific heat", gt=0, le=1e9)
    gap_conductivity: float = quantity(0.1, "W/m/K", "Of what is between cells: foam 0.1, air 0.026, aluminium 237",
                                       gt=0, le=1e6)  # fmt: skip
    gap_heat_capacity: float = quantity(3.4e5, "J/m³/K", "Of what is between cells: foam 3.4e5, air 1.2e3, "
                                        "aluminium 2.4e6", gt=0, le=1e9)  # fmt: skip


class Cooling(ParameterGroup):
    """Heat transfer at the sides of the pack; 0 insulates."""

    ends: float = quantity(5.0, "W/m²/K", "To the surroundings at both ends along x", ge=0, le=1e7)
    sides: float = quantity(5.0, "W/m²/K", "To the surroundings at both sides along y", ge=0, le=1e7)
    top: float = quantity(5.0, "W/m²/K", "To the surroundings at the top", ge=0, le=1e7)
    plate: float = quantity(500.0, "W/m²/K", "To the cold plate at the bottom", ge=0, le=1e7)
    ambient: float = quantity(25.0, "°C", "Temperature of the surroundings", live=True, ge=-100, le=300)
    plate_temperature: float = quantity(20.0, "°C", "Temperature of the cold plate", live=True, ge=-100, le=300)


class Pack(ParameterGroup):
    """Cells in a box. The protocol is that of one cell: the pack takes ``parallel`` times its current."""

    cells: Literal["SPM", "SPMe"] = quantity("SPM", "", "Model of the cells")
    arrangement: Arrangement = quantity(Arrangement(), "", "How many cells, of what size, in how many voxels")
    material: Material = quantity(Material(), "", "Conductivity and heat capacity", folded=True)
    cooling: Cooling = quantity(Cooling(), "", "Heat transfer at the sides")
    parallel: int = quantity(1, "1", "Cells that share one voltage; as many groups as there are of them are in series",
                             ge=1, le=100_000)  # fmt: skip
    segments_y: int = quantity(1, "1", "Parts of each cell along its width, each with a temperature and a current of "
                               "its own", ge=1, le=1000)  # fmt: skip
    segments_z: int = quantity(1, "1", "Parts of each cell along its height", ge=1, le=1000)
    initial_temperature: float = quantity(25.0, "°C", "Of everything at the start", ge=-100, le=300)
