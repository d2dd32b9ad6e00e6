"""Writes ``models/*.json`` from ``models/*.mmt``: ``python -m engines.cardiac.compiler.store``; needs Myokit.

The engine runs its own models from the JSON, so that it needs no Myokit.
"""

from __future__ import annotations

from engines.cardiac.compiler.importing import import_model
from engines.cardiac.compiler.model import MODELS


def main() -> None:
    for path in sorted(MODELS.glob("*.mmt")):
        path.with_suffix(".json").write_text(import_model(path).dumps(), "utf-8")


if __name__ == "__main__":
    main()
