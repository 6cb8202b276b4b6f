"""What the records of charges say, read together."""

import json
import math

import pytest

import sotto

FORMULA = "ill > 0 ~ age"


@pytest.fixture
def fit_again(table, schema, tmp_path):
    def fit(epsilon=1.0, folder="out", **more):
        return sotto.fit(table, FORMULA, **{"schema": schema, "delta": 1e-6, "draws": 60} | more, epsilon=epsilon, out=tmp_path / folder)

    return fit


def test_says_what_each_run_says_of_itself(fit_again, tmp_path):
    fit = fit_again()
    ledger = sotto.Ledger(tmp_path / "out")
    (run,) = ledger.runs
    assert (run.title, run.data, run.started) == (FORMULA, "<pandas.DataFrame>", fit.privacy.get("started", run.started))
    assert (run.epsilon, run.delta, run.adjacency, run.privacy_unit) == (1, 1e-6, "substitute", "one row")
    assert (run.spent_epsilon, run.ending) == (fit.privacy["spent_epsilon"], "finished")
    assert run.releases == fit.privacy["releases"]
    assert f"{run.started}  {FORMULA}  1        1e-06" in repr(ledger)
    assert repr(ledger).splitlines()[-1] == "(epsilon, delta) = (1, 1e-06) together; protected: one row, substitute"


def test_what_was_spent_is_told_no_smaller_than_it_is(fit_again):
    fit = fit_again()
    told = float(repr(fit).split("spent epsilon ")[1].split()[0].rstrip(";"))
    assert 0 <= told - fit.privacy["spent_epsilon"] < 1e-3
    assert sotto.ledger.at_most(0.99950001) == "0.9996"
    assert sotto.ledger.at_most(0.9995) == "0.9996"  # the double is a little more
    assert sotto.ledger.at_most(2.5) == "2.5"
    assert sotto.ledger.at_most(99900.0) == "9.99e+04"


def test_promises_of_the_same_rows_add_up(fit_again, tmp_path):
    first = fit_again()
    second = fit_again(0.5, overwrite=True)
    fit_again(0.25, "elsewhere", delta=2e-6)
    one = sotto.Ledger(tmp_path / "out")
    assert second.privacy["with_earlier"]["epsilon"] == pytest.approx(one.epsilon, rel=1e-9)
    both = sotto.Ledger(tmp_path / "out", tmp_path / "elsewhere", tmp_path / "." / "out")
    assert [run.epsilon for run in both.runs] == [1, 0.5, 0.25]
    assert both.epsilon == pytest.approx(1.75, rel=1e-9) and both.epsilon >= 1.75
    assert both.delta == pytest.approx(4e-6, rel=1e-9)
    assert both.left(epsilon=2, delta=1e-5) == pytest.approx((0.25, 6e-6), rel=1e-6)
    assert both.left(epsilon=1.75, delta=4e-6) == (0, 0)
    for total in ({"epsilon": 1.7, "delta": 1e-5}, {"epsilon": 2, "delta": 3e-6}):
        with pytest.raises(sotto.BudgetError, match=r"the runs so far are \(1.75, 4e-06\) together, beyond"):
            both.left(**total)
    assert first.directory == second.directory


def test_runs_that_protect_other_units_have_no_figure_together(fit_again, schema, tmp_path):
    fit_again()
    fit_again(folder="of others", schema=sotto.Schema(schema.columns, adjacency="add-remove"))
    ledger = sotto.Ledger(tmp_path / "out", tmp_path / "of others")
    assert math.isinf(ledger.epsilon) and math.isinf(ledger.delta)
    assert "they do not protect the same unit from the same adjacency" in repr(ledger)
    with pytest.raises(sotto.BudgetError, match="no .epsilon, delta. together"):
        ledger.left(epsilon=100, delta=0.1)


def test_persons_of_another_column_are_another_unit(fit_again, table, schema, tmp_path):
    rows = table.assign(id=range(len(table)), hosp=[row // 2 for row in range(len(table))])
    for folder, person in (("by id", "id"), ("by hosp", "hosp"), ("by id again", "id")):
        unit = sotto.Unit(person=person, maximum_rows=2)
        sotto.fit(rows, FORMULA, schema=sotto.Schema(schema.columns, unit=unit), epsilon=1, delta=1e-6, draws=60, out=tmp_path / folder)
    both = sotto.Ledger(tmp_path / "by id", tmp_path / "by hosp")
    assert math.isinf(both.epsilon) and [(run.person, run.maximum_rows) for run in both.runs] == [("id", 2), ("hosp", 2)]
    assert "by column hosp" in repr(both) and "by column id" in repr(both)
    assert sotto.Ledger(tmp_path / "by id", tmp_path / "by id again").epsilon == pytest.approx(2, rel=1e-9)


def test_a_killed_run_counts_by_its_promise(fit_again, tmp_path):
    fit_again()
    record = tmp_path / "out/charges.jsonl"
    lines = record.read_text().splitlines(keepends=True)
    assert "closed" in lines[-1]
    record.write_text("".join(lines[:3]) + lines[3][:20])
    (run,) = sotto.Ledger(tmp_path / "out").runs
    assert (run.epsilon, run.spent_epsilon, run.ending) == (1, None, None)
    assert run.releases == [json.loads(line)["booked"] for line in lines[1:3]]
    assert "unknown  unknown" in repr(sotto.Ledger(tmp_path / "out"))


def test_a_damaged_record_has_no_figure(fit_again, tmp_path):
    fit_again()
    record = tmp_path / "out/charges.jsonl"
    whole = record.read_text(encoding="utf-8")
    record.write_text(whole.replace("}\n", "\n", 1), encoding="utf-8")
    ledger = sotto.Ledger(tmp_path / "out")
    assert math.isinf(ledger.epsilon) and "a record was damaged" in repr(ledger)
    with pytest.raises(sotto.BudgetError, match="a record was damaged"):
        ledger.left(epsilon=1000, delta=1)
    record.write_text("", encoding="utf-8")
    fit_again(folder="beside")
    for directories in (["out"], ["beside", "out"]):
        with pytest.raises(sotto.NoInputError, match="no run is recorded in .*out/charges.jsonl: what was released there is not known"):
            sotto.Ledger(*(tmp_path / directory for directory in directories))
    assert fit_again(overwrite=True).privacy["with_earlier"] == {"epsilon": None, "delta": None}


def test_a_promise_that_cannot_be_read_is_infinite(tmp_path):
    (tmp_path / "charges.jsonl").write_text('{"opened":{"epsilon":"1"}}\n{"opened":7}\n')
    ledger = sotto.Ledger(tmp_path)
    assert [run.epsilon for run in ledger.runs] == [math.inf, math.inf] and math.isinf(ledger.epsilon)


def test_refuses_in_words(table, schema, tmp_path):
    sotto.fit(table, FORMULA, schema=schema, not_private=True, draws=60, out=tmp_path / "open")
    for folder in ("open", "nowhere"):
        with pytest.raises(sotto.NoInputError, match="no record of charges .*charges.jsonl"):
            sotto.Ledger(tmp_path / folder)
    with pytest.raises(sotto.UsageError, match="name the directories"):
        sotto.Ledger()
