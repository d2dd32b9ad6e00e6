"""Names of the kernels: each is declared once, and both twins have it."""

from __future__ import annotations

import re

import pytest

from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.protocol.instructions import Field, Instruction, Kind
from engines.battery.setup.curves import INTERVALS
from engines.battery.step.cell_rows import Row, Table
from engines.battery.step.headers import FOLDER, headers

BATTERY = FOLDER.parent


@pytest.mark.parametrize("name", sorted(headers()))
def test_a_header_is_what_the_declarations_write(name):
    assert (FOLDER / name).read_text(encoding="utf-8") == headers()[name]


def test_a_header_has_the_numbers_of_the_declarations():
    text = headers()["cell_rows.cuh"]
    assert re.search(rf"namespace Row {{\nenum {{[^}}]*\n    SALT = {int(Row.SALT)},", text)
    assert f"constexpr int INTERVALS = {INTERVALS};" in text
    assert "constexpr REAL REFERENCE_TEMPERATURE = REAL(298.15);" in text


def test_no_kernel_declares_names_of_its_own():
    """An enumeration in a CUDA source, or a tuple of row numbers in a Numba kernel, would be a second declaration."""
    written = {FOLDER / name for name in headers()}
    sources = [path for suffix in ("*.cu", "*.cuh") for path in BATTERY.rglob(suffix) if path not in written]
    assert len(sources) > 8
    own = [path.name for path in sources if re.search(r"^\s*enum\b", path.read_text(encoding="utf-8"), re.MULTILINE)]
    assert not own, f"{own} declare rows: do so in engines/battery/step and run its headers"
    rows = re.compile(r"^[A-Z_]+(, [A-Z_]+)+ = \d+(, \d+)+$", re.MULTILINE)
    twins = [path for path in BATTERY.rglob("cpu*.py") if "lab" not in path.parts]
    assert len(twins) > 8
    assert not [path.name for path in twins if rows.search(path.read_text(encoding="utf-8"))]


def test_an_instruction_is_in_the_order_of_its_fields():
    row = Instruction(Kind.POWER, 7.0, 11, 2.5, 4.2, 0.05).row()
    assert len(row) == len(Field)
    assert [row[field] for field in Field] == [float(Kind.POWER), 7.0, 11.0, 2.5, 4.2, 0.05]


def test_tables_are_in_the_order_of_their_names():
    from engines.battery.cells.coefficients import tables

    parameters = PARAMETER_SETS["Chen2020"]
    found = tables(parameters, varying=True)
    assert len(found) == len(Table)
    assert len(tables(parameters)) == Table.NEGATIVE_DIFFUSIVITY
    assert found[Table.POSITIVE_OCP, 512, 0] == pytest.approx(float(parameters.positive_ocp(0.5)), abs=1e-9)
    assert found[Table.NEGATIVE_OCP, 512, 0] == pytest.approx(float(parameters.negative_ocp(0.5)), abs=1e-9)
