"""Releases and densities from Python are the program's: the same files, guarantees and refusals."""

import gc
import json
import os
import signal
import threading
import tomllib
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sotto

BOUNDS = {"lower": 18, "upper": 90}
QUICK = {"chains": 2, "warmup": 100, "draws": 100, "thin": 1, "grid_points": 21}


def values(release, name):
    return np.sort(release.table[name].to_numpy())


def test_noise_is_of_the_promised_size(table, tmp_path):
    release = sotto.privatize(table, "age", **BOUNDS, epsilon=2, out=tmp_path / "z.csv", keep_order=True)
    assert (release.file, release.columns) == (tmp_path / "z.csv", ["age"])
    noise = release.table["age"].to_numpy() - table.age
    # Laplace of scale 36: mean 0, mean size 36 in 3000 rows, each off by more than 6 standard errors once in 1e8 runs.
    assert abs(noise.mean()) < 6 * 36 * np.sqrt(2 / 3000) and abs(abs(noise).mean() - 36) < 6 * 36 / np.sqrt(3000)
    assert release.description["epsilon"] == 2 and release.description["private"] and release.description["rows"] == 3000
    assert repr(release) == "3000 rows of age (laplace); epsilon 2, delta 0 for one row"


def test_every_form_of_a_table_is_read(table, tmp_path):
    table.to_csv(tmp_path / "t.csv", index=False)
    pq.write_table(pa.Table.from_pandas(table), tmp_path / "t.parquet")
    for data in (table, pl.from_pandas(table), pa.Table.from_pandas(table), tmp_path / "t.csv", str(tmp_path / "t.parquet")):
        # At this budget noise moves nothing by more than 0.01, but once in 1e14 rows.
        assert np.allclose(values(sotto.privatize(data, "age", **BOUNDS, epsilon=2.4e5), "age"), np.sort(table.age), atol=0.01)


def test_rows_are_shuffled_unless_their_order_is_kept(table):
    ordered = table.sort_values("age")
    released = sotto.privatize(ordered, "age", **BOUNDS, epsilon=1e5).table["age"].to_numpy()
    assert np.diff(released).min() < -10
    with pytest.warns(sotto.SottoWarning, match="the order tells of the values") as caught:
        kept = sotto.privatize(ordered, "age", **BOUNDS, epsilon=1e5, keep_order=True).table["age"].to_numpy()
    assert np.diff(kept).min() > -1 and {warning.filename for warning in caught} == {__file__}


def test_several_columns_share_a_budget(table):
    release = sotto.privatize(
        table,
        {
            "age": {"channel": "gaussian", "lower": 18, "upper": 90, "weight": 3},
            "clinic": {"channel": "randomized-response", "levels": ["north", "south", "west"]},
        },
        epsilon=8,
        delta=1e-6,
    )
    columns = {column["name"]: column for column in release.description["column"]}
    assert columns["age"]["epsilon"] + columns["clinic"]["epsilon"] == pytest.approx(8)
    assert columns["age"]["epsilon"] == pytest.approx(6) and columns["clinic"]["delta"] == 0
    assert release.table.column_names == ["age", "clinic"]
    assert set(release.table["clinic"].to_pylist()) == {"north", "south", "west"}


@pytest.mark.parametrize("channel", ["laplace", "gaussian", "wavelet", "perturbed-histogram", "smoothed-histogram"])
def test_every_channel_of_numbers(channel, table):
    release = sotto.privatize(table, "age", channel=channel, **BOUNDS, rho=2)
    assert release.description["column"][0]["channel"] == channel and release.description["rho"] <= 2
    assert release.table.num_rows == {"perturbed-histogram": 20, "smoothed-histogram": 122}.get(channel, 3000)
    assert all(field.type == pa.float64() for field in release.table.schema)


def test_reads_what_the_program_left_and_the_program_reads_it(table, program):
    table[:500].to_csv("t.csv", index=False)
    told = program("privatize", "t.csv", "--column", "clinic", "--channel", "randomized-response", "--levels", "north,south,west",
                   "--epsilon", 2, "--out", "z.csv")
    assert told.returncode == 0, told.stderr
    density = sotto.density("z.csv", **QUICK)
    assert density.summary["kernel"] == "categorical" and density.curve["x"].to_pylist() == ["north", "south", "west"]
    assert set(density.synthetic["clinic"].to_pylist()) <= {"north", "south", "west"}
    mine = sotto.privatize("t.csv", "age", **BOUNDS, epsilon=2, out="y.csv")
    told = program("density", "y.csv", "--chains", 2, "--warmup", 100, "--draws", 100, "--thin", 1, "--grid", 21, "--out", "d", "--json")
    assert told.returncode == 0, told.stderr
    here, there = sotto.density(mine, **QUICK), sotto.Density("d")
    assert here.summary == there.summary == json.loads(told.stdout) and here.curve.equals(there.curve)
    assert here.verdicts == {"age": here.verdict} and here.summary["columns"][0]["verdict"] in told.stderr


def test_a_stream_of_released_values_is_their_file(table):
    release = sotto.privatize(table[:500], {name: {"lower": 0, "upper": 90} for name in ("age", "ill")}, epsilon=20)
    one = sotto.density(release, column=["age", "ill"], **QUICK)
    other = sotto.density(release.table, channel=release.channel_file, column=["age", "ill"], **QUICK)
    assert one.curve.equals(other.curve) and list(one.verdicts) == ["age", "ill"]
    changed = release.table.to_pandas().assign(age=50.0)
    with pytest.raises(sotto.DataError):
        sotto.density(changed, channel=release.channel_file, column="age", **QUICK)
    with pytest.raises(sotto.UsageError, match="say how the noise was made"):
        sotto.density(release.table, column="age")


def test_quantities_have_intervals(table):
    release = sotto.privatize(table, "age", **BOUNDS, epsilon=200)
    density = sotto.density(release, quantity=["P(x > 54)", "mean"], **QUICK)
    share, mean = density.quantities
    assert share["quantity"] == "P(x > 54)" and share["mean"] == pytest.approx((table.age > 54).mean(), abs=0.05)
    assert share["lower"] < share["mean"] < share["upper"]
    assert mean["mean"] == pytest.approx(table.age.mean(), abs=2) and mean["prior_upper"] - mean["prior_lower"] > 5
    assert share["sentence"].startswith("P(x > 54): 0.") and share["sentence"] in repr(density) and density.verdict in repr(density)
    curve = density.curve.to_pandas()
    assert (curve.lower <= curve.upper).all() and np.trapezoid(curve["mean"], curve.x) == pytest.approx(1, abs=1e-4)
    assert density.clusters["mean_count"] > 0 and density.report().exists()


def test_priors_of_ones_own(table):
    release = sotto.privatize(table[:300], "age", **BOUNDS, epsilon=2)
    plain = sotto.density(release, **QUICK)
    own = sotto.density(release, algorithm="neal5", base={"mean": 30, "rate": 2.5}, concentration_prior=(3, 1), imputations=2, **QUICK)
    assert own.summary["columns"][0]["base"] == plain.summary["columns"][0]["base"] | {"mean": 30, "rate": 2.5}
    assert own.summary["concentration_prior"] == {"shape": 3, "rate": 1} and own.summary["imputations"] == 2
    assert sotto.density(release, concentration_prior=True, **QUICK).summary["concentration_prior"] == {"shape": 2, "rate": 2}
    assert "concentration_prior" not in sotto.density(release, concentration_prior=False, **QUICK).summary
    with pytest.raises(sotto.UsageError, match="this kernel has no 'shapes' .did you mean shape"):
        sotto.density(release, base={"shapes": 3}, **QUICK)


def test_confidential_data_are_marked(table):
    groups = table[:100].assign(age=[20.0, 80.0] * 50)
    exact = sotto.density(groups, column="age", not_private=True, **BOUNDS, **QUICK)
    release = sotto.privatize(groups, "age", **BOUNDS, epsilon=200, keep_order=True)
    compared = sotto.density(release, compare=exact, **QUICK)
    assert repr(exact).startswith("NOT PRIVATE") and exact.summary["private"] is False
    assert 0.5 < compared.summary["adjusted_rand_index"] <= 1
    assert compared.summary["private"] is False and repr(compared).startswith("NOT PRIVATE")
    assert "NOT PRIVATE, as that run was made without noise" in compared.report().read_text()
    with_itself = sotto.density(release, compare=sotto.density(release, **QUICK), **QUICK)
    assert with_itself.summary["private"] is True
    assert any("not known to be of the same release" in sentence for sentence in compared.warnings)
    assert not any("same release" in sentence for sentence in with_itself.warnings)


def test_groups_differ(table):
    table = table[:1000]
    young, old = (
        sotto.density(sotto.privatize(table[of], "age", **BOUNDS, epsilon=200), quantity=["mean", "P(x > 54)"], **QUICK)
        for of in (table.age <= 54, table.age > 54)
    )
    release = sotto.privatize(table[table.age > 54], "age", **BOUNDS, epsilon=200)
    compared = sotto.density(release, quantity=["mean", "q(0.5)"], against=young, **QUICK)
    (mean,) = compared.differences
    truth = table.age[table.age > 54].mean() - table.age[table.age <= 54].mean()
    assert mean["quantity"] == "mean" and mean["mean"] == pytest.approx(truth, abs=4) and mean["probability_positive"] == 1
    assert "mean, less the other group's: " in repr(compared) and old.differences == []
    with pytest.raises(sotto.UsageError, match="is of this very release"):
        sotto.density(release, quantity="mean", against=compared.directory, **QUICK)


def test_what_is_said_is_raised_and_kept(table):
    release = sotto.privatize(table[:100], "age", **BOUNDS, epsilon=2)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        density = sotto.density(release, chains=2, warmup=1, draws=10, thin=1, grid_points=11)
    said = [warning for warning in caught if warning.category is sotto.SottoWarning]
    assert [str(warning.message) for warning in said] == density.warnings != []
    assert {warning.filename for warning in said} == {__file__}


def test_files_live_as_long_as_what_reads_them(table, tmp_path):
    release = sotto.privatize(table[:50], "age", **BOUNDS, epsilon=2)
    density = sotto.density(release, **QUICK)
    folders = [release.file.parent, density.directory]
    kept = release.save(tmp_path / "kept.csv")
    assert kept.table.equals(release.table) and kept.description == release.description
    assert sotto.Density(density.save(tmp_path / "kept")).verdict == density.verdict
    with pytest.raises(sotto.CannotCreateError, match="exists"):
        release.save(tmp_path / "kept.csv")
    with pytest.raises(sotto.CannotCreateError, match="exists"):
        density.save(tmp_path / "kept")
    del release, density
    gc.collect()
    assert not any(folder.exists() for folder in folders)


def test_a_release_may_be_parquet(table, tmp_path):
    columns = {"age": BOUNDS, "clinic": {"channel": "randomized-response", "levels": ["north", "south", "west"]}}
    release = sotto.privatize(table[:60], columns, epsilon=4, out=tmp_path / "z.parquet")
    assert release.table.column_names == ["age", "clinic"] and release.table.num_rows == 60
    assert set(release.table["clinic"].to_pylist()) <= {"north", "south", "west"}
    assert list(sotto.density(release, column="age", **QUICK).verdicts) == ["age"]
    with pytest.raises(sotto.UsageError, match="let kept.csv end in .parquet too"):
        release.save(tmp_path / "kept.csv")
    assert release.save(tmp_path / "kept.parquet").table.equals(release.table)


def test_what_was_paid_for_stays_on_record(table, tmp_path):
    out = tmp_path / "z.csv"
    sotto.privatize(table, "age", **BOUNDS, epsilon=2, out=out)
    with pytest.raises(sotto.CannotCreateError, match="or its description exists"):
        sotto.privatize(table, "age", **BOUNDS, epsilon=1, out=out)
    with pytest.warns(sotto.SottoWarning, match="the two releases add up"):
        again = sotto.privatize(table, "age", **BOUNDS, epsilon=1, out=out, overwrite=True)
    assert again.description["epsilon"] == 1 and again.description["with_earlier"]["epsilon"] == 3


def test_a_release_is_kept_when_a_warning_is_an_error(table):
    with warnings.catch_warnings():
        warnings.simplefilter("error", sotto.SottoWarning)
        with pytest.raises(sotto.SottoWarning) as caught:
            sotto.privatize(table, "age", **BOUNDS, epsilon=1, keep_order=True)
    file = caught.value.__notes__[0].removeprefix("what was paid for stands in ") + "/release.csv"
    assert sotto.Release(file).description["epsilon"] == 1


def test_a_refusal_leaves_no_folder(table, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(sotto.ConfigurationError):
        sotto.privatize(table, "age", **BOUNDS, epsilon=-1)
    with pytest.raises(sotto.ConfigurationError):
        sotto.density(table, column="age", not_private=True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "arguments, error, sentence",
    [
        ({"lower": None}, sotto.ConfigurationError, "the column 'age' needs 'lower'"),
        ({"lower": 90}, sotto.ConfigurationError, "lower"),
        ({"channel": "noise"}, sotto.ConfigurationError, "noise"),
        ({"levels": ["a", "b"]}, sotto.ConfigurationError, "the channel laplace has no 'levels': leave it out"),
        ({"channel": "randomized-response"}, sotto.ConfigurationError, "the channel randomized-response has no"),
        ({"steps": -1}, sotto.ConfigurationError, "'steps' must be a whole number"),
        ({"epsilon": None}, sotto.ConfigurationError, "epsilon"),
        ({"epsilon": -1}, sotto.ConfigurationError, "epsilon must be a number >= 0"),
        ({"rho": 1}, sotto.UsageError, "give either epsilon or rho"),
        ({"epsilon": None, "rho": 1, "delta": 0.1}, sotto.UsageError, "delta goes with epsilon"),
        ({"delta": 1e-6}, sotto.UsageError, "the channel laplace needs no delta: leave it out"),
        ({"channel": "gaussian", "delta": 0.5}, sotto.ConfigurationError, "delta"),
        ({"column": "agee"}, sotto.DataError, "the table has no column agee"),
        ({"column": {"age": BOUNDS}}, sotto.UsageError, "each has its own lower"),
        ({"data": {"age": [1]}}, sotto.UsageError, "not <builtins.dict>"),
        ({"data": "none.csv"}, sotto.NoInputError, "none.csv"),
        ({"data": pd.DataFrame({"age": np.zeros(0)})}, sotto.DataError, "the table has no rows"),
        ({"out": "z.xlsx"}, sotto.UsageError, "a CSV or a Parquet file is written"),
    ],
)
def test_refuses_before_anything_is_spent(arguments, error, sentence, table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=sentence):
        sotto.privatize(**{"data": table, "column": "age", **BOUNDS, "epsilon": 2, "out": "z.csv", **arguments})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "arguments, error, sentence",
    [
        ({"kernel": "gauss"}, sotto.ConfigurationError, "gauss"),
        ({"kernel": "categorical"}, sotto.ConfigurationError, "kernel"),
        ({"quantity": "P(y > 3)"}, sotto.UsageError, "'P.y > 3.' is no quantity"),
        ({"chains": -1}, sotto.UsageError, "chains has a wrong type, or is out of range"),
        ({"level": "much"}, sotto.UsageError, "level has a wrong type, or is out of range"),
        ({"column": "ill"}, sotto.UsageError, "the channel description has no column 'ill'"),
        ({"channel": "none.toml"}, sotto.NoInputError, "none.toml"),
        ({"lower": 1}, sotto.UsageError, "lower and upper are for confidential data"),
        ({"not_private": True}, sotto.UsageError, "confidential data have no channel"),
        ({"compare": "."}, sotto.NoInputError, "clusters.json"),
        ({"quantity": "mean", "against": "."}, sotto.NoInputError, "summary.json"),
        ({"against": "."}, sotto.UsageError, "^against needs a quantity"),
        ({"discount": 0.5}, sotto.UsageError, "discount has no effect here"),
        ({"components": 3, "mixing": "pitman-yor"}, sotto.UsageError, "components has no effect here"),
    ],
)
def test_a_density_refuses_in_words(arguments, error, sentence, table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    release = sotto.privatize(table[:50], "age", **BOUNDS, epsilon=2)
    with pytest.raises(error, match=sentence):
        sotto.density(release, **{**QUICK, "out": "d", **arguments})
    assert not (tmp_path / "d/summary.json").exists()


def interrupted(**settings):
    timer = threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        return sotto.density(sotto.privatize(pd.DataFrame({"x": [1.0, 2.0] * 20}), "x", lower=0, upper=3, epsilon=5), **settings)
    finally:
        timer.cancel()


def test_ctrl_c_keeps_the_draws_made_so_far():
    density = interrupted(chains=2, warmup=10, draws=10**8, thin=1, grid_points=11)
    assert "The run was stopped before its end" in density.warnings[0] and density.synthetic.num_rows > 10


def test_ctrl_c_before_the_first_draw_leaves_nothing():
    with pytest.raises(KeyboardInterrupt, match="stopped before the first draws"):
        interrupted(warmup=10**9)


def test_a_description_holds_no_cell(table):
    secret = table.assign(clinic="the secret")
    release = sotto.privatize(secret, "clinic", channel="randomized-response", levels=["a", "b"], epsilon=1)
    assert "secret" not in release.channel_file.read_text() + release.file.read_text()
    assert tomllib.loads(release.channel_file.read_text()) == release.description
