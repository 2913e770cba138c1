"""Fits: options, errors, interruption, results."""

import inspect
import subprocess
import sys
import textwrap
import threading

import mechfit as mf
import numpy as np
import pytest


def test_constants_have_errors_and_the_verdict_is_in_words(model):
    length = model.constants["l"]
    assert abs(length.value - 0.5) < 5 * length.error < 0.1 and length.unit == "m" and not length.given
    assert model.verdict.grade == "good" and model.verdict.words in str(model.verdict).lower()
    assert model.scores["verdict"]["grade"] == "good" and model.scores["samples"] > 0
    assert "cart" in repr(model) and model._repr_html_().startswith("<pre>")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"family": "robot"}, "robot"),
        ({"method": "magic"}, "method: 'magic', expected one of joint, del"),
        ({"degree": 9}, "degree: 9, expected a number from 1 to 8"),
        ({"epochs": 1.5}, "epochs: 1.5 is not a whole number"),
        ({"quick": 1}, "quick: 1, expected True or False"),
        ({"learning_rate": 0}, "learning_rate: 0, expected a number above 0"),
        ({"fix": "g=9.81"}, "fix: expected a dict"),
        ({"smoothed": True}, "option 'method'"),
        ({"input_joints": ["nothing"], "family": "trig"}, "nothing"),
    ],
)
def test_wrong_options_are_value_errors(log, options, message):
    with pytest.raises(ValueError, match=message):
        mf.fit(log, **options)


def test_unknown_options_are_type_errors(log):
    with pytest.raises(TypeError, match="unknown option 'colour'"):
        mf.fit(log, colour="red")


def test_a_fit_that_finds_no_model_raises_fit_error(log):
    with pytest.raises(mf.FitError, match="no model was found that explains the held-out runs"):
        mf.fit(log, family="smm", method="acceleration", hidden=[8], epochs=2, learning_rate=1e300)


def test_every_option_is_in_signature_and_help():
    parameters = inspect.signature(mf.fit).parameters
    assert {"family", "learning_rate", "threads", "validation"} <= set(parameters)
    assert parameters["family"].default == "auto" and parameters["degree"].default is None
    assert "learning_rate" in mf.fit.__doc__ and "joints" in mf.read.__doc__


def test_progress_is_told_and_its_errors_are_raised(log):
    seen = []
    mf.fit(log, family="cart-pole", quick=True, progress=lambda fraction, *rest: seen.append(fraction))
    assert seen and all(0 < x <= 1 for x in seen)

    def fail(*_):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        mf.fit(log, family="cart-pole", quick=True, progress=fail)


def test_other_threads_run_while_a_fit_does(log):
    turns = []
    stop = threading.Event()

    def count():
        while not stop.wait(0.001):
            turns.append(1)

    other = threading.Thread(target=count)
    other.start()
    mf.fit(log, family="trig", degree=1, quick=True)
    stop.set()
    other.join()
    assert len(turns) > 10


def test_ctrl_c_keeps_the_best_model_so_far(tmp_path):
    program = textwrap.dedent(
        """
        import os, signal, sys, warnings
        import mechfit as mf
        log = mf.simulate("pendulum", runs=4, steps=100, noise=0.01)
        def progress(fraction, what, step, *rest):
            if step == 20:
                os.kill(os.getpid(), signal.SIGINT)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            model = mf.fit(log, family="smm", method="del", epochs=100000, hidden=[8], progress=progress)
        print(model.interrupted, len(told), model.verdict.grade)
        """
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("True 1 ")


def test_the_progress_line_is_drawn_where_it_is_asked_for(log, capsys):
    mf.fit(log, family="cart-pole", quick=True, progress=True)
    drawn = capsys.readouterr().err
    assert "fitting [" in drawn and drawn.endswith("\r")
    mf.fit(log, family="cart-pole", quick=True)
    assert capsys.readouterr().err == ""  # no terminal


def test_simulate_follows_shapes_and_names_what_is_wrong(model):
    t = np.arange(51) * 0.02
    u = np.random.default_rng(1).normal(size=(3, 1, 50, 1))
    q, v = model.simulate(np.zeros((4, 2)), [0, 0], t, u, integrator="rk4")
    assert q.shape == v.shape == (3, 4, 51, 2)
    single, _ = model.simulate([0, 0], [0, 0], t, u[2, 0], integrator="rk4")
    np.testing.assert_array_equal(q[2, 3], single)
    for wrong, message in (
        ({"t": t[::-1]}, r"t\[1\] is not above"),
        ({"t": t[:1]}, "fewer than 2 samples"),
        ({"u": u[0, 0, :7]}, "u has 7 rows, expected 51"),
        ({"integrator": "euler"}, "integrator: 'euler', expected one of variational, rk4"),
    ):
        with pytest.raises(ValueError, match=message):
            model.simulate([0, 0], [0, 0], **{"t": t, **wrong})


def test_the_report_and_figures_are_made(model, log, tmp_path):
    path = model.report(tmp_path / "report.html")
    assert "<html" in (tmp_path / "report.html").read_text()[:500]
    with pytest.raises(ValueError, match="exists"):
        model.report(path)
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    figure = model.plot()
    assert len(figure.axes) == 4
    figure.savefig(tmp_path / "figure.png")


def test_terms_of_friction_are_chosen_by_name(log):
    model = mf.fit(log, family="trig", degree=1, friction="viscous", quick=True, progress=False)
    assert not any("Coulomb" in name for name in model.constants)
    with pytest.raises(ValueError, match="friction 'glue'"):
        mf.fit(log, friction="glue", progress=False)


def test_a_loaded_model_has_scores_but_no_runs(model, tmp_path):
    model.save(tmp_path / "m.safetensors")
    loaded = mf.load(tmp_path / "m.safetensors")
    assert loaded == model and loaded.scores == model.scores and loaded.held_out() is None
    with pytest.raises(ValueError, match="held out"):
        loaded.report(tmp_path / "r.html")
    with pytest.raises(ValueError, match="needs a log"):
        loaded.plot()
    with pytest.raises(ValueError, match="m.safetensors"):
        loaded.save(tmp_path / "m.safetensors")
    (tmp_path / "broken.safetensors").write_bytes((tmp_path / "m.safetensors").read_bytes()[:-9])
    with pytest.raises(ValueError, match="broken.safetensors"):
        mf.load(tmp_path / "broken.safetensors")
