"""Tests of cases with known answers, as they are run and shown."""
