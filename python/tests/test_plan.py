"""A plan from Python is the program's."""

import os
import signal
import threading

import numpy as np
import pandas as pd
import pytest

import sotto

FORMULA = "ill > 0 ~ age + C(clinic)"
USUAL = {"rows": 3000, "delta": 1e-6, "draws": 300}


@pytest.mark.long
def test_compares_budgets(schema):
    plan = sotto.plan(FORMULA, schema=schema, epsilon=np.array([0.01, 20]), **USUAL)
    assert plan.verdicts == {0.01: "hopeless", 20: "good"} and "times as wide" in plan.reasons[20]
    assert (plan.rows, plan.repeats, plan.method) == (3000, 3, "release-once")
    table = pd.DataFrame(plan.table)
    assert list(table.parameter.unique()) == ["Intercept", "age", "clinic[south]", "clinic[west]"] and len(table) == 8
    wide = table.pivot(index="parameter", columns="epsilon", values="sd")
    assert (wide[0.01] > 2 * wide[20]).all()
    assert np.allclose(table.sd_inflation, table.sd / table.sd_without_noise, rtol=0.2) and table.ess.gt(0).all()
    assert "3000 simulated rows" in repr(plan) and "epsilon 0.01: hopeless: " in repr(plan)


def test_one_budget_is_put_between_half_and_twice_of_it(schema):
    assert list(sotto.plan(FORMULA, schema=schema, epsilon=1, repeats=1, **USUAL).verdicts) == [0.5, 1, 2]


@pytest.mark.long
def test_shows_what_the_program_prints(schema, program):
    (program.folder / "s.toml").write_text(schema.to_toml())
    told = program("plan", "--schema", "s.toml", "--formula", "ill ~ age", "--family", "poisson", "--delta", 1e-6, "--rows", 3000,
                   "--epsilon", "1,4", "--repeats", 1)
    plan = sotto.plan("ill ~ age", schema="s.toml", family="poisson", rows=3000, delta=1e-6, epsilon=[1, 4], repeats=1)

    def lines(text):  # without the noise's figures
        return [line.split()[0] for line in text.splitlines() if line]

    assert lines(repr(plan)) == lines(told.stdout)[: len(lines(repr(plan)))]
    assert repr(plan).splitlines()[2:4] == told.stdout.splitlines()[2:4]


def test_rows_can_be_like_a_public_tables(schema, table):
    narrow = table.assign(age=50 + table.age / 100)
    plans = [sotto.plan("smoker ~ age", schema=schema, epsilon=[5], delta=1e-6, repeats=1, rows=rows, like=like)
             for rows, like in ((None, narrow[["age"]]), (3000, None))]
    assert plans[0].rows == len(table)
    sd = [{line["parameter"]: line["sd_without_noise"] for line in plan.table}["age"] for plan in plans]
    assert sd[0] > 20 * sd[1]


@pytest.mark.long
def test_the_guess_at_the_responses_counts(schema):
    rare, even = (sotto.plan(FORMULA, schema=schema, epsilon=[9], response_mean=mean, repeats=1, **USUAL).table for mean in (0.01, 0.5))
    assert rare[0]["sd_without_noise"] > 2 * even[0]["sd_without_noise"]


@pytest.mark.parametrize(
    "arguments, error, sentence",
    [
        ({"rows": None}, sotto.ConfigurationError, "a plan needs the number of rows"),
        ({"rows": -5}, sotto.ConfigurationError, "rows and repeats must be whole numbers from 1"),
        ({"repeats": 0}, sotto.ConfigurationError, "rows and repeats must be whole numbers from 1"),
        ({"delta": None}, sotto.ConfigurationError, "delta"),
        ({"epsilon": None}, sotto.ConfigurationError, "epsilon"),
        ({"epsilon": "much"}, sotto.ConfigurationError, "epsilon"),
        ({"response_mean": 2}, sotto.ConfigurationError, "mean"),
        ({"like": pd.DataFrame({"old": [1.0]})}, sotto.DataError, "the table has no column age"),
        ({"model": sotto.Model(), "formula": None}, sotto.UsageError, "says how likely a row is, not how to draw one"),
        ({"settings": {"data.file": "x.csv"}}, sotto.UsageError, "data.file is no setting here"),
    ],
)
def test_refuses_in_words(arguments, error, sentence, schema):
    with pytest.raises(error, match=sentence):
        sotto.plan(**{"formula": FORMULA, "schema": schema, "epsilon": 1, **USUAL, **arguments})


def interrupted(schema, number):
    """A plan that would take hours, sent a signal."""
    timer = threading.Timer(0.5, os.kill, (os.getpid(), number))
    timer.start()
    try:
        sotto.plan(FORMULA, schema=schema, epsilon=1, repeats=10000, **USUAL)
    finally:
        timer.cancel()


def test_ctrl_c_ends_it(schema):
    with pytest.raises(KeyboardInterrupt, match="stopped: nothing was spent"):
        interrupted(schema, signal.SIGINT)


def test_what_another_signal_raises_goes_its_way(schema):
    def late(*_):
        raise TimeoutError("too late")

    before = signal.signal(signal.SIGUSR1, late)
    try:
        with pytest.raises(TimeoutError, match="too late"):
            interrupted(schema, signal.SIGUSR1)
    finally:
        signal.signal(signal.SIGUSR1, before)
