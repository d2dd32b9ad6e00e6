"""Writes ``models/*.json`` from ``models/*.mmt``: ``python -m engines.cardiac.compiler.store``; needs Myokit.

The engine runs its own models from the JSON, so that it needs no Myokit, and measures no limits of steps at Run. With
names of models as arguments only those are written.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from engines.cardiac.compiler.importing import import_model
from engines.cardiac.compiler.limits import step_limits
from engines.cardiac.compiler.model import MODELS


def main(names: list[str]) -> None:
    for path in sorted(MODELS.glob("*.mmt")):
        if not names or path.stem in names:
            model = import_model(path)
            path.with_suffix(".json").write_text(replace(model, limits=step_limits(model)).dumps(), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
