"""The figures of the tutorials, made by running the examples; each knows the example that it was made by.

    python docs/make_figures.py [EXAMPLE ...]       with matplotlib

``./workbench.sh docs`` fails while an example is not the one that its figure was made by.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngInfo

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ROOT / "docs" / "manual" / "tutorials" / "figures"
MADE_BY = "Source"
"""The text of a picture that holds the SHA-256 of its example."""


def stale() -> list[str]:
    """What is wrong with the figures, a sentence for each."""
    found = []
    for figure in sorted(FIGURES.glob("*.png")):
        with Image.open(figure) as image:
            made_by = image.info.get(MADE_BY)
        if made_by != _digest(figure.stem):
            found.append(
                f"figures/{figure.name} was made by another examples/{figure.stem}.py: run "
                f"'python docs/make_figures.py {figure.stem}'."
            )
    return found


def stamp(figure: Path) -> None:
    """Write into a figure which example it was made by."""
    with Image.open(figure) as image:
        image.load()
        told = PngInfo()
        told.add_text(MADE_BY, _digest(figure.stem))
        image.save(figure, pnginfo=told, dpi=image.info.get("dpi"), optimize=True)


def make(name: str) -> None:
    """Run an example in a folder of its own and take its figure."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        subprocess.run([sys.executable, str(ROOT / "examples" / f"{name}.py")], cwd=folder, env=environment, check=True)
        made = Path(folder) / f"{name}.png"
        if not made.is_file():
            sys.exit(f"{name} left no figure: install matplotlib.")
        (FIGURES / made.name).write_bytes(made.read_bytes())
    stamp(FIGURES / made.name)


def _digest(name: str) -> str:
    source = ROOT / "examples" / f"{name}.py"
    return hashlib.sha256(source.read_bytes()).hexdigest() if source.is_file() else ""


if __name__ == "__main__":
    for name in sys.argv[1:] or [figure.stem for figure in sorted(FIGURES.glob("*.png"))]:
        make(name)
