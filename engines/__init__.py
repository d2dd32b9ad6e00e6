"""The physics: one folder per engine, and the few things that the engines share."""

import os

# Numba takes settings from a file of the folder that a person happens to be in, which may be a stranger's: from where
# compiled code and classes are loaded, where a trace is written, whether code is compiled. The environment comes first.
_UNSET = {"NUMBA_CACHE_DIR": "", "NUMBA_CACHE_LOCATOR_CLASSES": "", "NUMBA_CHROME_TRACE": "", "NUMBA_DISABLE_JIT": "0"}
os.environ.update(_UNSET | dict(os.environ))
