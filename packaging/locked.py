"""The part of requirements.lock that a choice of extras needs, with its hashes: what workbench.sh hands to pip.

    python packaging/locked.py window cuda13      the product's dependencies and those of these extras
    python packaging/locked.py --tools            pip and the build system, which install the rest

The lock has every extra in it, and two of them (CuPy for CUDA 12 and 13) must not be installed together. Below each pin
uv writes what asked for it; from the chosen requirements on, whatever was asked for by something chosen is chosen too.
Nothing but the standard library is needed: nothing is installed yet.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class Pin:
    """A package of the lock: its version, where it is wanted, what its files hash to (SHA-256) and who asks for it."""

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]
    wanted_by: tuple[str, ...]

    def line(self) -> str:
        """The pin as pip reads it."""
        marker = f" ; {self.marker}" if self.marker else ""
        hashes = "".join(f" \\\n    --hash=sha256:{digest}" for digest in self.hashes)
        return f"{self.name}=={self.version}{marker}{hashes}"


def canonical(requirement: str) -> str:
    """The name at the beginning of a requirement, written as in the lock."""
    name = NAME.match(requirement)
    if name is None:
        raise ValueError(f"'{requirement}' begins with no name of a package")
    return re.sub(r"[-_.]+", "-", name[0]).lower()


def locked() -> dict[str, Pin]:
    """Every pin of requirements.lock by its name. Raises ValueError for a line that is none."""
    pins = {}
    for block in re.split(r"\n(?=\S)", (ROOT / "requirements.lock").read_text(encoding="utf-8").strip()):
        head, *rest = [line.strip().removesuffix("\\").strip() for line in block.splitlines()]
        pin, _, marker = head.partition(" ; ")
        name, sign, version = pin.partition("==")
        hashes = tuple(line.removeprefix("--hash=sha256:") for line in rest if line.startswith("--hash=sha256:"))
        wanted = (line.lstrip("# ").removeprefix("via").strip() for line in rest if line.startswith("#"))
        if not sign or not hashes:
            raise ValueError(f"requirements.lock: '{head}' is no pin with hashes")
        pins[name] = Pin(name, version, marker, hashes, tuple(text.split(" ")[0] for text in wanted if text))
    return pins


def project() -> dict[str, list[str]]:
    """What pyproject.toml asks for: the extras by name, the product's own under an empty one, the tools under --tools.
    Requirements as they stand."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    tools = [*told["build-system"]["requires"], *told["dependency-groups"]["install"]]
    declared = told["project"]
    return {"": declared["dependencies"], **declared["optional-dependencies"], "--tools": tools}


def needed(requirements: Iterable[str]) -> list[Pin]:
    """The pins that these requirements lead to, by name. Raises KeyError for a requirement that the lock lacks."""
    pins = locked()
    chosen = {pins[canonical(requirement)].name for requirement in requirements}
    while more := {pin.name for pin in pins.values() if chosen.intersection(pin.wanted_by)} - chosen:
        chosen |= more
    return [pins[name] for name in sorted(chosen)]


def main() -> int:
    asked = project()
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("extras", nargs="*", metavar="EXTRA", help=", ".join(name for name in asked if name.isalnum()))
    options.add_argument("--tools", action="store_true", help="what installs, and nothing else")
    given = options.parse_args()
    unknown = set(given.extras) - set(asked)
    if unknown:
        options.error(f"there is no extra {', '.join(sorted(unknown))}")
    groups = ["--tools"] if given.tools else ["", *given.extras]
    for pin in needed(requirement for group in groups for requirement in asked[group]):
        print(pin.line())
    return 0


if __name__ == "__main__":
    sys.exit(main())
