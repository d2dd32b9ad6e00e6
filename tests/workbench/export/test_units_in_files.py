"""Units in files are spelled one way, um, whatever an engine calls them: tables, VTK's arrays, HDF5."""

import h5py
import numpy as np

import workbench as wb
from engines.api import FieldInfo
from engines.api.charts import ChartData, ChartInfo, Curve
from workbench.export.chart_tables import chart_table
from workbench.export.formats import split_by_location
from workbench.export.hdf5 import write_hdf5
from workbench.export.tables import columns_of
from workbench.sweep.table import Column


def test_tables_and_arrays_say_um_of_both_letters(tmp_path):
    for unit in ("um", "µm", "μm"):
        info = ChartInfo("a", "Height", unit, x_title="Radius", x_unit=unit)
        header, _ = chart_table(info, ChartData((Curve("one", np.arange(2.0), np.arange(2.0)),)))
        assert header == ["curve", "Radius [um]", "Height [um]"]
        field = FieldInfo("moved", "Moved", unit, "cell", (0.0, 1.0))
        assert columns_of(field) == ["moved [um]"]
        assert list(split_by_location((field,), {"moved": np.zeros(3)})[0]) == ["moved [um]"]
        write_hdf5(tmp_path / "results.h5", {f"x [{unit}]": np.zeros(3)})
        with h5py.File(tmp_path / "results.h5") as file:
            assert file["x"].attrs["unit"] == "um"


def test_a_window_says_micrometres_as_people_write_them():
    column = Column("sizes", "Sizes", "Sizes, largest", "µm", "largest")
    assert column.brief == "Sizes\nlargest [µm]"
    assert column.heading == "Sizes, largest [um]"


def test_a_run_of_particles_has_one_spelling_in_all_its_tables(tmp_path):
    with wb.simulate("particle_sizes", device="cpu") as run:
        run.advance(2)
        run.save(tmp_path / "moment.pvd")
    texts = {path.name: path.read_text() for path in tmp_path.rglob("*.csv")}
    assert any("[um]" in text for text in texts.values())
    assert not [name for name, text in texts.items() if "µ" in text.splitlines()[0]]
