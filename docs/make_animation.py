"""The animation of the README: a spiral wave over one of its turns, so that the last picture leads to the first.

python -m docs.make_animation [FILE]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image

import workbench as wb
from engines.api import Array

FILE = Path(__file__).parents[1] / "assets" / "pictures" / "spiral_wave.gif"
WHOLE, PART = (1680, 1050), (360, 195, 1320, 915)
"""Pixels of the 3D view, and of the part that is kept: the sheet, without figures beside it."""
SIZE = (480, 360)
SETTLED, LONGEST, EVERY = 700.0, 220.0, 5.0
"""Milliseconds: when the spiral turns evenly, in what time it has once, and from one picture to the next."""
SHORTEST = 100.0
"""It has not turned before."""
COLOURS = 200
SHOWN_MILLISECONDS = 50


def turning() -> list[Array]:
    """(h, w, 3) uint8 each: one turn."""
    pictures, fields = [], []
    with wb.simulate("spiral_wave") as run:
        run.run(until=SETTLED)
        while run.time < SETTLED + LONGEST:
            pictures.append(np.asarray(run.picture(size=WHOLE))[..., :3])
            fields.append(np.array(run.field("voltage"), float))
            run.run(until=run.time + EVERY)
    least = round(SHORTEST / EVERY)
    away = [float(np.abs(field - fields[0]).mean()) for field in fields[least:]]
    return pictures[: least + int(np.argmin(away))]


def main(file: Path = FILE) -> None:
    """One palette for all, and no dots between its colours, which would be most of the file."""
    frames = [Image.fromarray(each).crop(PART).resize(SIZE, Image.Resampling.LANCZOS) for each in turning()]
    tiles = Image.new("RGB", (SIZE[0], SIZE[1] * len(frames[::4])))
    for place, frame in enumerate(frames[::4]):
        tiles.paste(frame, (0, SIZE[1] * place))
    palette = tiles.quantize(COLOURS, dither=Image.Dither.NONE)
    first, *others = (frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames)
    first.save(file, save_all=True, append_images=others, duration=SHOWN_MILLISECONDS, loop=0, optimize=True)
    print(f"{file}: {len(frames)} pictures, {file.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
