"""Pictures as initial states and materials."""

import numpy as np
import pytest
from PIL import Image

from engines.api.errors import ProblemError
from engines.geometry.grid import Grid
from engines.stencil.parameters import Picture
from engines.stencil.setup import pictures
from engines.stencil.setup.fields import relative_conductivity


def saved(tmp_path, pixels, name="picture.png", mode=None):
    path = tmp_path / name
    image = Image.fromarray(np.asarray(pixels))
    (image.convert(mode) if mode else image).save(path)
    return str(path)


def field(path, shape, spacing=None, **more):
    grid = Grid(shape, spacing or (1.0,) * len(shape))
    return pictures.picture_field(Picture(picture=path, **more), grid, "initial state")


def test_black_is_low_white_is_high_and_the_top_is_at_high_y(tmp_path):
    pixels = np.zeros((4, 6), np.uint8)
    pixels[0] = 255
    values = field(saved(tmp_path, pixels), (4, 6), low=-2.0, high=3.0)
    assert (values[3] == 3.0).all()
    assert (values[:3] == -2.0).all()


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "P", "L"])
def test_kinds_of_pictures_agree(tmp_path, mode):
    pixels = (np.arange(48).reshape(6, 8) * 5).astype(np.uint8)
    values = field(saved(tmp_path, pixels, mode=mode), (6, 8))
    assert np.abs(values[::-1] - pixels / 255).max() <= 1.01 / 255  # a palette and a grey of three colours round


def test_sixteen_bits_are_read_in_full(tmp_path):
    pixels = np.arange(48, dtype=np.uint16).reshape(6, 8) * 1300
    assert np.abs(field(saved(tmp_path, pixels), (6, 8))[::-1] - pixels / 65535).max() <= 1e-6


def test_many_pixels_in_a_cell_are_averaged(tmp_path):
    pixels = np.random.default_rng(1).integers(0, 256, (320, 320)).astype(np.uint8)
    values = field(saved(tmp_path, pixels), (4, 4))
    assert np.abs(values - 0.5).max() < 0.05  # the mean of 6400 noisy pixels; a single one scatters by 0.29


def test_a_picture_of_another_shape_is_fitted_or_stretched(tmp_path):
    path = saved(tmp_path, np.full((10, 20), 255, np.uint8))
    fitted = field(path, (8, 8), low=-1.0)
    assert (fitted[2:6] == 1.0).all()
    assert (fitted[[0, 1, 6, 7]] == -1.0).all()
    assert (field(path, (8, 8), fitting="stretch") == 1.0).all()
    assert (field(path, (8, 8), spacing=(2.0, 1.0)) == 1.0).all()  # cells twice as wide as high: it fits as it is


def test_in_three_dimensions_each_layer_is_the_picture(tmp_path):
    pixels = np.random.default_rng(2).integers(0, 256, (5, 6)).astype(np.uint8)
    path = saved(tmp_path, pixels)
    assert (field(path, (3, 5, 6)) == field(path, (5, 6))).all()


def test_what_is_no_picture_gets_a_sentence(tmp_path, monkeypatch):
    with pytest.raises(ProblemError, match="is not there"):
        field(str(tmp_path / "none.png"), (4, 4))
    text = tmp_path / "text.png"
    text.write_text("no picture")
    with pytest.raises(ProblemError, match="not a picture that can be read"):
        field(str(text), (4, 4))
    whole = tmp_path / "whole.png"
    Image.fromarray(np.random.default_rng(3).integers(0, 256, (64, 64)).astype(np.uint8)).save(whole)
    half = tmp_path / "half.png"
    half.write_bytes(whole.read_bytes()[:2000])
    with pytest.raises(ProblemError, match="not a picture that can be read"):
        field(str(half), (4, 4))
    monkeypatch.setattr("engines.geometry.pictures.MOST_PIXELS", 1000)
    large = tmp_path / "large.png"
    Image.fromarray(np.zeros((40, 40), np.uint8)).save(large)
    with pytest.raises(ProblemError, match="40 × 40 pixels"):
        field(str(large), (4, 4))


def test_a_material_must_conduct_everywhere(tmp_path):
    path = saved(tmp_path, (np.arange(16).reshape(4, 4) * 16).astype(np.uint8))
    grid = Grid((4, 4), (1.0, 1.0))
    assert relative_conductivity(Picture(picture=path, low=0.1, high=2.0), grid).min() == np.float32(0.1)
    for low in (0.0, -1.0):
        with pytest.raises(ProblemError, match="both greater than 0, 1e-06 for what insulates") as error:
            relative_conductivity(Picture(picture=path, low=low), grid)
        assert error.value.place == ("equation", "conductivity", "low")
        mended = {place[-1]: value for place, value in error.value.remedy.changes.items()}
        assert relative_conductivity(Picture(picture=path, **mended), grid).min() == np.float32(1e-6)


@pytest.mark.parametrize("suffix", ["jpg", "png"])
@pytest.mark.parametrize("turns", range(1, 9))
def test_a_picture_is_upright_as_its_camera_says(tmp_path, suffix, turns):
    """Orientation 1 to 8 of EXIF: what is stored is turned or mirrored, and viewers show it upright."""
    upright = np.zeros((16, 24), np.uint8)
    upright[:8, :8] = 255  # white in the corner above on the left
    stored = Image.fromarray(upright)
    undo = {2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}  # the transpositions of Pillow that lead there
    if turns > 1:
        stored = stored.transpose(Image.Transpose(undo[turns]))
    exif = stored.getexif()
    exif[0x112] = turns
    path = tmp_path / f"camera.{suffix}"
    stored.save(path, exif=exif)
    seen = pictures.brightness_of(path)
    assert seen.shape == upright.shape
    assert np.abs(seen - upright / 255).max() < 0.02


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_what_is_transparent_is_black_whatever_hides_in_it(tmp_path, mode):
    grey = np.full((4, 4), 200, np.uint8)
    shown = np.tile(np.array([0, 0, 255, 255], np.uint8), (4, 1))
    if mode == "P":
        image, extra = Image.fromarray(np.where(shown > 0, 1, 0).astype(np.uint8), "P"), {"transparency": 0}
        image.putpalette([255, 255, 255, 200, 200, 200])
    else:
        image, extra = Image.fromarray(np.dstack([grey] * (3 if mode == "RGBA" else 1) + [shown])), {}
    path = tmp_path / "transparent.png"
    image.save(path, **extra)
    assert pictures.brightness_of(path) == pytest.approx(np.where(shown > 0, 200 / 255, 0.0), abs=1e-6)
