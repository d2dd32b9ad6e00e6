"""The lock: one exact version of every package with its hashes, and the part of it that a choice of extras needs."""

import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, requires

import locked
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def test_every_pin_is_exact_and_has_hashes():
    pins = locked.locked()
    assert len(pins) > 80
    for pin in pins.values():
        assert re.fullmatch(r"[0-9][0-9a-z.]*", pin.version), f"{pin.name}=={pin.version} is not one exact version"
        assert all(re.fullmatch(r"[0-9a-f]{64}", digest) for digest in pin.hashes)
        assert pin.wanted_by, f"nothing wants {pin.name}"
        assert Requirement(pin.line().partition(" \\\n")[0]).name == pin.name


def test_the_lock_names_no_address():
    text = (locked.ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert not re.search(r"://|^--(?!hash)|\bindex\b|@ ", text, re.MULTILINE)


@pytest.mark.parametrize("extras", ["window", "window cuda12", "window cuda13 dev", "cellml movie nwb"])
def test_what_an_extra_needs_is_all_there(extras):
    """Against what the installed distributions ask for themselves, where they are installed."""
    asked = locked.project()
    chosen = {pin.name for pin in locked.needed(line for group in ["", *extras.split()] for line in asked[group])}
    other = "cupy-cuda13x" if "cuda12" in extras else "cupy-cuda12x"
    assert other not in chosen
    assert "pyside6-essentials" in chosen or "window" not in extras
    looked_at = 0
    for name in chosen:
        try:
            lines = requires(name) or []
        except PackageNotFoundError:
            continue
        for requirement in map(Requirement, lines):
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                looked_at += 1
                assert canonicalize_name(requirement.name) in chosen, f"{name} needs {requirement}"
    assert looked_at > 10


def test_the_part_for_a_cluster_node_has_no_window_and_no_tests():
    chosen = {pin.name for pin in locked.needed(locked.project()[""])}
    assert "numba" in chosen
    assert not {"pyside6-essentials", "vispy", "pyqtgraph", "pytest", "pip"} & chosen


def test_the_command_prints_what_pip_reads():
    printed = subprocess.run(
        [sys.executable, "-I", str(locked.ROOT / "packaging" / "locked.py"), "--tools"], capture_output=True, text=True
    )
    assert printed.returncode == 0, printed.stderr
    lines = re.findall(r"^(\S+)==\S+ \\\n(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+", printed.stdout, re.MULTILINE)
    assert {"pip", "hatchling"} <= set(lines)
    assert printed.stdout.count("==") == len(lines)
    wrong = subprocess.run(
        [sys.executable, "-I", str(locked.ROOT / "packaging" / "locked.py"), "windows"], capture_output=True, text=True
    )
    assert wrong.returncode == 2
    assert "there is no extra windows" in wrong.stderr
