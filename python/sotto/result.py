"""A finished fit: what its output directory holds, as Python values."""

import functools
import html
import importlib.util
import json
import os
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from sotto import _sotto
from sotto.errors import CannotCreateError, ConfigurationError, SottoWarning, UsageError, in_words_of_python
from sotto.figures import drawn
from sotto.ledger import at_most
from sotto.predicting import predictions
from sotto.prior_draws import prior_draws
from sotto.records import path_of
from sotto.schema import Schema

if TYPE_CHECKING:
    import pandas

_SHOWN = ("mean", "sd", "q05", "q50", "q95", "ess_bulk", "ess_tail", "rhat")


def _cell(line: dict[str, Any], key: str) -> str:
    number = line[key]
    if number is None:
        return "NA"
    if key == "rhat":
        return f"{number:.3f}"
    if key.startswith("ess_"):
        return f"{number:.0f}"
    return _sotto.format_known(number, (line["mcse_mean"] or 0) / 2)


class Fit:
    """The draws of a posterior, what they say, and what they cost.

    :func:`sotto.fit` returns one; ``Fit(directory)`` reads what any fit, of Python or of the program, has left. No row is in it,
    and unless it says NOT PRIVATE, everything is computed from noisy releases and can be passed on within the promise in ``privacy``.
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.directory = Path(path_of(directory))
        self._parameters, self._chains, self._steps = _sotto.run(path_of(directory))
        self._manifest: dict[str, Any] = self._json("manifest.json")
        self._summary: dict[str, Any] = self._json("summary.json")
        self.privacy: dict[str, Any] = self._json("privacy.json")
        """``privacy.json``, that is what was promised, what was charged, in numbers and in words."""

    def _json(self, name: str) -> dict[str, Any]:
        content: dict[str, Any] = json.loads((self.directory / name).read_text(encoding="utf-8"))
        return content

    @property
    def warnings(self) -> list[str]:
        """What is to be known before the draws are used, one sentence each."""
        return [in_words_of_python(sentence) for sentence in self._summary["warnings"]]

    @property
    def no_answer(self) -> str:
        """Why the numbers must not be taken for an answer; empty where they may be."""
        return str(self._summary.get("no_answer", ""))

    def report(self) -> Path:
        """The page that shows all of it."""
        return self.directory / "report.html"

    def summary(self) -> "pandas.DataFrame":
        """One line of numbers per parameter (``docs/output.md`` says what they are). Needs pandas."""
        import pandas

        return pandas.DataFrame(self._summary["parameters"]).set_index("parameter").astype(float)

    def predict(
        self,
        rows: Any,
        quantity: Literal["mean", "response"] = "mean",
        level: float = 0.9,
        *,
        seed: int = 1,
        nevertheless: bool = False,
        schema: Schema | str | os.PathLike[str] | None = None,
    ) -> "pandas.DataFrame":
        """What the draws of a regression say of new rows. Needs pandas.

        Parameters
        ----------
        rows
            the path of a CSV or Parquet file, or a table with an Arrow stream, that has the columns of the formula's right side
        quantity
            "mean", of the response of such a row, or "response", a new one, drawn from the family
        level
            of the intervals
        seed
            of new responses
        nevertheless
            predict also where the draws are no answer, which raises :class:`BudgetError` else
        schema
            the fit's, for a directory whose ``manifest.json`` does not say it

        Returns
        -------
        pandas.DataFrame
            ``mean``, ``sd`` and the interval's ends, ``q05`` and ``q95`` of level 0.9. One line a row, by the labels of a pandas table;
            of ordered categories one for each category, its probability, of times to an event one for the end of each piece of time,
            the probability to live beyond it. A row of which a cell is missing, or is no value of its column, has NaN.
            ``attrs`` has ``response``, ``quantity``, ``level`` and ``private_draws``

        Notes
        -----
        The rows are read as they are, without noise: what is computed of them is as confidential as they are. The draws are
        post-processing of what was released, so that predictions of public or made-up rows cost no privacy, unless the fit is NOT PRIVATE,
        which is raised as a :class:`SottoWarning`. So are the numbers of rows without a prediction, and of rows beyond declared bounds,
        which are predicted at the bound.

        Examples
        --------
        >>> import numpy, pandas, sotto
        >>> generator = numpy.random.default_rng(1)
        >>> age = generator.uniform(18, 90, 20000)
        >>> visits = pandas.DataFrame({"age": age, "visits": generator.poisson(numpy.exp(0.02 * (age - 30)))})
        >>> schema = sotto.Schema({"age": sotto.real(18, 90), "visits": sotto.count(0, 30)})
        >>> fit = sotto.fit(visits, "visits ~ age", schema=schema, family="poisson", epsilon=1, delta=1e-6)
        >>> predicted = fit.predict(pandas.DataFrame({"age": [30, 80]}))
        >>> list(predicted.columns), bool(0.8 < predicted["mean"][0] < 1.2 < 2.4 < predicted["mean"][1] < 3.1)
        (['mean', 'sd', 'q05', 'q95'], True)
        """
        return predictions(self.directory, rows, quantity, level, seed, nevertheless, schema)

    @functools.cached_property
    def draws(self) -> Any:
        """The draws as ArviZ takes them, an InferenceData, or an ``xarray.DataTree`` from ArviZ 1 on and without ArviZ. Needs xarray.

        ``posterior`` holds the parameters, ``sample_stats`` what was noted at each draw, ``prior`` draws from the priors that are stated. Chains that differ in length keep as
        many last draws as the shortest has. A parameter called ``chain`` or ``draw`` is ``chain_`` or ``draw_`` here.
        """
        return self._gathered(self._groups())

    def _groups(self) -> dict[str, Any]:
        shortest = min(len(chain) for chain in self._chains)
        posterior = np.stack([chain[len(chain) - shortest :] for chain in self._chains])
        variables = {name: posterior[:, :, j] for j, name in enumerate(self._parameters)}
        notes = {
            name: np.stack([steps[name][len(steps[name]) - shortest :] for steps in self._steps]) for name in self._steps[0]
        }
        groups = {
            "posterior": self._dataset(variables),
            "sample_stats": self._dataset({"lp" if name == "log_prior" else name: values for name, values in notes.items()}),
        }
        if priors := prior_draws(self._manifest["priors"], len(self._chains), shortest):
            groups["prior"] = self._dataset(priors)
        return groups

    def _gathered(self, groups: dict[str, Any]) -> Any:
        try:
            import arviz
        except ImportError:
            return self._tree(groups)
        # ArviZ 1 still answers to the name, with a warning and a tree.
        container = vars(arviz).get("InferenceData")
        return container(**groups) if container else self._tree(groups)

    def _tree(self, groups: dict[str, Any]) -> Any:
        import xarray

        if paths := [name for name in groups["posterior"].data_vars if "/" in name]:
            raise ConfigurationError(f"a tree of draws cannot hold {', '.join(paths)}: rename the column or level that has a '/'")
        return xarray.DataTree.from_dict(groups)

    def to_netcdf(self, path: str | os.PathLike[str]) -> Path:
        """Writes :attr:`draws` to a new netCDF file, which ArviZ and xarray read. Needs h5netcdf and h5py, or netCDF4, beside xarray.

        Its groups have the attributes ``private``, 0 of a fit that is NOT PRIVATE, and, where there is such, ``no_answer``. No row is in it.
        """
        file = self._new("to_netcdf", path, ("h5netcdf", "h5py"), ("netCDF4",))
        self._tree(self._groups()).to_netcdf(file)
        return file

    def to_zarr(self, path: str | os.PathLike[str]) -> Path:
        """The same as a new Zarr store, a directory. Needs zarr, beside xarray."""
        store = self._new("to_zarr", path, ("zarr",))
        self._tree(self._groups()).to_zarr(store)
        return store

    def _new(self, method: str, path: str | os.PathLike[str], *backends: tuple[str, ...]) -> Path:
        """The path, where nothing stands yet, of what one of these backends of xarray writes."""
        if not any(all(map(importlib.util.find_spec, ("xarray", *packages))) for packages in backends):
            wanted = " ".join(("xarray", *backends[0]))
            raise ModuleNotFoundError(f"{method} needs what is not installed here: pip install {wanted}")
        new = Path(path_of(path))
        if new.exists():
            raise CannotCreateError(f"{new} exists: choose another path")
        return new

    def plot_forest(self, **options: Any) -> Any:
        """Intervals of the parameters, by ArviZ, whose ``plot_forest`` takes the options and says what is returned."""
        return self._drawn("plot_forest", self.draws, options)

    def plot_trace(self, **options: Any) -> Any:
        """The chains, draw by draw, by ArviZ's ``plot_trace``."""
        return self._drawn("plot_trace", self.draws, options)

    def plot_dist(self, **options: Any) -> Any:
        """The posterior's densities, by ArviZ's ``plot_dist``, which is ``plot_posterior`` before ArviZ 1."""
        return self._drawn("plot_dist", self.draws, options)

    def plot_prior_posterior(self, **options: Any) -> Any:
        """The posterior of each parameter beside its prior, as far as that is stated, by ArviZ's ``plot_prior_posterior``.

        Before ArviZ 1 that is ``plot_dist_comparison``. A figure of a fit that is NOT PRIVATE, or NO ANSWER, says so in its title, and as a
        :class:`SottoWarning`; so do the others.
        """
        groups = self._groups()
        if "prior" not in groups:
            raise UsageError("none of this fit's priors is one that draws can be made of: draw the posterior alone, by plot_dist")
        both = {"posterior": groups["posterior"][list(groups["prior"].data_vars)], "prior": groups["prior"]}
        return self._drawn("plot_prior_posterior", self._gathered(both), options)

    def _drawn(self, figure: str, draws: Any, options: dict[str, Any]) -> Any:
        """What is to be known of the numbers is raised as of the caller's caller."""
        said = [] if self.privacy["private"] else ["NOT PRIVATE: this figure shows draws that no noise protects"]
        said += [f"{self.no_answer}; this figure is none either"] if self.no_answer else []
        for sentence in said:
            warnings.warn(sentence, SottoWarning, stacklevel=3)
        return drawn(figure, draws, ", ".join(sentence.split(":")[0] for sentence in said), options)

    def _positions(self, parameters: list[str]) -> npt.NDArray[np.float64]:
        """All draws of these parameters, shape (draws, parameters)."""
        columns = [self._parameters.index(name) for name in parameters]
        return np.concatenate([chain[:, columns] for chain in self._chains])

    def _dataset(self, variables: dict[str, np.ndarray]) -> Any:
        if importlib.util.find_spec("xarray") is None:
            raise ModuleNotFoundError('draws and figures need what is not installed here: pip install "sotto[arviz]", or xarray for draws')
        import xarray

        known = {"no_answer": self.no_answer} if self.no_answer else {}
        dims = ("chain", "draw")
        shape = next(iter(variables.values())).shape if variables else (0, 0)
        return xarray.Dataset(
            {name + "_" if name in dims else name: (dims, values) for name, values in variables.items()},
            coords={dim: np.arange(size) for dim, size in zip(dims, shape)},
            attrs={
                "inference_library": "sotto",
                "inference_library_version": _sotto.version,
                "model": self._manifest["model"],
                "method": self._manifest["method"],
                "private": int(self.privacy["private"]),
                "created_at": self._manifest["started"],
                **known,
            },
        )

    def save(self, directory: str | os.PathLike[str]) -> Path:
        """Copies all files of the fit into a directory that is made for them."""
        try:
            return Path(shutil.copytree(self.directory, directory))
        except FileExistsError:
            raise CannotCreateError(f"{os.fspath(directory)} exists: choose another directory") from None

    def _head(self) -> Iterator[str]:
        yield self._manifest["title"]
        yield f"{self._manifest['model']}, {self._manifest['method']}"
        if self.privacy["private"]:
            yield (
                f"(epsilon, delta) = ({self.privacy['epsilon']:g}, {self.privacy['delta']:g}) for {self.privacy['privacy_unit']}; "
                f"spent epsilon {at_most(self.privacy['spent_epsilon'])}"
            )
        else:
            yield "NOT PRIVATE"
        if self.no_answer:
            yield f"{self.no_answer}; .summary() has the numbers nevertheless."
        elif self._manifest["width"]:
            yield self._manifest["width"]

    @property
    def sd_inflation(self) -> dict[str, float]:
        """How many times as large the coefficients' standard deviations are as without noise, as far as the releases tell."""
        return dict(self._manifest["sd_inflation"])

    @property
    def prior_sensitivity(self) -> dict[str, float]:
        """How far each parameter's posterior moves as the prior is raised to a power; from .05 on the prior counts (``docs/release-once.md``)."""
        return dict(self._manifest["prior_sensitivity"])

    def _rows(self) -> Iterator[list[str]]:
        for line in self._summary["parameters"]:
            yield [line["parameter"]] + [_cell(line, key) for key in _SHOWN]

    def __repr__(self) -> str:
        told = ["", *self.warnings] if self.warnings else []
        if self.no_answer:
            return "\n".join([*self._head(), *told])
        table = [["parameter", *_SHOWN], *self._rows()]
        widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
        lines = ["  ".join([row[0].ljust(widths[0])] + [cell.rjust(w) for cell, w in zip(row[1:], widths[1:])]) for row in table]
        return "\n".join([*self._head(), "", *lines, *told])

    def _repr_html_(self) -> str:
        def cells(tag: str, texts: list[str]) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in texts) + "</tr>"

        rows = cells("th", ["parameter", *_SHOWN]), "".join(cells("td", row) for row in self._rows())
        return (
            "".join(f"<div>{html.escape(line)}</div>" for line in self._head())
            + ("" if self.no_answer else f"<table><thead>{rows[0]}</thead><tbody>{rows[1]}</tbody></table>")
            + "".join(f"<p>{html.escape(sentence)}</p>" for sentence in self.warnings)
        )
