"""The boundary around a project: which files of the machine it may read.

A project is read as if a stranger wrote it, and what it names is copied when it is saved. It may read what lies in its
own folder, links resolved, and what came with this installation; any other file only where the person chose it or
confirmed it. Names of devices and of other machines are refused before anything looks for them: on Windows looking
would already log in there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from engines.api.errors import ProblemError
from engines.reading import resolved
from workbench.project.meshes import mesh_files

INSTALLED = ("engines", "sample_data")
"""Packages whose files any project may name: presets stand on them."""
DEVICES = ("/dev", "/proc", "/sys")
RESERVED = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\s*([.:].*)?", re.IGNORECASE)
"""Names that are devices in any folder of Windows, whatever they end in."""

LONGEST_NAME, LONGEST_PART = 2048, 255
"""Of a file: characters with its folders, and bytes of its own name, of which file systems take no more."""


@dataclass(frozen=True)
class Permission:
    """Files outside of its folder, links resolved, that a project may read (``every``: all that it names), and those
    that it opens without."""

    files: frozenset[Path] = frozenset()
    left_out: frozenset[Path] = frozenset()
    every: bool = False

    def with_files(self, files: Iterable[Path]) -> Permission:
        """That, and files that the person chose or confirmed before."""
        return replace(self, files=self.files.union(files))


NOTHING = Permission()
EVERYTHING = Permission(every=True)


class OutsideFiles(ProblemError):
    """A project names files outside of its folder that nobody chose or confirmed.

    ``needed`` says that one of them belongs to the mesh, without which nothing opens.
    """

    def __init__(self, name: str, files: Sequence[Path], needed: bool) -> None:
        listed = ", ".join(f"'{file}'" for file in files)
        what = "a file outside its folder" if len(files) == 1 else "files outside its folder"
        super().__init__(f"{name} names {what}: {listed}. Add --allow-outside if it may read what it names.")
        self.name, self.files, self.needed = name, tuple(files), needed


class Boundary:
    """What the project called ``name`` may read, whose own files lie in ``folder`` (None: it has none).

    ``alone``: it is one file among others (a picture in somebody's home), so nothing hidden there is its own.
    """

    def __init__(self, name: str, folder: Path | None, permission: Permission, alone: bool = False) -> None:
        self._name, self._permission = name, permission
        self._alone = alone
        own = () if folder is None else (folder,)
        self._roots = [resolved(root) for root in (*own, *(Path(str(resources.files(each))) for each in INSTALLED))]

    def check(self, files: Iterable[Path], needed: Iterable[Path] = ()) -> None:
        """Raises OutsideFiles where a file, or one that is read with it, needs a permission that is not there, and
        ProblemError for devices. ``needed``: those of the files that the project cannot open without."""
        outside, mesh = self._outside(files), set(self._outside(needed))
        if mesh & self._permission.left_out:
            raise ProblemError(f"{self._name} cannot be opened without its mesh: save it again where the mesh is.")
        if set(outside) - self._permission.left_out:
            raise OutsideFiles(self._name, outside, bool(mesh))

    def leaves_out(self, file: Path) -> bool:
        """Whether the project opens without this file."""
        return not self._permission.left_out.isdisjoint(self._outside([file]))

    def _is_own(self, file: Path) -> bool:
        below = [file.relative_to(root).parts for root in self._roots if file.is_relative_to(root)]
        return any(not self._alone or not any(part.startswith(".") for part in parts) for parts in below)

    def _outside(self, files: Iterable[Path]) -> list[Path]:
        """Those that are there and may not be read, links resolved. Raises ProblemError for devices."""
        found: dict[Path, None] = {}
        for each in files_read(files):
            if not self._is_own(each) and each not in self._permission.files:
                refuse_device(str(each), self._name)
                found[each] = None
        return [] if self._permission.every else list(found)


def files_read(files: Iterable[Path]) -> list[Path]:
    """Those that are there, with the further ones that are read with a mesh, links resolved."""
    return [resolved(each) for each in files_named(files)]


def files_named(files: Iterable[Path]) -> list[Path]:
    """The same as they are named."""
    together = dict.fromkeys(each for file in files for each in mesh_files(file, None))
    return [each for each in together if each.is_file()]


def named_file(folder: Path, name: str, where: str, permission: Permission = NOTHING) -> Path:
    """The file in ``folder`` that a project calls ``name``; nothing looks for it. Raises ProblemError for a device,
    another machine or what no file can be called, ``where`` being what names it."""
    if len(name) > LONGEST_NAME or any(len(os.fsencode(part)) > LONGEST_PART for part in Path(name).parts):
        raise ProblemError(f"{where} names '{name[:40]}…', which is longer than names of files can be: not opened.")
    file = folder / name
    inside = Path(name).is_absolute() and file.is_relative_to(folder.absolute())
    if not inside and file not in permission.files:
        refuse_device(name, where)
    return file


def refuse_device(name: str, where: str, windows: bool = os.name == "nt") -> None:
    """Raises ProblemError if a name means a device or another machine, whatever the machine that it is read on."""
    plain = name.replace("\\", "/")
    device = any(plain == root or plain.startswith(f"{root}/") for root in DEVICES)
    device |= windows and any(RESERVED.fullmatch(part.rstrip(" .")) for part in plain.split("/"))
    if device or plain.startswith("//"):
        what = "a device" if device else "a file on another machine"
        raise ProblemError(f"{where} names '{name}', {what}: not opened; copy a file into its folder instead.")
