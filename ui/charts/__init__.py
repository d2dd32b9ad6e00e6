"""The charts of a run: curves over time, decompositions, histograms, profiles, with forecasts and measured data."""
