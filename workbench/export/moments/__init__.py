"""Fields over time as files that grow while a run goes on: a file for each moment, one VTKHDF file, or openCARP's."""
