"""A case gives its outcome, whatever it raises; the records of devices make a page."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace

import pytest

from engines.api.errors import ProblemError
from engines.api.verification import Answer
from tests.workbench.fake_engine import FakeBackend
from tests.workbench.verify import doubles
from workbench.verify.cases import chosen_cases
from workbench.verify.lines import closing, lines_of, number_texts
from workbench.verify.page import page
from workbench.verify.record import VerificationRecord, from_json, to_csv, to_json
from workbench.verify.running import Outcome, run_case

ALL = (
    doubles.relaxation, doubles.too_slow, doubles.undefined, doubles.unstable, doubles.astray, doubles.nothing
)  # fmt: skip


@pytest.fixture(scope="module")
def outcomes() -> list[Outcome]:
    backend = FakeBackend()
    return [run_case(one, backend) for one in chosen_cases([doubles.engine_with(*ALL)])]


def record(outcomes: list[Outcome], **changed: object) -> VerificationRecord:
    made = VerificationRecord.of(FakeBackend(), outcomes)
    return VerificationRecord(**{**vars(made), **changed})


def test_each_case_has_its_outcome(outcomes):
    assert [outcome.right for outcome in outcomes] == [True, False, False, False, False, False]
    assert outcomes[0].answers[0].value == pytest.approx(20 - 100 * 0.96**50, abs=1e-4)
    assert [len(outcome.wrong) for outcome in outcomes] == [0, 1, 1, 0, 0, 0]
    assert outcomes[3].error == "The voltage is no longer a number: use a smaller step."
    assert outcomes[3].failure is None
    assert outcomes[4].error == "The case ended with an unexpected ZeroDivisionError: division by zero"
    assert isinstance(outcomes[4].failure, ZeroDivisionError)
    assert outcomes[5].error == "The case gave no figure."


def test_the_closing_sentence_says_what_came_of_it(outcomes):
    assert closing(outcomes[:1], 1).startswith("The one figure is right, of 1 case in ")
    told = closing(outcomes, 6)
    assert "2 of 4 figures are wrong: wave/too-slow (Speed | of it), wave/undefined (Ratio)." in told
    assert "3 cases ended without a figure: wave/unstable, wave/astray, wave/nothing." in told
    assert closing([], 6) == "Interrupted after 0 of 6 cases."
    assert closing(outcomes[:1] * 2, 6).startswith("Interrupted after 2 of 6 cases. All 2 figures are right")


def test_a_figure_has_the_digits_that_its_tolerance_asks_for():
    assert number_texts(Answer("", 3.73021234, 3.73020000, 1e-6))[:2] == ("3.7302", "3.73021234")
    assert number_texts(Answer("", 12, 12, 0))[:2] == ("12", "12")
    for tolerance, text in ((1e3, "1235"), (10.0, "1234.6"), (1.0, "1234.57"), (0.1, "1234.568")):
        assert number_texts(Answer("", 1234.567890123, 0.0, tolerance))[1] == text
    assert number_texts(Answer("", 1234.567890123, 0.0, 1e-30))[1] == "1234.56789012"
    assert number_texts(Answer("", math.nan, 0.0, 1.0))[1:3] == ("nan", "+nan")


def test_lines_name_the_case_once(outcomes):
    first, second = lines_of(outcomes[1], 20)
    assert first.startswith("wave/too-slow ")
    assert "Speed | of it [µm]" in first
    assert " wrong " in first
    assert second.startswith(" ")
    assert second.endswith("right")


def test_a_record_is_read_as_it_was_written(outcomes):
    made = record(outcomes)
    text = to_json(made)
    assert "NaN" not in text
    again = from_json(text, "verify.json")
    assert to_json(again) == text
    assert [outcome.right for outcome in again.outcomes] == [outcome.right for outcome in outcomes]
    assert again.outcomes[0].answers == outcomes[0].answers
    assert json.loads(text)["device"]["name"] == "NumPy on paper"
    for broken in ("{", "[]", '{"schema_version": 2}', text.replace('"peer"', '"pear"')):
        with pytest.raises(ProblemError, match=r"'verify\.json' is no record of 'workbench verify'"):
            from_json(broken, "verify.json")


def test_the_table_has_a_row_for_each_figure_and_each_case_without(outcomes):
    rows = list(csv.DictReader(io.StringIO(to_csv(record(outcomes)))))
    assert len(rows) == 4 + 3
    assert float(rows[0]["ours"]) == outcomes[0].answers[0].value
    assert [row["right"] for row in rows] == ["True", "False", "True", "False", "False", "False", "False"]
    assert "division by zero" in rows[5]["trouble"]


def test_the_page_sets_devices_side_by_side(outcomes):
    assert page([]).startswith("No record has been made yet")
    on_paper = record(outcomes, date="2026-01-02T03:04:05Z")
    half = replace(outcomes[1], answers=outcomes[1].answers[:1])
    older = record([Outcome("wave", "Wave", "relaxation", "A case", "", 1.0, (), "It failed then.")], date="2025")
    other = record([half], device={"name": "A card"})
    text = page([on_paper, other, older])
    heads = next(line for line in text.splitlines() if line.startswith("| Case"))
    assert "Ours on A card | Error | Ours on NumPy on paper | Error" in heads
    assert "It failed then." not in text  # the newest of a device counts
    row = next(line for line in text.splitlines() if line.startswith("| relaxation"))
    assert "| not run |" in row
    assert "paper 1.0: 7.0 mV" in row
    slow = next(line for line in text.splitlines() if line.startswith("| too-slow"))
    assert "Speed \\| of it [µm]" in slow
    assert slow.count("**1.9, wrong**") == 2
    length = next(line for line in text.splitlines() if line.startswith("| too-slow | Length"))
    assert "| – |  | 3 | " in length, "what another version did not compute is no figure of its"
    assert "**The case ended with an unexpected ZeroDivisionError: division by zero**" in text
    assert "- `relaxation`: A case. On paper." in text


def test_cases_are_named_with_or_without_their_engine():
    engine = doubles.engine_with(doubles.relaxation, doubles.too_slow)
    for name in ("too-slow", "wave/too-slow"):
        assert [one.name for one in chosen_cases([engine], [name])] == ["wave/too-slow"]
    with pytest.raises(ProblemError, match=r"There is no case 'to-slow'; the nearest is 'too-slow'; 'workbench verify"):
        chosen_cases([engine], ["to-slow"])
    with pytest.raises(ProblemError, match=r"There is nothing to verify: .* \(wave\)"):
        chosen_cases([doubles.engine_with()])
