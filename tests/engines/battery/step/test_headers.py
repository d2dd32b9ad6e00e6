"""Names of the kernels: each is declared once, and both twins have it."""

import re

import pytest

from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.protocol.instructions import Field, Instruction, Kind
from engines.battery.setup.curves import INTERVALS
from engines.battery.step.cell_rows import Row, Table
from engines.battery.step.headers import FOLDER, headers


@pytest.mark.parametrize("name", sorted(headers()))
def test_a_header_is_what_the_declarations_write(name):
    assert (FOLDER / name).read_text(encoding="utf-8") == headers()[name]


def test_a_header_has_the_numbers_of_the_declarations():
    text = headers()["cell_rows.cuh"]
    assert re.search(rf"namespace Row {{\nenum {{[^}}]*\n    SALT = {int(Row.SALT)},", text)
    assert f"constexpr int INTERVALS = {INTERVALS};" in text
    assert "constexpr REAL REFERENCE_TEMPERATURE = REAL(298.15);" in text


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
