"""What a finished fit says of new rows."""

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sotto import _sotto
from sotto.configuration import declaration
from sotto.errors import SottoWarning
from sotto.records import records_of

if TYPE_CHECKING:
    import pandas


def predictions(
    directory: Path, rows: Any, quantity: str, level: float, seed: int, nevertheless: bool, schema: Any
) -> "pandas.DataFrame":
    """The table of :meth:`sotto.Fit.predict`; what is to be said of draws and rows is raised as of the caller's caller."""
    import pandas

    declared = None if schema is None else declaration(schema)[0]
    numbers, names, part, parts, known, sentences = _sotto.predict(
        str(directory), records_of(rows, "rows"), quantity, level, seed, nevertheless, declared
    )
    for sentence in sentences:
        warnings.warn(sentence, SottoWarning, stacklevel=3)
    index = _index(rows, len(numbers))
    if part:
        lines = [(label, name) for label in index for name in parts]
        index = pandas.MultiIndex.from_tuples(lines, names=[index.name or "row", part])
    table = pandas.DataFrame(numbers.reshape(-1, len(names)), index=index, columns=names)
    table.attrs = {key: value for key, value in json.loads(known).items() if key in ("response", "quantity", "level", "private_draws")}
    return table


def _index(rows: Any, count: int) -> "pandas.Index[Any]":
    """The rows' own labels where they have such, as those of pandas have; else their numbers from 0."""
    import pandas

    return rows.index if isinstance(rows, pandas.DataFrame) else pandas.RangeIndex(count)
