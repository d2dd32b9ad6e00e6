"""Which defects mypy tells of, that the test command runs beside the tests: None where a text is promised, a
comparison whose turning lets None through."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.long.mutants import Mutant

ERROR = re.compile(r"^([^:\n]+):\d+(?::\d+)?: error:", re.MULTILINE)


def told_by_types(mutants: Iterable[Mutant], root: Path, folder: Path) -> set[Mutant]:
    """Those with which mypy finds something in their files that it does not find without.

    One of each file at a time, as what is said of a file is then said of its own one.
    """
    left, found = list(mutants), set()
    without = _wrong({}, root) if left else set()
    while left:
        batch = {each.path: each for each in reversed(left)}
        left = [each for each in left if batch[each.path] is not each]
        shadows = {}
        for number, (path, mutant) in enumerate(batch.items()):
            shadows[path] = folder / f"{number}.py"
            shadows[path].write_bytes(mutant.applied((root / path).read_bytes()))
        found.update(batch[path] for path in _wrong(shadows, root) - without if path in batch)
    return found


def _wrong(shadows: Mapping[str, Path], root: Path) -> set[str]:
    """The files that mypy finds errors in, with other texts for some of them."""
    instead = [text for path, shadow in shadows.items() for text in ("--shadow-file", path, str(shadow))]
    command = [sys.executable, "-m", "mypy", "--no-pretty", "--no-error-summary", *instead]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"mypy: {(done.stdout + done.stderr).strip()}")
    return set(ERROR.findall(done.stdout))
