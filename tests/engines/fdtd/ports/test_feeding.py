"""Curves that are no S-parameters say so before the run."""

from engines.fdtd.parameters import FdtdParameters
from engines.fdtd.ports.feeding import feeding_findings


def told(amplitudes, sources=()):
    ports = [{"amplitude": amplitude} for amplitude in amplitudes]
    parameters = FdtdParameters.model_validate({"ports": ports, "sources": list(sources), "monitors": []})
    return list(feeding_findings(parameters))


def test_several_ports_that_are_fed_are_told_with_the_way_to_one():
    (found,) = told([0.0, 1.0, 2.0, 0.5])
    assert found.message.startswith("Port 2 is fed, and 3 and 4 too")
    assert found.remedy.changes == {("ports", 2, "amplitude"): 0.0, ("ports", 3, "amplitude"): 0.0}
    assert told([1.0, 1.0])[0].message.startswith("Port 1 is fed, and 2 too")


def test_sources_beside_a_port_that_is_fed_are_told():
    (found,) = told([1.0, 0.0], [{"kind": "dipole"}])
    assert found.place == ("ports", 0, "amplitude")


def test_one_port_alone_and_ports_that_only_listen_are_not_told():
    assert not told([0.0, 1.0])
    assert not told([0.0, 0.0], [{"kind": "dipole"}])
    assert not told([])
