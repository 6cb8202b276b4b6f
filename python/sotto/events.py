"""What is done to private data, as values: what an accountant prices, and no data are in it."""

import json
import numbers
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

from sotto import _sotto
from sotto.errors import UsageError

Sampling = Literal["poisson", "without-replacement"]


class Event:
    """A mechanism with its numbers, or a composition of events, ``count`` times; made by :func:`gaussian`, :func:`laplace`, ...

    Noise and sensitivity are in the units of the query. The values are checked when an event is made. Events are equal when their
    values are, and their JSON is that of ``sotto account --event``.

    >>> import sotto
    >>> sotto.Event.parse("gaussian:sigma=10,count=3")
    gaussian(sensitivity=1, sigma=10, count=3)
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = _sotto.event(text)

    @classmethod
    def parse(cls, specification: str) -> "Event":
        """An event as ``sotto account --mechanism`` takes it, with noise in units of the sensitivity."""
        return cls(_sotto.event_of(specification))

    @classmethod
    def from_json(cls, text: str) -> "Event":
        """An event from its JSON."""
        return cls(text)

    def to_json(self) -> str:
        """The JSON of ``sotto account --event``."""
        return self._text

    @property
    def mechanism(self) -> str:
        """"gaussian", "composition", ..."""
        return str(json.loads(self._text)["mechanism"])

    @property
    def count(self) -> int:
        """How often it is done."""
        return int(json.loads(self._text)["count"])

    @property
    def values(self) -> Mapping[str, Any]:
        """The numbers of the mechanism by their names; the parts of a composition as ``parts``."""
        values = {key: value for key, value in json.loads(self._text).items() if key not in ("mechanism", "count")}
        if "parts" in values:
            values["parts"] = [Event(json.dumps(part)) for part in values["parts"]]
        return MappingProxyType(values)

    def __eq__(self, other: object) -> bool:
        return self._text == other._text if isinstance(other, Event) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        values = dict(self.values)
        said = [repr(part) for part in values.pop("parts", [])]
        said += [f"{key}={_short(value)}" for key, value in values.items()]
        said += [f"count={self.count}"] if self.count != 1 else []
        return f"{self.mechanism.replace('-', '_')}({', '.join(said)})"


def _short(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else repr(value)


def _number(value: Any) -> int | float:
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    raise UsageError(f"the values of an event are numbers or text, not {type(value).__name__}")


def _event(mechanism: str, count: int, **values: Any) -> Event:
    try:
        text = json.dumps({"mechanism": mechanism, "count": count, **values}, default=_number, allow_nan=False)
    except ValueError:
        raise UsageError(f"the values of {mechanism} must be finite numbers") from None
    return Event(text)


def gaussian(sigma: float, *, sensitivity: float = 1, count: int = 1) -> Event:
    """Gaussian noise of standard deviation ``sigma`` on an answer that one neighbour changes by at most ``sensitivity`` (L2).

    >>> import sotto
    >>> round(sotto.account(sotto.gaussian(sigma=10, count=5), delta=1e-6).epsilon, 3)
    0.941
    """
    return _event("gaussian", count, sigma=sigma, sensitivity=sensitivity)


def discrete_gaussian(sigma: float, *, sensitivity: int = 1, dimension: int = 1, count: int = 1) -> Event:
    """Discrete Gaussian noise on whole numbers; ``sensitivity`` (L2) and ``sigma`` in grid steps, ``dimension`` coordinates."""
    return _event("discrete-gaussian", count, sigma=sigma, sensitivity=sensitivity, dimension=dimension)


def laplace(scale: float, *, sensitivity: float = 1, count: int = 1) -> Event:
    """Laplace noise on every coordinate of an answer that one neighbour changes by at most ``sensitivity`` (L1)."""
    return _event("laplace", count, scale=scale, sensitivity=sensitivity)


def subsampled_gaussian(
    sigma: float, rate: float, *, clip_norm: float = 1, sampling: Sampling = "poisson", count: int = 1
) -> Event:
    """Gaussian noise on a sum over a random batch, to which one row contributes a vector of norm at most ``clip_norm``.

    ``rate`` is the probability of a row to be in the batch, or batch / rows without replacement. Adjacency and sampling decide the
    sensitivity: the same ``sigma`` costs more under substitute.
    """
    return _event("subsampled-gaussian", count, sigma=sigma, rate=rate, clip_norm=clip_norm, sampling=sampling)


def subsampled_laplace(
    scale: float, rate: float, *, clip_norm: float = 1, sampling: Sampling = "poisson", count: int = 1
) -> Event:
    """Laplace noise on a one-dimensional sum over a random batch; the rest as for :func:`subsampled_gaussian`."""
    return _event("subsampled-laplace", count, scale=scale, rate=rate, clip_norm=clip_norm, sampling=sampling)


def truncated_poisson(
    sigma: float, rate: float, *, rows: int, largest_batch: int, clip_norm: float = 1, count: int = 1
) -> Event:
    """Gaussian noise on a sum over a Poisson batch, of which ``largest_batch`` rows at most are kept, out of at most ``rows``.

    Which ones are kept does not depend on what rows hold, at random say; the rest as for :func:`subsampled_gaussian`.

    >>> import sotto
    >>> steps = sotto.truncated_poisson(1, 0.01, rows=100000, largest_batch=1250, count=1000)
    >>> round(sotto.account(steps, delta=1e-6, adjacency="add-remove").epsilon, 3)
    2.125
    """
    values = {"sigma": sigma, "rate": rate, "clip_norm": clip_norm}
    return _event("truncated-poisson", count, **values, rows=rows, largest_batch=largest_batch)


def random_allocation(sigma: float, steps: int, *, clip_norm: float = 1, count: int = 1) -> Event:
    """Gaussian noise on the sums of ``steps`` batches, in one of which, drawn at random, every row takes part; ``count`` epochs.

    >>> import sotto
    >>> epochs = sotto.random_allocation(1, steps=1000, count=5)
    >>> round(sotto.account(epochs, delta=1e-6, adjacency="add-remove").epsilon, 3)
    0.378
    """
    return _event("random-allocation", count, sigma=sigma, steps=steps, clip_norm=clip_norm)


def dp_sgd(noise: float, rows: int, batch: int, epochs: float, *, count: int = 1) -> Event:
    """Stochastic gradient descent on Poisson batches of ``batch`` rows on average: ceil(epochs rows / batch) steps.

    ``noise`` is in units of the norm that gradients are clipped to. What is returned are its steps.

    >>> import sotto
    >>> sotto.dp_sgd(noise=1.1, rows=60000, batch=240, epochs=15)
    subsampled_gaussian(clip_norm=1, rate=0.004, sampling='poisson', sigma=1.1, count=3750)
    """
    values = {"noise": noise, "rows": rows, "batch": batch, "epochs": epochs, "count": count}
    return Event.parse("dp-sgd:" + ",".join(f"{key}={_number(value)!r}" for key, value in values.items()))


def randomized_response(probability: float, *, levels: int = 2, count: int = 1) -> Event:
    """One of ``levels`` answers, with ``probability`` replaced by a uniformly drawn one."""
    return _event("randomized-response", count, probability=probability, levels=levels)


def exponential_mechanism(epsilon: float, *, count: int = 1) -> Event:
    """An answer drawn with weight e^(epsilon u / 2), with u in units of its sensitivity."""
    return _event("exponential-mechanism", count, epsilon=epsilon)


def report_noisy_max(scale: float, *, count: int = 1) -> Event:
    """Which of many scores is largest after Laplace noise on each, of ``scale`` in units of what one row may change of a score."""
    return _event("report-noisy-max", count, scale=scale)


def sparse_vector(
    threshold_scale: float, query_scale: float, positives: int, *, monotone: bool = False, count: int = 1
) -> Event:
    """Which of many queries lie above a threshold, until ``positives`` do, with Laplace noise on the threshold and on each query.

    Scales are in units of what one row may change of a query. ``monotone``: one row more moves no query up where it moves another
    down, as counts do; known for add-remove only.
    """
    scales = {"threshold_scale": threshold_scale, "query_scale": query_scale}
    return _event("sparse-vector", count, **scales, positives=positives, monotone=int(monotone))


def shuffled(epsilon: float, users: int, *, count: int = 1) -> Event:
    """Answers of ``users`` in random order, each ``epsilon``-private by itself, all by the same randomiser.

    >>> import sotto
    >>> round(sotto.account(sotto.shuffled(epsilon=1, users=10000), delta=1e-6).epsilon, 3)
    0.053
    """
    return _event("shuffled", count, epsilon=epsilon, users=users)


def tree(sigma: float, leaves: int, *, count: int = 1) -> Event:
    """Gaussian noise on every node of a binary tree over sums, ``sigma`` in units of what one neighbour may change of a node."""
    return _event("tree", count, sigma=sigma, leaves=leaves)


def matrix(
    sigma: float,
    strategy: Sequence[float],
    *,
    steps: int,
    participations: int = 1,
    separation: int = 1,
    count: int = 1,
) -> Event:
    """A matrix mechanism: Gaussian noise on C x, in units of the clip norm, where ``strategy`` is the first column of C.

    C is lower triangular, of ``steps`` steps, with the same numbers along every diagonal and 0 beyond the strategy. A row takes part
    ``participations`` times at most, ``separation`` steps apart at least.

    >>> import sotto
    >>> banded = sotto.matrix(8, [1, 0.5, 0.375], steps=1000, participations=5, separation=200)
    >>> round(sotto.account(banded, delta=1e-6, adjacency="add-remove").epsilon, 3)
    1.43
    """
    strategy = [float(c) for c in strategy]
    return _event(
        "matrix", count, sigma=sigma, strategy=strategy, steps=steps, participations=participations, separation=separation
    )


def dp_barker(rows: int, batch: int, *, count: int = 1) -> Event:
    """A step of DP Barker on a batch of fixed size (``docs/barker.md``)."""
    return _event("dp-barker", count, rows=rows, batch=batch)


def variance_completed_barker(rows: int, batch: int, bound: float, *, count: int = 1) -> Event:
    """A step of Barker whose noise completes the variance of the ratio, of which a row has at most ``bound`` (``docs/barker.md``)."""
    return _event("variance-completed-barker", count, rows=rows, batch=batch, bound=bound)


def subsampled_penalty(tau: float, rate: float, *, count: int = 1) -> Event:
    """A step of the penalty algorithm with noise of variance ``tau`` squared sensitivities on a batch of fixed size."""
    return _event("subsampled-penalty", count, tau=tau, rate=rate)


def pure(epsilon: float, *, count: int = 1) -> Event:
    """Any epsilon-private mechanism."""
    return _event("pure", count, epsilon=epsilon, rows=1)


def approximate(epsilon: float, delta: float, *, count: int = 1) -> Event:
    """Any (epsilon, delta)-private mechanism."""
    return _event("approximate", count, epsilon=epsilon, delta=delta, rows=1)


def zcdp(rho: float, *, count: int = 1) -> Event:
    """Any rho-zero-concentrated mechanism."""
    return _event("zcdp", count, rho=rho)


def gdp(mu: float, *, count: int = 1) -> Event:
    """Any mechanism that is ``mu``-private in the Gaussian sense."""
    return _event("gdp", count, mu=mu)


def renyi(orders: Sequence[float], costs: Sequence[float], *, count: int = 1) -> Event:
    """Any mechanism of these Renyi costs at these increasing orders."""
    return _event("renyi", count, orders=list(orders), costs=list(costs))


def composition(*parts: Event, count: int = 1) -> Event:
    """The parts one after the other, each chosen with knowledge of the answers before; ``count`` times.

    >>> import sotto
    >>> sotto.composition(sotto.gaussian(sigma=4), sotto.laplace(scale=20), count=10)
    composition(gaussian(sensitivity=1, sigma=4), laplace(scale=20, sensitivity=1), count=10)
    """
    return _event("composition", count, parts=[json.loads(part.to_json()) for part in parts])
