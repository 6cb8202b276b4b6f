"""ArviZ reads a fit's draws, says the same of them, and draws them: 0.x and 1.x, whichever is there."""

import warnings

import arviz
import matplotlib
import numpy as np
import pytest
import xarray

import sotto

matplotlib.use("agg")
TREES = int(arviz.__version__.split(".")[0]) >= 1
PARAMETERS = ["Intercept", "age", "clinic[south]", "clinic[west]"]


@pytest.fixture
def fit(table, schema):
    return sotto.fit(table, "ill > 0 ~ age + C(clinic)", schema=schema, epsilon=1, delta=1e-6, draws=200)


def test_the_draws_are_what_it_takes(fit):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draws = fit.draws
    assert type(draws) is (xarray.DataTree if TREES else arviz.InferenceData)
    for group in ("posterior", "prior"):
        assert dict(draws[group].sizes) == {"chain": 4, "draw": 200} and list(draws[group].data_vars) == PARAMETERS
    assert list(draws["sample_stats"].data_vars) == ["lp"]


def test_it_says_the_same(fit):
    told = fit.summary()
    said = arviz.summary(fit.draws, round_to="none", **({"ci_prob": 0.9, "ci_kind": "eti"} if TREES else {}))
    assert list(said.index) == PARAMETERS
    names = {"mean": "mean", "sd": "sd", "mcse_mean": "mcse_mean", "ess_bulk": "ess_bulk", "rhat": "r_hat"}
    if TREES:
        names |= {"q05": "eti90_lb", "q95": "eti90_ub"}
    for ours, its in names.items():
        assert np.allclose(told[ours], said[its], rtol=1e-8, atol=0), ours
    tails = arviz.ess(fit.draws, method="tail", prob=(0.05, 0.95))
    assert np.allclose(told["ess_tail"], [float(tails[name]) for name in PARAMETERS], rtol=1e-8)


def is_a_picture(file):
    return file.read_bytes().startswith(b"\x89PNG") and matplotlib.image.imread(file)[..., :3].std() > 0.01


def expect_tree_figure(drawn, part, file):
    assert list(drawn.viz[part].data_vars) == PARAMETERS
    drawn.savefig(file)


def expect_axes(drawn, shape, file):
    assert drawn.shape == shape
    drawn.flat[0].figure.savefig(file)


# Each version has figures of its own: those of the one that is here. The suite has 0.x, tests/install/arviz_test.py brings ArviZ 1.
FIGURES = (
    [("plot_forest", "trunk"), ("plot_trace_dist", "trace"), ("plot_prior_posterior", "dist")]
    if TREES
    else [("plot_forest", (1,)), ("plot_trace", (4, 2)), ("plot_dist_comparison", (4, 3))]
)


@pytest.mark.parametrize("figure, expected", FIGURES)
def test_it_draws_every_parameter(figure, expected, fit, tmp_path):
    file = tmp_path / "figure.png"
    (expect_tree_figure if TREES else expect_axes)(getattr(arviz, figure)(fit.draws, backend="matplotlib"), expected, file)
    assert is_a_picture(file)
