"""What goes on over time, as tables that others read."""

import csv
import io

import numpy as np

from engines.api import SeriesInfo
from engines.api.charts import ChartData, ChartInfo, Curve
from engines.api.values import Population
from engines.tables.text import unguarded
from workbench.export.chart_tables import chart_table
from workbench.export.streams.over_time import series_text, spikes_text

SERIES = [SeriesInfo("rate_e", "Rate", "Hz"), SeriesInfo("speed", "Speed", "m/s"), SeriesInfo("never", "", "V")]


def test_series_that_were_thinned_to_other_times_have_a_row_for_each_and_empty_cells():
    curves = {
        "rate_e": (np.array([0.0, 0.1, 12345.678901]), np.array([1.0, 2.0, 3.5])),
        "speed": (np.array([0.1, 0.2]), np.array([-1.0, np.nan])),
    }
    rows = list(csv.reader(io.StringIO(series_text(SERIES, "ms", curves))))
    assert rows == [
        ["time [ms]", "rate_e [Hz]", "speed [m/s]"],
        ["0", "1", ""],
        ["0.1", "2", "-1"],
        ["0.2", "", ""],
        ["12345.6789", "3.5", ""],
    ]
    assert series_text(SERIES, "ms", {}) == ""
    assert series_text(SERIES, "ms", curves, "thinned").splitlines()[0] == "# thinned"


def test_in_the_table_of_a_raster_stand_numbers_of_neurons():
    """Their column was called as the chart is, "Spikes, by neuron"."""
    raster = ChartInfo("raster", "Spikes, by neuron", "1", kind="raster", x_title="Time", x_unit="ms", y_title="Neuron")
    header, rows = chart_table(raster, ChartData((Curve("L2/3e", np.array([0.5]), np.array([7.0])),)))
    assert (header, [list(row) for row in rows]) == (["curve", "Time [ms]", "Neuron"], [["L2/3e", 0.5, 7.0]])


def test_each_spike_has_its_time_its_neuron_and_the_name_of_its_population():
    populations = (Population("L2/3e", 0, 3), Population("none", 3, 3), Population("=in", 3, 5))
    text = spikes_text(np.array([0.1, 0.1, 2.5]), "ms", np.array([2, 3, 4], np.int32), populations)
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == ["time [ms]", "neuron", "population"]
    assert [row[:2] for row in rows[1:]] == [["0.1", "2"], ["0.1", "3"], ["2.5", "4"]]
    assert rows[1][2] == "L2/3e"
    assert unguarded(rows[2][2]) == unguarded(rows[3][2]) == "=in"
