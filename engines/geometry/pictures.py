"""Pictures as numbers: the brightness of their pixels."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.reading import guarded

MOST_PIXELS = 100_000_000
FORMATS = ("PNG", "JPEG")


@guarded("is not a picture that can be read: choose a PNG or JPEG file.", largest=1 << 30)
def brightness(path: Path, clear: float | None = None) -> Array:
    """(height, width) float32, 0 black to 1 white, row 0 on top, as viewers show it; what is transparent is black, or,
    where more than half of a pixel is, ``clear``. Raises ProblemError."""
    from PIL import Image, ImageOps, UnidentifiedImageError  # most problems have no picture

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path, formats=FORMATS) as image:
                if image.width * image.height > MOST_PIXELS:
                    raise ProblemError(
                        f"The picture '{path.name}' has {image.width} × {image.height} pixels: "
                        f"scale it down to at most {MOST_PIXELS // 1_000_000} million."
                    )
                if image.mode.startswith("I"):  # 16 bits of grey
                    return np.asarray(ImageOps.exif_transpose(image), np.float32) / np.float32(65535)
                upright = ImageOps.exif_transpose(image)
                grey = np.asarray(upright.convert("L"), np.float32) / np.float32(255)
                if not upright.has_transparency_data:
                    return grey
                opacity = np.asarray(upright.convert("RGBA").getchannel("A"), np.float32) / np.float32(255)
                return grey * opacity if clear is None else np.where(opacity < 0.5, np.float32(clear), grey)
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise ProblemError(f"'{path.name}' is not a picture that can be read: choose a PNG or JPEG file.") from error
