"""Cases with known answers: what is run is what a user would run, and what is expected comes from formulas."""
