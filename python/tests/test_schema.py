"""A schema built in code is the one that a file declares."""

import json

import pandas as pd
import pytest

import sotto

FULL = sotto.Schema(
    {
        "age": sotto.real(18, 90.5, imputed=40, out_of_range="missing"),
        "visits": sotto.count(0, 50),
        "smoker": sotto.binary(imputed=1),
        'a "quoted" name\\ü': sotto.category(["a", "b c"], imputed="b c"),
        "code": sotto.category([1, 2]),
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
