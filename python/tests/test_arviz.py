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
ONE_POINT_X = pytest.mark.skipif(not TREES, reason=f"ArviZ is {arviz.__version__} here: tests/install/arviz_test.py brings ArviZ 1")
ZERO_POINT_X = pytest.mark.skipif(TREES, reason=f"ArviZ is {arviz.__version__} here, and these figures are of 0.x")
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


@ONE_POINT_X
@pytest.mark.parametrize("figure, part", [("plot_forest", "trunk"), ("plot_trace_dist", "trace"), ("plot_prior_posterior", "dist")])
def test_it_draws_every_parameter(figure, part, fit, tmp_path):
    drawn = getattr(arviz, figure)(fit.draws, backend="matplotlib")
    assert list(drawn.viz[part].data_vars) == PARAMETERS
    drawn.savefig(tmp_path / "figure.png")
    assert is_a_picture(tmp_path / "figure.png")


@ZERO_POINT_X
@pytest.mark.parametrize("figure, axes", [("plot_forest", (1,)), ("plot_trace", (4, 2)), ("plot_dist_comparison", (4, 3))])
def test_it_draws_every_parameter_in_the_old_figures(figure, axes, fit, tmp_path):
    drawn = getattr(arviz, figure)(fit.draws, backend="matplotlib")
    assert drawn.shape == axes
    drawn.flat[0].figure.savefig(tmp_path / "figure.png")
    assert is_a_picture(tmp_path / "figure.png")
