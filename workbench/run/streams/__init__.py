"""What of a run grows without end: fields, spikes, rows of cells, gathered while it goes on, written part by part."""
