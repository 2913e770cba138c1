"""Functions of states: the numbers of C++, shapes, and what is refused."""

import copy
import pickle

import mechfit as mf
import numpy as np
import pytest


def points(model, count, seed=0):
    random = np.random.default_rng(seed)
    n, m = len(model.joints), len(model.inputs)
    return [random.uniform(-1, 1, (count, size)) for size in (n, n, n, m)]


def everything(model, q, v, a, u):
    A, B = model.linearize(q, v, u)
    return [
        model.mass(q),
        model.potential(q),
        model.energy(q, v),
        model.momentum(q, v),
        model.force(q, v, u),
        model.inverse_dynamics(q, v, a),
        model.acceleration(q, v, u),
        A,
        B,
    ]


@pytest.mark.parametrize("which", ["model", "network"])
def test_every_function_equals_cpp_to_the_last_bit(which, request, tmp_path, run):
    model = request.getfixturevalue(which)
    q, v, a, u = points(model, 700)
    model.save(tmp_path / "m.safetensors")
    np.hstack([q, v, a, u]).tofile(tmp_path / "points")
    assert run("reference", "m.safetensors", "points", "results") == ""
    expected = np.fromfile(tmp_path / "results")
    many = [x.ravel() for x in everything(model, q, v, a, u)]
    single = [np.ravel(x) for row in zip(q, v, a, u) for x in everything(model, *row)]
    np.testing.assert_array_equal(np.concatenate(many + single), expected)


def test_leading_axes_are_kept_and_broadcast(model):
    q, v, a, u = points(model, 12)
    flat = everything(model, q, v, a, u)
    shaped = everything(model, *(x.reshape(3, 4, -1) for x in (q, v, a, u)))
    for one, other in zip(flat, shaped):
        assert other.shape == (3, 4) + one.shape[1:]
        np.testing.assert_array_equal(other.reshape(one.shape), one)
    spread = model.acceleration(q[:, None], v[None, 0], u[0])
    assert spread.shape == (12, 1, 2)
    np.testing.assert_array_equal(spread[:, 0], model.acceleration(q, np.tile(v[0], (12, 1)), np.tile(u[0], (12, 1))))
    assert model.acceleration(np.empty((0, 2)), np.empty((0, 2))).shape == (0, 2)


def test_one_point_gives_vectors_and_floats(model):
    assert model.acceleration([0.1, 0.2], [0, 0]).shape == (2,)
    assert model.mass([0.1, 0.2]).shape == (2, 2)
    assert isinstance(model.energy([0.1, 0.2], [0, 0]), float)
    assert isinstance(model.potential([0.1, 0.2]), float)


def test_any_real_numbers_in_any_order_are_taken(model):
    q, v, _, u = points(model, 8)
    expected = model.acceleration(q, v, u)
    for other in (np.asfortranarray, lambda x: np.repeat(x, 2, 0)[::2], lambda x: x.tolist()):
        np.testing.assert_array_equal(model.acceleration(other(q), other(v), other(u)), expected)
    whole = np.array([[1, 0], [0, 1]])
    np.testing.assert_array_equal(model.mass(whole), model.mass(whole.astype(float)))
    half = q.astype(np.float32)
    np.testing.assert_array_equal(model.mass(half), model.mass(half.astype(float)))


@pytest.mark.parametrize(
    "q, v, u, message",
    [
        ([0.1], [0, 0], None, r"q has shape \(1,\), expected \(..., 2\)"),
        (0.1, [0, 0], None, r"q has shape \(\), expected \(..., 2\)"),
        ([0, 0], [0, 0, 0], None, r"v has shape \(3,\), expected \(..., 2\)"),
        ([0, 0], [0, 0], [1, 2], r"u has shape \(2,\), expected \(..., 1\)"),
        (np.zeros((3, 2)), np.zeros((4, 2)), None, r"v has shape \(4, 2\), which does not go with"),
        ([[0, 0], [0, np.nan]], [0, 0], None, r"q\[1, 1\] is nan, expected a finite number"),
        ([0, 0], [0, np.inf], None, r"v\[1\] is inf"),
        ([0, 1j], [0, 0], None, "q has numbers of type complex128, expected real ones"),
        (["a", "b"], [0, 0], None, "q has numbers of type <U1"),
        ([[0, 0], [0]], [0, 0], None, "q "),
        (None, [0, 0], None, "q "),
    ],
)
def test_wrong_arguments_are_value_errors(model, q, v, u, message):
    with pytest.raises(ValueError, match=message):
        model.acceleration(q, v, u)


def test_a_mass_matrix_that_is_not_positive_definite_is_named():
    spring = mf.system("spring-pendulum")
    q = np.ones((5, 2))
    q[3, 1] = 0.0
    with pytest.raises(ValueError, match=r"not positive definite at point \(3\)"):
        spring.acceleration(q, np.zeros(2))
    with pytest.raises(ValueError, match="not positive definite"):
        spring.linearize(q[3], np.zeros(2))


def test_linearize_predicts_how_the_motion_changes(model):
    q, v, _, u = (x[0] for x in points(model, 1))
    A, B = model.linearize(q, v, u)
    h = 1e-6
    for i in range(4):
        step = h * np.eye(4)[i]
        change = model.acceleration(q + step[:2], v + step[2:], u) - model.acceleration(q - step[:2], v - step[2:], u)
        np.testing.assert_allclose(A[2:, i], change / (2 * h), rtol=1e-5, atol=1e-7)
    change = model.acceleration(q, v, u + h) - model.acceleration(q, v, u - h)
    np.testing.assert_allclose(B[2:, 0], change / (2 * h), rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(A[:2], np.hstack([np.zeros((2, 2)), np.eye(2)]))
    np.testing.assert_array_equal(B[:2], 0)


def test_accelerations_have_standard_deviations_where_the_model_knows(model):
    q, v, _, u = points(model, 10)
    a, sd = model.acceleration(q, v, u, std=True)
    assert sd.shape == a.shape and (sd > 0).all()
    assert mf.system("cart-pole").acceleration(q, v, u, std=True)[1] is None


def test_threads_do_not_change_a_bit(model):
    q, v, _, u = points(model, 5000)
    np.testing.assert_array_equal(model.acceleration(q, v, u, threads=1), model.acceleration(q, v, u, threads=3))


def test_models_are_pickled_and_copied(model):
    q, v, _, u = points(model, 3)
    for other in (pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model)):
        assert other == model
        np.testing.assert_array_equal(other.acceleration(q, v, u), model.acceleration(q, v, u))
        assert other.verdict == model.verdict
