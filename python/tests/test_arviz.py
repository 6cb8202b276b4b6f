"""ArviZ reads a fit's draws, says the same of them, and draws them: 0.x and 1.x, whichever is there."""

import sys
import warnings

import arviz
import matplotlib
import matplotlib.pyplot
import numpy as np
import pandas as pd
import pytest
import xarray

import sotto
from conftest import declared, people

matplotlib.use("agg")
TREES = int(arviz.__version__.split(".")[0]) >= 1
PARAMETERS = ["Intercept", "age", "clinic[south]", "clinic[west]"]


@pytest.fixture(scope="module")
def fit():
    return sotto.fit(people(), "ill > 0 ~ age + C(clinic)", schema=declared(), epsilon=1, delta=1e-6, draws=200)


def test_the_draws_are_what_it_takes(fit):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draws = fit.draws
    assert type(draws) is (xarray.DataTree if TREES else arviz.InferenceData)
    for group in ("posterior", "prior"):
        assert dict(draws[group].sizes) == {"chain": 4, "draw": 200} and list(draws[group].data_vars) == PARAMETERS
    assert list(draws["sample_stats"].data_vars) == ["lp"]
    chain = pd.read_csv(fit.directory / "chain_3.csv", comment="#")
    assert np.array_equal(draws["posterior"]["age"].sel(chain=2), chain["age"])
    assert np.array_equal(draws["sample_stats"]["lp"].sel(chain=2), chain["lp__"])


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


@pytest.mark.long
@pytest.mark.parametrize("figure, expected", FIGURES)
def test_it_draws_every_parameter(figure, expected, fit, tmp_path):
    file = tmp_path / "figure.png"
    (expect_tree_figure if TREES else expect_axes)(getattr(arviz, figure)(fit.draws, backend="matplotlib"), expected, file)
    assert is_a_picture(file)


FORMULA = "ill ~ age + C(clinic)"
SCHEMA = sotto.Schema({"ill": sotto.binary(), "age": sotto.real(18, 90), "clinic": sotto.category(["north", "south", "west"])})


@pytest.fixture(scope="module")
def rows():
    generator = np.random.default_rng(1)
    age = generator.uniform(18, 90, 3000)
    return pd.DataFrame({"ill": generator.uniform(size=3000) < age / 100, "age": age, "clinic": generator.choice(["north", "south", "west"], 3000)})


@pytest.fixture(scope="module")
def private(rows):
    return sotto.fit(rows, FORMULA, schema=SCHEMA, epsilon=1, delta=1e-6, draws=200)


@pytest.fixture(scope="module")
def exact(rows):
    return sotto.fit(rows, FORMULA, schema=SCHEMA, not_private=True, draws=100)


@pytest.fixture(scope="module")
def stuck(rows):
    fit = sotto.fit(rows, FORMULA, schema=SCHEMA, epsilon=1, delta=1e-6, method="penalty", draws=10, warmup=2, force=True)
    assert fit.no_answer.startswith("NO ANSWER: ")
    return fit


OURS = {"plot_forest": (1,), "plot_trace": (4, 2), "plot_dist": (4,), "plot_prior_posterior": (4, 3)}


def figure_of(result):
    return result.get_viz("figure") if TREES else np.ravel(result)[0].figure


def title_of(result):
    return figure_of(result).get_suptitle()


SLOW = ("plot_trace", "plot_dist")


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.long] if name in SLOW else []) for name in OURS])
def test_a_fit_draws_itself(name, private, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error", sotto.SottoWarning)
        result = getattr(private, name)(backend="matplotlib")
    assert hasattr(result, "viz") if TREES else np.shape(result) == OURS[name]
    assert title_of(result) == ""
    figure_of(result).savefig(tmp_path / "figure.png")
    assert is_a_picture(tmp_path / "figure.png")
    matplotlib.pyplot.close("all")
    # What else is said is ArviZ's to hear.
    one = getattr(private, name)(backend="matplotlib", var_names=["age"])
    assert list(one.viz["plot"].data_vars) == ["age"] if TREES and name != "plot_forest" else one is not None
    with pytest.raises((AttributeError, TypeError, ValueError), match="no_such_option"):
        getattr(private, name)(backend="matplotlib", no_such_option=1)
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize("name", OURS)
def test_a_figure_says_what_its_numbers_are(name, exact, stuck):
    for drawn, title, sentences in (
        (exact, "NOT PRIVATE", ["NOT PRIVATE: this figure shows draws that no noise protects"]),
        (stuck, "NO ANSWER", [f"{stuck.no_answer}; this figure is none either"]),
    ):
        with pytest.warns(sotto.SottoWarning) as caught:
            result = getattr(drawn, name)(backend="matplotlib")
        ours = [warning for warning in caught if warning.category is sotto.SottoWarning]
        assert [str(warning.message) for warning in ours] == sentences and ours[0].filename == __file__
        assert title_of(result) == title
        matplotlib.pyplot.close("all")


def test_a_figure_without_stated_priors_is_refused(private, monkeypatch):
    monkeypatch.setitem(private._manifest, "priors", private._manifest["priors"][:2])
    private.plot_prior_posterior(backend="matplotlib")
    monkeypatch.setitem(private._manifest, "priors", [])
    with pytest.raises(sotto.UsageError, match="none of this fit's priors .* by plot_dist"):
        private.plot_prior_posterior()
    matplotlib.pyplot.close("all")


# What may be lost from a picture is lost from no file.
@pytest.mark.parametrize("write, ending", [("to_netcdf", "nc"), ("to_zarr", "zarr")])
def test_the_draws_come_back_from_their_file(write, ending, private, exact, stuck, tmp_path):
    pytest.importorskip({"nc": "h5netcdf", "zarr": "zarr"}[ending])
    for name, one in {"private": private, "exact": exact, "stuck": stuck}.items():
        path = tmp_path / f"{name}.{ending}"
        assert getattr(one, write)(path) == path
        with xarray.open_datatree(path) as read:
            assert set(read.children) == {"posterior", "sample_stats", "prior"}
            for group in read.children:
                assert read[group].to_dataset().equals(xarray.Dataset(one.draws[group].data_vars, one.draws[group].coords)), group
                assert read[group].attrs["private"] == int(one is not exact)
                assert read[group].attrs.get("no_answer", "") == one.no_answer
        with pytest.raises(sotto.CannotCreateError, match=f"{name}.{ending} exists: choose another path"):
            getattr(one, write)(path)
    if ending == "nc" and not TREES:
        assert arviz.from_netcdf(path).posterior.equals(stuck.draws.posterior)


@pytest.mark.parametrize("write, wanted", [("to_netcdf", "xarray h5netcdf h5py"), ("to_zarr", "xarray zarr")])
def test_what_is_not_installed_is_named(write, wanted, private, tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name in ("h5netcdf", "netCDF4", "zarr") else True)
    with pytest.raises(ModuleNotFoundError, match=f"{write} needs what is not installed here: pip install {wanted}"):
        getattr(private, write)(tmp_path / "draws")
    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(ModuleNotFoundError, match="figures are drawn by ArviZ: pip install arviz"):
        private.plot_trace()
