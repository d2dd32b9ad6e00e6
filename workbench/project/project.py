"""The project file: what a person saves and opens again, as validated models.

A project is a folder or a zip that holds ``project.json`` and, by relative path, the meshes it refers to.
Reading never executes anything.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from engines.api.parameters import without_controls
from workbench.storage.atomic import StorageError

SCHEMA_VERSION = 1


Fraction = Annotated[float, Field(ge=0, le=1)]
Point = Annotated[tuple[float, float, float], Field(strict=False)]


class _Model(BaseModel):
    """Numbers are numbers: neither a text nor ``true``, which would be 1, stands for one. Lists may be tuples and
    tuples lists, as in JSON; what is in them is as strict."""

    model_config = ConfigDict(
        extra="forbid", strict=True, validate_assignment=True, allow_inf_nan=False, defer_build=True
    )

    _plain = field_validator("*")(without_controls)


class MeshReference(_Model):
    """A mesh file by path relative to the project, with its fingerprint.

    ``sha256`` is :func:`workbench.project.meshes.fingerprint` of its files (None until first saved); ``length_unit`` is
    that of its coordinates; ``fibres`` is a further file with the fibres, also relative. Only what was never saved
    (an autosave, a snapshot) refers to meshes by absolute path.
    """

    path: str
    sha256: str | None = None
    length_unit: Literal["um", "mm", "cm", "m"] = "mm"
    fibres: str | None = None

    _plain = field_validator("sha256")(without_controls)  # files are found by what they are called, controls and all


class Probe(_Model):
    """A named point whose trace is recorded; the element nearest to ``position`` [mm] is followed."""

    name: Annotated[str, Field(min_length=1, max_length=1000)]
    position: Point


class Line(_Model):
    """A straight line from ``start`` to ``end`` [the geometry's unit of length], along which ``field`` is charted."""

    name: Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[^/\\]+$")]
    field: str
    start: Point
    end: Point

    @model_validator(mode="after")
    def _has_length(self) -> Line:
        if self.start == self.end:
            raise ValueError(f"the line '{self.name}' begins where it ends")
        return self


class ChartView(_Model):
    """How a chart is shown: ``vertical`` is its axis (dB10 of powers, dB20 of amplitudes); ``over`` is what ordinates
    are divided by: "" nothing, "largest" each curve's largest magnitude, "curve:TITLE" a curve of the chart."""

    name: Annotated[str, Field(min_length=1)]
    log_x: bool = False
    vertical: Literal["linear", "log", "dB10", "dB20"] = "linear"
    over: str = ""


class MeasuredData(_Model):
    """Measured points ``x, y: (n,)`` that are laid over a chart, in the units of its axes; ``title``: where from;
    ``over``: the series that the chart stood over then, empty where that is its own abscissa."""

    chart: str
    title: str
    over: str = ""
    x: Annotated[list[float], Field(min_length=1, fail_fast=True, strict=False)]
    y: Annotated[list[float], Field(fail_fast=True, strict=False)]

    @model_validator(mode="after")
    def _of_one_length(self) -> MeasuredData:
        if len(self.x) != len(self.y):
            raise ValueError(f"{len(self.x)} measured x, but {len(self.y)} y")
        return self


class StoredCurve(_Model):
    """``x, y: (n,)``; None in ``y`` interrupts it."""

    title: str = ""
    x: Annotated[list[float], Field(fail_fast=True, strict=False)]
    y: Annotated[list[float | None], Field(fail_fast=True, strict=False)]

    @model_validator(mode="after")
    def _of_one_length(self) -> StoredCurve:
        if len(self.x) != len(self.y):
            raise ValueError(f"a curve of {len(self.x)} x and {len(self.y)} y")
        return self


class StoredRun(_Model):
    """An earlier run whose curves are kept: ``series`` over time by name, ``charts`` by name. ``when`` it began to be
    kept (ISO 8601); ``time`` that it reached; ``pinned``: its curves stand behind those of the next runs; ``said``:
    what was told of it at its end."""

    title: Annotated[str, Field(min_length=1, max_length=1000)]
    when: str
    time: float
    parameters: dict[str, Any] = Field(default_factory=dict)
    pinned: bool = False
    series: dict[str, StoredCurve] = Field(default_factory=dict)
    charts: dict[str, list[StoredCurve]] = Field(default_factory=dict)
    said: list[str] = Field(default_factory=list, strict=False)

    @model_validator(mode="after")
    def _has_a_time(self) -> StoredRun:
        datetime.fromisoformat(self.when)
        return self


class RunSettings(_Model):
    """How far and on what to run.

    ``pace`` is the simulated time per second that the window shows at most, so that a fast device can be watched;
    None and runs without a window go as fast as they can. ``last_until`` and ``last_pace`` are what stood there before
    it was switched off.
    """

    until: Annotated[float, Field(gt=0)] | None = None
    pace: Annotated[float, Field(gt=0)] | None = None
    last_until: Annotated[float, Field(gt=0)] | None = None
    last_pace: Annotated[float, Field(gt=0)] | None = None
    device: str = "auto"


class ClipPlane(_Model):
    """Hides what lies on the side that ``normal`` points to."""

    origin: Point
    normal: Point


class CameraView(_Model):
    """A turntable camera: angles in degrees, ``distance`` and ``center`` in mm."""

    azimuth: float = 30.0
    elevation: float = 20.0
    distance: float | None = None
    center: Point | None = None


class ViewSettings(_Model):
    """What the viewport shows. None means "the field's own suggestion".

    Of colours: ``reverse`` exchanges the ends of the map, ``symmetric`` puts zero in the middle of the range,
    ``logarithmic`` goes by the logarithm of values above zero, and ``outliers`` is the per cent of the values, the
    farthest out on both sides, that a range from values leaves out.

    ``contours`` draws lines of equal value of any field, ``isochrones`` of times alone, ``fibres`` those of a mesh.
    ``levels`` are the values that isosurfaces are drawn of, in three dimensions; with ``level_slices`` a grid's slices
    stay beside them. ``arrows`` names what is drawn as arrows (one of the engine's vectors). ``front_inside`` draws
    the front within a mesh, whose surface one then sees through.
    Of grids: ``height`` lifts a grid of two dimensions by its values (the upper end of the range, as a part of the
    longest side); ``slices`` are the places of the slices through three dimensions as parts of the sides (None: the
    middle), ``volume`` shows the whole instead. ``outlines`` of what was placed are drawn, and what is solid
    of it as bodies as opaque as ``solidity`` (0: as lines alone). ``follow``: the range
    follows the values in the picture, in steps. Of particles: ``cut_open`` shows the inside of spheres that a field
    tells about. Of elements that move: ``deformation`` is how many times their displacement is drawn (None: as many as
    make it visible), ``hidden_above`` hides those whose damage is above it, ``lines`` draws what the run traces (the
    path of a crack). ``charts``: those that stand open, the first one first; none: as many of the engine's as there is
    room for.
    """

    field: str | None = None
    colormap: str | None = None
    reverse: bool = False
    symmetric: bool = False
    logarithmic: bool = False
    outliers: Annotated[float, Field(ge=0, le=50)] = 0.0
    range: Annotated[tuple[float, float] | None, Field(strict=False)] = None
    camera: CameraView = Field(default_factory=CameraView)
    clip: ClipPlane | None = None
    front: bool = True
    front_inside: bool = False
    isochrones: bool = True
    contours: bool = False
    fibres: bool = False
    levels: Annotated[list[float], Field(max_length=4, strict=False)] = Field(default_factory=list)
    level_slices: bool = False
    arrows: str = ""
    markers: bool = True
    overlay: bool = True
    height: Annotated[float, Field(ge=0, le=1)] = 0.0
    slices: Annotated[tuple[Fraction, Fraction, Fraction] | None, Field(strict=False)] = None
    volume: bool = False
    outlines: bool = True
    solidity: Fraction = 0.4
    follow: bool = False
    cut_open: bool = True
    deformation: Annotated[float, Field(ge=0)] | None = None
    hidden_above: float | None = None
    lines: bool = False
    charts: list[ChartView] = Field(default_factory=list, strict=False)


class Project(_Model):
    """Everything that a session needs to be opened again.

    ``parameters`` is validated by the engine named in ``engine``.
    """

    schema_version: Literal[1] = 1
    title: Annotated[str, Field(max_length=1000)] = "Untitled"
    summary: Annotated[str, Field(max_length=20_000)] = ""
    engine: str
    geometry: MeshReference | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)
    probes: list[Probe] = Field(default_factory=list, strict=False)
    lines: list[Line] = Field(default_factory=list, strict=False)
    run: RunSettings = Field(default_factory=RunSettings)
    view: ViewSettings = Field(default_factory=ViewSettings)
    measured: list[MeasuredData] = Field(default_factory=list, strict=False)
    runs: list[StoredRun] = Field(default_factory=list, strict=False)

    @field_validator("probes", "lines")
    @classmethod
    def _of_different_names(cls, named: list[Any]) -> list[Any]:
        """What they give is kept by name, in files too: of two of one name the second would stand for both."""
        counts = Counter(each.name for each in named)
        if twice := next((name for name, count in counts.items() if count > 1), None):
            raise ValueError(f"two are called '{twice}', and what they give is kept by name: rename one")
        return named

    def as_text(self, indent: int | None = None) -> str:
        """JSON. Raises StorageError where a file that it names is called as no text can be."""
        try:
            return self.model_dump_json(indent=indent)
        except ValueError as error:  # pydantic's, of halves of characters
            raise StorageError(
                f"A file of '{self.title}' has a name that is no UTF-8, which projects cannot name: rename it and open "
                "it again."
            ) from error

    @model_validator(mode="before")
    @classmethod
    def _interval_of_fields(cls, content: Any) -> Any:
        """Former versions had ``run.snapshot_interval``, which ``recording.fields`` of every problem says now."""
        run = content.get("run") if isinstance(content, dict) else None
        if not isinstance(run, dict) or "snapshot_interval" not in run:
            return content
        run = dict(run)
        interval = run.pop("snapshot_interval")
        if interval is None:
            return {**content, "run": run}
        parameters = dict(content.get("parameters", {}))
        recording = dict(parameters.get("recording", {}))
        recording["fields"] = {"interval": interval, **recording.get("fields", {})}
        return {**content, "run": run, "parameters": {**parameters, "recording": recording}}
