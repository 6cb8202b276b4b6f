"""Regressions for scikit-learn, which must be installed: ``pip install sotto[sklearn]``."""

import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow  # type: ignore[import-untyped]

try:
    from scipy.special import expit  # type: ignore[import-untyped]
    from sklearn.base import BaseEstimator, RegressorMixin  # type: ignore[import-untyped]
    from sklearn.utils import Tags, check_consistent_length, column_or_1d  # type: ignore[import-untyped]
    from sklearn.utils.validation import check_is_fitted, validate_data  # type: ignore[import-untyped]
except ModuleNotFoundError:
    raise ModuleNotFoundError("sotto.sklearn needs what is not installed here: pip install scikit-learn") from None

from sotto.errors import ConfigurationError, SottoWarning
from sotto.fitting import fit
from sotto.records import shown
from sotto.schema import Column, Schema, binary, real

_Array = npt.NDArray[np.float64]
_Pair = tuple[float, float]

_FAMILIES = ("normal", "poisson", "bernoulli")

# Rows whose means are computed at a time, for all draws.
_ROWS = 256


class PrivateRegression(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A Bayesian regression on numeric columns, with an intercept, under differential privacy.

    Parameters
    ----------
    bounds
        of the columns, declared and never taken from data: (lower, upper) for all of them, one such pair each, or
        ``{"age": (18, 90), ...}`` by the names of a data frame
    response_bounds
        (lower, upper) of ``y``; "bernoulli" has 0 and 1
    family
        "normal" unless given; "poisson" of counts; "bernoulli" of 0 and 1, where ``predict`` gives probabilities
    epsilon
        the privacy budget of one call of ``fit``: calls on the same rows add up, as in cross-validation and grid search
    delta
        well below one over the number of rows
    method, chains, draws, warmup, seed, threads, prior, force
        as for :func:`sotto.fit`

    Notes
    -----
    A number outside its bounds moves to the nearest one, also in ``predict``. NaN in ``X`` or ``y`` drops its row in ``fit``, and
    nothing tells; that all else is numbers is taken as public. ``fit_`` is the :class:`sotto.Fit`, ``coef_`` and ``intercept_`` are
    posterior means, on the scale of the link. Whatever is computed from ``X`` and ``y`` outside ``fit``, as by ``score``, is not
    private.

    Examples
    --------
    >>> import numpy
    >>> from sotto.sklearn import PrivateRegression
    >>> X = numpy.random.default_rng(1).uniform(-1, 1, (20000, 2))
    >>> y = 1 + 2 * X[:, 0] + numpy.random.default_rng(2).normal(0, 0.5, 20000)
    >>> model = PrivateRegression(bounds=(-1, 1), response_bounds=(-5, 5), epsilon=1, delta=1e-6).fit(X, y)
    >>> bool(2.5 < model.predict([[1, 0]])[0] < 3.5)
    True
    """

    def __init__(
        self,
        *,
        bounds: _Pair | Sequence[_Pair] | Mapping[str, _Pair] | None = None,
        response_bounds: _Pair | None = None,
        family: Literal["normal", "poisson", "bernoulli"] = "normal",
        epsilon: float = 1.0,
        delta: float = 1e-6,
        method: str = "auto",
        chains: int | None = None,
        draws: int | None = None,
        warmup: int | None = None,
        seed: int | None = None,
        threads: int | None = None,
        prior: Mapping[str, Any] | None = None,
        force: bool = False,
    ) -> None:
        self.bounds = bounds
        self.response_bounds = response_bounds
        self.family = family
        self.epsilon = epsilon
        self.delta = delta
        self.method = method
        self.chains = chains
        self.draws = draws
        self.warmup = warmup
        self.seed = seed
        self.threads = threads
        self.prior = prior
        self.force = force

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.non_deterministic = True  # every fit draws new noise
        return tags

    def fit(self, X: Any, y: Any) -> "PrivateRegression":
        """Draws from the posterior, and spends ``epsilon`` and ``delta`` on ``X``, shape (rows, columns), and ``y``, shape (rows).

        Errors, and the warnings of :func:`sotto.fit`, say nothing of what stands in a cell.
        """
        if self.family not in _FAMILIES:
            raise ConfigurationError(f"family must be {', '.join(_FAMILIES[:-1])} or {_FAMILIES[-1]}, not {shown(self.family)}")
        if y is None:
            raise ValueError("PrivateRegression requires y to be passed, but the target y is None")
        with np.errstate(all="ignore"):
            X = validate_data(self, _rows(X), dtype=np.float64, ensure_all_finite=False, ensure_min_samples=2)
        with np.errstate(all="ignore"):
            y = _numbers(column_or_1d(_numbers(y), warn=True)).astype(np.float64)
        check_consistent_length(X, y)
        names = self._names()
        response = next(name for name in ("y", "response", "the response") if name not in names)
        columns: dict[str, Column] = {name: real(*pair) for name, pair in zip(names, self._bounds())}
        columns[response] = self._response()
        self.fit_ = fit(
            pyarrow.table({response: y, **{name: X[:, j] for j, name in enumerate(names)}}),
            f"`{response}` ~ " + " + ".join(f"`{name}`" for name in names),
            schema=Schema(columns),
            family=self.family,
            epsilon=self.epsilon,
            delta=self.delta,
            method=self.method,
            chains=self.chains,
            draws=self.draws,
            warmup=self.warmup,
            seed=self.seed,
            threads=self.threads,
            prior=self.prior,
            force=self.force,
        )
        self._positions = self.fit_._positions(["Intercept", *names])
        means = self._positions.mean(axis=0)
        self.intercept_, self.coef_ = float(means[0]), means[1:]
        return self

    def predict(self, X: Any) -> _Array:
        """The posterior mean of the mean response of each row, shape (rows); NaN where a column is."""
        return np.concatenate([means.mean(axis=1) for means in self._means(X)])

    def predict_interval(self, X: Any, *, level: float = 0.9) -> _Array:
        """An interval that holds the mean response of each row with posterior probability ``level``, shape (rows, 2).

        It is one of the mean, and narrower than where a new response would lie.
        """
        if not 0 < level < 1:
            raise ConfigurationError("level must lie in (0, 1)")
        ends = [(1 - level) / 2, (1 + level) / 2]
        return np.concatenate([np.quantile(means, ends, axis=1).T for means in self._means(X)])

    def _means(self, X: Any) -> list[_Array]:
        """The mean response by row and draw, some rows at a time."""
        check_is_fitted(self)
        X = validate_data(self, _rows(X), dtype=np.float64, ensure_all_finite=False, reset=False)
        lower, upper = np.array(self._bounds()).T
        with np.errstate(invalid="ignore"):
            outside = int(np.sum(np.any((X < lower) | (X > upper), axis=1)))
        if outside > 0:
            warnings.warn(f"{outside} rows lie beyond the declared bounds, and are predicted at them", SottoWarning, stacklevel=3)
        X = np.clip(X, lower, upper)
        parts = (X[start : start + _ROWS] for start in range(0, len(X), _ROWS))
        return [self._response_means(self._positions[:, 0] + part @ self._positions[:, 1:].T) for part in parts]

    def _response_means(self, predictor: _Array) -> _Array:
        if self.family == "bernoulli":
            return np.asarray(expit(predictor))
        return np.exp(predictor) if self.family == "poisson" else predictor

    def _names(self) -> list[str]:
        given: Sequence[str] | None = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if given is None else list(given)

    def _bounds(self) -> list[_Pair]:
        """A pair for each column."""
        names = self._names()
        if self.bounds is None:
            raise ConfigurationError("declare the columns' bounds: smallest and largest possible values, never taken from the data")
        if isinstance(self.bounds, Mapping):
            missing = [name for name in names if name not in self.bounds]
            if missing:
                raise ConfigurationError(f"declare the bounds of {missing[0]}")
            return [self.bounds[name] for name in names]
        pairs: _Array = np.asarray(self.bounds, dtype=np.float64)
        if pairs.shape not in ((2,), (len(names), 2)):
            raise ConfigurationError(f"bounds must be one pair, or one for each of {len(names)} columns")
        return [(float(lower), float(upper)) for lower, upper in np.broadcast_to(pairs, (len(names), 2))]

    def _response(self) -> Column:
        if self.family == "bernoulli":
            return binary()
        if self.response_bounds is None:
            raise ConfigurationError("declare response_bounds: the smallest and largest possible y, never taken from the data")
        lower, upper = self.response_bounds
        return Column("count" if self.family == "poisson" else "real", lower, upper)


def _rows(values: Any) -> Any:
    """As `_numbers`, in two dimensions: what scikit-learn says of others quotes them."""
    numbers = _numbers(values)
    dimensions = np.ndim(numbers)
    if dimensions == 2:
        return numbers
    raise ValueError(
        f"Expected 2D array, got {dimensions}D array instead. Reshape your data: X.reshape(-1, 1) where it is one column"
    )


def _numbers(values: Any) -> Any:
    """Numbers of any kind as they are, all else as numbers, without a word of what is none."""
    types = getattr(values, "dtypes", getattr(values, "dtype", None))
    kinds = {getattr(one, "kind", "O") for one in (types if np.iterable(types) else [types])}
    if "c" in kinds:
        raise ValueError("Complex data not supported")
    if kinds <= set("buif"):
        return values
    try:
        if kinds.isdisjoint("mM"):  # dates are numbers, also where one is missing
            values = _without_na(values)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            numbers = np.asarray(values, dtype=np.float64)
        return _with_names(numbers, values)
    except Exception:  # noqa: BLE001
        pass  # what NumPy, or a cell's own code, says may quote the cell
    raise TypeError(
        "argument must be a number or a string of a number, everywhere (what is none is not told): "
        "recode text, and classes as 0 and 1"
    )


def _with_names(numbers: _Array, values: Any) -> Any:
    """The numbers alone, in a frame where names of columns come with them: of other cells scikit-learn may tell."""
    if not hasattr(values, "columns"):
        return numbers
    frame = type(values)
    if frame.__module__.split(".")[0] == "pandas":
        return frame(numbers, columns=values.columns)
    return frame(numbers, schema=list(values.columns))


def _without_na(values: Any) -> Any:
    """The NA of pandas as NaN, which is a number: also in cells of any kind."""
    pandas = sys.modules.get("pandas")
    if pandas is None or (hasattr(values, "columns") and not isinstance(values, pandas.DataFrame)):
        return values
    cells = np.array(values, dtype=object)
    missing = np.array(pandas.isna(cells), dtype=bool)
    if not missing.any():
        return values
    cells[missing] = np.nan
    return pandas.DataFrame(cells, columns=values.columns, index=values.index) if hasattr(values, "columns") else cells
