"""How far a call is, is shown in the notebook whose cell made it. Terminals and what is neither: test_fit.py."""

import re
import sys
import types

import numpy as np
import pytest

import sotto
from sotto.progress import notebook_line


class Notebook:
    """What IPython does in a kernel of Jupyter: outputs that can be written anew. Ctrl-C comes at the line of that number."""

    def __init__(self, monkeypatch, interrupted_at=None, kernel=True):
        self.outputs = []
        self.lines = []
        self.interrupted_at = interrupted_at
        shell = types.SimpleNamespace(kernel=object()) if kernel else types.SimpleNamespace()
        monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
        monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=self.display))

    def display(self, data, *, raw, display_id):
        assert raw and display_id
        self.outputs.append(data)
        self.heard(data)
        number = len(self.outputs) - 1
        return types.SimpleNamespace(update=lambda data, *, raw: (self.outputs.__setitem__(number, data), self.heard(data)))

    def heard(self, data):
        assert list(data) == ["text/plain"]
        self.lines.append(data["text/plain"])
        if len(self.lines) == self.interrupted_at:
            raise KeyboardInterrupt


def lines_of(schema, table, **more):
    return sotto.fit(table, "smoker ~ age", schema=schema, epsilon=2, delta=1e-6, method="penalty", force=True, threads=1, **more)


@pytest.mark.long
def test_a_fit_is_one_line_in_its_place_that_is_wiped(schema, table, monkeypatch, capfd):
    notebook = Notebook(monkeypatch, interrupted_at=3)
    fit = lines_of(schema, table, warmup=2, draws=500_000)  # so many that Ctrl-C ends it
    assert any("The run was stopped before its end" in sentence for sentence in fit.warnings)
    assert len(notebook.outputs) == 1 and len(notebook.lines) == 4, notebook.lines
    for line in notebook.lines[:3]:
        assert re.fullmatch(r"fit \[#*\.*\] +\d+ %  budget \d+ %(  .* left)?", line), line
    assert notebook.outputs == [{"text/plain": ""}]
    assert capfd.readouterr() == ("", "")


def test_a_call_that_ends_leaves_nothing(schema, table, monkeypatch, capfd):
    notebook = Notebook(monkeypatch)
    lines_of(schema, table[:300], warmup=2, draws=5)
    assert all(output == {"text/plain": ""} for output in notebook.outputs) and capfd.readouterr() == ("", "")


class Line(sotto.Model):
    parameters = ["level"]
    columns = ["age"]
    slope_bound = [1]
    prior = {"default": {"family": "normal", "scale": 5}}

    def log_density(self, rows, position):
        return -np.sqrt(1 + (rows["age"] / 90 - position[0]) ** 2)


def plan(schema, table):
    sotto.plan("smoker ~ age", schema=schema, rows=20_000, epsilon=1, delta=1e-6, repeats=100_000)


def density(schema, table):
    sotto.density(table, column="age", lower=18, upper=90, not_private=True, warmup=10_000_000)


def own_model(schema, table):
    sotto.fit(table, model=Line(), schema=schema, epsilon=8, delta=1e-6, warmup=10_000_000, draws=10)


@pytest.mark.parametrize("call, phase", [(plan, "plan"), (density, "density"), (own_model, "fit")])
def test_what_takes_long_is_shown(call, phase, schema, table, monkeypatch):
    notebook = Notebook(monkeypatch, interrupted_at=1)
    with pytest.raises(KeyboardInterrupt):
        call(schema, table)
    assert notebook.lines[0].startswith(phase + " ["), notebook.lines


def test_a_display_that_fails_ends_no_call(monkeypatch):
    notebook = Notebook(monkeypatch)
    line = notebook_line()
    monkeypatch.setattr(notebook, "heard", lambda data: 1 / 0)
    for _ in range(2):
        line.show("fit  10 %")
    line.wipe()
    assert len(notebook.outputs) == 1


def test_there_is_no_line_without_a_notebook(monkeypatch):
    assert notebook_line() is None
    Notebook(monkeypatch, kernel=False)  # IPython on a terminal
    assert notebook_line() is None
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: None))
    assert notebook_line() is None
