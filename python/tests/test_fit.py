"""A fit from Python is the program's: the same files, sentences and refusals."""

import gc
import json
import math
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings

import numpy as np
import pandas as pd
import pytest

import sotto
from conftest import declared, people
from sotto import _sotto

FORMULA = "ill > 0 ~ age + C(clinic)"
BUDGET = {"epsilon": 1, "delta": 1e-6}


@pytest.fixture(scope="module")
def fit(tmp_path_factory):
    out = tmp_path_factory.mktemp("fit") / "out"
    fit = sotto.fit(people(), FORMULA, schema=declared(), **BUDGET, draws=100, out=out)
    assert fit.directory == out
    return fit


def test_says_what_the_files_say(fit):
    out = fit.directory
    assert fit.report() == out / "report.html" and fit.report().exists()
    assert fit.privacy == json.loads((out / "privacy.json").read_text())
    assert fit.privacy["private"] and fit.privacy["epsilon"] == 1 and fit.privacy["delta"] == 1e-6
    assert fit.warnings == json.loads((out / "summary.json").read_text())["warnings"]
    pd.testing.assert_frame_equal(fit.summary(), pd.read_csv(out / "summary.csv", index_col="parameter").drop(columns="private"), rtol=1e-9)
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["configuration"]["data"] == {"file": "<pandas.DataFrame>", "schema": "<sotto.Schema>"}


def test_draws_are_those_of_the_chains(fit):
    assert fit.draws is fit.draws
    posterior = fit.draws.posterior
    assert dict(posterior.sizes) == {"chain": 4, "draw": 100}
    assert list(posterior.data_vars) == ["Intercept", "age", "clinic[south]", "clinic[west]"]
    assert posterior.attrs["inference_library"] == "sotto" and posterior.attrs["private"] == 1
    means = {name: float(values.mean()) for name, values in posterior.data_vars.items()}
    assert means == pytest.approx(fit.summary()["mean"].to_dict(), rel=1e-9)
    chain = pd.read_csv(fit.directory / "chain_3.csv", comment="#")
    assert np.array_equal(posterior["age"].sel(chain=2), chain["age"])
    assert np.array_equal(fit.draws.sample_stats["lp"].sel(chain=2), chain["lp__"])


def test_draws_are_a_tree_where_arviz_is_not(fit):
    assert type(fit.draws).__name__ == "DataTree"
    assert dict(fit.draws["posterior"].sizes) == {"chain": 4, "draw": 100}
    assert "lp" in fit.draws["sample_stats"]


def test_a_parameter_called_as_a_dimension_is_renamed(table, tmp_path):
    schema = sotto.Schema({"smoker": sotto.binary(), "draw": sotto.real(18, 90)})
    fit = sotto.fit(table.rename(columns={"age": "draw"}), "smoker ~ draw", schema=schema, **BUDGET, draws=20)
    assert list(fit.draws["posterior"].data_vars) == ["Intercept", "draw_"]


def test_shows_itself(fit):
    age = fit.summary().loc["age"]
    known = f"{age['mean']:.{-math.ceil(math.log10(age['mcse_mean'] / 2))}f}"  # the last digit is worth half the Monte Carlo error
    for text in (repr(fit), fit._repr_html_()):
        assert "(epsilon, delta) = (1, 1e-06) for one row; spent epsilon" in text
        assert "clinic[south]" in text and known in text and "ess_tail" in text
    assert repr(fit).splitlines()[0] == FORMULA
    assert "ill &gt; 0 ~ age" in fit._repr_html_() and "<td>age</td>" in fit._repr_html_()


def test_without_privacy_it_says_so(table, schema):
    fit = sotto.fit(table, FORMULA, schema=schema, not_private=True, draws=60)
    assert fit.privacy["private"] is False and fit.privacy["epsilon"] is None
    assert "NOT PRIVATE" in repr(fit) and "NOT PRIVATE" in fit._repr_html_()


def test_numbers_that_are_no_answer_are_not_shown(table, schema):
    fit = sotto.fit(table, FORMULA, schema=schema, **BUDGET, method="penalty", draws=10, warmup=2, force=True)
    assert "have not converged" in fit.no_answer
    for text in (repr(fit), fit._repr_html_()):
        assert "NO ANSWER" in text and "q95" not in text
    assert list(fit.summary().index)[1] == "age"


def test_a_budget_that_gives_no_answer_is_refused_before_it_is_spent(table, schema, tmp_path):
    with pytest.raises(sotto.BudgetError, match="would give no answer.*nothing was spent"):
        sotto.fit(table, FORMULA, schema=schema, epsilon=1e-4, delta=1e-6, out=tmp_path / "out")
    assert not (tmp_path / "out" / "charges.jsonl").exists()


def test_reads_what_the_program_left(table, schema, program):
    table.to_csv("t.csv", index=False)
    (program.folder / "s.toml").write_text(schema.to_toml())
    told = program("fit", "--data", "t.csv", "--schema", "s.toml", "--formula", FORMULA, "--epsilon", 1, "--delta", 1e-6, "--out", "out")
    assert told.returncode == 0, told.stderr
    fit = sotto.Fit("out")
    assert [f"sotto: {sentence}" for sentence in fit.warnings] == told.stderr.splitlines()
    assert np.array_equal(fit.draws.posterior["age"].sel(chain=0), pd.read_csv("out/chain_1.csv", comment="#")["age"])
    with pytest.raises(sotto.NoInputError, match="no directory elsewhere"):
        sotto.Fit("elsewhere")


def test_warnings_are_raised_and_kept(table, schema):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit = sotto.fit(table, FORMULA, schema=schema, epsilon=21, delta=1e-6, draws=20)
    sentences = [str(warning.message) for warning in caught if warning.category is sotto.SottoWarning]
    assert sentences == fit.warnings and any("promises next to nothing" in sentence for sentence in sentences)
    assert {warning.filename for warning in caught if warning.category is sotto.SottoWarning} == {__file__}


def test_a_folder_of_its_own_lives_as_long_as_the_fit(table, schema, tmp_path):
    fit = sotto.fit(table[:200], FORMULA, schema=schema, **BUDGET, draws=60, force=True)
    folder = fit.directory
    assert folder.stat().st_mode & 0o777 == 0o700
    assert fit.save(tmp_path / "kept") == tmp_path / "kept"
    assert (tmp_path / "kept/charges.jsonl").exists() and repr(sotto.Fit(tmp_path / "kept")) == repr(fit)
    with pytest.raises(sotto.CannotCreateError, match="kept exists"):
        fit.save(tmp_path / "kept")
    del fit
    gc.collect()
    assert not folder.exists()


def test_what_was_paid_for_is_kept_when_a_warning_is_an_error(table, schema):
    with warnings.catch_warnings():
        warnings.simplefilter("error", sotto.SottoWarning)
        with pytest.raises(sotto.SottoWarning) as caught:
            sotto.fit(table, FORMULA, schema=schema, epsilon=21, delta=1e-6, draws=20)
    note = caught.value.__notes__[0]
    assert note.startswith("what was paid for stands in ")
    assert sotto.Fit(note.removeprefix("what was paid for stands in ")).privacy["spent_epsilon"] > 0


def test_a_refusal_leaves_no_folder(table, schema, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(sotto.ConfigurationError):
        sotto.fit(table, FORMULA, schema=schema, epsilon=-1, delta=1e-6)
    assert not list(tmp_path.iterdir())


def test_a_paid_release_is_replaced_only_when_asked(fit, table, schema, tmp_path):
    again = {"schema": schema, **BUDGET, "draws": 60, "out": shutil.copytree(fit.directory, tmp_path / "out")}
    with pytest.raises(sotto.CannotCreateError, match="a release that was paid for"):
        sotto.fit(table, FORMULA, **again)
    replaced = sotto.fit(table, FORMULA, overwrite=True, **again)
    assert len((replaced.directory / "charges.jsonl").read_text().split('"opened"')) == 3


# What each asks of the program, and of Python; message and status are one.
REFUSALS = {
    "no table": (["--data", "none.csv"], {"data": "none.csv"}, sotto.NoInputError),
    "no schema": (["--schema", "none.toml"], {"schema": "none.toml"}, sotto.NoInputError),
    "no such column": (["--data", "other.csv"], {"data": "other.csv"}, sotto.DataError),
    "not well formed": (["--data", "quotes.csv"], {"data": "quotes.csv"}, sotto.DataError),
    "undeclared column": (["--formula", "ill ~ agee"], {"formula": "ill ~ agee"}, sotto.ConfigurationError),
    "no method": (["--method", "penality"], {"method": "penality"}, sotto.ConfigurationError),
    "no family": (["--family", "poison"], {"family": "poison"}, sotto.ConfigurationError),
    "no epsilon": (["--epsilon", "-2"], {"epsilon": -2}, sotto.ConfigurationError),
    "unknown setting": (["--set", "method.stepsize=1"], {"settings": {"method.stepsize": 1}}, sotto.ConfigurationError),
    "wrong type": (["--set", "method.draws='many'"], {"draws": "many"}, sotto.ConfigurationError),
    "a prior": (["--set", 'prior.default.family="flat"'], {"prior": {"default": {"family": "flat"}}}, sotto.ConfigurationError),
    "out is a file": (["--out", "t.csv"], {"out": "t.csv"}, sotto.CannotCreateError),
    "no budget": (
        ["--method", "barker-subsampled", "--epsilon", "1e-4"],
        {"method": "barker-subsampled", "epsilon": 1e-4},
        sotto.BudgetError,
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_refuses_as_the_program_does(case, table, schema, program):
    options, arguments, error = REFUSALS[case]
    (program.folder / "s.toml").write_text(schema.to_toml())
    table.to_csv("t.csv", index=False)
    (program.folder / "other.csv").write_text("ill,Age\n1,2\n")
    (program.folder / "quotes.csv").write_text('ill,age\n1,"2"2\n')
    usual = {"data": "t.csv", "schema": "s.toml", "formula": "ill > 0 ~ age", "epsilon": 1, "delta": 1e-6, "out": "out"}
    told = program("fit", *(text for key, value in usual.items() if f"--{key}" not in options for text in (f"--{key}", value)), *options)
    if (program.folder / "out").exists():
        (program.folder / "out").rename(program.folder / "the program's")
    with pytest.raises(error) as caught:
        sotto.fit(**{**usual, **arguments})
    assert str(caught.value) == str(error(told.stderr.removeprefix("sotto: ").removesuffix("\n")))  # options are arguments here
    assert told.returncode == caught.value.exit_status


def test_every_error_has_its_status():
    errors = [getattr(sotto, name) for name in sotto.__all__ if name.endswith("Error") and name != "Error"]
    assert {error.__name__: error.exit_status for error in errors} == _sotto.exit_statuses
    assert all(issubclass(error, sotto.Error) for error in errors)


def test_what_a_library_says_is_not_passed_on(schema):
    # It may quote what it was given, and elsewhere that is a cell.
    with pytest.raises(sotto.InternalError) as caught:
        _sotto.check(3, schema._checked, "")
    assert str(caught.value) == "internal error: run it in a debugger to see where"


@pytest.mark.parametrize("path", ["long" * 100, "t.csv\0"])
def test_a_path_that_cannot_be_is_the_callers_fault(path, table, schema, program):
    table.to_csv("t.csv", index=False)
    refusals = (sotto.UsageError,) if "\0" in path else (sotto.UsageError, sotto.NoInputError, sotto.CannotCreateError)
    for call in (
        lambda: sotto.Fit(path),
        lambda: sotto.fit(path, FORMULA, schema=schema, **BUDGET),
        lambda: sotto.fit(table, FORMULA, schema=schema, **BUDGET, out=path),
        lambda: sotto.fit(table, FORMULA, schema=path, **BUDGET),
        lambda: sotto.Schema.read(path),
        lambda: sotto.privatize(path, "age", lower=18, upper=90, epsilon=1),
        lambda: sotto.privatize(table, "age", lower=18, upper=90, epsilon=1, out=f"{path}.csv"),
        lambda: sotto.density(path),
        lambda: sotto.Density(path),
        lambda: sotto.Release(path),
    ):
        with pytest.raises(refusals, match="NUL" if "\0" in path else "long"):
            call()
    assert [file.name for file in program.folder.iterdir()] == ["t.csv"]


def test_settings_that_are_arguments_are_refused(table, schema):
    with pytest.raises(sotto.UsageError, match="output.directory is no setting here: it is the argument out"):
        sotto.fit(table, FORMULA, schema=schema, **BUDGET, settings={"output.directory": "x"})
    with pytest.raises(sotto.UsageError, match="a setting must be text, a number"):
        sotto.fit(table, FORMULA, schema=schema, **BUDGET, settings={"method.rate": object()})
    with pytest.raises(sotto.UsageError, match="schema must be a sotto.Schema or the path of a schema file, not <builtins.dict>"):
        sotto.fit(table, FORMULA, schema={"age": sotto.real(18, 90)}, **BUDGET)


def test_one_thing_is_said_once(table, schema):
    for settings, sentence in (
        ({"privacy.epsilon": 5}, "privacy.epsilon is given twice, by its argument as 1 and by settings as 5"),
        ({"model.formula": "ill > 0 ~ 1"}, "model.formula is given twice"),
        ({"privacy": {"epsilon": 5}}, "privacy in settings would undo privacy.epsilon"),
        ("model.sigma=2", "settings are a dict of keys"),
    ):
        with pytest.raises(sotto.UsageError, match=sentence):
            sotto.fit(table, "ill > 0 ~ age", schema=schema, epsilon=1, delta=1e-6, settings=settings)


def test_what_is_no_table_is_told_how_to_become_one(table, schema):
    def refused(data, kind=sotto.UsageError):
        with pytest.raises(kind) as caught:
            sotto.fit(data, "ill > 0 ~ age", schema=schema, epsilon=1, delta=1e-6)
        return str(caught.value)

    assert ".to_frame()" in refused(table["age"])
    assert "pandas.DataFrame(data)" in refused({"age": [1, 2]})
    twice = table.assign(more=1).rename(columns={"more": "age"})
    assert "has more than one column age" in refused(twice, sotto.DataError)


def test_the_home_folder_is_found(table, schema, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    fit = sotto.fit(table, "ill > 0 ~ age", schema=schema, epsilon=1, delta=1e-6, draws=60, out="~/fit")
    assert (tmp_path / "fit/report.html").exists() and fit.report() == tmp_path / "fit/report.html"
    with pytest.raises(sotto.UsageError, match="a path is a text or a pathlib.Path, not <builtins.int>"):
        sotto.fit(table, "ill > 0 ~ age", schema=schema, epsilon=1, delta=1e-6, out=3)


def test_priors_reach_the_model(table, schema):
    prior = {"default": {"family": "laplace", "scale": 3}, "parameter": {"clinic[west]": {"family": "normal", "scale": 0.5}}}
    fit = sotto.fit(table, FORMULA, schema=schema, **BUDGET, draws=60, prior=prior)
    priors = json.loads((fit.directory / "manifest.json").read_text())["configuration"]["prior"]
    assert priors["default"].startswith("laplace") and list(priors["parameter"]) == ["clinic[west]"]


@pytest.mark.long
def test_other_threads_run_meanwhile(table, schema):
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.002):
            ticks.append(time.monotonic())

    ticker = threading.Thread(target=tick, daemon=True)
    ticker.start()
    start = time.monotonic()
    sotto.fit(table, FORMULA, schema=schema, not_private=True, method="metropolis", draws=3000)
    end = time.monotonic()
    done.set()
    ticker.join()
    within = [start, *ticks, end]
    assert max(b - a for a, b in zip(within, within[1:])) < 0.8 * (end - start)


RUN = """
    import sys, warnings, numpy, pandas, sotto
    warnings.simplefilter("ignore")
    sys.modules["arviz"] = None  # takes seconds to come
    x = numpy.tile([0.5, -0.25, 0.1], 200)
    schema = sotto.Schema({"y": sotto.binary(), "x": sotto.real(-1, 1)})
    try:
        fit = sotto.fit(pandas.DataFrame({"y": x > 0.3, "x": x}), "y ~ x", schema=schema, epsilon=2, delta=1e-6, threads=1,
                        force=True, out=sys.argv[1], **eval(sys.argv[2]))
        print("draws", fit.draws["posterior"].sizes["draw"], fit.warnings)
    except KeyboardInterrupt as stopped:
        print("stopped:", stopped)
"""


def interrupt(out, arguments, booked):
    """Ctrl-C, once so many lines stand in the record of charges."""
    run = subprocess.Popen([sys.executable, "-c", textwrap.dedent(RUN), out, repr(arguments)], stdout=subprocess.PIPE, text=True)
    record = out / "charges.jsonl"
    deadline = time.monotonic() + 60
    while not (record.exists() and len(record.read_text().splitlines()) > booked):
        assert run.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    run.send_signal(signal.SIGINT)
    told, _ = run.communicate(timeout=60)
    assert run.returncode == 0
    assert json.loads(record.read_text().splitlines()[-1])["closed"]["ending"] == "interrupted"
    return told


def test_an_interrupt_keeps_the_draws_so_far(tmp_path):
    told = interrupt(tmp_path / "out", {"method": "penalty", "warmup": 2, "draws": 500000}, booked=30)
    kept, sentences = re.match(r"draws (\d+) (.*)", told).groups()
    assert 0 < int(kept) < 500000
    assert f"The run was stopped before its end, after {kept} draws of the shortest chain." in sentences


def test_an_interrupt_before_the_first_draw_is_raised(tmp_path):
    told = interrupt(tmp_path / "out", {"method": "penalty", "warmup": 400000, "draws": 10}, booked=10)
    assert re.match(r"stopped: stopped before the first draw; epsilon .* is spent", told), told
    assert json.loads((tmp_path / "out/privacy.json").read_text())["private"]


@pytest.mark.long
def test_progress_is_shown_on_a_terminal_alone(tmp_path):
    command = [sys.executable, "-c", textwrap.dedent(RUN), tmp_path / "out", "{'not_private': True, 'method': 'metropolis', 'draws': 2000}"]
    ours, theirs = pty.openpty()
    shown = subprocess.run(command, stderr=theirs, stdout=subprocess.PIPE, timeout=60)
    os.close(theirs)
    terminal = os.read(ours, 100000).decode()
    os.close(ours)
    assert shown.returncode == 0 and shown.stdout.startswith(b"draws 2000")
    assert re.search(r"fit \[#*\.*\] +\d+ %  budget \d+ %", terminal), terminal
    silent = subprocess.run(command, capture_output=True, timeout=60)
    assert silent.returncode == 0 and silent.stderr == b""


def test_draws_of_stated_priors_stand_beside_the_posterior(fit):
    stated = json.loads((fit.directory / "manifest.json").read_text())["priors"]
    assert len(stated) == 4
    drawn = fit.draws["prior"]
    assert drawn.sizes == fit.draws["posterior"].sizes
    for prior in stated:
        values = drawn[prior["parameter"]].to_numpy()
        spread = prior["q95"] - prior["q05"]
        for share, name in ((0.05, "q05"), (0.5, "q50"), (0.95, "q95")):
            assert abs(np.quantile(values, share) - prior[name]) < 0.1 * spread, (prior, share)


def test_a_prior_that_cannot_be_drawn_is_left_out():
    from sotto.prior_draws import prior_draws

    def one(distribution, q05, q50, q95):
        return {"parameter": distribution, "distribution": distribution, "q05": q05, "q50": q50, "q95": q95}

    drawn = prior_draws(
        [one("flat", None, None, None), one("normal(0, 1)", 0.0, 1.0, 9.0), one("laplace(0, 1)", -2.3, 0.0, 2.3), one("normal(1, 1.5)", 0.22, 2.7, 33.0)],
        4, 1000,
    )
    assert list(drawn) == ["laplace(0, 1)", "normal(1, 1.5)"]
    assert drawn["normal(1, 1.5)"].min() > 0 and drawn["laplace(0, 1)"].shape == (4, 1000)
