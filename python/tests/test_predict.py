"""Predictions from Python are the program's, of every kind of table."""

import io
import json
import shutil
import signal
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sotto

NEW = pd.DataFrame({"clinic": ["north", "west", "south"], "age": [20.0, 55.5, 90.0]}, index=["a", "b", "c"])


@pytest.fixture
def fit(fitted, tmp_path):
    return sotto.Fit(shutil.copytree(fitted, tmp_path / "out"))


def of_program(program, *options):
    run = program("predict", "out", "--rows", "new.csv", *options)
    assert run.returncode == 0, run.stderr
    return pd.read_csv(io.StringIO(run.stdout)).drop(columns="private_draws").set_index("row")


@pytest.mark.parametrize("quantity", ["mean", "response"])
def test_the_numbers_are_the_programs(fit, program, quantity):
    NEW.to_csv("new.csv", index=False)
    predicted = fit.predict(NEW, quantity, 0.8, seed=1)
    expected = of_program(program, "--quantity", quantity, "--level", 0.8)
    np.testing.assert_allclose(predicted.to_numpy(), expected.to_numpy(), rtol=1e-9)
    assert list(predicted.columns) == list(expected.columns) == ["mean", "sd", "q10", "q90"]
    assert list(predicted.index) == ["a", "b", "c"]
    assert predicted.attrs == {"response": "ill", "quantity": quantity, "level": 0.8, "private_draws": True}


def test_a_table_means_the_same_in_every_form(fit, tmp_path):
    predicted = fit.predict(NEW)
    NEW.to_csv(tmp_path / "new.csv", index=False)
    pq.write_table(pa.Table.from_pandas(NEW), tmp_path / "new.parquet")
    for rows in (str(tmp_path / "new.csv"), tmp_path / "new.parquet", pl.from_pandas(NEW), pa.Table.from_pandas(NEW)):
        other = fit.predict(rows)
        np.testing.assert_array_equal(other.to_numpy(), predicted.to_numpy())
        assert list(other.index) == [0, 1, 2]


def test_the_mean_is_that_of_the_draws(fit):
    draws = {name: values.to_numpy().ravel() for name, values in fit.draws.posterior.items()}
    eta = draws["Intercept"] + draws["clinic[west]"] + 55.5 * (draws["age"] + draws["age:clinic[west]"])
    line = fit.predict(NEW).loc["b"]
    assert line["mean"] == pytest.approx(np.exp(eta).mean(), rel=1e-9)
    assert line["sd"] == pytest.approx(np.exp(eta).std(ddof=1), rel=1e-9)
    assert [line["q05"], line["q95"]] == pytest.approx(np.quantile(np.exp(eta), [0.05, 0.95]), rel=1e-9)


def test_odd_rows_are_told(fit):
    odd = pd.DataFrame({"age": [300, None, 40], "clinic": ["north", "north", "east"]})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        predicted = fit.predict(odd)
    assert predicted["mean"].isna().tolist() == [False, True, True]
    told = [str(one.message) for one in caught if not str(one.message).startswith("Of the fit: ")]
    assert told[0].startswith("2 of 3 rows have no prediction") and told[1].startswith("1 of 3 rows lie beyond declared bounds")
    assert caught[0].filename == __file__ and issubclass(caught[0].category, sotto.SottoWarning)


def test_categories_have_a_line_each(schema, table):
    # The levels of the schema's clinic stand in for ordered ones.
    fit = sotto.fit(table, "clinic ~ age", schema=schema, family="ordinal", epsilon=20, delta=1e-6, draws=200)
    predicted = fit.predict(NEW[["age"]])
    assert predicted.index.names == ["row", "category"] and predicted.loc[("a", "west"), "mean"] > 0
    np.testing.assert_allclose(predicted["mean"].groupby(level=0).sum(), 1)
    with pytest.raises(sotto.ConfigurationError, match="one of the categories"):
        fit.predict(NEW, "response")


def test_what_is_not_private_says_so(table, schema):
    fit = sotto.fit(table, "ill ~ age", schema=schema, family="poisson", not_private=True, draws=200)
    with pytest.warns(sotto.SottoWarning, match="NOT PRIVATE"):
        assert not fit.predict(NEW).attrs["private_draws"]


def test_what_cannot_be_predicted_is_refused(fit, schema, table):
    for refused, error in (
        (dict(quantity="median"), sotto.ConfigurationError),
        (dict(level=95), sotto.ConfigurationError),
        (dict(schema=schema), sotto.ConfigurationError),
    ):
        with pytest.raises(error):
            fit.predict(NEW, **refused)
    with pytest.raises(sotto.DataError, match="no column clinic"):
        fit.predict(NEW[["age"]])
    with pytest.raises(sotto.UsageError):
        fit.predict(7)
    short = sotto.fit(table, "ill ~ age", schema=schema, family="poisson", not_private=True, draws=20)
    with pytest.raises(sotto.BudgetError, match="NO ANSWER"):
        short.predict(NEW)
    assert len(short.predict(NEW, nevertheless=True)) == 3


def test_an_older_directory_takes_the_schema(fit, schema):
    manifest = fit.directory / "manifest.json"
    content = json.loads(manifest.read_text())
    del content["schema"]
    manifest.write_text(json.dumps(content))
    old = sotto.Fit(fit.directory)
    with pytest.raises(sotto.ConfigurationError, match=r"(?<!-)\bschema"):
        old.predict(NEW)
    pd.testing.assert_frame_equal(old.predict(NEW, schema=schema), fit.predict(NEW, schema=schema))


@pytest.mark.long
def test_what_a_signal_raises_ends_it(fit):
    class Enough(Exception):
        pass

    def enough(*_):
        raise Enough

    many = pd.concat([NEW] * 100_000, ignore_index=True)
    for signal_raises, expected in ((enough, Enough), (signal.default_int_handler, KeyboardInterrupt)):
        before = signal.signal(signal.SIGALRM, signal_raises)
        signal.setitimer(signal.ITIMER_REAL, 1)
        try:
            with pytest.raises(expected):
                fit.predict(many)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
