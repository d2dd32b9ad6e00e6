"""Checkpoints: how many are kept, and which is gone on from when some are torn, edited or gone."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from engines.api import registry
from engines.api.errors import ProblemError
from workbench.run.states.checkpoint import (
    CheckpointMeta,
    checkpoints_at,
    problem_fingerprint,
    read_checkpoint,
    write_checkpoint,
)
from workbench.run.states.fitting import fitting
from workbench.storage.atomic import StorageError, write_text

ENGINES = registry.engines()


def write(path: Path, step: int, kept: int = 2) -> None:
    state = {"u": np.full((3, 4), step, np.float32), "turned": np.asfortranarray(np.eye(3)), "none": np.zeros((0, 2))}
    write_checkpoint(path, CheckpointMeta("p", "cpu", step, step * 0.5), {**state, "step": np.array(step)}, kept)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for step in (1, 2, 3, 4):
        write(tmp_path / "checkpoint.npz", step, kept=3)
    return tmp_path / "checkpoint.npz"


def edited(path: Path) -> None:
    """Another number in it, in a zip that is whole."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["u.npy"] = parts["u.npy"][:-1] + b"\x41"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


def test_the_newest_are_kept_and_the_newest_is_read(place):
    assert [file.name for file in checkpoints_at(place)] == ["checkpoint.npz", "checkpoint-1.npz", "checkpoint-2.npz"]
    assert [read_checkpoint(file, "p").meta.step for file in checkpoints_at(place)] == [4, 3, 2]
    write(place, 5, kept=1)
    assert [file.name for file in checkpoints_at(place)] == ["checkpoint.npz"]
    found = read_checkpoint(place, "p")
    assert (found.meta.step, found.noticed) == (5, "")
    np.testing.assert_array_equal(found.state["u"], np.full((3, 4), 5, np.float32))


@pytest.mark.parametrize(
    "harm",
    [
        edited,
        lambda path: path.write_bytes(path.read_bytes()[:-30]),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes().replace(b'"time": 2.0', b'"time": 9.0')),
    ],
    ids=["edited", "torn", "empty", "another time"],
)
def test_a_damaged_one_is_passed_over_with_a_sentence(place, harm):
    harm(place)
    found = read_checkpoint(place, "p")
    assert found.meta.step == 3
    assert found.noticed == (
        f"The checkpoint '{place}' is damaged: the run goes on from the one before, '{place.parent}/checkpoint-1.npz'."
    )
    for older in checkpoints_at(place)[1:]:
        edited(older)
    with pytest.raises(ProblemError, match=r"checkpoint.npz' is damaged: run without --resume"):
        read_checkpoint(place, "p")


def test_one_of_another_problem_is_refused_and_not_passed_over(place):
    with pytest.raises(ProblemError, match="belongs to another problem"):
        read_checkpoint(place, "q")


def recorded() -> list[tuple[str, str]]:
    """Engine and field of each group ``recording``."""
    kinds = {name: engine.Parameters.model_fields["recording"].annotation for name, engine in ENGINES.items()}
    assert len(kinds) >= 6
    assert all(kind.only_written <= set(kind.model_fields) for kind in kinds.values())
    return [(name, key) for name, kind in kinds.items() for key in kind.model_fields]


OTHER = {
    "fields": {"interval": 3.0},
    "spikes": "none",
    "populations": ["E"],
    "ecg": "off",
    "electrodes": [{}],
    "leads": [{}],
}


@pytest.mark.parametrize(("name", "key"), recorded())
def test_what_numbers_are_computed_with_belongs_to_the_problem_and_what_is_written_alone_does_not(name, key):
    """A run that went on with another conductivity of the bath would have a column of two scales."""
    recording = ENGINES[name].Parameters().recording
    now = getattr(recording, key)
    other = OTHER[key] if key in OTHER else not now if isinstance(now, bool) else now / 2
    changed = type(recording).model_validate(recording.model_dump() | {key: other})
    assert changed != recording
    found = {fingerprint_of(name, recording), fingerprint_of(name, changed)}
    assert len(found) == (1 if key in recording.only_written else 2)


def test_names_of_regions_belong_to_the_problem():
    """Parameters find their cells by them."""
    recording = ENGINES["cardiac"].Parameters().recording
    names = {1: "scar", 2: "tissue"}
    found = {
        fingerprint_of("cardiac", recording, SimpleNamespace(region_names=given))
        for given in (names, dict(reversed(names.items())), {1: "tissue", 2: "scar"})
    }
    assert len(found) == 2


def fingerprint_of(name, recording, loaded=None):
    parameters = ENGINES[name].Parameters().model_copy(update={"recording": recording})
    return problem_fingerprint(SimpleNamespace(engine=ENGINES[name], parameters=parameters, loaded=loaded), ())


def test_a_crash_while_they_change_places_loses_none(place):
    place.unlink()  # as it stands between two renames
    assert read_checkpoint(place, "p").meta.step == 3
    write(place, 6)
    assert [read_checkpoint(file, "p").meta.step for file in checkpoints_at(place)] == [6, 3]


def test_two_windows_that_keep_a_run_of_one_problem_at_once_keep_whole_ones(tmp_path, monkeypatch):
    """The second was told that its file had vanished while it was to be written."""
    place, plain = tmp_path / "checkpoint.npz", Path.replace
    write(place, 1)

    def replace(self, target):
        monkeypatch.setattr(Path, "replace", plain)
        write(place, 2)
        plain(self, target)
        write(place, 2)
        monkeypatch.setattr(Path, "replace", replace)

    monkeypatch.setattr(Path, "replace", replace)
    write(place, 3)
    assert read_checkpoint(place, "p").meta.step in (2, 3)
    assert all(file in checkpoints_at(place) for file in tmp_path.iterdir())


def test_a_full_disk_leaves_those_that_there_are(place, monkeypatch):
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="disk is full"):
        write(place, 7)
    assert [read_checkpoint(file, "p").meta.step for file in checkpoints_at(place)] == [4, 3, 2]


def test_what_killed_saves_left_is_swept_when_nobody_writes_it_any_more(tmp_path):
    old, young, other = (
        tmp_path / name for name in (".a.json.ab12_xyz.tmp", ".a.json.ab12_xyy.tmp", ".b.ab12_xyz.tmp")
    )
    for file in (old, young, other):
        file.write_text("half")
    for file in (old, other):
        os.utime(file, (0, 0))
    write_text(tmp_path / "a.json", "{}", durable=True)
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted([young.name, other.name, "a.json"])


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        ({"version": 1, "time": "1"}, "damaged"),
        ({"version": 1, "time": float("nan")}, "damaged"),
        ({"version": 1, "step": -5}, "damaged"),
        ({"version": 99, "future": 1}, "another Workbench"),
    ],
)
def test_a_moment_that_is_none_is_refused(tmp_path, edit, said):
    """Where time was no number all rows of the tables were taken for later ones and removed."""
    path = tmp_path / "checkpoint.npz"
    write(path, 3)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["checkpoint.json"] = json.dumps({**json.loads(parts["checkpoint.json"]), **edit}).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    with pytest.raises(ProblemError, match=said):
        read_checkpoint(path, "p")


OWN = {"step": np.array(3), "u": np.zeros((2, 2), np.float32), "places": np.arange(3, dtype=np.int32)}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("step", np.array(-1)),
        ("step", np.array(2**62)),
        ("step", np.array([3])),
        ("step", np.array(np.nan)),
        ("u", np.full((2, 2), "x")),
        ("u", np.zeros((2, 2), complex)),
        ("places", np.arange(3.0)),
    ],
)
def test_a_state_of_other_kinds_is_refused(name, values):
    """Of steps before the first, for instance, which tables of sources do not have."""
    with pytest.raises(ValueError, match=r"step|is of"):
        fitting({**OWN, name: values}, OWN)


def test_a_state_of_another_precision_is_brought_to_that_of_the_simulation():
    """Kernels are compiled for whatever they are given, and there are none for halves."""
    found = fitting({**OWN, "u": np.ones((2, 2), np.float16), "others": np.arange(2)}, OWN)
    assert found["u"].dtype == np.float32
    assert (found["u"] == 1).all()
    assert found["others"].dtype == int


@pytest.mark.parametrize("other", [{"step": 7}, {"time": -5.0}])
def test_a_checkpoint_of_two_moments_is_not_gone_on_from(place, other):
    """Tables were cut at one of them, and the run went on from the other."""
    state = {"u": np.zeros(3), "step": np.array(4)}
    write_checkpoint(place, CheckpointMeta(**{"problem": "p", "device": "cpu", "step": 4, "time": 2.0, **other}), state)
    found = read_checkpoint(place, "p")
    assert (found.meta.time, "is damaged" in found.noticed) == (2.0, True)
