"""Contact that goes on from a state: bit for bit on the same backend, to rounding on another, older states too."""

import numpy as np
import pytest

from tests.engines.peridynamics.contact.scenes import ENGINE, FREE, PLATE, SCENES, ball, problem


def test_a_restored_run_goes_on_bit_for_bit(device):
    scene = problem(**SCENES["plate"])
    run = ENGINE.build(scene, device)
    run.advance(27)
    run.observe()
    state = {name: np.array(values) for name, values in run.state().items()}
    again = ENGINE.build(scene, device)
    again.restore(state)
    assert run.observe() == again.observe()
    for one in (run, again):
        one.advance(8)
    assert (run.field("velocity") == again.field("velocity")).all()
    assert run.observe() == again.observe()
    assert set(run.observe()) == {info.name for info in run.series}


def test_an_older_checkpoint_goes_on(device):
    """It has velocities with what contact adds in the coming step, and that of penetrators in their list. fp64:
    rounding of 8 steps."""
    scene = problem(**SCENES["plate"])
    run = ENGINE.build(scene, device)
    run.advance(27)
    state = {name: np.array(values) for name, values in run.state().items()}
    run._solver.pushes.fill(0)
    run._contact.particles.push_again()
    of_particles = device.to_host(run._solver.pushes)
    pushes = state.pop("pushes")
    listed = state["penetrators.list"]
    older = {**state, "v": state["v"] + pushes, "penetrators.kick": (pushes - of_particles)[:, listed]}
    again, kept = ENGINE.build(scene, device), ENGINE.build(scene, device)
    kept.restore({**state, "pushes": pushes})
    again.restore(older)
    assert np.abs(device.to_host(again._solver.pushes) - pushes).max() <= 1e-12 * np.abs(pushes).max() > 0
    for one in (kept, again):
        one.advance(8)
    velocity = kept.field("velocity")
    assert np.abs(again.field("velocity") - velocity).max() <= 1e-11 * velocity.max()


@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("steps", [0, 5])
def test_a_run_goes_on_where_nothing_is_in_reach_yet(device, steps, friction):
    """The list is made at the same steps, so that all later ones are equal too."""
    pulled = [{"kind": "stress", "side": "left", "stress": (-1, 0, 0)}]
    scene = problem(body=PLATE, loads=pulled, penetrators=[{**ball((5, 30, 0), 4, FREE), "friction": friction}])
    run, again = (ENGINE.build(scene, device) for _ in range(2))
    run.advance(steps)
    again.restore({name: np.array(values) for name, values in run.state().items()})
    for one in (run, again):
        one.advance(4)
    for step in range(2):
        kept, other = run.state(), again.state()
        assert all((np.asarray(kept[name]) == other[name]).all() for name in kept), step
        assert not len(kept["penetrators.list"])
        assert kept["penetrators.fastest"] > 0
        for one in (run, again):
            one.advance(16)


def test_a_run_goes_on_on_another_device(cpu, on_host):
    """fp64: rounding of 20 steps, as against the reference."""
    scene = problem(**SCENES["plate"])
    runs = {device: ENGINE.build(scene, device) for device in (cpu, on_host)}
    for first, second in ((cpu, on_host), (on_host, cpu)):
        run, again = runs[first], runs[second]
        run.advance(27)
        again.restore({name: np.array(values) for name, values in run.state().items()})
        for one in (run, again):
            one.advance(20)
        velocity = run.field("velocity")
        assert np.abs(again.field("velocity") - velocity).max() <= 1e-11 * velocity.max()


@pytest.mark.parametrize(
    ("name", "forged"),
    [
        ("particles.members", lambda values: np.full_like(values, 2**30)),
        ("particles.members", lambda values: np.full_like(values, -1)),
        ("particles.members", lambda values: values.astype(float)),
        ("particles.numbers", lambda values: np.full_like(values, 1000)),
        ("particles.neighbours", lambda values: np.full_like(values, 2**30)),
        ("particles.news", lambda values: values + 1),
        ("particles.news", lambda values: values[:2]),
        ("particles.news", lambda values: values.astype(np.int8)),
        ("penetrators.list", lambda values: np.full_like(values, 2**30)),
        ("penetrators.states", lambda values: values[:, :1]),
        ("pushes", lambda values: values[:, :1]),
        ("u", lambda values: values.astype(np.int8)),
    ],
)
def test_a_forged_checkpoint_is_refused_before_a_kernel_sees_it(device, name, forged):
    """Indices point to what kernels read and write: some of these ended the process."""
    scene = problem(**SCENES["plate"])
    run = ENGINE.build(scene, device)
    run.advance(27)
    state = {key: np.array(values) for key, values in run.state().items()}
    assert state["particles.members"].size
    assert state["penetrators.list"].size
    with pytest.raises(ValueError, match=r"indices|contact of|penetrators of|pushes of|u of"):
        run.restore({**state, name: forged(state[name])})
    run.restore(state)
    run.advance(2)


def test_an_older_checkpoint_of_several_that_rub_goes_on(device):
    """It has what all of them rub together, which is none's own: they begin without."""
    scene = problem(**SCENES["plate"])
    run, again = (ENGINE.build(scene, device) for _ in range(2))
    run.advance(27)
    state = {name: np.array(values) for name, values in run.state().items()}
    rubbed = state["penetrators.rub"]
    assert len(rubbed) == 3 * 2
    assert rubbed.any()
    again.restore({**state, "penetrators.rub": rubbed.reshape(3, 2, -1).sum(axis=0)})
    assert not again.state()["penetrators.rub"].any()
    again.advance(8)
    assert np.isfinite(again.field("velocity")).all()
