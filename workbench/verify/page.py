"""Records of one or several devices side by side as Markdown: how right each engine is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engines.api.verification import Answer
from workbench.verify.lines import figure_text, number_texts
from workbench.verify.record import VerificationRecord
from workbench.verify.running import Outcome

NOTHING = "No record has been made yet: `workbench verify --out DIR` makes one."


Device = dict[str, Outcome]
"""The outcomes of one device, by the name of the case."""


def page(records: Sequence[VerificationRecord]) -> str:
    """Which devices, then for each engine a table of all its figures and where the expected ones come from.

    Of a case that several records of one device hold, the newest counts.
    """
    if not records:
        return f"{NOTHING}\n"
    records = sorted(records, key=lambda record: (record.device_name, record.date))
    heads = ["Device", "Workbench", "Date", "Engines", "Cases", "Figures", "Wrong"]
    parts = [_table(heads, [_summary(record) for record in records])]
    devices: dict[str, Device] = {}
    cases: Device = {}
    for record in records:
        found = {outcome.name: outcome for outcome in record.outcomes}
        devices.setdefault(record.device_name, {}).update(found)
        cases |= found
    for engine, title in sorted({outcome.engine: outcome.engine_title for outcome in cases.values()}.items()):
        theirs = [case for case in cases.values() if case.engine == engine]
        parts.append(f"## {title}\n\n{_engine_table(devices, theirs)}\n\n{_sources(theirs)}")
    return "\n\n".join(parts) + "\n"


def _summary(record: VerificationRecord) -> list[str]:
    figures = sum(len(outcome.answers) for outcome in record.outcomes)
    wrong = sum(len(outcome.wrong) + bool(outcome.error) for outcome in record.outcomes)
    engines = ", ".join(dict.fromkeys(outcome.engine for outcome in record.outcomes))
    date = record.date.partition("T")[0]
    return [record.device_name, record.version, date, engines, str(len(record.outcomes)), str(figures), str(wrong)]


def _engine_table(devices: Mapping[str, Device], cases: Sequence[Outcome]) -> str:
    heads = ["Case", "Figure", "Expected", "Tolerance"]
    for name in devices:
        heads += [f"Ours on {name}", "Error"] if len(devices) > 1 else ["Ours", "Error"]
    rows = [row for case in cases for row in _rows([device.get(case.name) for device in devices.values()], case.id)]
    return _table([*heads, "Another program"], rows)


def _rows(there: Sequence[Outcome | None], case: str) -> list[list[str]]:
    """A row for each figure that the case gave on any of the devices."""
    figures: dict[str, Answer] = {}
    for outcome in there:
        for answer in outcome.answers if outcome else ():
            figures.setdefault(answer.name, answer)
    if not figures:
        return [[case, "–", "–", "–", *[cell for o in there for cell in _cells(o, "")], ""]]
    rows = []
    for name, answer in figures.items():
        expected, _, _, tolerance = number_texts(answer)
        ours = [cell for outcome in there for cell in _cells(outcome, name)]
        rows.append([case, figure_text(answer), expected, tolerance, *ours, answer.peer])
    return rows


def _cells(outcome: Outcome | None, figure: str) -> list[str]:
    """Ours and its error on one device."""
    if outcome is None:
        return ["not run", ""]
    if outcome.error:
        return [f"**{outcome.error}**", ""]
    answer = next((answer for answer in outcome.answers if answer.name == figure), None)
    if answer is None:
        return ["–", ""]
    _, ours, error, _ = number_texts(answer)
    return [ours, error] if answer.right else [f"**{ours}, wrong**", f"**{error}**"]


def _sources(cases: Sequence[Outcome]) -> str:
    return "\n".join(f"- `{case.id}`: {case.title}. {' '.join(case.source.split())}" for case in cases)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
