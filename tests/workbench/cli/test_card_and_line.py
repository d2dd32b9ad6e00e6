"""What the doctor takes for a card, and the line of a run's progress on a terminal and elsewhere."""

from types import SimpleNamespace

import pytest

from workbench.cli import doctor
from workbench.cli.runs import progress


@pytest.mark.parametrize(("vendors", "there"), [(["0x8086", "0x10de"], True), (["0x8086"], False), ([], False)])
def test_a_card_of_nvidia_is_one_by_its_vendor(monkeypatch, tmp_path, vendors, there):
    for number, vendor in enumerate(vendors):
        (tmp_path / f"0000:0{number}").mkdir()
        (tmp_path / f"0000:0{number}" / "vendor").write_text(f"{vendor}\n")
    monkeypatch.setattr(doctor, "Path", lambda place: tmp_path)
    assert doctor._has_nvidia_card() == there


@pytest.mark.parametrize(
    ("terminal", "last", "written"),
    [
        (True, False, "\r\x1b[Kas far as this"),
        (True, True, "\r\x1b[Kas far as this\n"),
        (False, False, "as far as this\n"),
        (False, True, "as far as this\n"),
    ],
)
def test_a_line_renews_itself_on_a_terminal_and_ends_elsewhere(monkeypatch, capsys, terminal, last, written):
    monkeypatch.setattr(progress.sys.stderr, "isatty", lambda: terminal)
    line = progress.ProgressLine(None, "s")
    monkeypatch.setattr(line, "_text", lambda runner: "as far as this")
    line.show(SimpleNamespace(take_samples=list), last=last)
    assert capsys.readouterr().err == written
    line.show(SimpleNamespace(take_samples=list))
    assert capsys.readouterr().err == "", "not twice in so short a time"
