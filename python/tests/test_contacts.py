"""Machines that hit stops: simulated, fitted, kept, exported."""

import copy
import pickle

import mechfit as mf
import numpy as np
import pytest


@pytest.fixture(scope="module")
def stopped():
    log = mf.simulate(
        "pendulum", runs=12, steps=200, step=0.01, substeps=5, noise=0.001, q0=(-0.5, 0.3), v0=(-4.0, 4.0), seed=2,
        stops={"q1": (-0.6, 0.4)}, restitution=0.5,
    )
    return mf.fit(log, family="pendulum", quick=True, contacts="stops")


def test_a_simulated_log_is_that_of_the_command_line(run, tmp_path):
    options = ["--runs", 3, "--steps", 50, "--step", 0.02, "--restitution", 0.7, "--seed", 4]
    run("app", "simulate", "double-pendulum", "-o", "a.csv", "--stops", "q2=:0.2", "--floor", -1.8, *options)
    log = mf.simulate("double-pendulum", stops={"q2": (None, 0.2)}, floor=-1.8, runs=3, steps=50, step=0.02,
                      restitution=0.7, seed=4)
    log.save(tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


@pytest.mark.parametrize(
    "options, message",
    [
        ({"stops": {"q9": (0, 1)}}, "option 'stops': joint \"q9\", expected one of q1"),
        ({"stops": {"q1": (1, 0)}}, "option 'stops': joint \"q1\" has no room"),
        ({"stops": {"q1": (None, None)}}, "neither a lower nor an upper"),
        ({"stops": {"q1": 0.5}}, "stops: expected a dict as in"),
        ({"stops": [1, 2]}, "stops: expected a dict as in"),
        ({"restitution": 1.5}, "restitution"),
    ],
)
def test_wrong_contacts_are_value_errors(options, message):
    with pytest.raises(ValueError, match=message):
        mf.simulate("pendulum", runs=1, steps=5, **options)


def test_a_fit_finds_stops_which_copies_and_files_keep(stopped, tmp_path):
    assert {c.name: c.joint for c in stopped.contacts} == {"upper stop of q1": "q1", "lower stop of q1": "q1"}
    for contact in stopped.contacts:
        assert contact.position == pytest.approx(0.4 if contact.shape == "upper stop" else -0.6, abs=0.005)
        assert contact.restitution == pytest.approx(0.5, abs=0.05)
        assert contact.position_error > 0 and contact.unit == "rad"
        assert contact.name in str(stopped)
    stopped.save(tmp_path / "m.safetensors")
    for other in (mf.load(tmp_path / "m.safetensors"), pickle.loads(pickle.dumps(stopped)), copy.deepcopy(stopped)):
        assert other.contacts == stopped.contacts
    assert mf.system("pendulum").contacts == []


def test_simulate_bounces(stopped):
    t = np.arange(0, 3, 0.01)
    high = max(c.position for c in stopped.contacts)
    for integrator in ("variational", "rk4"):
        q, v = stopped.simulate([0.0], [3.0], t, integrator=integrator)
        assert q.max() <= high + 1e-9
        assert (np.diff(np.sign(v[:, 0])) != 0).any()
    free = mf.system("pendulum").simulate([0.0], [3.0], t)[0]
    assert free.max() > high + 0.1


def test_exported_files_say_what_the_machine_hits(stopped, tmp_path):
    stopped.export(tmp_path / "m.h")
    text = (tmp_path / "m.h").read_text()
    assert "upper stop of q1" in text and "#define m_CONTACTS 2" in text
