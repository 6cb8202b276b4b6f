"""What releases cost: epsilon for delta, delta for epsilon, and what fits a budget. No data are needed."""

import dataclasses
import json
import numbers
import warnings
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from sotto import _sotto
from sotto.errors import SottoWarning, UsageError
from sotto.events import Event

Adjacency = Literal["substitute", "add-remove"]
Bound = Literal["tight", "rdp", "zcdp", "advanced"]


@dataclasses.dataclass(frozen=True, eq=False)
class Cost:
    """A promise: (``epsilon``, ``delta``) under ``adjacency`` for a group of ``group`` rows. Both are upper bounds.

    What was asked for lies between ``..._lower`` and ``..._upper``, proven. ``bound`` is the accountant that was asked and
    ``bound_by`` whose answer was the least. ``rho`` is the zero-concentrated cost, which of sampled jobs leaves the sampling out, and
    ``gdp_mu`` that of Gaussian privacy; each None where none is proven. ``trade_off`` has a line (alpha, beta) per point: no test of
    level alpha that tells two neighbours apart has a type II error below beta.
    """

    epsilon: float
    delta: float
    epsilon_lower: float
    epsilon_upper: float
    delta_lower: float
    delta_upper: float
    rho: float | None
    gdp_mu: float | None
    adjacency: Adjacency
    bound: Bound
    bound_by: Bound
    group: int
    event: Event = dataclasses.field(repr=False)
    trade_off: npt.NDArray[np.float64] | None = dataclasses.field(repr=False)


def account(
    events: Event | Iterable[Event],
    *,
    delta: float | None = None,
    epsilon: float | None = None,
    adjacency: Adjacency = "substitute",
    bound: Bound = "tight",
    group: int = 1,
    accuracy: float = 5e-4,
    trade_off: int | None = None,
) -> Cost:
    """What events cost, one after the other: epsilon for this ``delta``, or delta for this ``epsilon``.

    Parameters
    ----------
    events
        an :class:`Event`, or several, each chosen with knowledge of the answers before
    delta
        in [0, 1]
    epsilon
        >= 0
    adjacency
        neighbours: one row exchanged ("substitute"), or one row more or less ("add-remove")
    bound
        which accountant; "tight" takes the least of loss distributions, rdp and zcdp
    group
        rows, at most 2^20, whose joint suffering is priced
    accuracy
        how far apart, relatively, both tight bounds may be (1e-7 to 1); 1e-6 takes up to some seconds for a kind of event
    trade_off
        also so many points (2 to 10000) of the trade-off function

    Notes
    -----
    What is told is never smaller than the truth. What a bound cannot prove it refuses with UsageError; where nothing as narrow as
    ``accuracy`` is known, that is a :class:`SottoWarning`.

    Examples
    --------
    >>> import sotto
    >>> steps = sotto.subsampled_gaussian(sigma=4, rate=0.01, count=10000)
    >>> cost = sotto.account(steps, epsilon=1, adjacency="add-remove")
    >>> cost.delta_lower <= 4.243484e-06 <= cost.delta
    True
    """
    texts = _texts("events", events)
    _check_words(adjacency, bound)
    answer: dict[str, Any] = json.loads(
        _sotto.account(
            texts,
            None if epsilon is None else _number("epsilon", epsilon),
            None if delta is None else _number("delta", delta),
            adjacency,
            bound,
            _whole("group", group),
            _number("accuracy", accuracy),
            0 if trade_off is None else _whole("trade_off", trade_off),
        )
    )
    for sentence in answer.pop("warnings"):
        warnings.warn(sentence, SottoWarning, stacklevel=2)
    infinite = {key: float("inf") for key in ("epsilon", "epsilon_lower", "epsilon_upper") if answer[key] is None}
    points = answer.get("trade_off")
    return Cost(
        **answer
        | infinite
        | {
            "group": group,
            "event": Event(json.dumps(answer["event"])),
            "trade_off": None if points is None else np.array(points),
        }
    )


def smallest_noise(
    event: Event,
    *,
    epsilon: float,
    delta: float,
    others: Iterable[Event] = (),
    adjacency: Adjacency = "substitute",
    bound: Bound = "tight",
) -> Event:
    """The event with the smallest noise that fits the budget together with ``others``; its own noise is not used.

    The noise is within 1e-6, relatively, of the smallest, from above; :func:`account` confirms it.

    >>> import sotto
    >>> fitting = sotto.smallest_noise(sotto.gaussian(sigma=1), epsilon=1, delta=1e-6)
    >>> round(fitting.values["sigma"], 3)
    4.225
    """
    return Event(_sotto.smallest_noise(*_target(event, epsilon, delta, adjacency, bound, others)))


def largest_count(
    event: Event,
    *,
    epsilon: float,
    delta: float,
    others: Iterable[Event] = (),
    adjacency: Adjacency = "substitute",
    bound: Bound = "tight",
) -> Event:
    """The event as often as the budget allows together with ``others``, at most 2^50 times; its own count is not used.

    >>> import sotto
    >>> sotto.largest_count(sotto.gaussian(sigma=10), epsilon=1, delta=1e-6).count
    5
    """
    return Event(_sotto.largest_count(*_target(event, epsilon, delta, adjacency, bound, others)))


def _target(
    event: Event, epsilon: float, delta: float, adjacency: Adjacency, bound: Bound, others: Iterable[Event]
) -> tuple[str, float, float, Adjacency, Bound, list[str]]:
    if not isinstance(event, Event):
        raise _no_event("event", event)
    _check_words(adjacency, bound)
    return event.to_json(), _number("epsilon", epsilon), _number("delta", delta), adjacency, bound, _texts("others", others)


def _texts(name: str, events: Event | Iterable[Event]) -> list[str]:
    if isinstance(events, Event):
        return [events.to_json()]
    if isinstance(events, str) or not isinstance(events, Iterable):
        raise _no_event(name, events)
    texts = []
    for event in events:
        if not isinstance(event, Event):
            raise _no_event(name, event)
        texts.append(event.to_json())
    return texts


def _no_event(name: str, given: object) -> UsageError:
    read = "; sotto.Event.parse reads text" if isinstance(given, str) else ""
    return UsageError(f"{name} must be made by sotto.gaussian, sotto.laplace, ..., not {type(given).__name__}{read}")


def _check_words(adjacency: object, bound: object) -> None:
    for name, word in (("adjacency", adjacency), ("bound", bound)):
        if not isinstance(word, str):
            raise UsageError(f"{name} must be text, not {type(word).__name__}")


def _number(name: str, given: object) -> float:
    if not isinstance(given, numbers.Real):
        raise UsageError(f"{name} must be a number, not {type(given).__name__}")
    return float(given)


def _whole(name: str, given: object) -> int:
    if not isinstance(given, numbers.Integral):
        raise UsageError(f"{name} must be a whole number, not {type(given).__name__}")
    if abs(int(given)) >= 2**63:
        raise UsageError(f"{name} is too large")
    return int(given)
