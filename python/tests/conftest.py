import os
import pathlib
import subprocess
import sys

import pytest

import mechfit as mf

SOURCE = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def run(tmp_path):
    """Runs the command line, or the C++ program `reference`, in a scratch folder."""

    def call(program, *arguments):
        words = [os.environ[f"MECHFIT_{program.upper()}"], *map(str, arguments)]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return call


@pytest.fixture(scope="session")
def log():
    return mf.simulate("cart-pole", runs=6, steps=150, step=0.02, noise=0.002, input="sines", amplitude=2.0, seed=3)


@pytest.fixture(scope="session")
def model(log):
    return mf.fit(log, family="cart-pole", quick=True)


@pytest.fixture(scope="session")
def network(log):
    """Networks compute a point in another way than many."""
    return mf.fit(log, family="smm", method="acceleration", epochs=3, hidden=[8, 8])


@pytest.fixture
def python():
    return sys.executable
