"""Events and their costs from Python are those of `sotto account`."""

import json
import warnings

import numpy as np
import pytest

import sotto

# Every mechanism of the program, by its name there: made here, and as it is written there.
EVENTS = {
    "gaussian": (sotto.gaussian(10, count=5), "gaussian:sigma=10,count=5"),
    "discrete-gaussian": (sotto.discrete_gaussian(12, sensitivity=3, dimension=2), "discrete-gaussian:sigma=4,grid=3,dim=2"),
    "laplace": (sotto.laplace(3), "laplace:scale=3"),
    "subsampled-gaussian": (
        sotto.subsampled_gaussian(4, 0.01, count=1000),
        "subsampled-gaussian:sigma=4,rate=0.01,count=1000",
    ),
    "subsampled-laplace": (
        sotto.subsampled_laplace(4, 0.01, sampling="without-replacement"),
        "subsampled-laplace:scale=4,rate=0.01,sampling=without-replacement",
    ),
    "dp-sgd": (sotto.dp_sgd(1.1, rows=6000, batch=60, epochs=2.5), "dp-sgd:noise=1.1,rows=6000,batch=60,epochs=2.5"),
    "randomized-response": (sotto.randomized_response(0.25, levels=4), "randomized-response:probability=0.25,levels=4"),
    "exponential-mechanism": (sotto.exponential_mechanism(0.5), "exponential-mechanism:epsilon=0.5"),
    "report-noisy-max": (sotto.report_noisy_max(4), "report-noisy-max:scale=4"),
    "sparse-vector": (
        sotto.sparse_vector(4, 8, positives=3, monotone=True),
        "sparse-vector:threshold=4,query=8,positives=3,monotone=1",
    ),
    "shuffled": (sotto.shuffled(1, 10000), "shuffled:epsilon=1,users=1e4"),
    "truncated-poisson": (
        sotto.truncated_poisson(1, 0.01, rows=100000, largest_batch=1250),
        "truncated-poisson:sigma=1,rate=0.01,rows=1e5,largest=1250",
    ),
    "random-allocation": (sotto.random_allocation(1, steps=100), "random-allocation:sigma=1,steps=100"),
    "tree": (sotto.tree(9, leaves=64), "tree:sigma=9,leaves=64"),
    "matrix": (
        sotto.matrix(9, [1, 0.5], steps=64, participations=2, separation=8),
        "matrix:sigma=9,strategy=1/.5,steps=64,participations=2,separation=8",
    ),
    "dp-barker": (sotto.dp_barker(100000, 1000), "dp-barker:rows=100000,batch=1000"),
    "variance-completed-barker": (
        sotto.variance_completed_barker(100000, 1000, 1e-4),
        "variance-completed-barker:rows=100000,batch=1000,bound=1e-4",
    ),
    "subsampled-penalty": (sotto.subsampled_penalty(50, 0.01), "subsampled-penalty:tau=50,rate=0.01"),
    "pure": (sotto.pure(0.1, count=3), "pure:epsilon=0.1,count=3"),
    "approximate": (sotto.approximate(0.1, 1e-8), "approximate:epsilon=0.1,delta=1e-8"),
    "zcdp": (sotto.zcdp(0.01), "zcdp:rho=0.01"),
    "gdp": (sotto.gdp(0.1), "gdp:mu=0.1"),
    "renyi": (sotto.renyi([2, 4, 8], [0.1, 0.2, 0.4]), "renyi:orders=2/4/8,costs=.1/.2/.4"),
}


def test_every_mechanism_of_the_program_is_here():
    with pytest.raises(sotto.UsageError) as caught:
        sotto.Event.parse("nonsense")
    assert sorted(str(caught.value).split("known: ")[1].split(", ")) == sorted(EVENTS)


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_is_the_programs(name):
    event, specification = EVENTS[name]
    assert event == sotto.Event.parse(specification) and hash(event) == hash(sotto.Event.parse(specification))
    assert sotto.Event.from_json(event.to_json()) == event
    assert event != sotto.gaussian(1)


def test_sensitivity_and_noise_are_in_the_querys_units():
    def epsilon(event):
        return sotto.account(event, delta=1e-6).epsilon

    assert epsilon(sotto.gaussian(30, sensitivity=3)) == epsilon(sotto.gaussian(10))
    clipped = sotto.subsampled_laplace(scale=8, rate=0.1, clip_norm=2)
    assert epsilon(clipped) == epsilon(sotto.subsampled_laplace(scale=4, rate=0.1))


@pytest.mark.parametrize(
    "bound, adjacency", [("tight", "substitute"), ("rdp", "add-remove"), ("zcdp", "substitute"), ("advanced", "add-remove")]
)
def test_costs_what_the_program_says(bound, adjacency, program):
    events = {"laplace:scale=20,count=10": sotto.laplace(20, count=10), "gaussian:sigma=40": sotto.gaussian(40)}
    if bound == "advanced":
        events.pop("gaussian:sigma=40")
    cost = sotto.account(events.values(), delta=1e-6, bound=bound, adjacency=adjacency, group=2)
    mechanisms = [text for event in events for text in ("--mechanism", event)]
    told = program("account", *mechanisms, "--delta", "1e-6", "--bound", bound, "--adjacency", adjacency, "--group", 2, "--json")
    said = json.loads(told.stdout)
    assert cost.event.to_json() == sotto.Event(json.dumps(said.pop("event"))).to_json()
    assert said.pop("warnings") == [] and cost.trade_off is None
    assert {key: getattr(cost, key) for key in said} == said
    assert 0 < cost.epsilon_lower <= cost.epsilon == cost.epsilon_upper and cost.delta == 1e-6
    assert cost.bound_by in (["rdp", "zcdp", "tight"] if bound == "tight" else [bound])


def test_what_is_given_away_is_infinite():
    assert sotto.account(sotto.approximate(1, 0.5), delta=0.1).epsilon == float("inf")


def test_the_trade_off_function_of_a_gaussian():
    cost = sotto.account(sotto.gaussian(1), delta=1e-6, trade_off=3)
    assert cost.gdp_mu == pytest.approx(1) and cost.rho == pytest.approx(0.5)
    assert np.allclose(cost.trade_off, [[0, 1], [0.5, 0.1587], [1, 0]], atol=2e-3)


def test_what_fits_is_confirmed():
    budget = {"epsilon": 1, "delta": 1e-6, "adjacency": "add-remove"}
    other = sotto.laplace(30, count=2)
    steps = sotto.smallest_noise(sotto.dp_sgd(1, rows=6000, batch=60, epochs=1), others=[other], **budget)
    assert steps.count == 100
    assert 0.999 < sotto.account([steps, other], delta=1e-6, adjacency="add-remove").epsilon <= 1
    most = sotto.largest_count(sotto.gaussian(30, sensitivity=2), others=[other], **budget)
    assert sotto.account([most, other], delta=1e-6, adjacency="add-remove").epsilon <= 1
    more = sotto.gaussian(30, sensitivity=2, count=most.count + 1)
    assert sotto.account([more, other], delta=1e-6, adjacency="add-remove").epsilon > 1


def test_a_composition_is_its_parts():
    parts = [sotto.gaussian(9), sotto.laplace(20, count=2)]
    thrice = sotto.composition(*parts, count=3)
    assert list(thrice.values["parts"]) == parts and thrice.count == 3 and thrice.mechanism == "composition"
    apart = [sotto.gaussian(9, count=3), sotto.laplace(20, count=6)]
    assert sotto.account(thrice, delta=1e-6).epsilon == sotto.account(apart, delta=1e-6).epsilon
    assert eval(repr(thrice), dict(vars(sotto))) == thrice


def test_an_accuracy_that_is_not_reached_is_told():
    with pytest.warns(sotto.SottoWarning, match="nothing finer is known here") as caught:
        sotto.account(sotto.report_noisy_max(5), epsilon=0.1, accuracy=1e-6)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sotto.account(sotto.gaussian(5), epsilon=0.1, accuracy=1e-6)


def test_numbers_of_other_libraries_are_numbers():
    assert sotto.gaussian(np.float32(2), count=np.int64(3)) == sotto.gaussian(2, count=3)


@pytest.mark.parametrize(
    "call, error, sentence",
    [
        (lambda: sotto.gaussian(0), sotto.ConfigurationError, "sigma or scale must lie in"),
        (lambda: sotto.gaussian(float("nan")), sotto.UsageError, "the values of gaussian must be finite numbers"),
        (lambda: sotto.gaussian(1, count=-1), sotto.ConfigurationError, "counts must be integers >= 0"),
        (lambda: sotto.gaussian(1j), sotto.UsageError, "the values of an event are numbers or text, not complex"),
        (lambda: sotto.dp_sgd(1, rows=10, batch=20, epochs=1), sotto.UsageError, r"dp-sgd: batch must lie in \[1, rows\]"),
        (lambda: sotto.Event.from_json("{"), sotto.ConfigurationError, "this is no JSON of a privacy event"),
        (lambda: sotto.account([], delta=0), sotto.UsageError, "at least one event"),
        (lambda: sotto.account(sotto.pure(1)), sotto.UsageError, "give either delta or epsilon"),
        (lambda: sotto.account(sotto.pure(1), delta=0, epsilon=1), sotto.UsageError, "give either delta or epsilon"),
        (lambda: sotto.account(sotto.pure(1), delta=2), sotto.UsageError, r"delta must lie in \[0, 1\]"),
        (lambda: sotto.account(sotto.pure(1), epsilon=float("nan")), sotto.UsageError, "epsilon must be a finite number >= 0"),
        (lambda: sotto.account(sotto.pure(1), delta=0, group=-1), sotto.UsageError, "group must lie in"),
        (lambda: sotto.account(sotto.pure(1), delta=0, accuracy=0), sotto.UsageError, "accuracy must lie in"),
        (lambda: sotto.account(sotto.pure(1), delta=0, trade_off=1), sotto.UsageError, "points of the trade-off function"),
        (lambda: sotto.account(sotto.pure(1), delta=0, bound="best"), sotto.UsageError, "bound must be tight"),
        (lambda: sotto.account(sotto.pure(1), delta=0, adjacency="swap"), sotto.UsageError, "adjacency must be substitute"),
        (lambda: sotto.account(sotto.zcdp(1), delta=1e-6, bound="advanced"), sotto.UsageError, "^bound advanced takes gaussian noise"),
        (lambda: sotto.smallest_noise(sotto.pure(1), epsilon=1, delta=0), sotto.UsageError, "pure has no noise to solve for"),
        (lambda: sotto.account("gaussian:sigma=1", delta=0), sotto.UsageError, "events must be made by .*Event.parse"),
        (lambda: sotto.account(3, delta=0), sotto.UsageError, "events must be made by .*, not int"),
        (lambda: sotto.account([sotto.pure(1), None], delta=0), sotto.UsageError, "events must be made by .*, not NoneType"),
        (lambda: sotto.account(sotto.pure(1), delta="1e-6"), sotto.UsageError, "delta must be a number, not str"),
        (lambda: sotto.account(sotto.pure(1), epsilon=[1]), sotto.UsageError, "epsilon must be a number, not list"),
        (lambda: sotto.account(sotto.pure(1), delta=0, group=1.5), sotto.UsageError, "group must be a whole number, not float"),
        (lambda: sotto.account(sotto.pure(1), delta=0, group=2**70), sotto.UsageError, "group is too large"),
        (lambda: sotto.account(sotto.pure(1), delta=0, bound=3), sotto.UsageError, "bound must be text, not int"),
        (lambda: sotto.account(sotto.pure(1), delta=0, adjacency=None), sotto.UsageError, "adjacency must be text"),
        (lambda: sotto.account(sotto.pure(1), delta=0, trade_off="5"), sotto.UsageError, "trade_off must be a whole number"),
        (lambda: sotto.largest_count("pure", epsilon=1, delta=0), sotto.UsageError, "event must be made by"),
        (lambda: sotto.largest_count(sotto.pure(1), epsilon="1", delta=0), sotto.UsageError, "epsilon must be a number, not str"),
        (lambda: sotto.smallest_noise(sotto.gaussian(1), epsilon=1, delta=0, others=7), sotto.UsageError, "others must be made by"),
    ],
)
def test_refuses_in_words(call, error, sentence):
    with pytest.raises(error, match=sentence):
        call()


def test_a_promise_that_protects_little_is_told():
    with pytest.warns(sotto.SottoWarning, match="Epsilon .* promises next to nothing"):
        sotto.account(sotto.gaussian(0.1), delta=1e-6)
    with pytest.warns(sotto.SottoWarning, match="No epsilon is promised at so small a delta"):
        sotto.account(sotto.gaussian(9), delta=0)
