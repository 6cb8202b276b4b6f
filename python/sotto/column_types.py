"""What the types of a table's columns, and never its cells, say of their kinds."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pyarrow  # type: ignore[import-untyped]
import pyarrow.parquet  # type: ignore[import-untyped]

from sotto.errors import DataError, NoInputError, UsageError
from sotto.records import name_of, path_of

Kind = Literal["real", "count", "binary", "category"]

_NUMPY: dict[str, Kind] = {"b": "binary", "i": "count", "u": "count", "f": "real", "O": "category", "T": "category", "U": "category"}
_DUCKDB: dict[str, Kind] = {"boolean": "binary", "float": "real", "double": "real", "varchar": "category", "enum": "category"}
for _whole in ("tinyint", "smallint", "integer", "bigint"):
    _DUCKDB[_whole] = _DUCKDB[f"u{_whole}"] = "count"


def types_of(data: Any) -> dict[str, Any]:
    """Types by the columns' names: of a table, of a Parquet file, or as they are given. No cell is read."""
    if isinstance(data, (str, os.PathLike)):
        return _types_of_file(path_of(data))
    if isinstance(data, Mapping):
        return dict(data)
    if hasattr(data, "collect_schema"):  # polars, its LazyFrame too
        return dict(data.collect_schema())
    schema = data if isinstance(data, pyarrow.Schema) else getattr(data, "schema", None)
    if isinstance(schema, pyarrow.Schema):
        return dict(zip(schema.names, schema.types))
    types = data.dtypes if hasattr(data, "columns") and hasattr(data, "dtypes") else data
    if hasattr(types, "items") and all(map(_is_type, types.values)):  # pandas, a table or its dtypes, and no column of cells
        return {str(name): one for name, one in types.items()}
    if hasattr(data, "columns") and isinstance(types, Sequence):  # DuckDB
        return dict(zip(data.columns, types))
    raise UsageError(
        "a template is of a table (pandas, polars, pyarrow, DuckDB), of the path of a Parquet file, or of a dict of columns' names and types, "
        f"not of {name_of(data)}"
    )


def _is_type(one: Any) -> bool:
    return isinstance(one, np.dtype) or hasattr(one, "construct_from_string")


def _types_of_file(path: str) -> dict[str, Any]:
    if not path.endswith((".parquet", ".pq")):
        raise UsageError(f"{path} has no types, as a Parquet file has: sotto schema {path} writes a template of its columns' names")
    if not os.path.isfile(path):
        raise NoInputError(f"there is no file {path}")
    try:
        schema = pyarrow.parquet.read_schema(path)
    except Exception:
        raise DataError(f"{path} cannot be read as Parquet; write it anew") from None
    return dict(zip(schema.names, schema.types))


def declared_by(kind: Any) -> tuple[Kind | None, tuple[Any, ...] | None]:
    """What kind of column has that type, None where nothing that can be read has it, and the levels that the type itself declares."""
    library = (kind if isinstance(kind, type) else type(kind)).__module__.partition(".")[0]
    if library == "polars":
        return _of_polars(kind)
    if library in ("duckdb", "_duckdb"):
        return _DUCKDB.get(kind.id), tuple(dict(kind.children)["values"]) if kind.id == "enum" else None
    if library == "pyarrow" or hasattr(kind, "pyarrow_dtype"):
        return _of_arrow(getattr(kind, "pyarrow_dtype", kind)), None
    name = type(kind).__name__
    if name == "CategoricalDtype":  # its categories may be what was found in the cells
        return "category", None
    if kind is None or name in ("PeriodDtype", "IntervalDtype"):
        return None, None
    if isinstance(kind, type) and kind not in (bool, int, float, str) and not issubclass(kind, np.generic):
        return None, None
    try:
        if isinstance(kind, str):  # pandas has names of its own, as Int64
            kind = np.dtype({"category": "str", "string": "str", "boolean": "bool"}.get(kind, kind.lower()))
        letter = getattr(kind, "kind", None) or np.dtype(kind).kind
    except TypeError:
        return None, None
    return _NUMPY.get(letter), None


def _of_polars(kind: Any) -> tuple[Kind | None, tuple[Any, ...] | None]:
    name = kind.__name__ if isinstance(kind, type) else type(kind).__name__
    if name == "Enum":
        return "category", None if isinstance(kind, type) else tuple(kind.categories)
    words: dict[str, Kind] = {"Boolean": "binary", "String": "category", "Categorical": "category"}
    return ("count" if kind.is_integer() else "real" if kind.is_float() else words.get(name)), None


def _of_arrow(kind: Any) -> Kind | None:
    """The values of a dictionary are a column's, not its type's, and declare nothing."""
    types = pyarrow.types
    if types.is_boolean(kind):
        return "binary"
    if types.is_integer(kind):
        return "count"
    if types.is_floating(kind) and not types.is_float16(kind):
        return "real"
    text = (types.is_string, types.is_large_string, types.is_string_view, types.is_binary, types.is_large_binary, types.is_binary_view)
    return "category" if types.is_dictionary(kind) or any(is_so(kind) for is_so in text) else None
