"""The parameters of a Maxwell problem: grid, faces, materials, objects, sources, numerics.

Lengths are in the grid's unit of length, times in the unit that light takes 0.2998 of: µm and fs, mm and ps, m and ns.
"""

from __future__ import annotations

from engines.api.parameters import ParameterGroup, quantity
from engines.fdtd.media.materials import MOST
from engines.fdtd.parameters.anisotropy import Anisotropy
from engines.fdtd.parameters.common import Axis, LengthUnit, Place
from engines.fdtd.parameters.grading import FineRegion
from engines.fdtd.parameters.grid import FaceKind, Faces, GridSetting, Mirror
from engines.fdtd.parameters.materials import Material
from engines.fdtd.parameters.monitors import (
    BoxMonitor,
    Ending,
    FarSetting,
    Frequencies,
    Monitor,
    PlaneMonitor,
    Ringing,
    TraceMonitor,
    VolumeMonitor,
)
from engines.fdtd.parameters.numerics import Numerics
from engines.fdtd.parameters.objects import (
    Box,
    Cone,
    Cylinder,
    Ellipsoid,
    Object,
    Outline,
    Painted,
    PictureObject,
    Polygon,
    Ring,
    Rod,
    Sphere,
    Spot,
    SurfaceObject,
    Torus,
)
from engines.fdtd.parameters.placing import Lattice, Turn
from engines.fdtd.parameters.ports import LumpedPort
from engines.fdtd.parameters.signals import (
    Continuous,
    Derivative,
    FromFile,
    Gaussian,
    Pulse,
    Ricker,
    Signal,
    TypedSignal,
)
from engines.fdtd.parameters.sources import BeamSource, ModeSource, ObliqueWaveSource, PointSource, Source, WaveSource
from engines.recording import Recording

__all__ = [
    "Anisotropy",
    "Axis",
    "BeamSource",
    "Box",
    "BoxMonitor",
    "Cone",
    "Continuous",
    "Cylinder",
    "Derivative",
    "Ellipsoid",
    "Ending",
    "FaceKind",
    "Faces",
    "FarSetting",
    "FdtdParameters",
    "FineRegion",
    "Frequencies",
    "FromFile",
    "Gaussian",
    "GridSetting",
    "Lattice",
    "LengthUnit",
    "LumpedPort",
    "Material",
    "Mirror",
    "ModeSource",
    "Monitor",
    "Numerics",
    "Object",
    "ObliqueWaveSource",
    "Outline",
    "Painted",
    "PictureObject",
    "Place",
    "PlaneMonitor",
    "PointSource",
    "Polygon",
    "Pulse",
    "Ricker",
    "Ring",
    "Ringing",
    "Rod",
    "Signal",
    "Source",
    "Sphere",
    "Spot",
    "SurfaceObject",
    "Torus",
    "TraceMonitor",
    "Turn",
    "TypedSignal",
    "VolumeMonitor",
    "WaveSource",
]

MOST_SOURCES = 16
MOST_MONITORS = 32
MOST_PORTS = 16


class FdtdParameters(ParameterGroup):
    """A Maxwell problem on a Yee grid."""

    grid: GridSetting = quantity(GridSetting(), "", "Cells and size")
    faces: Faces = quantity(Faces(), "", "What holds at the faces of the grid")
    materials: list[Material] = quantity(
        [Material()], "", "What objects are made of; around them is vacuum", max_length=MOST - 1
    )
    objects: list[Object] = quantity([], "", "Where they overlap the later one counts")
    sources: list[Source] = quantity([PointSource()], "", "What drives the field", max_length=MOST_SOURCES)
    ports: list[LumpedPort] = quantity([], "", "Where circuits feed or load the field", max_length=MOST_PORTS)
    monitors: list[Monitor] = quantity([], "", "What is measured while it runs", max_length=MOST_MONITORS)
    source_scale: float = quantity(1.0, "1", "Factor on all sources", live=True, ge=0, le=10)
    ending: Ending = quantity(Ending(), "", "When a run ends by itself", folded=True)
    numerics: Numerics = quantity(Numerics(), "", "Step and precision")
    recording: Recording = quantity(Recording(), "", "What is written into a folder of results", folded=True)
