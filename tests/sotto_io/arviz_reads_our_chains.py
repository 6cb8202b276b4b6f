"""ArviZ reads the chain files of a run, and computes the numbers that summary.csv holds."""

import csv
import json
import math
import pathlib
import subprocess
import sys

import arviz as az
import numpy as np

program, directory = sys.argv[1], pathlib.Path(sys.argv[2])
subprocess.run([program, str(directory)], check=True)
chains = sorted(str(file) for file in directory.glob("chain_*.csv"))
assert len(chains) == 4, chains

data = az.from_cmdstan(posterior=chains)
manifest = json.loads((directory / "manifest.json").read_text())
assert list(data.posterior.data_vars) == manifest["parameters"], list(data.posterior.data_vars)
assert data.posterior.sizes["chain"] == 4 and data.posterior.sizes["draw"] == 301
assert "observed_data" not in data.groups() and "log_likelihood" not in data.groups()

# The log density of the data is not there: lp is the log prior.
lp = data.sample_stats["lp"].values
squares = sum(data.posterior[name].values ** 2 for name in manifest["parameters"])
assert np.allclose(lp, -squares / 12.5), "lp__ is not the log prior"
assert data.sample_stats["acceptance_rate"].values.shape == (4, 301)

table = {row["parameter"]: row for row in csv.DictReader(open(directory / "summary.csv", encoding="utf-8"))}
assert list(table) == manifest["parameters"]
for name in manifest["parameters"]:
    draws = data.posterior[name].values
    expected = {
        "mean": draws.mean(),
        "sd": draws.std(ddof=1),
        "q05": np.quantile(draws, 0.05),
        "q50": np.quantile(draws, 0.5),
        "q95": np.quantile(draws, 0.95),
        "rhat": az.rhat(draws),
        "ess_bulk": az.ess(draws, method="bulk"),
        "ess_tail": az.ess(draws, method="tail"),
        "mcse_mean": az.mcse(draws, method="mean"),
        "mcse_sd": az.mcse(draws, method="sd"),
    }
    for key, value in expected.items():
        ours = float(table[name][key])
        assert math.isclose(ours, value, rel_tol=1e-8, abs_tol=1e-12), (name, key, ours, value)
print("ok:", len(table), "parameters")
