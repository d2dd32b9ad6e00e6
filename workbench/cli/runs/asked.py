"""How a run was asked for, as its folder of results keeps it."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field

from engines.reading import expanded

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Asked(BaseModel):
    """``project`` is a path or the name of a preset; ``until`` is in the engine's unit of time, None for a run that
    ends by itself."""

    model_config = ConfigDict(extra="ignore")

    project: str
    until: Positive | None = None
    device: Annotated[str, Field(pattern=r"^(auto|cpu|cuda(:\d+)?)$")] | None = None
    snapshot_every: Positive | None = None
    checkpoint_every: Positive = 60.0
    checkpoints: Annotated[int, Field(ge=1, le=10_000)] = 2
    pictures: Annotated[int, Field(ge=0, le=10_000)] = 0
    ranks: Annotated[int, Field(ge=1, le=10_000)] | None = None

    @classmethod
    def of(cls, options: Namespace, until: float | None) -> Self:
        path = expanded(options.project)
        content = {name: value for name, value in vars(options).items() if name in cls.model_fields}
        return cls.model_validate(
            content | {"project": str(path.absolute() if path.exists() else path), "until": until}
        )

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
            "--out": out,
        }
        named = [f"{name}={value}" for name, value in given.items() if value is not None]
        return ["run", *named, *(["--resume"] if resume else []), "--", self.project]
