"""Models of one's own, written in NumPy."""

import contextlib
import ctypes
import gc
import os
import re
import sys
import threading
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sotto.errors import ConfigurationError, UsageError
from sotto.records import name_of

Array = npt.NDArray[np.float64]
Rows = Mapping[str, Array]

_NAME = re.compile(r"[^\W\d][\w.\[\] -]*")

# Of the step of a central difference: about the cube root of a double's rounding error, which balances it with the cut-off.
_STEP = 6e-6


class Model:
    """A model of one's own: subclass it, say what is declared, and write ``log_density``. :func:`sotto.fit` takes an instance.

    ``parameters``
        their names
    ``columns``
        of the schema, which the model reads
    ``slope_bound``
        shape (parameters): the most by which the log density of **any legal row** changes per unit of each parameter, wherever the
        others are. All noise follows from it
    ``prior``
        as of :func:`sotto.fit`, whose argument goes before it: ``{"slope": {"family": "normal", "location": 0, "scale": 10}}``; the
        default is normal with scale 2.5
    ``start``
        shape (parameters): a central position (default: where the priors are)
    ``title``
        of the report (default: the name of the class)
    ``expected_rows``
        a public guess, where the number of rows is not public: where warmup starts
    ``one_row_at_a_time``
        True: every array holds one row, whatever the unit is, and the promise does not rest on how ``log_density`` treats several

    Notes
    -----
    With a row's log density l and positions a and b, moving one parameter at a time shows that
    ``|l(b) - l(a)| <= sum_j slope_bound[j] |b[j] - a[j]|``, and that no gradient is longer than ``slope_bound``, coordinate by
    coordinate. These are the two bounds that noise needs. What a row adds to a sum is clamped to them, whatever the code returns, so
    a bound that is too small costs a wrong answer and not privacy. It is tried on made-up rows before anything is spent.

    A row's numbers, and whether the code fails on it, must follow from that row alone, to the last bit: no mean over rows, no masks
    that shorten arrays, no state that calls change, no random numbers. That is tried too. Where the unit is one row that is exchanged,
    an array holds thousands of rows; elsewhere it holds one, which takes some hundred times as long.

    A row on which the code raises, or returns what is not finite, contributes nothing or a legal value, in silence; what the
    code prints or warns of while it sees rows is not shown.

    Examples
    --------
    >>> import numpy, pandas, sotto
    >>> class Robust(sotto.Model):
    ...     parameters = ["intercept", "slope"]
    ...     columns = ["x", "y"]
    ...     slope_bound = [1.25, 1.25]  # of Student t errors with 4 degrees of freedom and scale 1, times |x| <= 1
    ...     def log_density(self, rows, position):
    ...         residual = rows["y"] - position[0] - position[1] * rows["x"]
    ...         return -2.5 * numpy.log1p(residual**2 / 4)
    >>> generator = numpy.random.default_rng(1)
    >>> x = generator.uniform(-1, 1, 20000)
    >>> table = pandas.DataFrame({"x": x, "y": 1 - 2 * x + generator.standard_t(4, 20000)})
    >>> schema = sotto.Schema({"x": sotto.real(-1, 1), "y": sotto.real(-50, 50)})
    >>> fit = sotto.fit(table, model=Robust(), schema=schema, epsilon=8, delta=1e-6, warmup=200, draws=200)
    >>> bool(abs(fit.summary().loc["slope", "mean"] + 2) < 0.5)
    True
    """

    parameters: Sequence[str]
    columns: Sequence[str]
    slope_bound: npt.ArrayLike
    prior: Mapping[str, Any] | None = None
    start: npt.ArrayLike | None = None
    title: str | None = None
    expected_rows: float = 1000
    one_row_at_a_time: bool = False

    def log_density(self, rows: Rows, position: Array) -> Array:
        """Of each row, shape (rows); terms free of the position may be left out.

        ``rows``: column name -> values, shape (rows), within the declared bounds; of a category the place of its level, from 0.
        ``position``: shape (parameters). All are read-only.
        """
        raise NotImplementedError

    def gradient(self, rows: Rows, position: Array) -> Array:
        """In the position, of each row, shape (rows, parameters). Unless it is written: central differences of ``log_density``."""
        steps = _STEP * np.maximum(np.abs(position), 1 / np.asarray(self.slope_bound, dtype=np.float64))
        slopes = []
        for j, step in enumerate(steps):
            below, above = position.copy(), position.copy()
            below[j] -= step
            above[j] += step
            change = np.asarray(self.log_density(rows, above)) - np.asarray(self.log_density(rows, below))
            slopes.append(change / (above[j] - below[j]))
        return np.stack(slopes, axis=1)


class Declared:
    """What a model declares, checked and read once, and its code as the library calls it."""

    def __init__(self, model: Model) -> None:
        if not isinstance(model, Model):
            given = model.__name__ if isinstance(model, type) else name_of(model)
            raise UsageError(f"model must be an instance of a subclass of sotto.Model, not {given}")
        for name in ("parameters", "columns", "slope_bound"):
            if not hasattr(model, name):
                raise ConfigurationError(f"{type(model).__name__} declares no {name}: set it in the class")
        self._model = model
        if type(model).log_density is Model.log_density:
            raise ConfigurationError(f"{type(model).__name__} has no log_density: write that method, which sees rows and a position")
        self.parameters = _names("parameters", model.parameters)
        for name in self.parameters:
            if not _NAME.fullmatch(name) or name.endswith("__"):
                raise ConfigurationError(f"{name!r} cannot name a parameter: begin with a letter, and end without __")
        self.columns = _names("columns", model.columns)
        self.slope_bound = _numbers("slope_bound", model.slope_bound, len(self.parameters))
        if min(self.slope_bound) <= 0:
            raise ConfigurationError("slope_bound must be above zero for every parameter")
        self.start = None if model.start is None else _numbers("start", model.start, len(self.parameters))
        self.title = model.title or type(model).__name__
        self.expected_rows = float(model.expected_rows)
        self.one_at_a_time = bool(model.one_row_at_a_time)

    @property
    def has_gradient(self) -> bool:
        return type(self._model).gradient is not Model.gradient

    def log_densities(self, values: Array, position: Array) -> Array:
        """Shape (rows). ``values``: shape (columns, rows). Whatever the model's code raises is raised."""
        with np.errstate(all="ignore"):
            answer = self._model.log_density(self._rows(values), _read_only(position))
        return _real("log_density", answer, (values.shape[1],))

    def gradients(self, values: Array, position: Array) -> Array:
        """Shape (rows, parameters)."""
        with np.errstate(all="ignore"):
            answer = self._model.gradient(self._rows(values), _read_only(position))
        return _real("gradient", answer, (values.shape[1], len(self.parameters)))

    def slopes(self, values: Array, position: Array) -> Array:
        """Central differences of the log density, shape (rows, parameters)."""
        with np.errstate(all="ignore"):
            return Model.gradient(self._model, self._rows(values), _read_only(position))

    def _rows(self, values: Array) -> dict[str, Array]:
        return dict(zip(self.columns, _read_only(values)))


class _Silence:
    """Nothing is seen of what is written, printed or warned of from when the first fit begins until the last has ended, by whichever thread: of rows it
    may tell what stands in them. Nor of what is raised outside of a call, in a thread that goes on or where an object is taken apart, which for a cycle
    is at any time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._fits = 0
        self._until_the_last = contextlib.ExitStack()
        self._flush_c = ctypes.CDLL(None).fflush  # of all that C's streams hold back

    def __enter__(self) -> None:
        with self._lock:
            if self._fits == 0:
                with contextlib.ExitStack() as until_the_last:
                    self._begin(until_the_last)
                    self._until_the_last = until_the_last.pop_all()
            self._fits += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._fits -= 1
            if self._fits == 0:
                self._until_the_last.close()

    def _begin(self, until_the_last: contextlib.ExitStack) -> None:
        streams = [stream for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__) if stream is not None]
        hooks = sys.unraisablehook, threading.excepthook

        def hear_again() -> None:
            sys.unraisablehook, threading.excepthook = hooks

        def flush() -> None:
            self._flush_c(None)
            for stream in streams:
                with contextlib.suppress(Exception):  # it may be closed, or no stream at all
                    stream.flush()

        nowhere = until_the_last.enter_context(open(os.devnull, "w", encoding="utf-8"))
        flush()
        for number in (1, 2):  # what compiled code writes to, and streams that were taken before
            with contextlib.suppress(OSError):  # it may be closed
                kept = os.dup(number)
                until_the_last.callback(os.close, kept)
                until_the_last.callback(os.dup2, kept, number)
                os.dup2(nowhere.fileno(), number)
        until_the_last.callback(flush)
        until_the_last.callback(hear_again)
        sys.unraisablehook = lambda _: None
        threading.excepthook = lambda _: None
        until_the_last.enter_context(warnings.catch_warnings())
        until_the_last.enter_context(contextlib.redirect_stdout(nowhere))
        until_the_last.enter_context(contextlib.redirect_stderr(nowhere))
        warnings.simplefilter("ignore")
        until_the_last.callback(gc.collect)


unheard = _Silence()
"""What a fit stands in whose model is code of one's own."""


def _read_only(values: Array) -> Array:
    values.flags.writeable = False
    return values


def _names(what: str, given: object) -> list[str]:
    if isinstance(given, str) or not isinstance(given, Sequence) or not given or not all(isinstance(name, str) for name in given):
        raise ConfigurationError(f"{what} must be a list of names")
    if len(set(given)) < len(given):
        raise ConfigurationError(f"{what} names {next(name for name in given if list(given).count(name) > 1)} twice")
    return list(given)


def _numbers(what: str, given: npt.ArrayLike, count: int) -> list[float]:
    try:
        numbers = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    if numbers.shape != (count,) or not np.isfinite(numbers).all():
        raise ConfigurationError(f"{what} must be {count} finite numbers, one for each parameter")
    return [float(number) for number in numbers]


def _real(what: str, answer: object, shape: tuple[int, ...]) -> Array:
    numbers = np.asarray(answer)
    if numbers.dtype.kind not in "buif":
        raise ConfigurationError(f"{what} returned {numbers.dtype} values: they must be real numbers")
    if numbers.shape != shape:
        raise ConfigurationError(f"{what} returned an array of shape {numbers.shape}: for {shape[0]} rows it must be {shape}")
    return np.ascontiguousarray(numbers, dtype=np.float64)
