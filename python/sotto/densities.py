"""What released columns say of the density behind them."""

import json
import os
import shutil
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sotto import _sotto
from sotto.errors import CannotCreateError, NoInputError, SottoWarning, UsageError, in_words_of_python
from sotto.output import folder, read_table, remove_with
from sotto.privatising import Release
from sotto.records import name_of, path_of, records_of


class Density:
    """The density of a column as its release tells it, with bands, clusters and a verdict on what it is worth.

    :func:`sotto.density` returns one; ``Density(directory)`` reads what it or the program has left. Unless it says NOT PRIVATE, all of
    it is computed from a release and costs no privacy.
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.directory = Path(path_of(directory))
        self.summary: dict[str, Any] = self._json("summary.json")
        """``summary.json``, that is kernel, algorithm, widths of the bands, R-hat and effective draws."""

    def _json(self, name: str) -> dict[str, Any]:
        path = self.directory / name
        if not os.path.isfile(path):
            raise NoInputError(f"there is no file {path}")
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return content

    def _text(self, *names: str) -> list[str]:
        return list(names) if self.summary["kernel"] == "categorical" else []

    @property
    def verdicts(self) -> dict[str, str]:
        """How much the release says beside the prior, by column."""
        return {column["name"]: in_words_of_python(column["verdict"]) for column in self.summary["columns"]}

    @property
    def verdict(self) -> str:
        """The same as text, one line per column."""
        return "\n".join(self.verdicts.values())

    @property
    def quantities(self) -> list[dict[str, Any]]:
        """What was asked for, one ``quantity`` each, with its posterior ``mean`` and ``sd``, and intervals of ``level`` after the data and before."""
        return list(self.summary.get("quantities", []))

    @property
    def differences(self) -> list[dict[str, Any]]:
        """Of each quantity less the other group's (``against``): ``mean``, ``sd``, interval of ``level``, ``probability_positive``."""
        return list(self.summary.get("differences", []))

    @property
    def curve(self) -> Any:
        """A pyarrow.Table, per column and grid point ``x`` the posterior mean, pointwise and simultaneous bands, and the prior."""
        return read_table(self.directory / "density.csv", ["column", *self._text("x")])

    @property
    def synthetic(self) -> Any:
        """A pyarrow.Table of draws from the posterior predictive, synthetic rows that are free to use."""
        return read_table(self.directory / "synthetic.csv", self._text(*self.verdicts))

    @property
    def clusters(self) -> dict[str, Any]:
        """``clusters.json``, that is how many there are, and who is in them where the release tells."""
        return self._json("clusters.json")

    @property
    def warnings(self) -> list[str]:
        """What is to be known before any of it is used, one sentence each."""
        return [in_words_of_python(sentence) for sentence in self.summary["warnings"]]

    def report(self) -> Path:
        """The page that shows all of it."""
        return self.directory / "report.html"

    def save(self, directory: str | os.PathLike[str]) -> Path:
        """Copies all files into a directory that is made for them."""
        try:
            return Path(shutil.copytree(self.directory, directory))
        except FileExistsError:
            raise CannotCreateError(f"{os.fspath(directory)} exists: choose another directory") from None

    def __repr__(self) -> str:
        lines = [] if self.summary["private"] else ["NOT PRIVATE"]
        lines += [f"{name}: {verdict}" for name, verdict in self.verdicts.items()]
        lines += [told["sentence"] for told in (*self.quantities, *self.differences)]
        return "\n".join([*lines, *self.warnings])


def directory_of(other: Density | str | os.PathLike[str] | None) -> str | None:
    return None if other is None else path_of(other.directory if isinstance(other, Density) else other)


def density(
    data: Any,
    *,
    channel: str | os.PathLike[str] | None = None,
    column: str | Sequence[str] | None = None,
    kernel: str | None = None,
    algorithm: str | None = None,
    quantity: str | Sequence[str] | None = None,
    mixing: str | None = None,
    concentration: float | None = None,
    concentration_prior: bool | tuple[float, float] | None = None,
    base: Mapping[str, float] | None = None,
    imputations: int | None = None,
    discount: float | None = None,
    components: float | None = None,
    chains: int | None = None,
    warmup: int | None = None,
    draws: int | None = None,
    thin: int | None = None,
    threads: int | None = None,
    seed: int | None = None,
    grid_points: int | None = None,
    level: float | None = None,
    compare: Density | str | os.PathLike[str] | None = None,
    against: Density | str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    not_private: bool = False,
    lower: float | None = None,
    upper: float | None = None,
) -> Density:
    """The density and clusters of privatised columns. It costs no privacy, however often it is repeated.

    Parameters
    ----------
    data
        a :class:`Release`, the path of its file, or its values as a table with an Arrow stream
    channel
        the description of the noise (default: beside the file)
    column
        where the release has several; two to four of them are estimated jointly
    kernel
        "auto", "normal" (truncated to the bounds), "beta", "poisson" (counts), "rounded-normal" (counts that may vary less than
        Poisson ones) or "categorical"
    algorithm
        "auto", or one of ``docs/mixtures.md``
    quantity
        what else to estimate: "P(x > 30)", "P(20 < x <= 40)", "q(0.9)" (a quantile), "mean"; of several columns "P(age > 30)"
    mixing
        prior on the mixing measure: "dirichlet-process" (the default), "pitman-yor" or "finite"
    concentration
        of the Dirichlet process; strength of Pitman-Yor; Dirichlet parameter of the finite mixture (default 1)
    concentration_prior
        shape and rate of a gamma prior on the concentration of the Dirichlet process; True: (2, 2)
    base
        numbers of the base measure in the place of those from the bounds, such as {"shape": 3, "rate": 3}: mean, precision, shape and
        rate of "normal" and "rounded-normal"; shape_a, rate_a, shape_b, rate_b of "beta"; shape and rate of "poisson"; weight of "categorical"
    imputations
        of the algorithm "neal5": confidential values imputed per row (default 1)
    discount
        of Pitman-Yor, in [0, 1) (default 0.25)
    components
        of the finite mixture: expected number, > 1 (default 5)
    chains, warmup, draws, thin, threads, seed
        of the chains (4, 1000, 1000, 10 sweeps per draw, 2, 1). Where neither warmup nor draws nor thin is given, chains that have not
        mixed go on, to 80 sweeps per draw at the most
    grid_points
        of the density (default 201)
    level
        of bands and intervals (default 0.95)
    compare
        another estimate on the same rows, or the path of a CSV file of one column of labels: ``summary["adjusted_rand_index"]`` of
        the two partitions, and ``summary["adjusted_rand_index_interval"]`` of the draws; neither where one of the
        partitions has a single cluster
    against
        the estimate of another group of people, from a release of their own: :attr:`Density.differences` of the quantities that both
        asked for
    out
        directory of the results; without it they live as long as the returned object
    not_private
        ``data`` are confidential values of ``column`` in [``lower``, ``upper``]: for comparison only

    Notes
    -----
    What the chains say of themselves is raised as :class:`SottoWarning`. Ctrl-C ends the run with the draws made so far; before the
    first it raises KeyboardInterrupt. Errors are :class:`sotto.Error`.

    Examples
    --------
    >>> import numpy, pandas, sotto
    >>> hours = pandas.DataFrame({"hours": numpy.random.default_rng(1).normal(40, 5, 300)})
    >>> release = sotto.privatize(hours, "hours", lower=0, upper=80, epsilon=50)
    >>> density = sotto.density(release, quantity="P(x > 60)", chains=2, warmup=200, draws=200)
    >>> density.quantities[0]["mean"] < 0.05
    True
    """
    if isinstance(data, Release):
        channel = data.channel_file if channel is None else channel
        data = data.file
    inputs = [name_of(data)] if isinstance(data, (str, os.PathLike)) else []
    if not not_private and not (lower is None and upper is None):
        raise UsageError("lower and upper are for confidential data: the release has its own")
    if not_private:
        if channel is not None:
            raise UsageError("confidential data have no channel: leave it out")
    elif channel is None:
        if not inputs:
            raise UsageError("say how the noise was made: channel is the path of the description that was written beside the release")
        channel = f"{inputs[0]}.channel.toml"
    settings = {
        "kernel": kernel,
        "algorithm": algorithm,
        "quantities": [quantity] if isinstance(quantity, str) else quantity,
        "mixing": mixing,
        "concentration": concentration,
        "concentration_prior": ((2.0, 2.0) if concentration_prior is True else concentration_prior) or None,
        "base": None if base is None else ", ".join(f"{name}={float(value)!r}" for name, value in base.items()),
        "imputations": imputations,
        "discount": discount,
        "components": components,
        "chains": chains,
        "warmup": warmup,
        "draws": draws,
        "thin": thin,
        "threads": threads,
        "seed": seed,
        "grid_points": grid_points,
        "level": level,
    }
    columns = [column] if isinstance(column, str) else list(column or [])
    if discount is not None and mixing != "pitman-yor":
        raise UsageError('discount has no effect here: it is of mixing="pitman-yor"')
    if components is not None and mixing != "finite":
        raise UsageError('components has no effect here: it is of mixing="finite"')
    with folder(out) as directory:
        _sotto.density(
            records_of(data),
            None if channel is None else path_of(channel),
            columns,
            0 if lower is None else lower,
            0 if upper is None else upper,
            {key: value for key, value in settings.items() if value is not None},
            inputs,
            directory_of(compare),
            directory_of(against),
            str(directory),
        )
        result = Density(directory)
        for sentence in result.warnings:
            warnings.warn(sentence, SottoWarning, stacklevel=2)
    if out is None:
        remove_with(result, directory)
    return result
