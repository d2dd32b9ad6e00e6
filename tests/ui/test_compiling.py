"""Kernels that are compiled behind the window: said, at the lowest priority, and gone with the window."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QObject

from ui import compiling
from ui.compiling import BEGINS, BackgroundCompiler

pytestmark = pytest.mark.skipif(os.name != "posix", reason="groups of processes")


@pytest.fixture
def compiler(qtbot, monkeypatch):
    """``make(program)``: one whose command is this program, and what it says."""
    monkeypatch.setattr(compiling, "compiled_ahead", lambda: False)
    monkeypatch.setattr(compiling, "LOOK_MILLISECONDS", 20)
    made, owner = [], QObject()

    def make(program):
        said = []
        made.append(BackgroundCompiler(said.append, owner, [sys.executable, "-c", program]))
        return made[-1], said

    yield make
    for each in made:
        each.stop()


def running(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0]
    except OSError:
        return False


@pytest.mark.parametrize(("code", "end"), [(0, "All kernels are compiled"), (1, "could not be compiled")])
def test_it_says_when_it_begins_and_how_it_ended(qtbot, compiler, code, end):
    one, said = compiler(f"raise SystemExit({code})")
    one.begin()
    assert said == [BEGINS]
    qtbot.waitUntil(lambda: len(said) == 2, timeout=30_000)
    assert end in said[1]


def test_it_is_less_important_than_all_else_and_is_gone_with_what_it_started(qtbot, compiler, tmp_path):
    told = tmp_path / "pids"
    one, _ = compiler(
        "import os, subprocess, sys, time\n"
        "time.sleep(0.2)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(told) + '.tmp'!r}, 'w').write(f'{{os.getpid()}} {{child.pid}} {{os.nice(0)}}')\n"
        f"os.rename({str(told) + '.tmp'!r}, {str(told)!r})\n"
        "time.sleep(600)\n"
    )
    one.begin()
    one.begin()  # it is going on already
    qtbot.waitUntil(told.is_file, timeout=30_000)
    parent, child, importance = map(int, told.read_text().split())
    assert importance == 19
    assert running(parent)
    assert running(child)
    one.stop()
    qtbot.waitUntil(lambda: not running(parent) and not running(child), timeout=30_000)


def test_what_is_compiled_is_not_compiled_again(qtbot, compiler, monkeypatch):
    monkeypatch.setattr(compiling, "compiled_ahead", lambda: True)
    one, said = compiler("raise SystemExit(1)")
    one.begin()
    assert said == []


def test_a_bundle_starts_no_second_one(qtbot, compiler, monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    one, said = compiler("raise SystemExit(1)")
    one.begin()
    assert said == []
