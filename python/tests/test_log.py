"""Logs from arrays, frames and files."""

import pickle

import mechfit as mf
import numpy as np
import pytest

t = np.arange(0, 4, 0.02)
swing = 0.5 * np.cos(3 * t)


def test_arrays_and_lists_of_runs_make_a_log():
    log = mf.Log(t=t, q=swing)
    assert len(log) == 1 and log[0].q.shape == (200, 1) and log.joints == ["q1"]
    assert any("option 'joints'" in note for note in log.notes)
    log = mf.Log(
        t=[t, t[:50]],
        q=[np.stack([swing, swing], 1), np.ones((50, 2))],
        u=[np.zeros(200), np.ones(50)],
        joints=["periodic", "plain"],
        joint_names=["arm", "cart"],
        units=["rad", "m"],
        input_names=["motor"],
    )
    assert [len(run) for run in log] == [200, 50]
    assert log.joint_types == ["periodic", "plain"] and log.units == ["rad", "m"]
    assert log.inputs == ["motor"] and log[1].u.shape == (50, 1) and log[-1].name == "2"


def test_degrees_and_wrapped_angles_are_prepared_as_those_of_files():
    turns = np.linspace(0, 20, 200)
    log = mf.Log(t=t, q=np.degrees((turns + np.pi) % (2 * np.pi) - np.pi), degrees=True, joints="periodic")
    np.testing.assert_allclose(log[0].q[:, 0], turns, atol=1e-12)


@pytest.mark.parametrize(
    "arrays, message",
    [
        ({"t": t, "q": swing[:-1]}, "run '1': q has 199 rows, t has 200 samples"),
        ({"t": t[::-1], "q": swing}, r"run '1': t\[1\] is not above the time before"),
        ({"t": t, "q": np.where(t > 3, np.nan, swing)}, r"run '1': q\[151, 0\] is nan"),
        ({"t": t}, "a log needs times t and positions q"),
        ({"t": [t, t], "q": [swing]}, "q has 1 runs, t has 2"),
        ({"t": t, "q": swing, "joints": "round"}, "joints: 'round', expected one of plain, periodic"),
        ({"t": t, "q": swing, "joints": "plain,plain"}, "option 'joints' gives 2 types, expected 1"),
        ({"t": t, "q": swing, "joint_names": ["a", "b"]}, "joint_names has 2 names"),
        ({"t": t[:2], "q": swing[:2]}, "no run of three samples"),
    ],
)
def test_wrong_arrays_are_value_errors(arrays, message):
    with pytest.raises(ValueError, match=message):
        mf.Log(**arrays)


def test_a_frame_is_read_as_a_csv_file_is(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"time": t, "arm_rad": swing, "u1": np.sin(t)})
    frame.to_csv(tmp_path / "f.csv", index=False)
    for log in (mf.Log(frame), mf.read(frame)):
        file = mf.read(tmp_path / "f.csv")
        assert log.joints == file.joints and log.units == file.units == ["rad"]
        np.testing.assert_array_equal(log[0].q, file[0].q)
        np.testing.assert_array_equal(log[0].u, file[0].u)
    assert list(log.to_frame().columns) == ["trajectory", "t", "q1", "u1"]
    with pytest.raises(ValueError, match="DataFrame:1"):
        mf.Log(frame, q=["leg"])


def test_files_patterns_and_their_errors(tmp_path):
    for name in "ab":
        mf.Log(t=t, q=swing).save(tmp_path / f"{name}.csv")
    assert len(mf.read(str(tmp_path / "*.csv"))) == 2
    assert len(mf.read([tmp_path / "a.csv", tmp_path / "b.csv"])) == 2
    with pytest.raises(ValueError, match="nothing.csv"):
        mf.read(tmp_path / "nothing.csv")
    (tmp_path / "bad.csv").write_text("t,q1\n0,1\n1,2\n2,x\n")
    with pytest.raises(ValueError, match="bad.csv:4: column 'q1': \"x\" is not a number"):
        mf.read(tmp_path / "bad.csv")
    with pytest.raises(ValueError, match="a.csv"):
        mf.Log(t=t, q=swing).save(tmp_path / "a.csv")
    mf.Log(t=t, q=swing).save(tmp_path / "a.csv", overwrite=True)
    with pytest.raises(TypeError, match="unknown option 'colour', expected one of"):
        mf.read(tmp_path / "a.csv", colour="red")


def test_logs_are_pickled(log):
    other = pickle.loads(pickle.dumps(log))
    assert repr(other) == repr(log) and other.joint_types == log.joint_types
    np.testing.assert_array_equal(other[1].q, log[1].q)


def test_systems_and_their_options():
    assert {"pendulum", "cart-pole", "furuta"} <= set(mf.systems())
    with pytest.raises(ValueError, match="carousel"):
        mf.simulate("carousel")
    with pytest.raises(ValueError, match="steps: 1, expected a number from 2"):
        mf.simulate("pendulum", steps=1)
    with pytest.raises(ValueError, match="input: pendulum has no inputs|input"):
        mf.simulate("double-pendulum", input="sines")
    with pytest.raises(ValueError, match="noise: 3 values, expected 1 or 2"):
        mf.simulate("cart-pole", noise=[1, 2, 3])


def test_a_matlab_file_that_scipy_wrote_is_the_log_of_its_csv(tmp_path, log):
    scipy_io = pytest.importorskip("scipy.io")
    run = log[0]
    scipy_io.savemat(tmp_path / "log.mat", {"t": run.t, "log": {"q": run.q, "force": run.u}}, do_compression=True)
    mf.Log(t=run.t, q=run.q, u=run.u, joints="plain,periodic").save(tmp_path / "log.csv")
    mat = mf.read(tmp_path / "log.mat", q="log.q", u="log.force", joints="plain,periodic")
    csv = mf.read(tmp_path / "log.csv", joints="plain,periodic")
    for name in ("t", "q", "u"):
        np.testing.assert_array_equal(getattr(mat[0], name), getattr(csv[0], name))
