"""Bonds on an NVIDIA GPU: launches ``bonds.cu``."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from engines.backend.cache_dir import cache_dir
from engines.peridynamics.laws.law import Law
from engines.peridynamics.solver import Discretised, LatticeSolver

SOURCE = Path(__file__).with_name("bonds.cu")
COLUMNS = 32
REAL = {"float32": "-DREAL=float", "float64": "-DREAL=double"}
BLOCKS_PER_PROCESSOR = 8
"""Blocks that the planes of a body are shared among, at least, before parts become longer."""
THREADS = 256
OWN_LAW = re.compile(r"(?<=^// law\n).*(?=^// end of law$)", re.MULTILINE | re.DOTALL)


class CudaSolver(LatticeSolver):
    """As :class:`LatticeSolver`; arrays are CuPy's."""

    def __init__(self, backend: Any, body: Discretised, precision: str) -> None:
        super().__init__(backend, body, precision)
        family, layout = body.family, body.layout
        d, reach = layout.dimensions, family.reach
        macros = (REAL[self.dtype.name], f"-DDIMENSIONS={d}", f"-DREACH={reach}")
        general = not body.plain
        if body.law is not None:
            module = backend.compile(law_file(body.law), (*macros, "-DGENERAL", "-DSOFTENING"))
        else:
            module = backend.compile(SOURCE, (*macros, "-DGENERAL") if general else macros)
        self._advance, self._measure, self._damage = map(module.get_function, ("step_bonds", "measure", "damage"))
        offsets, lengths = np.zeros((32 * family.words, 4), np.int32), np.zeros((32 * family.words, 3))
        offsets[: family.bonds, :3], offsets[: family.bonds, 3] = family.offsets, self._steps
        lengths[: family.bonds, 0], lengths[: family.bonds, 1] = family.lengths, 1 / family.lengths**2
        lengths[: family.bonds, 2] = body.bond_weights
        self._offsets, self._lengths = backend.array(offsets), backend.array(lengths)
        nx, ny, nz = layout.counts
        rows = 4 if d == 3 and self.dtype.itemsize == 8 else 8  # ROWS in family.cuh
        across = -(-nx // COLUMNS) * -(-ny // rows)
        parts = max(1, min(nz // (2 * reach), BLOCKS_PER_PROCESSOR * backend.multiprocessors // across))
        self.span = -(-nz // parts)
        self._grid, self._block = (-(-nx // COLUMNS), -(-ny // rows), -(-nz // self.span)), (COLUMNS, rows)
        planes = 2 * reach + 1 if d == 3 else 1
        self._shared = (COLUMNS + 2 * reach) * (rows + 2 * reach) * planes * (d + general) * self.dtype.itemsize
        if self._shared > 48 * 1024:
            self._advance.max_dynamic_shared_size_bytes = self._shared
        self._sizes = (
            *(np.int32(number) for number in (nx, ny, nz, layout.pitch, layout.rows)),
            np.int64(layout.base), np.int64(layout.size), np.int32(self.span),
        )  # fmt: skip
        self._weights: tuple[Any, ...] = ()
        self._weighing: tuple[Any, ...] = ()
        self._laws = backend.array(body.laws.astype(self.dtype))
        if general:
            self._weigh()

    def _weigh(self) -> None:
        """What bonds are weighted with, as arguments of the kernels."""
        body, backend = self.body, self.backend
        weights = np.zeros(body.family.reach**2 + 1, self.dtype)
        weights[np.rint(body.family.lengths**2).astype(int)] = body.bond_weights / body.family.lengths
        pairs = lightness = np.ones(1, self.dtype)
        mixture, materials = body.mixture, 1
        traits: Array | None = None
        if body.half_shares is not None:
            traits = body.half_shares.view(np.uint32)
        if mixture is not None:
            materials = len(mixture.lightness)
            pairs, lightness = np.stack([mixture.stiffness, mixture.limit], axis=-1), mixture.lightness
            traits = mixture.material.astype(np.uint32) | (0 if traits is None else traits)
        self._weights = (backend.array(weights),)
        self._weighing = (
            None if traits is None else backend.array(traits), backend.array(pairs.astype(self.dtype)),
            backend.array(lightness.astype(self.dtype)), np.int32(materials), np.int32(body.half_shares is not None),
        )  # fmt: skip

    def _prepared(self, table: Array) -> Any:
        self._kinds = table.shape[1]
        return self.backend.array(table)

    def _step(self, table: Any, row: int, kick: float, decay: float) -> None:
        arrays, number = self.arrays, self.dtype.type
        self._advance(
            self._grid, self._block,
            (
                arrays["u"], self._spare, arrays["v"], arrays["words"], self._breakable, self._kind, table,
                np.int32(row * self._kinds), self._offsets, self._lengths, arrays["work"], arrays["loss"],
                arrays["damped"], *self._sizes, number(self.body.stiffness), number(self.body.limit), number(kick),
                number(decay), *self._weighing[:1], *self._weights, *self._weighing[1:], *self._softening(True),
            ),
            shared_mem=self._shared,
        )  # fmt: skip

    def _softening(self, stepping: bool) -> tuple[Any, ...]:
        """The last arguments of kernels with a law."""
        if self.body.law is None:
            return ()
        state = (self.arrays["soft"], self.arrays["history"])
        return (*state, self._laws, np.int32(self._laws.shape[1])) if stepping else state

    def measure(self) -> None:
        size = self.body.layout.size
        self._measure(
            (-(-size // THREADS),), (THREADS,),
            (
                self.arrays["u"], self.arrays["words"], self._offsets, self._lengths, self.energy_values,
                self.kick_values, np.int64(size), self.dtype.type(self.body.stiffness), *self._weighing,
                *self._softening(False),
            ),
        )  # fmt: skip

    def find_damage(self) -> None:
        size = self.body.layout.size
        self._damage(
            (-(-size // THREADS),), (THREADS,),
            (self.arrays["words"], self._whole, self.damage_values, np.int64(size)),
        )  # fmt: skip


def law_file(law: Law) -> Path:
    """``bonds.cu`` with the code of ``law``, written to the cache: compilers want a file."""
    text = OWN_LAW.sub(lambda _: law.cuda.rstrip() + "\n", SOURCE.read_text("utf-8"))
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    path = cache_dir() / "laws" / f"{digest}.cu"
    if not path.is_file() or path.read_text("utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return path
