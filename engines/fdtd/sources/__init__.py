"""What drives the field: waveforms, currents, plane waves, beams and modes."""
