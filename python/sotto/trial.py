"""A model of one's own, tried on made-up rows before it sees any other: whatever is told here is public."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from sotto.errors import ConfigurationError, Error
from sotto.model import Array, Declared
from sotto.schema import Column, Schema

# As many as stand in one array of a pass.
_ROWS = 4096
# Of these so many are looked at closely.
_FEW = 512
_POSITIONS = 8
_EXCHANGES = 6
# Of rounding, beside what a bound allows: of a log density's size, and of the bound.
_ROUNDING = 1e-12
_SLACK = 1e-6

_Call = Callable[[Array, Array], Array]


def try_out(declared: Declared, schema: Schema, prior: Mapping[str, Any] | None) -> None:
    """Refuses a model whose code fails on legal rows, which does not keep rows apart, or whose bound does not hold, with the row.

    Rows lie at the ends and between the bounds of the schema, positions about the start, as far as priors reach. Errors:
    ConfigurationError. What passes may be wrong elsewhere: it was tried, not proven.
    """
    for name in declared.columns:
        if name not in schema.columns:
            raise ConfigurationError(
                f"the model reads column {name}, which the schema does not declare: it has {', '.join(schema.columns)}"
            )
    Trial(declared, schema, prior).run()


class Trial:
    """Made-up rows, shape (columns, rows), and positions, and what must be so of them."""

    def __init__(self, declared: Declared, schema: Schema, prior: Mapping[str, Any] | None) -> None:
        generator = np.random.default_rng(1)
        columns = [schema.columns[name] for name in declared.columns]
        self.declared = declared
        self.columns = columns
        self.rows, self.others = (np.stack([_made_up(column, generator) for column in columns]) for _ in range(2))
        self.few = self.rows[:, :_FEW].copy()
        # As the passes put them: rows that are left out stand there as the first legal one.
        self.first = np.tile([[_first(column)] for column in columns], _ROWS)
        location, self.scale = _reach(prior, declared.parameters)
        start = location if declared.start is None else np.array(declared.start)
        far = start + self.scale * generator.standard_normal((_POSITIONS - 1, len(start)))
        self.positions = [start, *far]
        self.halves = [generator.uniform(size=_ROWS) < 0.5 for _ in range(_EXCHANGES)]
        self.singles = [np.arange(_ROWS) == generator.integers(_ROWS) for _ in range(_EXCHANGES)]
        # One row at a time, last bits may differ between arrays.
        whole = schema.adjacency == "substitute" and schema.unit is None and not declared.one_at_a_time
        self.tolerance = 0.0 if whole else 1e-9

    def run(self) -> None:
        log_densities = self._guarded("log_density", self.declared.log_densities)
        gradients = self._guarded("gradient", self.declared.gradients)
        for position in self.positions:
            log_densities(self.rows, position)
        self._a_row_stands_alone("log_density", log_densities)
        self._a_row_stands_alone("gradient", gradients)
        self._slopes_keep_to_the_bound(log_densities)
        if self.declared.has_gradient:
            self._gradient_is_the_log_densitys(gradients)

    def _guarded(self, what: str, call: _Call) -> _Call:
        """The call on copies, so that what code keeps of them changes nothing; its numbers must be finite."""

        def guarded(rows: Array, position: Array) -> Array:
            try:
                numbers = call(rows.copy(), position.copy())
            except Error:
                raise
            except Exception as error:
                raise ConfigurationError(f"{what} raised {type(error).__name__} on made-up rows: {error}") from error
            wrong = np.argwhere(~np.isfinite(numbers))
            if len(wrong):
                number, where = numbers[tuple(wrong[0])], self._where(rows, wrong[0][0], position)
                raise ConfigurationError(f"{what} is {number:g} {where}: it must be finite for every legal row")
            return numbers

        return guarded

    def _a_row_stands_alone(self, what: str, call: _Call) -> None:
        """The same numbers again, whatever the other rows are, and alone."""
        every, few = np.arange(_ROWS), np.arange(8)
        for position in self.positions[:2]:
            numbers = call(self.rows, position)
            self._agree(what, "when it is called again", numbers, call(self.rows, position), every, position, 0.0)
            for exchanged in (*self.halves, *self.singles, *(~single for single in self.singles)):
                kept = np.flatnonzero(~exchanged)
                for others in (self.others, self.first):
                    mixed = call(np.where(exchanged, others, self.rows), position)
                    self._agree(what, "beside other rows", numbers[kept], mixed[kept], kept, position, self.tolerance)
            alone = np.concatenate([call(self.rows[:, i : i + 1], position) for i in few])
            self._agree(what, "when it stands alone", numbers[few], alone, few, position, 1e-6)

    def _agree(
        self, what: str, when: str, numbers: Array, again: Array, rows: npt.NDArray[np.intp], position: Array, tolerance: float
    ) -> None:
        """`rows`: which those are whose numbers are compared. `tolerance`: relative, absolute below 1."""
        wrong = np.flatnonzero((np.abs(again - numbers) > tolerance * np.maximum(np.abs(numbers), 1)).reshape(len(rows), -1).any(axis=1))
        if len(wrong):
            raise ConfigurationError(
                f"{what} gives a row another number {when} {self._where(self.rows, rows[wrong[0]], position)}: let a row's number "
                "follow from that row alone, to the last bit, or set one_row_at_a_time"
            )

    def _slopes_keep_to_the_bound(self, log_densities: _Call) -> None:
        for j, (name, bound) in enumerate(zip(self.declared.parameters, self.declared.slope_bound)):
            steepest, where = 0.0, ""
            for position in self.positions:
                before = log_densities(self.few, position)
                for length in (1.0, 1e-2, 1e-4):
                    moved = position.copy()
                    moved[j] += length * self.scale[j]
                    after = log_densities(self.few, moved)
                    rounding = _ROUNDING * np.maximum(np.maximum(np.abs(before), np.abs(after)), 1)
                    slopes = (np.abs(after - before) - rounding) / (moved[j] - position[j])
                    row = int(np.argmax(slopes))
                    if slopes[row] > steepest:
                        steepest, where = float(slopes[row]), self._where(self.few, row, position)
            if steepest > bound * (1 + _SLACK):
                raise ConfigurationError(
                    f"slope_bound of {name} is {bound:g}, and the log density changes by {steepest:.4g} per unit {where}: "
                    "set what holds for every legal row, or write a log density with bounded slopes"
                )

    def _gradient_is_the_log_densitys(self, gradients: _Call) -> None:
        """Of most rows: there may be kinks."""
        slopes = self._guarded("log_density", self.declared.slopes)
        bounds = np.array(self.declared.slope_bound)
        for position in self.positions:
            given, expected = gradients(self.few, position), slopes(self.few, position)
            wrong = np.abs(given - expected) > 1e-3 * bounds
            for j in np.flatnonzero(wrong.mean(axis=0) > 0.25):
                row = int(np.argmax(wrong[:, j]))
                raise ConfigurationError(
                    f"gradient of {self.declared.parameters[j]} is {given[row, j]:.4g}, and the slope of log_density "
                    f"{expected[row, j]:.4g} {self._where(self.few, row, position)}: correct it, or leave it out"
                )

    def _where(self, rows: Array, row: int, position: Array) -> str:
        def shown(name: str, column: Column, value: float) -> str:
            return f"{name} = {column.levels[int(value)] if column.levels is not None else format(value, '.6g')}"

        cells = [shown(*cell) for cell in zip(self.declared.columns, self.columns, rows[:, row])]
        places = [f"{name} = {value:.6g}" for name, value in zip(self.declared.parameters, position)]
        return f"at the made-up row {', '.join(cells)} and {', '.join(places)}"


def _range(column: Column) -> tuple[float, float]:
    if column.kind == "category":
        return 0.0, float(len(column.levels or ()) - 1)
    if column.kind == "binary":
        return 0.0, 1.0
    return float(column.lower or 0), float(column.upper or 0)


def _first(column: Column) -> float:
    return _range(column)[0]


def _made_up(column: Column, generator: np.random.Generator) -> Array:
    """Half of them at the ends of what is declared, half between."""
    lower, upper = _range(column)
    between = generator.uniform(lower, upper, _ROWS)
    if column.kind != "real":
        between = np.clip(np.round(between), lower, upper)
    where = generator.integers(4, size=_ROWS)
    return np.where(where == 0, lower, np.where(where == 1, upper, between))


def _reach(prior: Mapping[str, Any] | None, parameters: list[str]) -> tuple[Array, Array]:
    """Locations and scales of the priors; what they do not say, or not as numbers, is the default's, and told later."""
    given = prior if isinstance(prior, Mapping) else {}
    own = given.get("parameter", {})
    of = [own.get(name, given.get("default")) if isinstance(own, Mapping) else None for name in parameters]

    def number(one: object, key: str, default: float) -> float:
        value = one.get(key, default) if isinstance(one, Mapping) else default
        return float(value) if isinstance(value, (int, float)) else default

    return np.array([number(one, "location", 0) for one in of]), np.array([number(one, "scale", 2.5) for one in of])
