"""A schema built in code is the one that a file declares."""

import json
import re

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sotto

FULL = sotto.Schema(
    {
        "age": sotto.real(18, 90.5, imputed=40, out_of_range="missing"),
        "visits": sotto.count(0, 50),
        "smoker": sotto.binary(imputed=1),
        'a "quoted" name\\ü': sotto.category(["a", "b c"], imputed="b c"),
        "code": sotto.category([1, 2]),
        "weight": sotto.real(0, 300, expected_mean=70, expected_sd=15),
        "ill": sotto.binary(expected_mean=0.25),
        "kind": sotto.category(["a", "b"], expected_shares=[0.75, 0.25]),
    },
    adjacency="add-remove",
    unit=sotto.Unit("id", maximum_rows=3),
)


def test_comes_back_from_its_file(tmp_path):
    (tmp_path / "s.toml").write_text(FULL.to_toml(), encoding="utf-8")
    read = sotto.Schema.read(tmp_path / "s.toml")
    assert read == FULL and read.columns == FULL.columns and read.unit == FULL.unit
    assert read.adjacency == "add-remove"
    assert read != sotto.Schema(FULL.columns)
    (tmp_path / "s.toml").write_text('adjacency = "add_remove"\n[[column]]\nname = "b"\nkind = "binary"\n')
    assert sotto.Schema.read(tmp_path / "s.toml") == sotto.Schema({"b": sotto.binary()}, adjacency="add-remove")


def test_its_words_are_its_constructor():
    names = {name: getattr(sotto, name) for name in ("Schema", "Unit", "real", "count", "binary", "category")}
    assert eval(repr(FULL), names) == FULL


def test_a_fit_takes_both(tmp_path, table, schema):
    (tmp_path / "s.toml").write_text(schema.to_toml())
    told = {"formula": "ill ~ age", "family": "poisson", "not_private": True, "draws": 60}
    one = sotto.fit(table, schema=schema, **told)
    other = sotto.fit(table, schema=tmp_path / "s.toml", **told)
    assert one.draws.posterior.equals(other.draws.posterior)
    configured = json.loads((other.directory / "manifest.json").read_text())["configuration"]
    assert configured["data"]["schema"] == str(tmp_path / "s.toml")


@pytest.mark.parametrize(
    "columns, more, sentence",
    [
        ({"age": sotto.real(90, 18)}, {}, "column age: lower must be less than upper"),
        ({"n": sotto.count(-1, 18)}, {}, "column n: the bounds of a count must be whole numbers >= 0"),
        ({"g": sotto.category(["a"])}, {}, "column g: a category needs levels"),
        ({"g": sotto.category(["a", "b"], imputed="c")}, {}, "column g: imputed must be one of the levels"),
        ({"x": sotto.real(0, float("inf"))}, {}, "column x: lower and upper must be finite numbers"),
        ({}, {}, "the schema declares no column"),
        ({"x": sotto.real(0, 1)}, {"adjacency": "swap"}, 'adjacency = "swap" is not known'),
        ({"x": sotto.real(0, 1)}, {"unit": sotto.Unit("x", 2)}, "column x identifies persons"),
        ({"x": sotto.real(0, 1)}, {"unit": sotto.Unit("id", 0)}, "maximum_rows must be a whole number from 1"),
    ],
)
def test_what_is_wrong_is_said_when_it_is_built(columns, more, sentence):
    with pytest.raises(sotto.ConfigurationError, match=sentence.replace("(", r"\(")):
        sotto.Schema(columns, **more)


def test_a_file_is_refused_by_its_line(tmp_path):
    (tmp_path / "s.toml").write_text('[[column]]\nname = "x"\nkind = "reel"\n')
    with pytest.raises(sotto.ConfigurationError, match=r"s.toml:3: kind = \"reel\" is not known .did you mean real\?"):
        sotto.Schema.read(tmp_path / "s.toml")
    with pytest.raises(sotto.NoInputError, match="there is no schema"):
        sotto.Schema.read(tmp_path / "none.toml")


def test_check_counts_and_says_that_it_is_not_private(schema):
    data = pd.DataFrame({"ill": [1, 40], "age": [20.0, None], "smoker": ["yes", "ja"], "clinic": ["north", "east"]})
    counts = schema.check(data)
    assert counts["private"] is False and counts["warning"].startswith("NOT PRIVATE")
    assert counts["records"] == 2 and counts["rows_used"] == 1
    by_name = {column["name"]: column for column in counts["columns"]}
    assert by_name["ill"]["clamped"] == 1 and by_name["age"]["missing"] == 1
    assert schema.check(data, "ill ~ smoker")["rows_used"] == 1 and schema.check(data, "ill ~ 1")["rows_used"] == 2
    with pytest.raises(sotto.ConfigurationError, match="column smokes is not declared in the schema .did you mean smoker"):
        schema.check(data, "ill ~ smokes")
    assert by_name["smoker"]["undecodable"] == 1 and by_name["clinic"]["undecodable"] == 1


CELLS = {
    "x": pa.float32(),
    "n": pa.int16(),
    "b": pa.bool_(),
    "s": pa.string(),
    "k": pa.int64(),
    "when": pa.timestamp("s"),
}
CATEGORIES = pd.CategoricalDtype(["south", "north", "west"])


def random_cells(seed):
    """Tables of the same types and declared levels: rows, cells and what is missing differ."""
    generator = np.random.default_rng(seed)
    rows = int(generator.integers(0, 40))

    def column(values, kind):
        return pa.array(values, kind, mask=generator.uniform(size=rows) < generator.uniform())

    table = pa.table(
        {
            "x": column(generator.normal(size=rows) * 10.0 ** generator.integers(-3, 9), CELLS["x"]),
            "n": column(generator.integers(-(10 ** int(generator.integers(4))), 9, rows), CELLS["n"]),
            "b": column(generator.uniform(size=rows) < 0.5, CELLS["b"]),
            "s": column(generator.choice(["a", "b", "", "a secret"], rows).astype(object), CELLS["s"]),
            "k": column(generator.choice([1, 2, 77], rows), CELLS["k"]),
            "when": column(generator.integers(0, 9, rows), CELLS["when"]),
        }
    )
    seen = generator.choice(CATEGORIES.categories[: int(generator.integers(1, 4))], rows)
    frame = table.to_pandas(types_mapper=pd.ArrowDtype).assign(g=pd.Series(seen, dtype=CATEGORIES), o=pd.Series(list(table["s"].to_pylist()), dtype=object))
    polars = pl.from_arrow(table).with_columns(g=pl.Series(seen.tolist(), dtype=pl.Enum(CATEGORIES.categories.tolist())))
    return {"pyarrow": table, "pandas": frame, "polars": polars, "polars, lazy": polars.lazy(), "duckdb": duckdb.from_arrow(table),
            "arrow dictionaries": table.set_column(3, "s", table["s"].dictionary_encode()), "types": table.schema, "dtypes": frame.dtypes}


@pytest.mark.parametrize("seed", range(1, 13))
def test_a_template_follows_from_types_and_declared_levels_alone(seed, tmp_path):
    with pytest.warns(sotto.SottoWarning, match="left out.*: when; .*a date"):
        first = {name: sotto.Schema.template(data, levels={"k": [1, 2]}) for name, data in random_cells(0).items()}
    for name, data in random_cells(seed).items():
        template = sotto.Schema.template(data, levels={"k": [1, 2]})
        assert template == first[name] and template.to_toml() == first[name].to_toml() and repr(template) == repr(first[name])
        kinds = {column: one.kind for column, one in template.columns.items() if column not in "go"}
        assert kinds == {"x": "real", "n": "count", "b": "binary", "s": "category", "k": "category"}, name
        assert template.columns["k"].levels == (1, 2) and template.columns["s"].levels is None
        if "g" in template.columns:
            declared = None if name in ("pandas", "dtypes") else ("south", "north", "west")  # pandas takes its own from cells
            assert template.columns["g"].levels == declared
    pq.write_table(random_cells(seed)["pyarrow"], tmp_path / "t.parquet")
    assert sotto.Schema.template(tmp_path / "t.parquet", levels={"k": [1, 2]}) == first["pyarrow"]


def test_a_template_of_one_column_reads_no_cell_as_a_type():
    for column in (pd.Series([1.5, 2.5], index=["Ada L", "Bob"]), pd.Series(["int", "float"])):
        with pytest.raises(sotto.UsageError, match="a template is of a table") as refused:
            sotto.Schema.template(column)
        assert "Ada" not in str(refused.value)
    with pytest.raises(sotto.ConfigurationError, match="levels of g are a list"):
        sotto.Schema.template({"g": str}, levels={"g": "north"})


def test_a_template_is_refused_until_it_is_filled_in(table, tmp_path):
    template = sotto.Schema.template(table)
    assert repr(template) == "Schema({'ill': count(?, ?), 'age': real(?, ?), 'smoker': binary(), 'clinic': category(?)})"
    sentence = "fill in lower and upper of ill, age; levels of clinic, from what the columns mean and never from the data"
    for use in (
        lambda: template.check(table),
        lambda: sotto.fit(table, "ill ~ age", schema=template, family="poisson", epsilon=1, delta=1e-6, out=tmp_path / "out"),
        lambda: sotto.plan("ill ~ age", schema=template, rows=2000, epsilon=1, delta=1e-6),
        lambda: sotto.Schema(template.columns),
    ):
        with pytest.raises(sotto.ConfigurationError, match=sentence):
            use()
    assert not (tmp_path / "out").exists()
    with pytest.raises(sotto.ConfigurationError, match="fill in lower and upper of ill, from"):
        sotto.Schema({**template.columns, "age": sotto.real(18, 90), "clinic": sotto.category(["north", "south", "west"])})
    filled = sotto.Schema({**template.columns, "ill": sotto.count(0, 30), "age": sotto.real(18, 90), "clinic": sotto.category(["north", "south", "west"])})
    assert filled.check(table)["rows_used"] == len(table)
    declared = sotto.Schema.template({"b": bool, "c": str}, levels={"c": ["a", "b"]})
    assert declared.check(pa.table({"b": [True], "c": ["b"]}))["rows_used"] == 1


def test_a_template_has_the_programs_placeholders(table, program):
    table.to_csv("t.csv", index=False)
    theirs = program("schema", "t.csv").stdout.splitlines()
    ours = sotto.Schema.template(table).to_toml()
    assert set(re.findall("^#.*", ours, re.MULTILINE)) == {line for line in theirs if line.startswith(("# lower", "# upper", "# levels"))}
    (program.folder / "s.toml").write_text(ours)
    with pytest.raises(sotto.ConfigurationError, match="column ill: add lower = NUMBER"):
        sotto.Schema.read("s.toml")
    bounds = iter(["lower = 0", "upper = 30", "lower = 18", "upper = 90"])
    filled = re.sub("^# (lower|upper) =.*", lambda _: next(bounds), ours, flags=re.MULTILINE)
    (program.folder / "s.toml").write_text(filled.replace('# levels = ["", ""]', 'levels = ["north", "south", "west"]'))
    assert sotto.Schema.read("s.toml").columns["age"] == sotto.real(18, 90)


def test_types_may_be_named():
    for types in (
        {"x": float, "n": int, "b": bool, "s": str},
        {"x": "float32", "n": "Int64", "b": "boolean", "s": "category"},
        {"x": np.float64, "n": np.dtype("uint8"), "b": np.bool_, "s": np.dtype(object)},
        {"x": pa.float64(), "n": pl.Int8, "b": pd.BooleanDtype(), "s": pd.StringDtype()},
        {"x": pd.ArrowDtype(pa.float32()), "n": pl.UInt64(), "b": pl.Boolean, "s": pl.Enum},
    ):
        assert repr(sotto.Schema.template(types)) == "Schema({'x': real(?, ?), 'n': count(?, ?), 'b': binary(), 's': category(?)})", types
    for unread in (None, list, dict, complex, "datetime64[ns]", "no type", object(), pa.timestamp("s"), pa.float16(), pa.list_(pa.int8()), pa.decimal128(5, 2), pl.Date,
                   pl.Decimal(5, 2), pd.PeriodDtype("D"), pd.IntervalDtype(), pd.DatetimeTZDtype(tz="UTC")):
        with pytest.warns(sotto.SottoWarning, match="left out.*: when;"):
            assert list(sotto.Schema.template({"b": bool, "when": unread}).columns) == ["b"], unread


def test_what_has_no_types_has_no_template(tmp_path):
    with pytest.raises(sotto.UsageError, match="t.csv has no types.*: sotto schema t.csv writes"):
        sotto.Schema.template("t.csv")
    with pytest.raises(sotto.NoInputError, match="there is no file t.parquet"):
        sotto.Schema.template("t.parquet")
    with pytest.raises(sotto.UsageError, match="a template is of a table .*not of <builtins.list>"):
        sotto.Schema.template([1])
    with pytest.raises(sotto.ConfigurationError, match="levels are given of clinics, which the table does not have: it has clinic"):
        sotto.Schema.template({"clinic": str}, levels={"clinics": ["a", "b"]})
    (tmp_path / "no.parquet").write_text("a secret")
    with pytest.raises(sotto.DataError, match="no.parquet cannot be read as Parquet"):
        sotto.Schema.template(tmp_path / "no.parquet")


def test_errors_name_arguments_and_not_the_options_of_the_program():
    assert str(sotto.UsageError("choose another --out, or let fit --overwrite it")) == "choose another out, or let fit overwrite it"
    assert str(sotto.UsageError("give --not-private.")) == "give not_private."
    assert str(sotto.UsageError("take --draws 1000 (--draws)")) == "take draws=1000 (draws)"
    assert str(sotto.DataError("run sotto schema --check on a--b and --none.toml")) == "run sotto schema --check on a--b and --none.toml"


def test_what_cannot_be_meant_is_refused_where_it_is_written():
    for wrong, sentence in (
        (lambda: sotto.Schema({"age": sotto.real("18", "90")}), "bounds of age are numbers, not '18'"),
        (lambda: sotto.Schema({"age": (18, 90)}), "age is declared by sotto.real"),
        (lambda: sotto.Schema({"age": sotto.real(18, 90)}, unit="id"), "unit is sotto.Unit"),
        (lambda: sotto.plan("ill ~ age", schema="s.toml", rows=[1, 2]), "rows are how many"),
    ):
        with pytest.raises(sotto.UsageError, match=sentence):
            wrong()


def test_a_table_in_the_place_of_a_declaration_is_not_shown():
    table = pd.DataFrame({"age": [44.123, 51.5], "who": ["Ann Smith", "Bob"]})
    age = sotto.Schema({"age": sotto.real(18, 90)})
    for wrong in (
        lambda: sotto.Schema(dict(table)),
        lambda: sotto.Schema({"age": table}),
        lambda: sotto.Schema({"age": sotto.real(table["age"], 90)}),
        lambda: sotto.Schema({"age": sotto.real(18, 90)}, unit=table["who"]),
        lambda: sotto.fit(table, "age ~ 1", schema=age, epsilon=1, delta=1e-6, cuts=table["who"]),
        lambda: sotto.fit(table.to_csv(), "age ~ 1", schema=age, epsilon=1, delta=1e-6),
    ):
        with pytest.raises(sotto.Error) as refused:
            wrong()
        assert "44.123" not in str(refused.value) and "Ann" not in str(refused.value)


def test_what_is_no_declaration_is_refused():
    with pytest.raises(sotto.UsageError, match="a dict of names and declarations"):
        sotto.Schema([1])
    assert repr(sotto.real("a", "b")) == "real('a', 'b')"
