"""Tables that people measured, as text: rows of numbers under headings, whose columns and units are found by these."""
