"""What is declared of a table before anyone looks at its rows, in the words of a schema file."""

import dataclasses
import json
import numbers
import os
import tomllib
import types
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from sotto import _sotto
from sotto.column_types import declared_by, types_of
from sotto.errors import ConfigurationError, SottoWarning, UsageError
from sotto.records import path_of, records_of, shown
from sotto.toml import text_of


_EXPECTED = ("expected_mean", "expected_sd", "expected_shares")
# What each kind must say.
_NEEDED = {"real": ("lower", "upper"), "count": ("lower", "upper"), "category": ("levels",)}


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
    expected_mean: float | None = None
    expected_sd: float | None = None
    expected_shares: tuple[float, ...] | None = None

    @property
    def _open(self) -> tuple[str, ...]:
        """What is not said yet, as in a template."""
        return tuple(key for key in _NEEDED.get(self.kind, ()) if getattr(self, key) is None)

    def __repr__(self) -> str:
        needed = [getattr(self, key) for key in _NEEDED.get(self.kind, ())]
        said = ["?" if one is None else str(list(one)) if isinstance(one, tuple) else _shown(one) for one in needed]
        said += [f"imputed={self.imputed!r}"] if self.missing == "impute" else []
        said += [f"out_of_range={self.out_of_range!r}"] if self.out_of_range != "clamp" else []
        said += [f"{key}={_shown(value)}" for key in _EXPECTED if (value := getattr(self, key)) is not None]
        return f"{self.kind}({', '.join(said)})"


def _shown(bound: Any) -> str:
    if isinstance(bound, tuple):
        return repr(list(bound))
    return f"{bound:g}" if isinstance(bound, numbers.Real) else repr(bound)


def _column(kind: Any, imputed: float | str | None, **more: Any) -> Column:
    return Column(kind, missing="drop" if imputed is None else "impute", imputed=imputed, **more)


def real(
    lower: float,
    upper: float,
    *,
    imputed: float | None = None,
    out_of_range: Literal["clamp", "missing"] = "clamp",
    expected_mean: float | None = None,
    expected_sd: float | None = None,
) -> Column:
    """A number in [lower, upper]: bounds from what the column means, never from the data.

    A missing cell drops its row, or takes the value ``imputed``. A number outside the bounds moves to the nearest one, or counts
    as missing. ``expected_mean`` and ``expected_sd``, public guesses that go together, are what :func:`sotto.plan` makes the column
    up from.
    """
    return _column(
        "real", imputed, lower=lower, upper=upper, out_of_range=out_of_range, expected_mean=expected_mean, expected_sd=expected_sd
    )


def count(
    lower: int,
    upper: int,
    *,
    imputed: int | None = None,
    out_of_range: Literal["clamp", "missing"] = "clamp",
    expected_mean: float | None = None,
    expected_sd: float | None = None,
) -> Column:
    """A whole number in [lower, upper], with lower >= 0; the rest as for :func:`real`."""
    return _column(
        "count", imputed, lower=lower, upper=upper, out_of_range=out_of_range, expected_mean=expected_mean, expected_sd=expected_sd
    )


def binary(*, imputed: int | None = None, expected_mean: float | None = None) -> Column:
    """0 or 1; true, false, yes and no are read too, and anything else counts as missing.

    ``expected_mean``, a public guess of the share of ones, is what :func:`sotto.plan` makes the column up from.
    """
    return _column("binary", imputed, expected_mean=expected_mean)


def category(
    levels: Sequence[str | int], *, imputed: str | int | None = None, expected_shares: Sequence[float] | None = None
) -> Column:
    """One of the levels, of which the first is the baseline; anything else counts as missing.

    ``expected_shares``, public guesses of each level's share of the rows, are what :func:`sotto.plan` makes the column up from.
    """
    if isinstance(levels, str):
        raise UsageError(f"levels are a list of texts or whole numbers, not the one text {levels!r}")
    shares = None if expected_shares is None else tuple(float(share) for share in expected_shares)
    return _column("category", imputed, levels=tuple(levels), expected_shares=shares)


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
        if not isinstance(columns, Mapping):
            raise UsageError('columns are a dict of names and declarations, as {"age": sotto.real(18, 90)}')
        for name, column in columns.items():
            if not isinstance(column, Column):
                raise UsageError(f"{name} is declared by sotto.real, count, binary or category, as sotto.real(18, 90), not by {shown(column)}")
            for bound in (column.lower, column.upper):
                if bound is not None and (isinstance(bound, bool) or not isinstance(bound, numbers.Real)):
                    raise UsageError(f"bounds of {name} are numbers, not {shown(bound)}")
        if unit is not None and not isinstance(unit, Unit):
            raise UsageError(f'unit is sotto.Unit(person="id", maximum_rows=3), or is left out, not {shown(unit)}')
        self.columns: Mapping[str, Column] = types.MappingProxyType(dict(columns))
        self.adjacency = adjacency
        self.unit = unit
        self._refuse_open()
        self._parsed: _sotto.Schema | None = _sotto.Schema.parse(self.to_toml())

    @property
    def _checked(self) -> _sotto.Schema:
        if self._parsed is None:
            self._refuse_open()
            self._parsed = _sotto.Schema.parse(self.to_toml())
        return self._parsed

    def _refuse_open(self) -> None:
        wanted: dict[str, list[str]] = {}
        for name, column in self.columns.items():
            if column._open:
                wanted.setdefault(" and ".join(column._open), []).append(name)
        if wanted:
            said = "; ".join(f"{keys} of {', '.join(names)}" for keys, names in wanted.items())
            raise ConfigurationError(f"the schema is a template still: fill in {said}, from what the columns mean and never from the data")

    @classmethod
    def template(cls, data: Any, levels: Mapping[str, Sequence[str | int]] | None = None) -> "Schema":
        """A schema to fill in, from the types of columns and from declared levels. No cell is read here.

        What another library inferred of a file's cells, as pandas of a CSV file, is no public type: one cell that is empty or no number
        changes it. Where rows are sensitive give a dict of names and types, from what the columns mean.

        Truth values are ``binary``, whole numbers ``count``, which is to be ``real`` where they can be negative, other numbers ``real``, text
        and categories ``category``. Nothing guesses bounds: until they are filled in, and levels that nobody declared, every use of it is a
        :class:`ConfigurationError` that names the columns. Its :meth:`to_toml` can be filled in as a file. Columns that cannot be read, as
        dates, are left out, which is raised as a :class:`SottoWarning`.

        Parameters
        ----------
        data
            a table (pandas, polars, pyarrow, DuckDB), the path of a Parquet file, or a dict of names and types, as ``{"age": float}``
        levels
            by the names of columns, which are categories then. Enumerations of polars and DuckDB declare their own; what pandas calls
            categories may have been found in the cells, and is to be said here

        Examples
        --------
        >>> import sotto
        >>> template = sotto.Schema.template({"age": float, "ill": int, "clinic": str}, levels={"clinic": ["north", "south"]})
        >>> template
        Schema({'age': real(?, ?), 'ill': count(?, ?), 'clinic': category(['north', 'south'])})
        >>> sotto.Schema({**template.columns, "age": sotto.real(18, 90), "ill": sotto.count(0, 30)})
        Schema({'age': real(18, 90), 'ill': count(0, 30), 'clinic': category(['north', 'south'])})
        """
        kinds = types_of(data)
        said = dict(levels or {})
        if unknown := [name for name in said if name not in kinds]:
            raise ConfigurationError(f"levels are given of {', '.join(unknown)}, which the table does not have: it has {', '.join(kinds)}")
        if words := [name for name, declared in said.items() if isinstance(declared, str)]:
            raise ConfigurationError(f"levels of {', '.join(words)} are a list of texts or whole numbers, not one text")
        columns, unread = {}, []
        for name, one in kinds.items():
            kind, own = declared_by(one)
            if kind is None:
                unread.append(name)
            elif name in said or kind == "category":
                columns[name] = Column("category", levels=_levels(said.get(name, own)))
            else:
                columns[name] = Column(kind)
        if unread:
            advice = "write numbers, truth values or text, and in the place of a date the days since one chosen beforehand"
            warnings.warn(f"left out, because no column of such a type can be read: {', '.join(unread)}; {advice}", SottoWarning, stacklevel=2)
        template = cls.__new__(cls)
        template.columns, template.adjacency, template.unit = types.MappingProxyType(columns), "substitute", None
        template._parsed = None
        return template

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> "Schema":
        """The schema of a file; ``sotto schema DATA`` writes one to fill in."""
        _sotto.Schema.read(path_of(path))  # refuses what is wrong, by file and line
        with open(path, "rb") as file:
            declared = tomllib.load(file)
        columns = {}
        for column in declared["column"]:
            given: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in column.items() if key != "name"}
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
            lines += [_TO_FILL_IN[key] for key in column._open]
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


# As sotto schema writes them.
_TO_FILL_IN = {
    "lower": "# lower =                # real and count",
    "upper": "# upper =",
    "levels": '# levels = ["", ""]      # category; the first is the baseline',
}


def _levels(declared: Sequence[Any] | None) -> tuple[str | int, ...] | None:
    """None where nobody declared what a schema can say."""
    if declared is None or any(isinstance(one, bool) or not isinstance(one, (str, numbers.Integral)) for one in declared):
        return None
    return tuple(one if isinstance(one, str) else int(one) for one in declared)


def _lines(fields: Mapping[str, Any]) -> list[str]:
    return [f"{key} = {text_of(value)}" for key, value in fields.items() if value is not None]
