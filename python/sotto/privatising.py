"""Columns with noise, once, for release."""

import os
import shutil
import tomllib
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sotto import _sotto
from sotto.errors import CannotCreateError, NoInputError, SottoWarning, UsageError
from sotto.output import folder, read_table, remove_with
from sotto.records import name_of, path_of, records_of
from sotto.toml import text_of


class Release:
    """Noisy columns in a CSV file, and the public description of their noise beside it.

    :func:`sotto.privatize` returns one; ``Release(file)`` reads what it or the program has left. All of it can be passed on within
    the promise in ``description``.
    """

    def __init__(self, file: str | os.PathLike[str], channel_file: str | os.PathLike[str] | None = None) -> None:
        self.file = Path(path_of(file))
        self.channel_file = Path(f"{self.file}.channel.toml" if channel_file is None else path_of(channel_file))
        for path in (self.file, self.channel_file):
            if not os.path.isfile(path):
                raise NoInputError(f"there is no file {path}")
        self.description: dict[str, Any] = tomllib.loads(self.channel_file.read_text(encoding="utf-8"))
        """What was promised, to whom, and each column's channel (``docs/channels.md``)."""

    @property
    def columns(self) -> list[str]:
        """The names of the columns that were privatised."""
        return [column["name"] for column in self.description["column"]]

    @property
    def table(self) -> Any:
        """The released values, a pyarrow.Table; one record per row for channels that treat every row by itself."""
        return read_table(self.file, [column["name"] for column in self.description["column"] if "levels" in column])

    def save(self, file: str | os.PathLike[str]) -> "Release":
        """Copies the values to a new file, and the description beside it."""
        copied = Path(path_of(file))
        if (copied.suffix == ".parquet") != (self.file.suffix == ".parquet"):
            raise UsageError(f"{self.file.name} is copied as it is: let {copied.name} end in {self.file.suffix or '.csv'} too")
        for source, target in ((self.channel_file, Path(f"{copied}.channel.toml")), (self.file, copied)):
            if target.exists():
                raise CannotCreateError(f"{target} exists: choose another file")
            shutil.copyfile(source, target)
        return Release(copied)

    def __repr__(self) -> str:
        promise = (
            f"epsilon {self.description['epsilon']:g}, delta {self.description['delta']:g}"
            if "epsilon" in self.description
            else f"rho {self.description['rho']:g}"
        )
        channels = ", ".join(f"{column['name']} ({column['channel']})" for column in self.description["column"])
        if not self.description["private"]:
            promise = "NOT PRIVATE"
        return f"{self.description['rows']} rows of {channels}; {promise} for {self.description['privacy_unit']}"


def privatize(
    data: Any,
    column: str | Mapping[str, Mapping[str, Any]],
    *,
    channel: str | None = None,
    lower: float | None = None,
    upper: float | None = None,
    missing: str | float | None = None,
    levels: Sequence[str] | None = None,
    steps: int | None = None,
    top_level: int | None = None,
    printed_scale: bool | None = None,
    bins: int | None = None,
    draws: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    rho: float | None = None,
    out: str | os.PathLike[str] | None = None,
    keep_order: bool = False,
    overwrite: bool = False,
) -> Release:
    """Puts noise on a column of a table, once, for release.

    Parameters
    ----------
    data
        the path of a CSV or Parquet file, or a table with an Arrow stream: pandas (2.2 or later), polars, pyarrow
    column
        its name; or, of several under one budget, ``{"bmi": {"channel": "laplace", "lower": 10, "upper": 60, "weight": 3},
        ...}`` with the arguments below, and weights by which the budget is split
    channel
        "laplace" (the default), "gaussian", "wavelet", "randomized-response", "perturbed-histogram" or "smoothed-histogram"
    lower, upper
        smallest and largest possible value, never taken from the data
    missing
        what a cell without a number counts as: "lower", "middle" (the default), "upper" or a number
    levels
        randomized-response: all categories; other text counts as the first
    steps
        laplace, gaussian: grid steps over the domain (default 2^20)
    top_level
        wavelet: finest level (default 4)
    printed_scale
        wavelet: the wider scale of the publication
    bins
        histograms: number of bins (default: by the number of rows)
    draws
        smoothed-histogram: points to release (default: by the number of rows)
    epsilon
        privacy budget of a row, all columns together
    delta
        beside epsilon, for Gaussian noise
    rho
        budget as zero-concentrated privacy, instead of epsilon and delta
    out
        CSV or Parquet file to write, by its name, with its description beside it; without it both live as long as the returned object
    keep_order
        release the rows in their order, which in a sorted table tells of the values; else they are shuffled
    overwrite
        replace files of that name; what they cost stays spent

    Notes
    -----
    What is to be known of the release is raised as :class:`SottoWarning`. Errors are :class:`sotto.Error`.

    Examples
    --------
    >>> import pandas, sotto
    >>> table = pandas.DataFrame({"bmi": [21.5, 33.0, 27.1], "smoker": ["no", "yes", "no"]})
    >>> release = sotto.privatize(table, "bmi", lower=10, upper=60, epsilon=2)
    >>> release
    3 rows of bmi (laplace); epsilon 2, delta 0 for one row
    >>> release.table.column_names, release.table.num_rows
    (['bmi'], 3)
    """
    given = {
        "channel": channel,
        "lower": lower,
        "upper": upper,
        "missing": missing,
        "levels": levels,
        "steps": steps,
        "top_level": top_level,
        "printed_scale": printed_scale,
        "bins": bins,
        "draws": draws,
    }
    if isinstance(column, str):
        settings: Mapping[str, Mapping[str, Any]] = {column: given}
    else:
        settings = column
        for key, value in given.items():
            if value is not None:
                raise UsageError(f"of several columns each has its own {key}: say it in their settings")
    declared = "\n".join(_declaration(name, one) for name, one in settings.items())
    inputs = [name_of(data)] if isinstance(data, (str, os.PathLike)) else []
    with folder(None if out is None else Path(path_of(out)).parent, "release.csv.channel.toml") as directory:
        file = directory / "release.csv" if out is None else Path(path_of(out))
        said = _sotto.privatize(records_of(data), declared, epsilon, delta, rho, str(file), inputs, keep_order, overwrite)
        result = Release(file)
        for sentence in said:
            warnings.warn(sentence, SottoWarning, stacklevel=2)
    if out is None:
        remove_with(result, directory)
    return result


def _declaration(name: str, settings: Mapping[str, Any]) -> str:
    """The column as a table of a file of columns."""
    lines = [f"{text_of(key)} = {text_of(value)}" for key, value in {**settings, "name": name}.items() if value is not None]
    return "\n".join(["[[column]]", *lines])
