"""Each reader of a foreign file against mutated files: a value or one sentence, in little time and memory.

The long form is ``python -m tests.long fuzz``.
"""

from __future__ import annotations

import random
import resource
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

import pytest

from engines.api.errors import ProblemError
from tests.fuzz.mutations import mutated
from tests.fuzz.readers import Reader, readers

SHORT = 12
"""Files for each reader in the short form."""
LONGEST_SECONDS = 5.0
LARGEST_GROWTH = 1 << 30
LONGEST_SENTENCE = 600


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Reader]:
    return readers(tmp_path_factory.mktemp("seeds"))


def peak() -> int:
    """Bytes that this process has held at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def outcome(reader: Reader, path: Path) -> str:
    """``read``, ``refused`` or what is wrong with how the file was answered."""
    before, began = peak(), time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reader.read(path)
        told = "read"
    except ProblemError as error:
        told = "refused" if len(str(error)) < LONGEST_SENTENCE and "\n" not in str(error) else f"long: {error}"
    except Exception as error:
        told = f"{type(error).__name__}: {error}"
    if time.process_time() - began > LONGEST_SECONDS:
        told = f"took {time.process_time() - began:.1f} s"
    if peak() - before > LARGEST_GROWTH:
        told = f"took {(peak() - before) >> 20} MB"
    return told


def attacked(reader: Reader, folder: Path, chance: random.Random, count: int) -> tuple[Counter[str], dict[str, Path]]:
    """How often the reader did what, and a file for each thing that it should not have done."""
    counts: Counter[str] = Counter()
    wrong: dict[str, Path] = {}
    names = sorted(reader.seeds)
    for number in range(count):
        name = chance.choice(names)
        path = folder / f"{number}{Path(name).suffix}"
        path.write_bytes(mutated(reader.seeds[name], chance))
        told = outcome(reader, path)
        counts[told if told in ("read", "refused") else "wrong"] += 1
        if told in ("read", "refused"):
            path.unlink()
        else:
            wrong.setdefault(told[:120], path)
    return counts, wrong


NAMES = (
    "meshes", "fibres", "points", "stl", "corners", "histories", "drive cycles", "measured", "sizes", "indices", "BPX",
    "gprMax", "openCARP", "connections", "pictures", "cell models", "snapshots", "collections", "checkpoints",
    "projects", "SONATA nodes", "SONATA edges", "SONATA spikes", "SONATA node types", "SONATA edge types",
    "SONATA models", "SONATA node sets", "SONATA circuits", "SONATA simulations", "spike lists",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_mutated_file_is_read_or_refused_in_one_sentence(known, name, tmp_path):
    if name == "cell models":
        pytest.importorskip("myokit")
    for seed, content in known[name].seeds.items():
        (tmp_path / seed).write_bytes(content)
        assert outcome(known[name], tmp_path / seed) == "read", seed
    assert not attacked(known[name], tmp_path, random.Random(name), SHORT)[1]


def test_every_reader_is_attacked(known):
    assert set(known) == set(NAMES)
