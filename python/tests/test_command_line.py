"""Python and the command line do the same."""

import json

import mechfit as mf
import numpy as np
import pytest

from conftest import SOURCE


def same_log(a, b):
    assert len(a) == len(b)
    for x, y in zip(a, b):
        for name in ("t", "q", "u", "qd", "qdd", "q_sd", "qd_sd", "qdd_sd"):
            one, other = getattr(x, name), getattr(y, name)
            assert (one is None) == (other is None), name
            if one is not None:
                np.testing.assert_array_equal(one, other, err_msg=name)


@pytest.mark.parametrize(
    "keywords, flags",
    [
        ({"family": "cart-pole", "fix": {"g": 9.81}, "quick": True}, "--family cart-pole --fix g=9.81 --quick"),
        ({"family": "trig", "degree": 1, "seed": 2, "threads": 1}, "--family trig --degree 1 --seed 2"),
        (
            {"family": "smm", "method": "next-state", "epochs": 2, "hidden": [8, 8], "batch": 64},
            "--family smm --method next-state --epochs 2 --hidden 8,8 --batch 64",
        ),
    ],
)
def test_a_fit_gives_the_same_bytes(log, tmp_path, run, keywords, flags):
    log.save(tmp_path / "log.csv")
    run("app", "fit", "log.csv", "--joints", "plain,periodic", *flags.split(), "-o", "cli.safetensors")
    model = mf.fit(mf.read(tmp_path / "log.csv", joints="plain,periodic"), **keywords)
    model.save(tmp_path / "python.safetensors")
    assert (tmp_path / "python.safetensors").read_bytes() == (tmp_path / "cli.safetensors").read_bytes()


def test_validation_runs_are_taken_as_the_command_line_takes_them(log, tmp_path, run):
    log.save(tmp_path / "log.csv")
    mf.simulate("cart-pole", runs=2, steps=150, step=0.02, noise=0.002, input="sines", seed=9).save(tmp_path / "v.csv")
    run("app", "fit", "log.csv", "--validation", "v.csv", "--family", "cart-pole", "-o", "m.safetensors")
    model = mf.fit(mf.read(tmp_path / "log.csv"), validation=mf.read(tmp_path / "v.csv"), family="cart-pole")
    assert model == mf.load(tmp_path / "m.safetensors")


def test_robots_are_taken_as_the_command_line_takes_them(tmp_path, run):
    mf.simulate("double-pendulum", runs=4, steps=80, step=0.02, noise=0.002).save(tmp_path / "log.csv")
    # Two links in a vertical plane; angles of the built-in system are absolute, so this robot is not quite that machine.
    (tmp_path / "robot.toml").write_text("gravity = [0, -9.81, 0]\n[[joint]]\n[[joint]]\na = 1.0\n")
    words = "--robot robot.toml --family arm --quick --epochs 5".split()
    run("app", "fit", "log.csv", *words, "-o", "m.safetensors")
    log = mf.read(tmp_path / "log.csv")
    model = mf.fit(log, robot=tmp_path / "robot.toml", family="arm", quick=True, epochs=5)
    assert model == mf.load(tmp_path / "m.safetensors") and model.family == "arm"
    with pytest.raises(ValueError, match="give robot too"):
        mf.fit(log, robot_joints=["a"])


def test_simulated_logs_are_the_same(tmp_path, run):
    flags = "--runs 2 --steps 40 --noise 0.01 --seed 5 --q0=-0.5:0.5 --set m=2 --integrator rk4"
    run("app", "simulate", "pendulum", *flags.split(), "-o", "log.csv", "--truth", "truth.csv")
    log = mf.simulate(
        "pendulum", runs=2, steps=40, noise=0.01, seed=5, q0=(-0.5, 0.5), set={"m": 2}, integrator="rk4"
    )
    same_log(mf.read(tmp_path / "log.csv"), log)
    same_log(mf.read(tmp_path / "truth.csv"), log.truth)


def test_scores_are_the_same(model, tmp_path, run):
    other = mf.simulate("cart-pole", runs=2, steps=200, step=0.02, noise=0.002, input="sines", seed=8)
    other.save(tmp_path / "test.csv")
    model.save(tmp_path / "m.safetensors")
    words = "--horizons 0.1,0.5 --most-starts 20 --json".split()
    expected = json.loads(run("app", "evaluate", "m.safetensors", "test.csv", *words))
    scores = model.score(tmp_path / "test.csv", horizons=[0.1, 0.5], most_starts=20)
    assert dict(scores) == expected
    assert model.score(other, horizons=[0.1, 0.5], most_starts=20) == scores
    assert scores.verdict.grade in ("good", "usable", "unusable")


def test_smoothing_is_the_same(log, model, tmp_path, run):
    log.save(tmp_path / "log.csv")
    model.save(tmp_path / "m.safetensors")
    for extra, smoothed in (
        ([], mf.smooth(log)),
        (["--method", "paper"], mf.smooth(log, method="paper")),
        (["--model", "m.safetensors"], mf.smooth(log, model)),
    ):
        run("app", "smooth", "log.csv", *extra, "-o", "s.csv", "--overwrite")
        same_log(mf.read(tmp_path / "s.csv"), smoothed)


def test_simulations_are_the_same(model, tmp_path, run):
    model.save(tmp_path / "m.safetensors")
    t = np.arange(101) * 0.02
    for integrator in ("variational", "rk4"):
        words = f"--from 0.1,0.5,0,1 --horizon 2 --step 0.02 --integrator {integrator}".split()
        run("app", "rollout", "m.safetensors", *words, "-o", "r.csv", "--overwrite")
        expected = mf.read(tmp_path / "r.csv")[0]
        q, v, q_sd, v_sd = model.simulate([0.1, 0.5], [0, 1], t, integrator=integrator, std=True)
        for one, other in zip((q, v, q_sd, v_sd), (expected.q, expected.qd, expected.q_sd, expected.qd_sd)):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(model.acceleration(q, v)[0], model.acceleration(q[0], v[0]))


def test_simulations_let_inputs_act_as_the_model_remembers(log, tmp_path, run):
    timed = mf.fit(log, family="cart-pole", quick=True, input_hold="linear", input_delay=0.03)
    held = mf.fit(log, family="cart-pole", quick=True, input_hold="held", input_delay=0)
    timed.save(tmp_path / "m.safetensors")
    t = np.arange(101) * 0.02
    u = np.sin(3 * t)[:, None]
    np.savetxt(tmp_path / "u.csv", np.hstack([t[:, None], u]), "%.17g", ",", header="t,force", comments="")
    run("app", "rollout", "m.safetensors", "--from", "0.1,0.5,0,1", "--u", "u.csv", "--horizon", "2", "-o", "r.csv")
    expected = mf.read(tmp_path / "r.csv")[0]
    q, v = timed.simulate([0.1, 0.5], [0, 1], t, u)
    np.testing.assert_array_equal(q, expected.q)
    np.testing.assert_array_equal(v, expected.qd)
    # On other models the same input does something else.
    assert abs(held.simulate([0.1, 0.5], [0, 1], t, u)[0] - q).max() > 1e-3


def test_exported_headers_are_the_same(model, tmp_path, run):
    model.save(tmp_path / "m.safetensors")
    run("app", "export", "m.safetensors", "-o", "cart.h", "--precision", "float32")
    model.export(tmp_path / "python.h", name="cart", precision="float32")
    assert (tmp_path / "python.h").read_bytes() == (tmp_path / "cart.h").read_bytes()
    with pytest.raises(ValueError, match="exists"):
        model.export(tmp_path / "python.h")
    run("app", "export", "m.safetensors", "-o", "cart.c", "--for", "casadi")
    model.export(tmp_path / "python.c", target="casadi", name="cart")
    assert (tmp_path / "python.c").read_bytes() == (tmp_path / "cart.c").read_bytes()
    with pytest.raises(ValueError, match="ends in .h"):
        model.export(tmp_path / "model.txt")


def test_recordings_are_read_with_their_topic(tmp_path, run):
    folder = SOURCE / "tests" / "data" / "recordings"
    log = mf.read(folder / "chunks_lz4.mcap", topic="/joint_states")
    assert log.joints == ["shoulder", "elbow"] and log.inputs == ["/joint_states/elbow/effort"]
    same_log(log, mf.read(folder / "bag"))
    run("app", "inspect", folder / "two_arms.mcap", "--topic", "/left/joint_states")
    with pytest.raises(ValueError, match="choose with option 'topic'"):
        mf.read(folder / "two_arms.mcap")


def test_what_a_log_holds_is_said_in_the_same_words(log, tmp_path, run):
    log.save(tmp_path / "log.csv")
    said = str(mf.read(tmp_path / "log.csv"))
    assert run("app", "inspect", "log.csv").strip() in said
    assert "samples per period" in mf.read(tmp_path / "log.csv")._repr_html_()


def test_what_a_model_is_is_said_in_the_same_words(model, tmp_path, run):
    model.save(tmp_path / "m.safetensors")
    told = run("app", "inspect", "m.safetensors")
    for line in model._core.text().splitlines():
        assert line in told
    assert "standard error" in str(model) and str(model.verdict) in str(model)
