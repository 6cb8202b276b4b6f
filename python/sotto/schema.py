"""What is declared of a table before anyone looks at its rows, in the words of a schema file."""

import dataclasses
import json
import os
import tomllib
import types
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from sotto import _sotto
from sotto.records import path_of, records_of
from sotto.toml import text_of


@dataclasses.dataclass(frozen=True)
class Column:
    """A declared column; made by :func:`real`, :func:`count`, :func:`binary` and :func:`category`."""

    kind: Literal["real", "count", "binary", "category"]
    lower: float | None = None
    upper: float | None = None
    levels: tuple[str | int, ...] | None = None
    missing: Literal["drop", "impute"] = "drop"
    imputed: float | str | None = None
    out_of_range: Literal["clamp", "missing"] = "clamp"

    def __repr__(self) -> str:
        said = [str(list(self.levels))] if self.levels is not None else []
        said += [f"{bound:g}" for bound in (self.lower, self.upper) if bound is not None]
        said += [f"imputed={self.imputed!r}"] if self.missing == "impute" else []
        said += [f"out_of_range={self.out_of_range!r}"] if self.out_of_range != "clamp" else []
        return f"{self.kind}({', '.join(said)})"


def _column(kind: Any, imputed: float | str | None, **more: Any) -> Column:
    return Column(kind, missing="drop" if imputed is None else "impute", imputed=imputed, **more)


def real(
    lower: float,
    upper: float,
    *,
    imputed: float | None = None,
    out_of_range: Literal["clamp", "missing"] = "clamp",
) -> Column:
    """A number in [lower, upper]: bounds from what the column means, never from the data.

    A missing cell drops its row, or takes the value ``imputed``. A number outside the bounds moves to the nearest one, or counts
    as missing.
    """
    return _column("real", imputed, lower=lower, upper=upper, out_of_range=out_of_range)


def count(
    lower: int,
    upper: int,
    *,
    imputed: int | None = None,
    out_of_range: Literal["clamp", "missing"] = "clamp",
) -> Column:
    """A whole number in [lower, upper], with lower >= 0; the rest as for :func:`real`."""
    return _column("count", imputed, lower=lower, upper=upper, out_of_range=out_of_range)


def binary(*, imputed: int | None = None) -> Column:
    """0 or 1; true, false, yes and no are read too, and anything else counts as missing."""
    return _column("binary", imputed)


def category(levels: Sequence[str | int], *, imputed: str | int | None = None) -> Column:
    """One of the levels, of which the first is the baseline; anything else counts as missing."""
    return _column("category", imputed, levels=tuple(levels))


@dataclasses.dataclass(frozen=True)
class Unit:
    """Whose presence is protected: all rows of one person, of which at most ``maximum_rows`` are used.

    ``person`` is the name of the column that tells persons apart.
    """

    person: str
    maximum_rows: int


class Schema:
    """The declaration of a table. Everything in it is public.

    ``adjacency`` says what makes two tables neighbours: "substitute" (one unit is exchanged) or "add-remove". ``unit`` is for tables
    whose rows belong to persons; without it the unit of privacy is one row.

    >>> import sotto
    >>> schema = sotto.Schema({"age": sotto.real(18, 90), "smoker": sotto.binary(),
    ...                        "clinic": sotto.category(["north", "south"])})
    >>> schema
    Schema({'age': real(18, 90), 'smoker': binary(), 'clinic': category(['north', 'south'])})
    >>> print(schema.to_toml().splitlines()[0])
    adjacency = "substitute"
    """

    def __init__(
        self,
        columns: Mapping[str, Column],
        *,
        adjacency: Literal["substitute", "add-remove"] = "substitute",
        unit: Unit | None = None,
    ) -> None:
        self.columns: Mapping[str, Column] = types.MappingProxyType(dict(columns))
        self.adjacency = adjacency
        self.unit = unit
        self._checked = _sotto.Schema.parse(self.to_toml())

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> "Schema":
        """The schema of a file; ``sotto schema DATA`` writes one to fill in."""
        _sotto.Schema.read(path_of(path))  # refuses what is wrong, by file and line
        with open(path, "rb") as file:
            declared = tomllib.load(file)
        columns = {}
        for column in declared["column"]:
            given: dict[str, Any] = {key: tuple(value) if key == "levels" else value for key, value in column.items() if key != "name"}
            columns[column["name"]] = Column(**given)
        unit = Unit(**declared["unit"]) if "unit" in declared else None
        return cls(columns, adjacency=declared.get("adjacency", "substitute").replace("_", "-"), unit=unit)

    def to_toml(self) -> str:
        """The text of a schema file."""
        lines = [f"adjacency = {text_of(self.adjacency)}"]
        if self.unit is not None:
            lines += ["", "[unit]"] + _lines(dataclasses.asdict(self.unit))
        for name, column in self.columns.items():
            lines += ["", "[[column]]", f"name = {text_of(name)}"] + _lines(dataclasses.asdict(column))
        return "\n".join(lines) + "\n"

    def check(self, data: Any, formula: str | None = None) -> dict[str, Any]:
        """NOT PRIVATE: counts the cells of a table that this schema can and cannot read, for the curator's eyes alone.

        ``data`` is what :func:`sotto.fit` takes; the counts are those of ``sotto schema --check --json``. ``rows_used`` counts the
        rows that can be used in every declared column, or, with a ``formula``, in the columns that it names: a fit uses no others.
        """
        counts: dict[str, Any] = json.loads(_sotto.check(records_of(data), self._checked, formula or ""))
        return counts

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schema):
            return NotImplemented
        return (self.columns, self.adjacency, self.unit) == (other.columns, other.adjacency, other.unit)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        said = [repr(dict(self.columns))]
        said += [f"adjacency={self.adjacency!r}"] if self.adjacency != "substitute" else []
        said += [f"unit={self.unit!r}"] if self.unit is not None else []
        return f"Schema({', '.join(said)})"


def _lines(fields: Mapping[str, Any]) -> list[str]:
    return [f"{key} = {text_of(value)}" for key, value in fields.items() if value is not None]
