"""What a picture is drawn of as a file, for a run that goes on to draw what an earlier one had no time for."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import BinaryIO

from engines.api import Lines
from engines.reading import foreign_file, opened_npz, read_npz
from workbench.run.moments import PictureMoment
from workbench.storage.atomic import write_atomically
from workbench.storage.zips import add_array, undated

MOMENT, VALUES, TRACED = "moment.json", "values/", "traced/"


def write_moment(path: Path, moment: PictureMoment) -> None:
    """Raises StorageError."""

    def write(stream: BinaryIO) -> None:
        told = {"step": moment.step, "time": moment.time, "shifts": [*moment.shifts.items()]}
        traced = {} if moment.traced is None else vars(moment.traced)
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr(undated(archive, MOMENT), json.dumps(told))
            for name, values in moment.values.items():
                add_array(archive, f"{VALUES}{name}", values)
            for name, values in traced.items():
                if values is not None:
                    add_array(archive, f"{TRACED}{name}", values)

    write_atomically(path, write)


def read_moment(path: Path) -> PictureMoment:
    """Raises ProblemError."""
    with foreign_file(f"'{path}' is damaged: its picture is not drawn."), opened_npz(path) as archive:
        told = json.loads(archive.read(MOMENT))
        arrays = {name.removesuffix(".npy"): read_npz(archive, name) for name in archive.namelist() if name != MOMENT}
        values = {name.removeprefix(VALUES): each for name, each in arrays.items() if name.startswith(VALUES)}
        traced = {name.removeprefix(TRACED): each for name, each in arrays.items() if name.startswith(TRACED)}
        shifts = {tuple(place): tuple(position) for place, position in told["shifts"]}
        return PictureMoment(told["step"], told["time"], values, shifts, Lines(**traced) if traced else None)
