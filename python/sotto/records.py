"""A table as the library takes it: the path of a file, or an Arrow stream of whatever holds it."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from sotto.errors import DataError, UsageError


def path_of(path: str | os.PathLike[str]) -> str:
    """A path as text; ~ is the home folder, as in a shell. Errors: UsageError where it is no path."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise UsageError(f"a path is a text or a pathlib.Path, not {name_of(path)}")
    text = os.path.expanduser(os.fsdecode(path))
    if "\0" in text:
        raise UsageError("a path cannot hold a NUL character")
    if "\n" in text:
        raise UsageError("a path has one line: what is given looks like the text of a table; write it to a file, or give a data frame")
    return text


def shown(value: Any) -> str:
    """In a message: a text, a number, None, or a type in the place of all else, in which rows may stand."""
    return repr(value) if value is None or isinstance(value, (str, bool, int, float)) else type_name(value)


def type_name(value: Any) -> str:
    return f"<{type(value).__module__.split('.')[0]}.{type(value).__qualname__}>"


def name_of(data: Any) -> str:
    """What a table is called in the files of a fit: its path, or the type that holds it."""
    if isinstance(data, (str, os.PathLike)):
        return path_of(data)
    return type_name(data)


def records_of(data: Any, argument: str = "data") -> object:
    """A path, or the capsule of an Arrow C stream, which can be read once. ``argument``: what the caller calls it."""
    if isinstance(data, (str, os.PathLike)):
        return path_of(data)
    for method, what in (("to_frame", "one column"), ("collect", "not there yet")):
        if hasattr(data, method):
            raise UsageError(f"{argument} must be a table, not {name_of(data)}, which is {what}: its .{method}() is one")
    if not hasattr(data, "__arrow_c_stream__"):
        raise UsageError(
            f"{argument} must be the path of a CSV or Parquet file, or a table with an Arrow stream (pandas 2.2 or later, polars, "
            f"pyarrow), not {name_of(data)}"
            + (f": pandas.DataFrame({argument}) is one" if isinstance(data, (Mapping, Sequence)) and len(data) > 0 else "")
        )
    names = list(getattr(data, "columns", ()))
    if twice := [name for name in names if isinstance(name, str) and names.count(name) > 1]:
        raise DataError(f"{name_of(data)} has more than one column {twice[0]}: drop or rename all but one")
    try:
        return data.__arrow_c_stream__()
    except Exception:
        # What the other library says may quote cells, so none of it is passed on.
        pass
    raise DataError(
        f"{name_of(data)} cannot be made an Arrow stream: give every column one type, or pass the columns alone that are used"
    )
