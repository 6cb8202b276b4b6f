"""A table means the same wherever it comes from."""

import json
import random
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sotto

CELLS = {
    "x": [0.1, -1.0, 2 / 3, 1e308, -1e-300, float("nan"), float("inf"), None, 0.25],
    "n": [0, 3, 9, 10, -1, None, 2**40],
    "b": [True, False, None],
    "g": ["a", "b", "ü, \"quoted\"\nlines", "", "NA", "unseen", " a ", None],
    "k": [1, 2, 3, None],
    "id": ["p1", "p2", "p3", "a person with a long name", None],
}
SCHEMA = sotto.Schema(
    {
        "x": sotto.real(-1, 1),
        "n": sotto.count(0, 9, imputed=4),
        "b": sotto.binary(),
        "g": sotto.category(["a", "b", "ü, \"quoted\"\nlines"], imputed="b"),
        "k": sotto.category([1, 2]),
    },
    unit=sotto.Unit("id", 40),
)
TYPES = {"x": pa.float64(), "n": pa.int64(), "b": pa.bool_(), "g": pa.string(), "k": pa.int8(), "id": pa.string()}


def random_table(seed):
    choose = random.Random(seed)
    rows = choose.choice([1, 7, 400])
    return pa.table({name: pa.array(choose.choices(cells, k=rows), TYPES[name]) for name, cells in CELLS.items()})


def chunked(table, seed):
    """The same rows in batches of random sizes, empty ones too."""
    choose = random.Random(seed)
    cuts = sorted(choose.choices(range(table.num_rows + 1), k=4))
    bounds = [0, *cuts, table.num_rows]
    return pa.concat_tables([table.slice(a, b - a) for a, b in zip(bounds, bounds[1:])])


def cast(table, name, kind):
    return table.set_column(table.schema.get_field_index(name), name, table[name].cast(kind))


def forms(table, seed):
    """The table as users hold it."""
    words = cast(cast(table, "g", pa.string_view()), "id", pa.large_string())
    frame = table.to_pandas()
    yield "pyarrow", table
    yield "chunks", chunked(table, seed)
    yield "reader", table.to_reader(max_chunksize=3)
    yield "views", words
    yield "dictionaries", table.set_column(3, "g", table["g"].dictionary_encode()).set_column(5, "id", table["id"].dictionary_encode())
    yield "binary", cast(table, "g", pa.binary())
    yield "pandas", frame
    yield "pandas of Arrow", table.to_pandas(types_mapper=pd.ArrowDtype)
    yield "pandas with an index", frame.set_index(pd.Index(range(3, 3 + len(frame)), name="row"))
    yield "pandas categories", frame.assign(g=frame["g"].astype("category"), id=frame["id"].astype("category"))
    polars = pl.from_arrow(table)
    yield "polars", polars
    yield "polars categories", polars.with_columns(pl.col("g").cast(pl.Categorical), pl.col("id").cast(pl.Categorical))
    yield "polars chunks", pl.concat([polars[:1], polars[1:]], rechunk=False)
    yield "duckdb", duckdb.from_arrow(table)
    yield "more columns", table.append_column("when", pa.array([None] * table.num_rows, pa.timestamp("s")))


@pytest.mark.parametrize("seed", range(12))
def test_every_form_of_a_table_has_the_same_cells(seed, program):
    table = random_table(seed)
    (program.folder / "s.toml").write_text(SCHEMA.to_toml())
    pl.from_arrow(table).write_csv("t.csv")
    pq.write_table(table, "t.parquet")
    told = program("schema", "--check", "t.csv", "s.toml", "--json")
    expected = json.loads(told.stdout)
    assert told.returncode == (0 if expected["rows_used"] > 0 else 65), told.stderr
    assert SCHEMA.check("t.csv") == expected
    assert SCHEMA.check(program.folder / "t.parquet") == expected
    for name, form in forms(table, seed):
        assert SCHEMA.check(form) == expected, name


# Draws show every value: without noise, the same chain on the same rows has the same bits.
@pytest.mark.long
def test_every_form_of_a_table_has_the_same_draws(program):
    generator = np.random.default_rng(4)
    rows = 400
    table = pa.table(
        {
            "x": generator.uniform(-1.2, 1.2, rows),
            "n": generator.integers(0, 12, rows),
            "b": generator.uniform(size=rows) < 0.4,
            "g": generator.choice(["a", "b", "unseen", None], rows),
            "k": generator.choice(np.array([1, 2], dtype=np.int8), rows),
            "id": generator.choice([f"p{i}" for i in range(12)], rows),
        }
    )
    (program.folder / "s.toml").write_text(SCHEMA.to_toml())
    pl.from_arrow(table).write_csv("t.csv")
    formula = "n ~ x * b + C(g) + C(k)"
    told = program("fit", "--data", "t.csv", "--schema", "s.toml", "--formula", formula, "--family", "poisson", "--not-private",
                   "--method", "nonprivate-hmc", "--chains", 2, "--draws", 30, "--seed", 5, "--out", "out")
    assert told.returncode in (0, sotto.BudgetError.exit_status), told.stderr  # so few draws are no answer
    expected = pd.read_csv("out/chain_2.csv", comment="#").iloc[:, -7:].to_numpy()
    assert np.unique(expected[:, 0]).size > 10

    def draws(data):
        fit = sotto.fit(data, formula, schema=SCHEMA, family="poisson", not_private=True, method="nonprivate-hmc", chains=2,
                        draws=30, seed=5)
        return np.column_stack([values.isel(chain=1).to_numpy() for values in fit.draws["posterior"].data_vars.values()])

    assert np.array_equal(draws("t.csv"), expected)
    for name, form in forms(table, 1):
        assert np.array_equal(draws(form), expected), name
    changed = table.set_column(0, "x", pa.array(np.where(np.arange(rows) == 7, 0.0, table["x"].to_numpy())))
    assert not np.array_equal(draws(changed), expected)


# What tests/sotto_io/same_draws_test.cpp shows of noise of one seed, which nothing that is installed takes; noise of the operating system is
# the same only where its releases are kept.
@pytest.mark.parametrize("adjacency", ["substitute", "add-remove"])
def test_the_program_draws_the_same_from_what_a_table_in_memory_released(adjacency, program):
    generator = np.random.default_rng(4)
    age = generator.uniform(10, 100, 3000)
    frame = pd.DataFrame({"age": age, "ill": generator.uniform(size=3000) < age / 120, "clinic": pd.Categorical(generator.choice(["n", "s", "?"], 3000))})
    columns = {"age": sotto.real(18, 90), "ill": sotto.binary(), "clinic": sotto.category(["n", "s"], imputed="n")}
    schema = sotto.Schema(columns, adjacency=adjacency)
    (program.folder / "s.toml").write_text(schema.to_toml())
    fit = sotto.fit(frame, "ill ~ age + C(clinic)", schema=schema, epsilon=1, delta=1e-6, chains=2, draws=300, seed=5, out="out")
    ours = {chain: (program.folder / "out" / chain).read_text() for chain in ("chain_1.csv", "chain_2.csv")}
    assert fit.privacy["private"] and json.loads((program.folder / "out/manifest.json").read_text())["method"] == "release-once"
    told = program("fit", "--resume", "out", "--data", "<pandas.DataFrame>", "--schema", "s.toml", "--formula", "ill ~ age + C(clinic)", "--epsilon", 1,
                   "--delta", 1e-6, "--chains", 2, "--draws", 300, "--seed", 5)
    assert told.returncode == 0, told.stderr

    def draws(text):
        return [line for line in text.splitlines() if not line.startswith("#")]

    for chain, text in ours.items():
        assert draws((program.folder / "out" / chain).read_text()) == draws(text) and len(draws(text)) == 301


def test_a_batch_longer_than_what_is_written_out_at_a_time():
    rows = 70000
    schema = sotto.Schema({"n": sotto.count(0, 100000)})
    numbers = np.arange(rows)
    counts = schema.check(pa.table({"n": numbers}))
    assert counts["records"] == rows and counts["columns"][0]["values"] == rows
    once = sotto.Schema({"n": sotto.count(0, 100000)}, unit=sotto.Unit("who", 1))
    assert once.check(pa.table({"n": numbers, "who": numbers % 69999}))["rows_used"] == 69999


def test_types_without_single_values_are_refused_by_name():
    schema = sotto.Schema({"when": sotto.real(0, 1)})
    for column in (pa.array([None], pa.timestamp("s")), pa.array([[1.0]]), pa.array([1], pa.decimal128(5, 2))):
        with pytest.raises(sotto.DataError, match="column when has type (timestamp|list|decimal128).*; write it as a number"):
            schema.check(pa.table({"when": column}))


def test_columns_are_asked_for_by_name():
    schema = sotto.Schema({"age": sotto.real(0, 1)})
    with pytest.raises(sotto.DataError, match="the table has no column age.*agee"):
        schema.check(pa.table({"agee": [0.5]}))
    with pytest.raises(sotto.DataError, match="more than one column age"):
        schema.check(pa.Table.from_arrays([pa.array([0.5]), pa.array([1.0])], ["age", "age"]))


def test_no_message_quotes_a_cell():
    schema = sotto.Schema({"x": sotto.real(0, 1)})
    with pytest.raises(sotto.DataError, match="cannot be made an Arrow stream") as caught:
        schema.check(pd.DataFrame({"x": [1.0, "the secret", 2.0]}))
    assert caught.value.__context__ is None and "secret" not in str(caught.value)

    def batches():
        yield pa.record_batch({"x": [0.5]})
        raise ValueError("the secret")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"x": pa.float64()}), batches())
    with pytest.raises(sotto.DataError) as caught:
        schema.check(reader)
    assert caught.value.__context__ is None and "secret" not in str(caught.value)
    assert str(caught.value) == "the table cannot be read as an Arrow stream; write it to a Parquet file"

    # The names in a nested type are made of cells, and so are a decimal's digits.
    rows = [{"the secret": 1}, None]
    for data in (pd.DataFrame({"x": rows}), pl.DataFrame({"x": rows}), pd.DataFrame({"x": [Decimal("17.123"), None]})):
        with pytest.raises(sotto.DataError, match=r"column x has type (struct|decimal128); write it") as caught:
            schema.check(data)
        assert caught.value.__context__ is None and "secret" not in str(caught.value)


def test_data_without_an_arrow_stream_are_refused():
    schema = sotto.Schema({"x": sotto.real(0, 1)})
    for data, name in (({"x": [0.5]}, "<builtins.dict>"), (np.zeros(3), "<numpy.ndarray>"), (None, "<builtins.NoneType>")):
        with pytest.raises(sotto.UsageError, match=r"pandas 2\.2 or later, polars, pyarrow\), not " + name):
            schema.check(data)
    with pytest.raises(sotto.UsageError, match="not <polars.LazyFrame>"):
        schema.check(pl.LazyFrame({"x": [0.5]}))


def test_a_stream_is_read_once():
    schema = sotto.Schema({"x": sotto.real(0, 1)})

    class Stream:
        capsule = pa.table({"x": [0.5]}).__arrow_c_stream__()

        def __arrow_c_stream__(self, requested_schema=None):
            return self.capsule

    assert schema.check(Stream())["records"] == 1
    with pytest.raises(sotto.DataError, match="cannot be read as an Arrow stream"):
        schema.check(Stream())
