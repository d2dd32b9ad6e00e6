"""Pictures of particles: the colours of known spheres, and of known radii in those that are cut open."""

from __future__ import annotations

import time as clock
from dataclasses import replace

import numpy as np
import pytest

from engines.geometry.particles import Particles
from tests.ui.scene.spheres import ARRIVAL, INSIDE, SHELLS, SURFACE, Soak, SoakServices, info, ten, touching
from tests.ui.scene.test_renderer import canvas, egl  # noqa: F401  (fixtures)
from ui.scene import renderer
from ui.scene.colormaps import MISSING, colormap
from ui.scene.layers.layer import Plan
from ui.scene.layers.particles import VALUES, ParticleLayer
from ui.scene.painter import Painter
from ui.scene.scene import Scene
from ui.scene.shapes.sphere_corner import CORNER
from ui.scene.visuals.screen import Target
from ui.scene.visuals.spheres import SphereVisual
from ui.scene.visuals.surface import Palette
from workbench.cli.runs.pictures import Pictures
from workbench.project.project import CameraView, ClipPlane, ViewSettings

# Written out: what the sources have is held against these.
LEVELS = (1.0, 0.85, 0.75, 0.65, 0.55)

SIZE = (600, 500)
ONE = Particles(np.array([[3.0, -2.0, 1.0]]), np.array([5.0]))


def drawn(particles: Particles, values, field=INSIDE, lit=0.0, **view):
    """The 3D part alone, black where nothing is: (h, w, 3) int, and the scene."""
    from vispy import gloo

    scene = Scene()
    scene.set_geometry(particles)
    scene.info = info(particles, field)
    scene.apply_view(ViewSettings(field=field.name, **view), SIZE[0] / SIZE[1])
    if values is not None:
        scene.show_fields({field.name: np.asarray(values, np.float32)}, 1.0)
    target = Target()
    target.begin(*SIZE)
    gloo.set_clear_color((0, 0, 0, 0))
    gloo.clear(color=True, depth=True)
    look = replace(scene.look(), lit=lit)
    scene.layer.draw(look, scene.camera.view(), scene.camera.projection(SIZE[0] / SIZE[1]), Palette())
    target.end()
    image = np.array(target.read()).astype(int)
    scene.layer.release()
    target.release()
    return image[..., :3], scene


def colours_at(image, scene, positions):
    pixels, _ = scene.camera.to_pixels(np.atleast_2d(positions), *SIZE)
    column, row = np.floor(pixels).astype(int).T
    return image[row, column]


def expected(values, field=INSIDE):
    low, high = field.range
    place = np.clip((np.asarray(values) - low) / (high - low), 0, 1)
    return colormap(field.colormap, dark=True)[np.rint(255 * place).astype(int)].astype(int)


def on_cut(scene, centre, radius, face, turn):
    """A place on one of the three cut faces, ``turn`` (radians, 0 to a right angle) from one of its edges."""
    first, second = (CORNER[k] for k in range(3) if k != face)
    return centre + radius * (np.cos(turn) * first + np.sin(turn) * second) @ scene.camera.view()[:3, :3]


@pytest.mark.usefixtures("canvas")
class TestPictures:
    def test_each_sphere_has_its_colour_to_the_edge(self) -> None:
        particles = ten()
        values = np.linspace(0.05, 0.95, 10)
        image, scene = drawn(particles, values, SURFACE)
        for sideways in (0.0, 0.95, -0.95):
            across = scene.camera.axes[0] * sideways
            found = colours_at(image, scene, particles.positions + particles.radii[:, None] * across)
            # The LUT is linear between its 256 entries, and colours are squared and rooted: as for surfaces.
            assert np.abs(found - expected(values, SURFACE)).max() <= 4
        beyond = particles.positions + 1.06 * particles.radii[:, None] * scene.camera.axes[0]
        assert colours_at(image, scene, beyond).max() == 0

    @pytest.mark.parametrize("camera", [CameraView(), CameraView(azimuth=-130, elevation=-35)])
    @pytest.mark.parametrize("face", [0, 1, 2])
    def test_a_cut_face_shows_the_profile_of_its_sphere(self, face, camera) -> None:
        # Four bands of five shells of one value: even between the middles of their first and last shell.
        bands = np.array([0.1, 0.4, 0.65, 0.9])
        image, scene = drawn(ONE, np.repeat(bands, 5)[None], camera=camera)
        for turn in np.deg2rad([15, 45, 75]):
            places = [on_cut(scene, ONE.positions[0], 5.0 * (k + 0.5) / 4, face, turn) for k in range(4)]
            assert np.abs(colours_at(image, scene, np.array(places)) - expected(bands)).max() <= 4
        # The surface has the value of the outermost shell.
        beside = ONE.positions[0] - 4.6 * scene.camera.axes[0]
        assert np.abs(colours_at(image, scene, beside) - expected(0.9)).max() <= 4

    def test_between_the_middles_of_shells_values_are_linear(self) -> None:
        radii = (np.arange(SHELLS) + 0.5) / SHELLS
        image, scene = drawn(ONE, radii[None])
        for share in np.arange(0.05, 0.96, 0.02):
            place = on_cut(scene, ONE.positions[0], 5.0 * share, 1, 0.7)
            # The pixel's middle is up to 0.71 pixels away; a radius is 233 pixels and this face is seen under 60°, so
            # that is 0.006 of the range or 1.6 entries of the LUT, of at most 2 each.
            assert np.abs(colours_at(image, scene, place) - expected(share)).max() <= 4 + 3.2

    def test_a_whole_sphere_where_it_is_not_to_be_cut_or_has_one_value(self) -> None:
        profile = np.linspace(0, 0.9, SHELLS)[None]
        open_, scene = drawn(ONE, profile)
        closed, _ = drawn(ONE, profile, cut_open=False)
        place = on_cut(scene, ONE.positions[0], 2.0, 0, 0.7)
        assert np.abs(colours_at(closed, scene, place) - expected(0.9)).max() <= 4
        assert np.abs(colours_at(open_, scene, place) - expected(0.9)).max() > 50
        assert len(np.unique(closed.reshape(-1, 3), axis=0)) == 2  # the sphere and the background

    def test_without_values_spheres_are_plain_and_whole(self) -> None:
        image, _ = drawn(ONE, None)
        assert len(np.unique(image.reshape(-1, 3), axis=0)) == 2

    def test_missing_shells_are_grey_and_their_neighbours_untouched(self) -> None:
        values = np.full((1, SHELLS), 6.0)
        values[0, :10] = -1.0
        image, scene = drawn(ONE, values, ARRIVAL)
        places = [on_cut(scene, ONE.positions[0], 5.0 * share, 0, 0.7) for share in (0.2, 0.4, 0.6, 0.8)]
        found = colours_at(image, scene, np.array(places))
        assert np.abs(found[:2] - np.array(MISSING)).max() <= 1
        assert np.abs(found[2:] - expected(6.0, ARRIVAL)).max() <= 4

    @pytest.mark.parametrize("close", [False, True])
    @pytest.mark.parametrize("is_open", [False, True])
    def test_every_pixel_of_touching_spheres_is_of_the_one_that_its_ray_meets(self, is_open, close) -> None:
        particles = touching(60)
        number = np.random.default_rng(5).permutation(60) / 60
        camera = CameraView(azimuth=40, elevation=25)
        if close:  # strong perspective: the eye is half a radius away from the nearest sphere
            camera = camera.model_copy(update={"distance": float(particles.bounds[1].max()) + 2.0})
        image, scene = drawn(particles, np.tile(number[:, None], SHELLS), cut_open=is_open, camera=camera)
        wrong, seen = 0, 0
        for y in range(3, SIZE[1], 9):
            for x in range(3, SIZE[0], 9):
                hit = scene.pick(x + 0.5, y + 0.5, *SIZE)
                colour = np.zeros(3) if hit is None else expected(number[hit[0]])
                wrong += np.abs(image[y, x] - colour).max() > 4
                seen += hit is not None
        assert seen > 400
        # float32 on the card: a pixel whose middle is on an outline may fall to either side.
        assert wrong <= 2

    def test_the_clipping_plane_leaves_the_spheres_before_it(self) -> None:
        particles = Particles(np.array([[-6.0, 0, 0], [6.0, 0, 0]]), np.full(2, 5.0))
        clip = ClipPlane(origin=(0.0, 0.0, 0.0), normal=(1.0, 0.0, 0.0))
        image, scene = drawn(particles, np.full(2, 0.5), SURFACE, clip=clip)
        left, right = colours_at(image, scene, particles.positions)
        assert np.abs(left - expected(0.5, SURFACE)).max() <= 4
        assert right.max() == 0

    def test_spheres_in_several_rows_of_the_texture_keep_their_values(self) -> None:
        n = 450  # 204 spheres of 20 shells in a row of 4096
        places = np.stack([np.arange(n) % 25, np.arange(n) // 25, np.zeros(n)], axis=1).astype(float)
        particles = Particles(places, np.full(n, 0.45))
        values = np.random.default_rng(0).random(n)
        image, scene = drawn(particles, np.tile(values[:, None], SHELLS))
        assert np.abs(colours_at(image, scene, places) - expected(values)).max() <= 4

    def test_light_comes_from_above_as_on_surfaces(self) -> None:
        image, scene = drawn(ONE, [0.5], SURFACE, lit=1.0)
        _, up, back = scene.camera.axes
        places = [ONE.positions[0] + 5.0 * (s * 0.6 * up + 0.8 * back) for s in (1, -1)]
        above, below = colours_at(image, scene, np.array(places))[:, 0] / 255
        # Normals (0, ±0.6, 0.8) in light.glsl (red): sky 0.496 or 0.424, lamp 0.3 * 0.8, key 0.46 * 0.937 or
        # 0.46 * 0.420 (that is ±0.6 * 0.431 + 0.8 * 0.848). The square undoes the root.
        # Within 5 %: the pixel's middle, 8 bits, and the pale rim, which is below 0.2⁴ / 10.
        assert (above / below) ** 2 == pytest.approx((0.496 + 0.24 + 0.431) / (0.424 + 0.24 + 0.193), rel=0.05)


def test_a_picked_place_is_on_the_cut_that_is_drawn(canvas) -> None:  # noqa: F811
    _, scene = drawn(ONE, np.linspace(0, 1, SHELLS)[None])
    place = on_cut(scene, ONE.positions[0], 3.0, 2, 0.6)
    (at,), _ = scene.camera.to_pixels(place[None], *SIZE)
    element, position = scene.pick(*at, *SIZE)
    assert element == 0
    assert position == pytest.approx(place, abs=1e-6)
    assert ONE.nearest(np.array(position))[0] == 0


@pytest.mark.keeps_time
def test_a_new_moment_of_ten_thousand_spheres_costs_little(canvas) -> None:  # noqa: F811
    n, choose = 10_000, np.random.default_rng(0)
    particles = Particles(choose.random((n, 3)), np.full(n, 0.001))
    layer, visual = ParticleLayer(particles), SphereVisual(Palette())
    layer.adopt(layer.plan_shape(Plan(INSIDE)))
    visual.set_spheres(particles.positions, particles.radii)
    values, took = choose.random((n, SHELLS)).astype(np.float32), []
    for _ in range(9):
        started = clock.thread_time()
        layer.set_values({VALUES: values}, 1.0)
        visual.set_values(layer._values, layer._masked)
        canvas.context.flush_commands()
        took.append(clock.thread_time() - started)
    # Measured 0.5 ms on one core with llvmpipe, whose texture is a copy in main memory.
    assert np.median(took) < 0.003
    visual.release()


@pytest.mark.keeps_time
def test_two_thousand_spheres_are_drawn_in_time(canvas) -> None:  # noqa: F811
    particles, painter, scene = touching(2000), Painter(), Scene()
    scene.set_geometry(particles)
    scene.info = info(particles, INSIDE)
    scene.apply_view(ViewSettings(), 900 / 700)
    scene.show_fields({"inside": np.random.default_rng(0).random((2000, SHELLS), np.float32)}, 1.0)
    took = []
    for _ in range(12):
        scene.camera.rotate(3, 1)
        started = clock.perf_counter()
        painter.draw_scene(scene, 900, 700, 1.0, LEVELS[2], gloss=False)  # where a software renderer begins
        painter.read_scene()
        took.append(clock.perf_counter() - started)
    # Measured 26 to 43 ms with llvmpipe on two cores that seven others shared; the best shows what it costs.
    assert min(took) < 0.060
    painter.release()


@pytest.mark.usefixtures("egl")
def test_a_run_without_a_window_draws_its_particles(tmp_path) -> None:
    particles = ten()
    soak, document = Soak(particles), SoakServices(particles).document()
    pictures = Pictures(tmp_path, document, 1, 0.5)
    pictures.begin(soak, info(particles))
    soak.advance(5)
    pictures.observe(soak)
    pictures.draw()
    assert pictures.trouble == ""
    assert [path.name for path in pictures.drawn] == ["picture_000000005.png"]
    assert pictures.drawn[0].stat().st_size > 20_000


@pytest.mark.usefixtures("egl")
def test_a_headless_picture_of_no_sphere_at_all_is_a_picture() -> None:
    clip = ClipPlane(origin=(-100.0, 0.0, 0.0), normal=(1.0, 0.0, 0.0))
    values = {"surface": np.zeros(10, np.float32)}
    picture = renderer.render(ten(), info(ten(), SURFACE), values, 1.0, ViewSettings(clip=clip), size=(160, 120))
    assert picture.shape == (120, 160, 4)
