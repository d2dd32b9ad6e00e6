"""The physics: one folder per engine, and the few things that the engines share."""

from engines.numba_settings import prepare

prepare()
