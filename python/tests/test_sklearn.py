"""The estimator does what scikit-learn expects of one, as far as privacy lets it."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.special
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator

import sotto
from sotto.sklearn import PrivateRegression

BUDGET = {"epsilon": 200, "threads": 1, "draws": 300}
# Whatever noise does at this budget is less than these tests allow: they have failed in none of 50 runs.
RANGES = {"bounds": (-1, 1), "response_bounds": (0, 20)}

# What scikit-learn's checks ask for and the estimator does not do.
NOT_DONE = {
    "check_fit_idempotent": "a second fit draws new noise",
    "check_regressor_data_not_an_array": "compares two fits, whose noise differs",
    "check_regressors_int": "compares two fits, whose noise differs",
    "check_supervised_y_2d": "compares two fits, whose noise differs",
    "check_supervised_y_no_nan": "an error about a cell would tell of its row: infinity moves to the bound",
}


@pytest.mark.long
def test_passes_the_checks_that_apply():
    # Of the checks' tables of twenty rows made-up ones tell nothing now and then, and a fit would be refused: hence `force`.
    model = PrivateRegression(
        bounds=(-10, 10), response_bounds=(-200, 200), epsilon=1000, draws=200, threads=1, force=True
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(model, on_fail=None, on_skip=None)
    assert {result["check_name"] for result in results if result["status"] == "failed"} == set(NOT_DONE)
    assert sum(result["status"] == "passed" for result in results) >= 40


@pytest.fixture
def rows():
    generator = np.random.default_rng(1)
    X = generator.uniform(-1, 1, (4000, 2))
    return X, X @ [1.0, -0.5]


RESPONSES = {
    "normal": (lambda eta, generator: 10 + eta + generator.normal(0, 0.5, len(eta)), lambda eta: 10 + eta),
    "poisson": (lambda eta, generator: generator.poisson(np.exp(eta)), np.exp),
    "bernoulli": (lambda eta, generator: generator.uniform(size=len(eta)) < scipy.special.expit(eta), scipy.special.expit),
}


@pytest.mark.parametrize("family", RESPONSES)
def test_predicts_mean_responses(family, rows):
    draw, mean = RESPONSES[family]
    X, eta = rows
    model = PrivateRegression(family=family, **RANGES, **BUDGET).fit(X, draw(eta, np.random.default_rng(2)))
    new = np.array([[0.5, -0.5], [-0.8, 0.3], [0, 0]])
    truth = mean(new @ [1.0, -0.5])
    assert np.allclose(model.predict(new), truth, atol=0.25)
    lower, upper = model.predict_interval(new, level=0.999999).T
    assert (lower < truth).all() and (truth < upper).all()
    narrow = model.predict_interval(new, level=0.5)
    assert (lower < narrow[:, 0]).all() and (narrow[:, 0] < model.predict(new)).all() and (narrow[:, 1] < upper).all()
    summary = model.fit_.summary()["mean"]
    assert model.intercept_ == pytest.approx(summary["Intercept"]) and model.coef_ == pytest.approx([summary["x0"], summary["x1"]])


def test_a_complex_cell_among_objects_quotes_no_other(recwarn):
    cells = pd.DataFrame({"a": [44.123, 51.5, 63.25, 70.0], "b": [1.0, 2.0, 3.0, 4.0]}).astype(object)
    spoiled = cells.copy()
    spoiled.iloc[2, 1] = np.complex128(3)
    model = PrivateRegression(bounds=(0, 100), response_bounds=(0, 1), force=True)
    for given in (spoiled, spoiled.to_numpy(), spoiled.to_numpy().tolist()):
        with pytest.raises(TypeError, match="everywhere") as refused:
            model.fit(given, [1.0, 0, 1, 0])
        assert "44.123" not in str(refused.value)
    assert model.fit(cells, [1.0, 0, 1, 0]).feature_names_in_.tolist() == ["a", "b"]
    with pytest.raises(TypeError, match="everywhere"):
        model.predict(spoiled)
    assert not [one for one in recwarn if "omplex" in str(one.message)]


@pytest.mark.long
def test_columns_have_their_names_and_own_bounds(rows):
    X, eta = rows
    frame = pd.DataFrame(100 * X, columns=["the age", "y"])
    model = PrivateRegression(bounds={"y": (-100, 100), "the age": (-100, 50)}, response_bounds=(-5, 5), **BUDGET).fit(frame, eta)
    assert list(model.feature_names_in_) == ["the age", "y"] and "the age" in model.fit_.summary().index
    inside, beyond = model.predict(pd.DataFrame({"the age": [50.0, 90.0], "y": [0.0, 0.0]}))
    assert inside == beyond
    other = PrivateRegression(bounds=[(-100, 50), (-100, 100)], response_bounds=(-5, 5), **BUDGET).fit(frame.to_numpy(), eta)
    assert other.coef_ == pytest.approx(model.coef_, abs=1e-3)


def test_nothing_tells_of_a_cell(rows):
    X, eta = rows
    clean = PrivateRegression(**RANGES, **BUDGET).fit(X, eta)
    X[0, 0], X[1, 1], eta[2] = np.nan, np.inf, np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        model = PrivateRegression(**RANGES, **BUDGET).fit(X, eta)
    assert model.coef_ == pytest.approx(clean.coef_, abs=0.1)
    secret = pd.DataFrame(X, columns=["a", "b"]).astype({"b": object})
    secret.loc[7, "b"] = "the secret"
    for data in (secret, secret.to_numpy(), secret.to_numpy().astype(str), secret.to_numpy().tolist()):
        with pytest.raises(TypeError, match="what is none is not told") as caught:
            PrivateRegression(**RANGES, **BUDGET).fit(data, eta)
        assert "secret" not in str(caught.value) and caught.value.__context__ is None
    with pytest.raises(TypeError, match="what is none is not told"):
        PrivateRegression(**RANGES, **BUDGET).fit(X, secret["b"])
    one_column = [41.5, 77.25, 33.125]
    for data in (one_column, np.array(one_column), pd.Series(one_column, dtype=object), X + 41.5j, pd.DataFrame(X + 41.5j)):
        for use in (lambda: PrivateRegression(**RANGES, **BUDGET).fit(data, eta), lambda: clean.predict(data)):
            with pytest.raises(ValueError, match="Expected 2D array|Complex data") as caught:
                use()
            assert "41" not in str(caught.value) and caught.value.__context__ is None
    with pytest.raises(ValueError, match="Complex data") as caught:
        PrivateRegression(**RANGES, **BUDGET).fit(X, eta + 41.5j)
    assert "41" not in str(caught.value)


@pytest.mark.long
def test_every_way_of_missing_drops_the_row_in_silence(rows):
    X, eta = rows
    X, eta = X[:3000], eta[:3000]
    clean = PrivateRegression(**RANGES, **BUDGET).fit(X, eta)
    for missing in (None, np.nan, pd.NA):
        frame = pd.DataFrame(X, columns=["a", "b"]).astype({"b": object})
        response = pd.Series(eta).astype(object)
        frame.loc[7, "b"] = response[8] = missing
        for data in (frame, frame.to_numpy(), frame.assign(a=frame["a"].astype("Float64"))):
            model = PrivateRegression(**RANGES, **BUDGET).fit(data, response)
            assert model.coef_ == pytest.approx(clean.coef_, abs=0.2)
        assert list(PrivateRegression(**RANGES, **BUDGET).fit(frame, eta).feature_names_in_) == ["a", "b"]
        assert np.isnan(model.predict(frame.assign(a=frame["a"].astype("Float64")))).nonzero()[0].tolist() == [7]
        frame.loc[9, "b"] = "the secret"
        with pytest.raises(TypeError, match="what is none is not told") as caught:
            PrivateRegression(**RANGES, **BUDGET).fit(frame, eta)
        assert "secret" not in str(caught.value) and caught.value.__context__ is None


@pytest.mark.long
def test_stands_in_a_pipeline_and_in_cross_validation(rows):
    X, eta = rows
    pipeline = make_pipeline(FunctionTransformer(np.abs), PrivateRegression(bounds=(0, 1), response_bounds=(0, 2), **BUDGET))
    predicted = cross_val_predict(pipeline, X, np.abs(X) @ [1.0, 0.5], cv=2)
    assert np.allclose(predicted, np.abs(X) @ [1.0, 0.5], atol=0.05)
    assert pipeline.set_params(privateregression__epsilon=2).get_params()["privateregression__epsilon"] == 2


def test_no_number_that_is_missing_is_made_up_in_a_prediction(rows):
    model = PrivateRegression(bounds=(-1, 1), response_bounds=(-5, 5), **BUDGET).fit(*rows)
    assert np.isnan(model.predict([[np.nan, 0], [0, 0]])).tolist() == [True, False]


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({"bounds": None}, "declare the columns' bounds"),
        ({"bounds": [(0, 1)]}, "one for each of 2 columns"),
        ({"bounds": {"x0": (0, 1)}}, "declare the bounds of x1"),
        ({"bounds": (1, 0)}, "lower must be less than upper"),
        ({"response_bounds": None}, "declare response_bounds"),
        ({"family": "poisson", "response_bounds": (0, 0.5)}, "the bounds of a count must be whole numbers"),
        ({"epsilon": -1}, "epsilon"),
        ({"family": "gamma"}, "gamma"),
    ],
)
def test_refuses_what_is_not_declared(arguments, sentence, rows):
    with pytest.raises(sotto.ConfigurationError, match=sentence):
        PrivateRegression(**{**RANGES, **arguments}).fit(*rows)


def test_refuses_a_level_that_is_none(rows):
    model = PrivateRegression(bounds=(-1, 1), response_bounds=(-5, 5), **BUDGET).fit(*rows)
    with pytest.raises(sotto.ConfigurationError, match="level must lie in"):
        model.predict_interval([[0, 0]], level=1)
