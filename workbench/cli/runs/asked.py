"""How a run was asked for, as its folder of results keeps it."""

from __future__ import annotations

import hmac
import os
import secrets
from argparse import Namespace
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field

from engines.reading import expanded, resolved
from workbench.cli.arguments import Unasked
from workbench.project.boundary import Boundary, Permission, refuse_device
from workbench.project.reading.parsing import PROJECT_FILE
from workbench.storage.locking import NO_LINKS
from workbench.storage.paths import state_dir

KEY = "runs.key"
"""In this person's own folder, for nobody else to read."""
KEY_BYTES = 32

Finite = Annotated[float, Field(allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Asked(BaseModel):
    """``project`` is a path or the name of a preset; ``until`` is in the engine's unit of time, None for a run that
    ends by itself; ``movie`` is only told when the run goes on, never written to. ``mark`` says that this person has
    asked so, and nobody who sent the folder."""

    model_config = ConfigDict(extra="ignore", strict=True)

    project: str
    until: Positive | None = None
    device: Annotated[str, Field(pattern=r"^(auto|cpu|cuda(:\d+)?)$")] | None = None
    snapshot_every: Positive | None = None
    checkpoint_every: Positive = 60.0
    checkpoints: Annotated[int, Field(ge=1, le=10_000)] = 2
    pictures: Annotated[int, Field(ge=0, le=10_000)] | None = 0
    ranks: Annotated[int, Field(ge=1, le=10_000)] | None = None
    range: Annotated[tuple[Finite, Finite], Field(strict=False)] | None = None
    movie: str | None = None
    mark: str = ""

    @classmethod
    def of(cls, options: Namespace, until: float | None, folder: Path) -> Self:
        path = expanded(options.project)
        content = {name: value for name, value in vars(options).items() if name in cls.model_fields}
        project = str(path.absolute() if path.exists() else path)
        movie = vars(options).get("movie") or vars(options).get("movie_before")
        content["movie"] = None if movie is None else str(movie)
        content["pictures"] = None if isinstance(options.pictures, Unasked) else options.pictures
        return cls.model_validate(content | {"project": project, "until": until, "mark": _mark(folder, project)})

    def check(self, folder: Path, where: str, permission: Permission) -> None:
        """Raises OutsideFiles where what ``folder`` keeps (``where``) names a project out of it that this person has
        not named, and ProblemError for devices."""
        if self.mark and hmac.compare_digest(self.mark.encode(), _mark(folder, self.project).encode()):
            return
        refuse_device(self.project, where)
        path = expanded(self.project)
        Boundary(where, folder, permission).check([path / PROJECT_FILE if path.is_dir() else path])

    def arguments(self, out: Path, resume: bool) -> list[str]:
        """Those of ``workbench run`` that ask for it."""
        given = {
            "--until": self.until,
            "--device": self.device,
            "--snapshot-every": self.snapshot_every,
            "--checkpoint-every": self.checkpoint_every,
            "--checkpoints": self.checkpoints,
            "--pictures": self.pictures,
            "--ranks": self.ranks,
            "--range": None if self.range is None else "{}:{}".format(*self.range),
            "--out": out,
        }
        named = [f"{name}={value}" for name, value in given.items() if value is not None]
        return ["run", *named, *(["--resume"] if resume else []), "--", self.project]


def _mark(folder: Path, project: str) -> str:
    """Of a run of ``project`` into ``folder``; empty where this person has no place to keep a key in."""
    told = f"{resolved(folder)}\0{project}".encode("utf-8", "surrogatepass")
    with suppress(OSError):
        if len(key := _key()) == KEY_BYTES:
            return hmac.new(key, told, "sha256").hexdigest()
    return ""


def _key() -> bytes:
    """Raises OSError."""
    path = state_dir() / KEY
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINKS, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
    return path.read_bytes() if path.is_file() and not path.is_symlink() else b""
