"""When a defect counts as caught, and which tests it meets."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from tests.long import mutations, trying
from tests.long.many import Lost
from tests.long.mutants import Mutant, mutants_of
from tests.long.mutations import COLUMNS, LIKELIEST, Cases, counts, places, selected
from tests.long.mutations import told as share_told
from tests.long.reach import Kept, Reached, Statements
from tests.long.report import Report
from tests.long.trying import ROOT, Likeness, Look, Try

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked")


class Item:
    """A test, as far as a look needs it."""

    def __init__(self, nodeid: str) -> None:
        self.nodeid, self.path = nodeid, ROOT / nodeid.partition("::")[0]


HERE, OTHER = "tests/long/test_mutants.py::a", "tests/workbench/project/test_document.py::b"


def cases(folder: Path) -> tuple[Cases, Mutant, Try]:
    """One defect that two tests reach, of which one is of its file."""
    path = "workbench/storage/paths.py"
    mutant = next(each for each in mutants_of(path, (ROOT / path).read_bytes()) if each.kind == "lost")
    options = Namespace(minutes=1.0, seconds=5.0, out=None, seed=1, processes=1)
    statements = Statements(ROOT, [path])
    made = Cases([mutant], Report("mutations", options, COLUMNS), folder / "lines.jsonl", statements)
    made.look_at([Item(HERE), Item(OTHER)], Kept(folder / "kept.json", statements))
    look = made.following()
    assert isinstance(look, Look)
    assert made.following() is None, "what reaches it is not known yet"
    (number,) = statements.of(mutant)
    found = {Item(name).path: Reached({name: 1 << number}, {name: 0.5}) for name in (HERE, OTHER)}
    made.answer(look, found)
    job = made.following()
    assert isinstance(job, Try)
    assert job.names == ((OTHER, 0.5), (HERE, 0.5)), "the likeliest first"
    return made, mutant, job


def told(folder: Path) -> list[list[object]]:
    lines = map(json.loads, (folder / "lines.jsonl").read_text("utf-8").splitlines())
    return [[line["what"], line["by"], line["line"]] for line in lines]


def test_a_defect_is_caught_by_a_test_that_passes_by_itself_without_it(tmp_path):
    made, mutant, job = cases(tmp_path)
    made.answer(job, ("killed", HERE))
    assert made.through == 0
    clean = made.following()
    assert (clean.clean, clean.names) == (True, ((HERE, 0.5),))
    made.answer(clean, ("survived", ""))
    assert made.following() is None
    assert told(tmp_path) == [["killed", HERE, mutant.line]]
    assert made.rates() == {"workbench": 1.0}
    made.answer(job, ("killed", HERE))
    assert made.through == 2, "it need not be shown again"


def test_a_test_that_fails_without_the_defect_has_not_caught_it(tmp_path):
    made, mutant, job = cases(tmp_path)
    made.answer(job, ("killed", HERE))
    made.answer(made.following(), ("killed", HERE))
    again = made.following()
    assert again == replace(job, names=((OTHER, 0.5),))
    made.answer(again, ("survived", ""))
    assert told(tmp_path) == [["survived", "", mutant.line]]
    assert made.rates() == {"workbench": 0.0}


@pytest.mark.parametrize("by_chance", [False, True])
def test_a_test_that_keeps_time_has_to_fail_again_and_again(tmp_path, by_chance):
    made, mutant, job = cases(tmp_path)
    made.keep_time = {HERE}
    for _ in range(2):
        made.answer(job, ("killed", HERE))
        made.answer(made.following(), ("survived", ""))
        job = made.following()
        assert (job.clean, job.names) == (False, ((HERE, 0.5),))
    made.answer(job, ("survived", "") if by_chance else ("killed", HERE))
    if by_chance:
        again = made.following()
        assert (again.names, again.found, again.times) == (((OTHER, 0.5),), None, 0)
        made.answer(again, ("survived", ""))
    else:
        made.answer(made.following(), ("survived", ""))
    assert told(tmp_path) == [["survived", "", mutant.line] if by_chance else ["killed", HERE, mutant.line]]


@pytest.mark.parametrize(("why", "what"), [("not done after 9 s", "timed out"), ("the process ended with -11", "died")])
def test_a_process_that_dies_or_never_ends_has_caught_a_defect_unless_it_does_so_anyway(why, what, tmp_path):
    made, mutant, job = cases(tmp_path)
    made.answer(job, Lost(why))
    clean = made.following()
    assert (clean.clean, clean.names) == (True, job.names)
    made.answer(clean, ("survived", ""))
    assert not made.passed, "nobody knows how far it came"
    made.answer(job, Lost(why))
    made.answer(made.following(), Lost(why))
    assert told(tmp_path) == [[what, "", mutant.line], ["survived", "", mutant.line]]


def test_without_the_defect_tests_are_run_twice_as_long_as_with_it_and_no_longer(monkeypatch):
    """All that stand near took many minutes, and what they said was that they had not ended."""
    run, seconds = [], iter(range(1000))

    def results(items):
        for item in items:
            run.append(item)
            yield item, "passed", 1.0

    monkeypatch.setattr(trying, "results", results)
    monkeypatch.setattr(trying, "spent", lambda: next(seconds))
    monkeypatch.setattr(trying, "put", lambda *_: True)
    for name in ("damaged", "start_others_with"):
        monkeypatch.setattr(trying, name, Mock())
    tests = Mock(items={str(k): Mock() for k in range(50)})
    for clean, expected in ((False, 6), (True, 11)):
        run.clear()
        job = Try(Mock(path="a.py"), tuple((name, 1.0) for name in tests.items), 5.0, clean=clean)
        assert (job(tests), len(run)) == (("survived", ""), expected)


@pytest.mark.parametrize(
    ("share", "of", "text"),
    [(0.9, 50, "90.0% (79% to 96%)"), (1.0, 10, "100.0% (72% to 100%)"), (0.0, 1, "0.0% (0% to 79%)")],
)
def test_a_share_is_told_with_how_sure_it_is(share, of, text):
    assert share_told(share, of) == text


def test_what_types_tell_of_is_through_in_its_turn(tmp_path):
    made, mutant, job = cases(tmp_path)
    made.typed = {mutant}
    made.tries.extend([job, job])
    assert made.following() is None
    assert told(tmp_path) == [["typed", "mypy", mutant.line]] * 2
    assert made.rates() == {"workbench": 1.0}


def test_what_the_end_of_the_time_cuts_off_is_not_counted(tmp_path):
    made, _, job = cases(tmp_path)
    made.answer(job, Lost("not done after 3 s", late=True))
    assert made.following() is None
    assert (made.through, made.rates()) == (0, {})


def test_what_nothing_has_caught_is_tried_again_wherever_it_stands_by_now(tmp_path):
    path = "workbench/storage/zips.py"
    mutants, source = mutants_of(path, (ROOT / path).read_bytes()), (ROOT / path).read_bytes()
    caught, missed = mutants[0], mutants[-1]
    lines = [
        {"file": path, "line": each.line + 3, "edit": each.edit(source), "what": what}
        for each, what in ((caught, "killed"), (missed, "survived"))
    ]
    (tmp_path / "lines.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert selected(Namespace(again=tmp_path / "lines.jsonl")) == [missed]


def test_a_module_that_no_test_of_its_package_names_meets_those_that_do(tmp_path, monkeypatch):
    for module in (mutations, trying):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    for path, text in {
        "workbench/run/memory.py": "class RunMemory: ...\n", "workbench/run/pace.py": "class Pace: ...\n",
        "tests/workbench/run/test_pace.py": "", "tests/ui/test_clocks.py": "RunMemory()\n",
        "tests/ui/test_looks.py": "from workbench.run.memory import kept\nPace()\n",
    }.items():  # fmt: skip
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    found = places(["workbench"], ["workbench/run/memory.py", "workbench/run/pace.py"])
    assert found == ["tests/workbench", "tests/ui/test_looks.py"]


def test_what_engines_count_meets_the_tests_that_speak_of_it():
    found = places(["accounting"])
    assert {"tests/engines/test_accounts.py", "tests/workbench/run/test_ceiling.py"} <= set(found)
    assert "tests/engines/formulas/test_parse.py" not in found
    assert places(["workbench"], ["workbench/project/store.py"]) == ["tests/workbench"]
    here = ROOT / "tests/engines/stencil/test_stencil_engine.py"

    def of_traffic():
        """What it says of ``traffic`` counts."""

    def of_sides():
        """Of something else."""

    for path, function, expected in (
        (here, of_traffic, True),
        (here, of_sides, False),
        (ROOT / "tests/engines/test_accounts.py", of_sides, True),
        (ROOT / "tests/ui/test_app.py", of_sides, True),
    ):
        assert counts(Mock(path=path, function=function)) == expected


def test_without_a_look_a_defect_meets_what_stands_near_it(tmp_path):
    made, mutant, _ = cases(tmp_path)
    near = OTHER.partition("::")[0]  # which names the module
    made.near = [Mock(nodeid=f"{name}::a", path=ROOT / name) for name in (near, "tests/ui/test_app.py")]

    def names() -> list[str]:
        return [name for name, _ in made._try(mutant).names]

    assert names() == [f"{near}::a"]
    made.likeness = Likeness({"tests/ui/test_app.py::a": f"of {mutant.path}", f"{HERE}b": "others"})
    assert names()[:2] == [f"{near}::a", "tests/ui/test_app.py::a"], "then what has its words"


def test_what_looks_at_all_of_a_part_of_the_window_comes_behind_the_likeliest(tmp_path):
    made, *_ = cases(tmp_path)
    path = "ui/scene/overlays/link_strokes.py"
    mutant = mutants_of(path, (ROOT / path).read_bytes())[0]
    recorded = [f"tests/ui/{room}/test_as_recorded.py::a" for room in ("scene", "charts", "window")]
    own = [f"tests/ui/scene/overlays/test_over_a_scene.py::{k}" for k in range(LIKELIEST + 2)]
    made.near = [Mock(nodeid=name, path=ROOT / name.partition("::")[0]) for name in (*recorded, *own)]
    made.likeness = Likeness(dict.fromkeys(own, f"{path} strokes") | {recorded[0]: "of something else"})
    names = [name for name, _ in made._try(mutant).names]
    assert set(names[:LIKELIEST]) < set(own)
    assert set(names[LIKELIEST:]) == {recorded[0], recorded[2], *own} - set(names[:LIKELIEST])
    assert set(names[LIKELIEST : LIKELIEST + 2]) == {recorded[0], recorded[2]}, "of the scene, and the whole window"
