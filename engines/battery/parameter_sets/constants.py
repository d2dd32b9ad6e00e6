"""Constants of nature (CODATA 2018, exact)."""

FARADAY = 96485.33212
"""[C/mol]"""
GAS = 8.314462618
"""[J/mol/K]"""
REFERENCE_TEMPERATURE = 298.15
"""[K] at which parameter sets give their values."""
