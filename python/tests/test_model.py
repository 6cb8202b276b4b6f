"""Models of one's own: the posterior that they mean, what a row can do in them, and what is refused before it is read."""

import ctypes
import json
import os
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

BUDGET = {"epsilon": 8, "delta": 1e-6}


class Robust(sotto.Model):
    """Student t errors with 4 degrees of freedom and scale 1; the score is at most 1.25."""

    parameters = ["intercept", "slope"]
    columns = ["x", "y"]
    slope_bound = [1.25, 1.25]

    def log_density(self, rows, position):
        residual = rows["y"] - position[0] - position[1] * rows["x"]
        return -2.5 * np.log1p(residual**2 / 4)


class Logistic(sotto.Model):
    parameters = ["Intercept", "x"]
    columns = ["ill", "x"]
    slope_bound = [1, 1]

    def log_density(self, rows, position):
        return -np.logaddexp(0, (1 - 2 * rows["ill"]) * (position[0] + position[1] * rows["x"]))

    def gradient(self, rows, position):
        wrong = rows["ill"] - 1 / (1 + np.exp(-position[0] - position[1] * rows["x"]))
        return np.stack([wrong, wrong * rows["x"]], axis=1)


SCHEMA = sotto.Schema({"x": sotto.real(-1, 1), "y": sotto.real(-50, 50)})


def lines(rows=4000, seed=1):
    generator = np.random.default_rng(seed)
    x = generator.uniform(-1, 1, rows)
    return pd.DataFrame({"x": x, "y": 1 - 2 * x + generator.standard_t(4, rows)})


def with_code(model, **code):
    """An instance of the model with other methods or declarations."""
    return type("Changed", (model,), code)()


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
    fit = sotto.fit(lines(400), model=model, schema=SCHEMA, prior=narrow, not_private=True, warmup=300, draws=300)
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


# ---- what a row can do


def spoiled(how):
    """Robust, but for rows with y = 17, at which the code does something else."""

    def log_density(self, rows, position):
        numbers = Robust.log_density(self, rows, position)
        return how(numbers, rows["y"] == 17)

    return with_code(Robust, log_density=log_density)


def raises(numbers, there):
    if there.any():
        raise ValueError("y is 17")
    return numbers


def exits(numbers, there):
    if there.any():
        raise KeyboardInterrupt
    return numbers


def wrong_shape(numbers, there):
    return numbers[:-1] if there.any() else numbers


FAILURES = {
    "raises": raises,
    "exits": exits,
    "wrong shape": wrong_shape,
    "nan": lambda numbers, there: np.where(there, np.nan, numbers),
    "inf": lambda numbers, there: np.where(there, np.inf, numbers),
    "text": lambda numbers, there: ["17"] * len(numbers) if there.any() else numbers,
}


@pytest.mark.parametrize("adjacency", ["substitute", "add-remove"])
@pytest.mark.parametrize("how", FAILURES)
def test_a_row_on_which_code_fails_contributes_nothing_and_nobody_hears_of_it(how, adjacency, capfd):
    table = lines(50)
    schema = sotto.Schema(SCHEMA.columns, adjacency=adjacency)
    left_out, failing = table.copy(), table.copy()
    left_out.loc[20, "y"] = None
    failing.loc[20, "y"] = 17
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        got, expected = (
            sotto.fit(one, model=spoiled(FAILURES[how]), schema=schema, not_private=True, method="metropolis", warmup=20, draws=30)
            for one in (failing, left_out)
        )
    assert np.array_equal(got._positions(["slope"]), expected._positions(["slope"]))
    assert capfd.readouterr() == ("", "")


def test_a_huge_number_is_clamped_to_what_was_declared():
    def log_density(self, rows, position):
        return np.where(rows["y"] == 17, 1e9 * np.sign(position[1] + 1e-300), Robust.log_density(self, rows, position))

    table = lines(400)
    table.loc[20, "y"] = 17
    model = with_code(Robust, log_density=log_density)
    fit = sotto.fit(table, model=model, schema=SCHEMA, not_private=True, method="metropolis", warmup=300, draws=100)
    # As it is, no chain would ever leave the slopes above zero, where all begin.
    assert np.all(fit._positions(["slope"]) < -1)


def test_nothing_is_heard_of_what_code_says_of_rows(capfd):
    def log_density(self, rows, position):
        if (rows["y"] == 17).any():
            print("y is 17")
            print("y is 17", file=sys.stderr)
            os.write(1, b"y is 17"), os.write(2, b"y is 17")
            ctypes.CDLL(None).puts(b"y is 17")
            warnings.warn("y is 17")
            np.log(np.zeros(1)), np.float64(1e300) * np.float64(1e300)
        return Robust.log_density(self, rows, position)

    table = lines(50)
    table.loc[20, "y"] = 17
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sotto.fit(table, model=with_code(Robust, log_density=log_density), schema=SCHEMA, **BUDGET, warmup=5, draws=5)
    assert {warning.category for warning in caught} <= {sotto.SottoWarning}
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_nothing_is_heard_through_a_stream_that_was_taken_before(stream, tmp_path):
    # Python holds back what goes to a pipe until a line, or the whole buffer, is full.
    script = f"""
    import sys, warnings, numpy as np, pandas as pd, sotto
    taken = sys.{stream}
    warnings.simplefilter("ignore", sotto.SottoWarning)
    class Own(sotto.Model):
        parameters, columns, slope_bound = ["a"], ["x"], [4.0]
        def log_density(self, rows, position):
            if (rows["x"] == 0.25).any():
                print("x is 0.25", end=" ", file=taken)
            return -np.sqrt(1 + (rows["x"] - position[0]) ** 2)
    print("before", end=" ", file=taken)
    schema = sotto.Schema({{"x": sotto.real(-1, 1)}})
    sotto.fit(pd.DataFrame({{"x": [0.25] * 50}}), model=Own(), schema=schema, epsilon=8, delta=1e-6, warmup=10, draws=10, chains=1)
    print("after", file=taken)
    """
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert getattr(run, stream).split() == ["before", "after"]


def test_rows_are_one_at_a_time_where_others_may_move():
    def lengths(schema, **declared):
        seen = set()

        def log_density(self, rows, position):
            seen.add((len(rows["y"]), 17 in rows["y"]))
            return Robust.log_density(self, rows, position)

        table = lines(50).assign(id=np.arange(50) % 20)
        table.loc[3, "y"] = 17
        model = with_code(Robust, log_density=log_density, **declared)
        sotto.fit(table, model=model, schema=schema, **BUDGET, warmup=3, draws=3)
        return {length for length, of_table in seen if of_table}

    assert lengths(SCHEMA) == {56}, "whole tiles of eight"
    assert lengths(SCHEMA, one_row_at_a_time=True) == {1}
    assert lengths(sotto.Schema(SCHEMA.columns, adjacency="add-remove")) == {1}
    assert lengths(sotto.Schema(SCHEMA.columns, unit=sotto.Unit("id", 1))) == {1}
    assert lengths(sotto.Schema(SCHEMA.columns, unit=sotto.Unit("id", 3))) == {1}


@pytest.mark.long
def test_units_and_neighbours_are_those_of_the_schema():
    table = lines(300).assign(id=np.arange(300) % 100)
    persons = sotto.Schema(SCHEMA.columns, unit=sotto.Unit("id", 2), adjacency="add-remove")
    for order in ([*range(300)], [*reversed(range(300))]):
        fit = sotto.fit(table.iloc[order], model=Robust(), schema=persons, **BUDGET, warmup=10, draws=10)
        assert fit.privacy["adjacency"] == "add-remove" and fit.privacy["privacy_unit"] == "one person (by column id, at most 2 rows)"
    # One at a time, the sums are those of whole arrays.
    exact = {"schema": SCHEMA, "not_private": True, "method": "metropolis", "warmup": 20, "draws": 30}
    fits = [sotto.fit(table, model=with_code(Robust, one_row_at_a_time=alone), **exact) for alone in (False, True)]
    assert np.array_equal(*(fit._positions(["intercept", "slope"]) for fit in fits))


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


def test_what_is_printed_after_a_fit_is_heard(capsys):
    sotto.fit(lines(50), model=Robust(), schema=SCHEMA, **BUDGET, warmup=5, draws=5)
    print("heard")
    assert capsys.readouterr().out == "heard\n"
