"""A table as the library takes it: the path of a file, or an Arrow stream of whatever holds it."""

import os
from typing import Any

from sotto.errors import DataError, UsageError


def path_of(path: str | os.PathLike[str]) -> str:
    """A path as text."""
    text = os.fsdecode(path)
    if "\0" in text:
        raise UsageError("a path cannot hold a NUL character")
    return text


def name_of(data: Any) -> str:
    """What a table is called in the files of a fit: its path, or the type that holds it."""
    if isinstance(data, (str, os.PathLike)):
        return path_of(data)
    return f"<{type(data).__module__.split('.')[0]}.{type(data).__qualname__}>"


def records_of(data: Any) -> object:
    """A path, or the capsule of an Arrow C stream, which can be read once."""
    if isinstance(data, (str, os.PathLike)):
        return path_of(data)
    if not hasattr(data, "__arrow_c_stream__"):
        raise UsageError(
            "data must be the path of a CSV or Parquet file, or a table with an Arrow stream (pandas 2.2 or later, polars, "
            f"pyarrow), not {name_of(data)}"
        )
    try:
        return data.__arrow_c_stream__()
    except Exception:
        # What the other library says may quote cells, so none of it is passed on.
        pass
    raise DataError(
        f"{name_of(data)} cannot be made an Arrow stream: give every column one type, or pass the columns alone that are used"
    )
