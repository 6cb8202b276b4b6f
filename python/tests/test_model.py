"""Models of one's own: the posterior that they mean, what is refused before a row is read, and the run."""

import json
import re
import signal
import subprocess
import sys
import textwrap
import time
import warnings

import numpy as np
import pandas as pd
import pytest

import sotto
from own_models import BUDGET, SCHEMA, Logistic, Robust, lines, with_code


# ---- what is drawn


@pytest.mark.long
def test_a_logistic_model_has_the_posterior_of_the_built_in_one():
    generator = np.random.default_rng(2)
    x = generator.uniform(-1, 1, 2000)
    table = pd.DataFrame({"x": x, "ill": generator.uniform(size=2000) < 1 / (1 + np.exp(-0.5 - x))})
    schema = sotto.Schema({"x": sotto.real(-1, 1), "ill": sotto.binary()})
    arguments = {"schema": schema, "not_private": True, "draws": 400, "warmup": 200}
    expected = sotto.fit(table, "ill ~ x", family="bernoulli", **arguments).summary()
    for model in (Logistic(), with_code(Logistic, gradient=sotto.Model.gradient)):
        got = sotto.fit(table, model=model, **arguments).summary()
        assert list(got.index) == ["Intercept", "x"]
        # Monte Carlo errors are 0.03 to 0.06 sd.
        assert np.all(np.abs(got["mean"] - expected["mean"]) < 0.25 * expected["sd"])
        assert np.all(np.abs(np.log(got["sd"] / expected["sd"])) < 0.15)


def test_a_private_fit_leaves_the_usual_files(tmp_path):
    prior = {"default": {"family": "normal", "scale": 5}, "parameter": {"slope": {"family": "student_t", "location": -1, "scale": 2}}}
    model = with_code(Robust, prior=prior, title="robust lines")
    fit = sotto.fit(lines(), model=model, schema=SCHEMA, epsilon=60, delta=1e-6, warmup=300, draws=300, out=tmp_path / "out")
    assert fit.privacy["private"] and fit.privacy["adjacency"] == "substitute" and fit.privacy["privacy_unit"] == "one row"
    assert "wrote the model, in which a row's log density follows from that row alone" in fit.privacy["trust_model"]
    summary = fit.summary()
    assert abs(summary.loc["intercept", "mean"] - 1) < 0.2 and abs(summary.loc["slope", "mean"] + 2) < 0.4
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    configuration = manifest["configuration"]
    assert configuration["model"] == {"family": "own", "parameters": ["intercept", "slope"], "likelihood_power": 1}
    assert configuration["prior"] == {"intercept": "normal(0, 5)", "slope": "student_t(4, -1, 2)"}
    assert manifest["title"] == "robust lines" and configuration["method"]["name"] == "guided-walk"
    assert "robust lines" in (tmp_path / "out/report.html").read_text()
    assert repr(sotto.Fit(tmp_path / "out")) == repr(fit)


def test_files_are_read_as_tables_are(tmp_path):
    table = lines(100).assign(z=1)
    table.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "s.toml").write_text(SCHEMA.to_toml())
    exact = {"model": Robust(), "not_private": True, "method": "metropolis", "warmup": 20, "draws": 30}
    fits = [sotto.fit(data, schema=schema, **exact) for data, schema in ((table, SCHEMA), (tmp_path / "t.csv", tmp_path / "s.toml"))]
    assert np.array_equal(*(fit._positions(["intercept", "slope"]) for fit in fits))
    with pytest.raises(sotto.NoInputError, match="none.toml"):
        sotto.fit(table, schema="none.toml", **exact)


def test_the_argument_goes_before_the_models_prior():
    narrow = {"parameter": {"slope": {"family": "normal", "location": 3, "scale": 0.001}}}
    model = with_code(Robust, prior={"default": {"family": "normal", "scale": 5}})
    fit = sotto.fit(lines(100), model=model, schema=SCHEMA, prior=narrow, not_private=True, warmup=200, draws=200)
    assert abs(fit.summary().loc["slope", "mean"] - 3) < 0.01


def test_columns_are_what_was_declared():
    seen = {}

    def log_density(self, rows, position):
        seen.update({name: np.union1d(values, seen.get(name, values)) for name, values in rows.items()})
        return position[0] * np.tanh(rows["where"] - rows["n"] + rows["y"] * rows["yes"])

    table = pd.DataFrame({"y": [2.5, 7, -9, None] * 50, "n": [1, 2, 3, 99] * 50, "where": ["south", "north", "west", "west"] * 50})
    table = table.assign(yes=[True, False, True, False] * 50, unused=None)
    schema = sotto.Schema(
        {"y": sotto.real(-5, 5), "n": sotto.count(0, 9), "where": sotto.category(["north", "south", "west"]), "yes": sotto.binary()}
    )
    model = with_code(sotto.Model, parameters=["a"], columns=["where", "n", "yes", "y"], slope_bound=[1], log_density=log_density)
    sotto.fit(table, model=model, schema=schema, not_private=True, warmup=5, draws=5)
    assert set(seen["where"]) == {0, 1, 2} and set(seen["yes"]) == {0, 1} and set(seen["n"]) == set(range(10))
    assert seen["y"].min() == -5 and seen["y"].max() == 5, "clamped, and nothing of a row that was left out"
    assert 2.5 in seen["y"], "the table's rows were seen"


# ---- what is refused, on made-up rows


def refusal(model, **more):
    arguments = {"schema": SCHEMA, **BUDGET, **more}
    with pytest.raises(sotto.Error) as caught:
        sotto.fit(lines(50), model=model, **arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


CODE = {
    "steeper than declared": (
        {"slope_bound": [1.25, 0.5]},
        r"slope_bound of slope is 0\.5, and the log density changes by 1\.2\d* per unit at the made-up row x = -?1, y = [-\d.]+ "
        r"and intercept = [-\d.]+, slope = [-\d.]+: set what holds",
    ),
    "a mean over rows": (
        {"log_density": lambda self, rows, position: Robust.log_density(self, rows, position) + position[0] * 1e-9 * np.mean(rows["x"])},
        "log_density gives a row another number beside other rows at the made-up row .*: let a row's number follow from that row alone",
    ),
    "the last bit alone": (
        {
            "log_density": lambda self, rows, position: np.nextafter(Robust.log_density(self, rows, position), 0)
            if rows["y"][0] > 0
            else Robust.log_density(self, rows, position)
        },
        "another number beside other rows",
    ),
    "random": (
        {"log_density": lambda self, rows, position: Robust.log_density(self, rows, position) + np.random.normal(size=len(rows["x"]))},
        "log_density gives a row another number when it is called again",
    ),
    "not finite": (
        {"log_density": lambda self, rows, position: np.log(rows["x"] + 1) * position[0]},
        r"log_density is (nan|-?inf) at the made-up row x = -1, y = .*: it must be finite for every legal row",
    ),
    "one number for all": (
        {"log_density": lambda self, rows, position: Robust.log_density(self, rows, position).sum()},
        r"log_density returned an array of shape \(\): for 4096 rows it must be \(4096,\)",
    ),
    "complex": ({"log_density": lambda self, rows, position: 1j * rows["x"]}, "returned complex128 values: they must be real numbers"),
    "raises": (
        {"log_density": lambda self, rows, position: rows["z"]},
        "log_density raised KeyError on made-up rows: 'z'",
    ),
    "writes to rows": (
        {"log_density": lambda self, rows, position: np.negative(rows["x"], out=rows["x"])},
        "log_density raised ValueError on made-up rows: .*read-only",
    ),
    "not written": ({"log_density": sotto.Model.log_density}, "has no log_density: write that method"),
    "gradient of another model": (
        {"gradient": lambda self, rows, position: np.zeros((len(rows["x"]), 2))},
        r"gradient of intercept is 0, and the slope of log_density -?[\d.]+ at the made-up row",
    ),
    "gradient of another shape": (
        {"gradient": lambda self, rows, position: np.zeros((2, len(rows["x"])))},
        r"gradient returned an array of shape \(2, 4096\): for 4096 rows it must be \(4096, 2\)",
    ),
    "no such column": ({"columns": ["x", "z"]}, "the model reads column z, which the schema does not declare: it has x, y"),
    "one column twice": ({"columns": ["x", "x"]}, "columns names x twice"),
    "no list": ({"parameters": "slope"}, "parameters must be a list of names"),
    "a name that no file takes": ({"parameters": ["a,b", "c"]}, "'a,b' cannot name a parameter"),
    "bound of another shape": ({"slope_bound": [1.25]}, "slope_bound must be 2 finite numbers, one for each parameter"),
    "bound of zero": ({"slope_bound": [1.25, 0]}, "slope_bound must be above zero for every parameter"),
    "start of another shape": ({"start": [1]}, "start must be 2 finite numbers, one for each parameter"),
    "prior of no parameter": ({"prior": {"parameter": {"slop": {"scale": 1}}}}, "prior.parameter.slop names no parameter of this model"),
}


@pytest.mark.parametrize("case", CODE)
def test_what_made_up_rows_show_is_refused_before_anything_is_spent(case, tmp_path):
    changed, told = CODE[case]
    message = refusal(with_code(Robust, **changed), out=tmp_path / "out")
    assert re.search(told, message), message
    assert not (tmp_path / "out/charges.jsonl").exists()


def test_the_last_bit_may_differ_where_rows_are_one_at_a_time():
    changed = CODE["the last bit alone"][0] | {"one_row_at_a_time": True}
    fit = sotto.fit(lines(50), model=with_code(Robust, **changed), schema=SCHEMA, **BUDGET, warmup=5, draws=5)
    assert fit.privacy["private"]


def test_what_does_not_go_with_a_model_is_refused():
    assert refusal(Robust) == "model must be an instance of a subclass of sotto.Model, not Robust"
    assert refusal(3).endswith("not <builtins.int>")
    assert refusal(type("Bare", (sotto.Model,), {})()) == "Bare declares no parameters: set it in the class"
    for name, argument in {"formula": "y ~ x", "family": "normal", "cuts": [1]}.items():
        assert refusal(Robust(), **{name: argument}) == f"a model of one's own has no {name}: drop it"
    assert refusal(Robust(), threads=2) == "a model of one's own in Python is computed by one thread: drop threads"
    assert refusal(Robust(), settings={"model.formula": "y ~ x"}).startswith("a model of one's own brings its rows")
    assert refusal(Robust(), settings={"start.slope": 1}).startswith("a model of one's own starts where its start says")
    assert refusal(Robust(), method="release-once").startswith("release-once is for regressions, normal means and categories")


# ---- the run


RUN = """
    import sys, warnings, numpy, pandas, sotto
    warnings.simplefilter("ignore")
    sys.modules["arviz"] = None  # takes seconds to come
    class Slow(sotto.Model):
        parameters, columns, slope_bound = ["a"], ["x"], [2]
        def log_density(self, rows, position):
            return numpy.sin(position[0] * rows["x"])
    table = pandas.DataFrame({"x": numpy.tile([0.5, -0.25, 0.1], 200)})
    try:
        fit = sotto.fit(table, model=Slow(), schema=sotto.Schema({"x": sotto.real(-1, 1)}), epsilon=2, delta=1e-6,
                        warmup=int(sys.argv[2]), draws=int(sys.argv[3]), out=sys.argv[1])
        print("draws", fit.draws["posterior"].sizes["draw"])
    except KeyboardInterrupt as stopped:
        print("stopped:", stopped)
"""


def interrupted(out, warmup, draws):
    command = [sys.executable, "-c", textwrap.dedent(RUN), str(out), str(warmup), str(draws)]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    record = out / "charges.jsonl"
    deadline = time.monotonic() + 60
    while not (record.exists() and len(record.read_text().splitlines()) > 30):
        assert run.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    run.send_signal(signal.SIGINT)
    told, _ = run.communicate(timeout=60)
    assert run.returncode == 0
    assert json.loads(record.read_text().splitlines()[-1])["closed"]["ending"] == "interrupted"
    return told


@pytest.mark.long
def test_an_interrupt_ends_the_run(tmp_path):
    kept = int(interrupted(tmp_path / "kept", 2, 500000).removeprefix("draws "))
    assert 0 < kept < 500000
    assert interrupted(tmp_path / "none", 400000, 10).startswith("stopped: stopped before the first draw; epsilon ")
