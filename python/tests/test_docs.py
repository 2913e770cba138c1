"""What the docs show runs: docstrings, docs/python.md, the examples; and the types are right."""

import doctest
import importlib
import os
import pathlib
import re
import subprocess

import mechfit
import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["mechfit", "mechfit.log", "mechfit.model", "mechfit.fitting"])
def test_examples_of_docstrings(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0 and result.failed == 0


def test_the_page_about_python_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    blocks = re.findall(r"```python\n(.*?)```", (SOURCE / "docs" / "python.md").read_text(), re.S)
    assert len(blocks) > 3
    names = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)


@pytest.mark.parametrize("path", sorted((SOURCE / "examples" / "python").glob("*.py")), ids=lambda p: p.name)
def test_examples(path, tmp_path, python):
    done = subprocess.run(
        [python, path], cwd=tmp_path, env={**os.environ, "MPLBACKEND": "Agg"}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_controller_of_a_real_machine(tmp_path, python):
    files = sorted((SOURCE.parent / "shared" / "data" / "furuta").glob("*.csv"))
    if not files:
        pytest.skip("no ../shared/data/furuta")
    done = subprocess.run(
        [python, SOURCE / "examples" / "python" / "01_controller.py", *files],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_stubs_agree_with_the_module(python, tmp_path):
    pytest.importorskip("mypy")
    folder = pathlib.Path(mechfit.__file__).parent.parent
    environment = {**os.environ, "MYPYPATH": str(folder), "PYTHONPATH": str(folder)}
    # Classes of pybind11 have a metaclass of its own, which no stub can name.
    (tmp_path / "allowed").write_text("".join(f"mechfit._core.{name}\n" for name in ("Channels", "Log", "Model")))
    for words in (
        ["mypy.stubtest", "mechfit._core", "--allowlist", "allowed"],
        ["mypy", "--ignore-missing-imports", "-p", "mechfit"],
    ):
        done = subprocess.run([python, "-m", *words], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
