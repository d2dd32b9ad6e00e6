"""Problems on grids whose answers are known from formulas."""
