"""What a row can do in a model of one's own: where its code fails, says something, or looks at other rows."""

import ctypes
import io
import os
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
from own_models import BUDGET, SCHEMA, Robust, lines, with_code


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


# Under add/remove rows are read one at a time, which takes longer.
FAILING = [("substitute", how) for how in FAILURES] + [
    pytest.param("add-remove", how, marks=[] if how in ("raises", "nan") else pytest.mark.long) for how in FAILURES
]


@pytest.mark.parametrize("adjacency, how", FAILING)
def test_a_row_on_which_code_fails_contributes_nothing_and_nobody_hears_of_it(adjacency, how, capfd):
    table = lines(50)
    schema = sotto.Schema(SCHEMA.columns, adjacency=adjacency)
    left_out, failing = table.copy(), table.copy()
    left_out.loc[20, "y"] = None
    failing.loc[20, "y"] = 17
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        got, expected = (
            sotto.fit(one, model=spoiled(FAILURES[how]), schema=schema, not_private=True, method="metropolis", chains=2, warmup=10, draws=15)
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


# What is raised there pytest takes away from standard error, and warns of it.
@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning", "error::pytest.PytestUnhandledThreadExceptionWarning")
def test_nothing_is_heard_of_what_is_raised_between_calls(capfd):
    class Told:
        def __init__(self):
            self.itself = self

        def __del__(self):
            os.write(2, b"y is 17")
            raise ValueError("y is 17")

    class Lazy:
        def __init__(self, numbers):
            self.numbers = numbers

        def __array__(self, dtype=None, copy=None):
            os.write(1, b"y is 17")
            return self.numbers

    def wait():
        time.sleep(0.01)
        os.write(2, b"y is 17")
        raise ValueError("y is 17")

    def log_density(self, rows, position):
        if (rows["y"] == 17).any():
            Told()
            threading.Thread(target=wait).start()
            return Lazy(Robust.log_density(self, rows, position))
        return Robust.log_density(self, rows, position)

    table = lines(50)
    table.loc[20, "y"] = 17
    hooks = sys.unraisablehook, threading.excepthook
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sotto.SottoWarning)
        sotto.fit(table, model=with_code(Robust, log_density=log_density), schema=SCHEMA, **BUDGET, warmup=200, draws=200)
    assert (sys.unraisablehook, threading.excepthook) == hooks
    assert capfd.readouterr() == ("", "")


def test_nothing_is_heard_where_another_fit_ends_first(monkeypatch):
    seen = threading.Event()
    another_ended = threading.Event()

    def log_density(self, rows, position):
        if (rows["y"] == 17).any():
            seen.set()
            another_ended.wait(60)
            print("y is 17")
            warnings.warn("y is 17")
        return Robust.log_density(self, rows, position)

    table = lines(50)
    table.loc[20, "y"] = 17
    told = io.StringIO()
    monkeypatch.setattr(sys, "stdout", told)
    monkeypatch.setattr(sys, "stderr", told)
    hooks = sys.unraisablehook, threading.excepthook
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sotto.SottoWarning)
        of_rows = threading.Thread(
            target=lambda: sotto.fit(table, model=with_code(Robust, log_density=log_density), schema=SCHEMA, **BUDGET, warmup=5, draws=5)
        )
        of_rows.start()
        assert seen.wait(60)
        sotto.fit(lines(50), model=Robust(), schema=SCHEMA, **BUDGET, warmup=5, draws=5)
        another_ended.set()
        of_rows.join()
    assert told.getvalue() == "" and sys.stdout is told and sys.stderr is told
    assert (sys.unraisablehook, threading.excepthook) == hooks


def test_what_fails_beside_others_alone_is_refused():
    def log_density(self, rows, position):
        numbers = Robust.log_density(self, rows, position)
        return numbers + (len(numbers) > 1) * (np.count_nonzero(rows["y"] != rows["y"].min()) <= 1)

    with pytest.raises(sotto.ConfigurationError, match="another number beside other rows"):
        sotto.fit(lines(50), model=with_code(Robust, log_density=log_density), schema=SCHEMA, **BUDGET, warmup=5, draws=5)


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


def test_what_is_printed_after_a_fit_is_heard(capsys):
    sotto.fit(lines(50), model=Robust(), schema=SCHEMA, **BUDGET, warmup=5, draws=5)
    print("heard")
    assert capsys.readouterr().out == "heard\n"
