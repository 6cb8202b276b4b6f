"""Where results go, and CSV files of results as Arrow tables."""

import contextlib
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sotto.records import path_of


@contextlib.contextmanager
def folder(out: str | os.PathLike[str] | None, record: str | None = None) -> Iterator[Path]:
    """``out``, or a new folder, which an error takes away unless a file ``record`` in it says that something was paid for."""
    if out is not None:
        yield Path(path_of(out))
        return
    directory = Path(tempfile.mkdtemp(prefix="sotto-"))
    try:
        yield directory
    except BaseException as error:
        if record is not None and (directory / record).exists():
            error.add_note(f"what was paid for stands in {directory}")
        else:
            shutil.rmtree(directory, ignore_errors=True)
        raise


def remove_with(result: object, directory: Path) -> None:
    """The folder goes when the object does that reads it."""
    weakref.finalize(result, shutil.rmtree, directory, ignore_errors=True)


def read_table(path: Path, text: Sequence[str] = ()) -> Any:
    """A pyarrow.Table of a CSV or Parquet file: the columns ``text`` as they are written, all others as numbers where they are."""
    import pyarrow  # type: ignore[import-untyped]
    import pyarrow.csv  # type: ignore[import-untyped]

    if path.suffix == ".parquet":
        import pyarrow.parquet  # type: ignore[import-untyped]

        return pyarrow.parquet.read_table(path)
    table = pyarrow.csv.read_csv(
        path,
        parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(column_types={name: pyarrow.string() for name in text}),
    )
    types = [pyarrow.float64() if pyarrow.types.is_integer(f.type) or pyarrow.types.is_null(f.type) else f.type for f in table.schema]
    return table.cast(pyarrow.schema(list(zip(table.column_names, types))))
